"""The texts that replace removed content, with the losses that they declare (OB-2, OB-6). Pure.

Computed from the content alone: what it was, how many lines, whether it was an error, up to eight
of its rarest identifiers, and the handle that restores it.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from wm.text.fitting import those_that_fit
from wm.text.jsontext import as_object

MARK = "[wm: "
MAX_NAMES = 8
_LABEL_CHARS = 90
SHORT_CHARS = 120
"""Up to this length no text of an input is replaced; only longer ones are stored by themselves."""
_HANDLE_BYTES = 6
_LEAST_NAME, _MOST_NAME = 6, 64
_LABELS = ("command", "file_path", "filePath", "path", "pattern", "query", "url", "description")
_REPLACED = frozenset({"old_string", "oldString", "old_str", "old_text", "oldText"})
"""Members of an edit with the text that the file no longer has."""

_STUB_CHARS = 55
"""Usual length without names; a plan counts with it before the text is made."""
LINE_CHARS = 110
"""No line of a step is longer, so that no small step is replaced by more than it was."""
_LEAST_NAMES_CHARS = 24
_MOST_NAMES_CHARS = 160
_NAMES_SHARE = 20
"""A result of so many characters names its identifiers in one."""


def names_chars(content: str) -> int:
    """Characters that a stub may spend on names."""
    return min(_MOST_NAMES_CHARS, max(_LEAST_NAMES_CHARS, len(content) // _NAMES_SHARE))


def stub_chars(content: str) -> int:
    """About the length of the stub of a result."""
    return _STUB_CHARS + names_chars(content)


def handle_of(content: str) -> str:
    """The id of removed content: the same content has the same id."""
    data = content.encode("utf-8", "replace")
    return "o_" + hashlib.blake2b(data, digest_size=_HANDLE_BYTES).hexdigest()


def names_in(text: str) -> frozenset[str]:
    """The identifiers of a text: names with an inner underscore, a digit or mixed case."""
    words = set(text.translate(_SPACED).split())
    return frozenset(filter(_is_identifier, words))


class _NameLetters(dict[int, str]):
    """Translation table: what is not part of a name becomes a space."""

    def __missing__(self, _code: int) -> str:
        return " "


_SPACED = _NameLetters({ord(c): c for c in f"{string.ascii_letters}{string.digits}_"})


def _is_identifier(name: str) -> bool:
    if not _LEAST_NAME <= len(name) <= _MOST_NAME or name[0].isdigit():
        return False
    inner = name.strip("_")
    if not inner.isalpha():
        return bool(inner)  # an underscore inside, or a digit
    if inner.islower() or inner.isupper() or inner[1:].islower():
        return False
    return any(a.islower() and b.isupper() for a, b in pairwise(inner))


def rarest(names: frozenset[str], count: Callable[[str], int], chars: int) -> list[str]:
    """Up to eight names that occur in the fewest other blocks; of equal ones the longest. chars:
    for all of them."""
    ranked = sorted(names, key=lambda name: (count(name), -len(name), name))
    return those_that_fit(ranked, lambda name: len(name) + 2, chars)[:MAX_NAMES]


def label_of(tool: str, given: Any) -> str:
    """What a call did: a command's first line as it was, else the tool and what it was given."""
    is_command = isinstance(given, Mapping) and isinstance(given.get("command"), str)
    line = subject_of(given)
    return (line if is_command else f"{tool} {line}").strip()[:_LABEL_CHARS]


def subject_of(given: Any) -> str:
    """What a call is about: the first line of its command, its file, pattern, and so on."""
    fields = as_object(given)
    line = next((fields[key] for key in _LABELS if isinstance(fields.get(key), str)), "")
    return line.strip().partition("\n")[0].strip()


def worded_stub(text: str, content: str) -> str:
    """The text in place of a result or a step that the model itself summarised (PX-6)."""
    return f"{MARK}in your words: {text}; {handle_of(content)}]"


def result_stub(content: str, names: Sequence[str], *, is_error: bool, handle: str = "") -> str:
    """The text in place of a result. The call before it says what it was. handle: of the content
    that the result had brought back."""
    lines = content.count("\n") + 1
    size = f"{lines:,} lines" if lines > 1 else f"{len(content):,} characters"
    noted = f"; {', '.join(names)}" if names else ""
    failed = " (failed)" if is_error else ""
    return f"{MARK}{size} removed{failed}{noted}; {handle or handle_of(content)}]"


def input_notes(given: Mapping[str, Any], short: int = SHORT_CHARS) -> dict[str, str]:
    """Notes in place of an input's long texts, by member. short: characters up to which they
    stay, at least `SHORT_CHARS`; the text that an edit replaced stays only up to that."""
    texts = {key: text_of_member(value) for key, value in given.items()}
    return {
        key: f"{MARK}{len(text):,} characters; {handle_of(text)}]"
        for key, text in texts.items()
        if len(text) > (SHORT_CHARS if key in _REPLACED else short)
    }


def text_of_member(value: Any) -> str:
    """A member of an input as the text that its note names."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def step_line(
    labels: Sequence[str], content: str, names: Callable[[int], Sequence[str]], *, failed: bool
) -> str:
    """The text in place of a whole step, in at most `LINE_CHARS` characters. names: the rarest
    identifiers that fit into so many characters; they get the room that the label leaves."""
    more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
    begin, end = f"{MARK}step: ", f"{' (failed)' if failed else ''}; {handle_of(content)}]"
    label = labels[0][: max(0, LINE_CHARS - len(begin) - len(end) - len(more))] + more
    found = names(LINE_CHARS - len(begin) - len(end) - len(label))
    noted = f"; {', '.join(found)}" if found else ""
    return f"{begin}{label}{noted}{end}"
