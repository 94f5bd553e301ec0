"""Which files a tool call reads and writes.

Counts file tools, and shell commands that do the same: `cat`, `head`, `tail`, `nl` and `sed -n`
of named files. Paths stay as the call names them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from wm.text.jsontext import as_object
from wm.text.patterns import Lazy
from wm.text.tables import Tables

_DIALECTS = Tables("wm.domain.payloads", "dialects.toml")


def _tools(*kinds: str) -> frozenset[str]:
    """What agents call their tools of these kinds, in small letters."""
    tables = (_DIALECTS.table(agent).get("tools", {}) for agent in _DIALECTS.names())
    pairs = (pair for table in tables for pair in table.items())
    return frozenset(name.lower() for name, kind in pairs if kind in kinds)


READERS = _tools("read")
WRITERS = _tools("edit", "write")
SHELLS = _tools("bash")
EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool"})
_PATHS = ("file_path", "filePath", "path", "notebook_path", "file_name")
_RANGE = ("offset", "limit", "line_number", "view_range", "start_line", "end_line")
_SHOWS = frozenset({"cat", "head", "tail", "nl", "sed"})
_MAX_COMMAND_CHARS = 2_000
_REDIRECTED = Lazy(r"(?:^|[^0-9&<>=-])>>?\s*([^\s&|;<>()'\"]+)")
_BETWEEN_STEPS = ("&&", "||", ";")


class FileUse(Struct, frozen=True):
    """One read or write of a file. part: the range, as the call names it."""

    path: str
    part: str
    writes: bool


def uses(name: str, given: Any) -> Iterator[FileUse]:
    """The reads and writes of a call. name, given: the tool and its input, as the call has them."""
    fields = as_object(given)
    name = name.lower()
    path = next((fields[key] for key in _PATHS if isinstance(fields.get(key), str)), "")
    if name in SHELLS:
        command = str(fields.get("command") or fields.get("cmd") or "")
        yield from (FileUse(path, "", writes=True) for path in _written(command))
        yield from (FileUse(path, part, writes=False) for path, part in _shown(command))
    elif path and name in EDITORS:
        part = str(fields.get("view_range") or "")
        yield FileUse(path, part, writes=fields.get("command") != "view")
    elif path and name in READERS:
        part = ":".join(str(fields[key]) for key in _RANGE if fields.get(key) is not None)
        yield FileUse(path, part, writes=False)
    elif path and name in WRITERS:
        yield FileUse(path, "", writes=True)


def _steps(command: str) -> list[str]:
    for mark in _BETWEEN_STEPS:
        command = command.replace(mark, "\n")
    return command.split("\n")


def _written(command: str) -> Iterator[str]:
    """Paths of files that a command line writes: by `>`, `>>`, `tee` or `sed -i`. Lines of
    here-documents are not commands."""
    head = command[:_MAX_COMMAND_CHARS]
    if "<<" in head:
        before, _, rest = head.partition("<<")
        head = before.rpartition("\n")[2] + rest.partition("\n")[0]
    for step in _steps(head):
        yield from (path for path in _REDIRECTED.findall(step) if not path.startswith("/dev/"))
        words = step.split()
        if words[:1] == ["tee"] or (words[:1] == ["sed"] and "-i" in words):
            yield words[-1]


def _shown(command: str) -> Iterator[tuple[str, str]]:
    """(path, range) of files that a command line prints; nothing for long commands or
    here-documents."""
    if len(command) > _MAX_COMMAND_CHARS or "<<" in command:
        return
    for step in _steps(command):
        try:
            words = shlex.split(step.partition("|")[0])
        except ValueError:
            continue
        if not words or words[0] not in _SHOWS or ">" in step:
            continue
        if words[0] == "sed" and "-n" not in words:
            continue
        paths = [word for word in words[1:] if _is_path(word)]
        part = " ".join(word for word in words[1:] if word not in paths)
        yield from ((path, part) for path in paths)


def _is_path(word: str) -> bool:
    plain = word.strip("0123456789,$p;")
    return bool(plain) and not word.startswith("-") and ("/" in word or "." in word)
