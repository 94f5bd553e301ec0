"""Escape text for a terminal (`safe`) and for a prompt (`neutralise`) (TR-1).

Pure and linear in the input's length (EX-6). Does not decide who may see a text.
"""

from __future__ import annotations

from wm.text.letters import is_invisible, without_invisible
from wm.text.patterns import Lazy

# --- terminals -------------------------------------------------------------------------------


_EMOJI = (
    r"[\x{a9}\x{ae}\x{203c}\x{2049}\x{2122}-\x{21ff}\x{2300}-\x{2bff}\x{3030}\x{303d}\x{3297}\x{3299}"
    r"\x{1f000}-\x{1faff}][\x{fe0f}\x{1f3fb}-\x{1f3ff}]?"
)
_JOINING = (
    r"[\p{Arabic}\p{Devanagari}\p{Bengali}\p{Malayalam}\p{Sinhala}\p{Kannada}\p{Telugu}\p{Tamil}]+"
)
_SEQUENCE = Lazy(
    rf"{_EMOJI}(?:\x{{200d}}{_EMOJI})*|[0-9#*]\x{{fe0f}}\x{{20e3}}|"
    rf"{_JOINING}(?:[\x{{200c}}\x{{200d}}]{_JOINING})+"
)
"""Characters that a joiner or a selector makes one sign: a family, a keycap, a Persian word."""


def safe(text: str, *, keep_newlines: bool = False) -> str:
    r"""Escape text for a terminal: control and hidden characters become `\x1b`, `\u202e`, … (TR-1).

    keep_newlines: line feeds and tabs stay unescaped.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = "\n\t" if keep_newlines else ""
    escaped = {char: char if char in kept else _shown(char) for char in set(text)}
    pieces, last = [], 0
    for start, end in () if text.isascii() else _SEQUENCE.spans(text):
        pieces += [*map(escaped.__getitem__, text[last:start]), text[start:end]]
        last = end
    return "".join([*pieces, *map(escaped.__getitem__, text[last:])])


def _shown(char: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    if not is_invisible(char) and char not in "\n\t\u2028\u2029":
        return char
    return repr(char)[1:-1] if not char.isprintable() else f"\\u{ord(char):04x}"


# --- prompts ---------------------------------------------------------------------------------

_ROLE_AT_LINE_START = Lazy(
    r"^([\s>#*\-]*)(human|assistant|user|system|developer|tool)(\**\s{0,3}[:：])",
    ignore_case=True,
    multi_line=True,
)
_ROLE_ANYWHERE = Lazy(
    r"\b((?i:human|assistant)|System|SYSTEM|User|USER|Developer|DEVELOPER|H|A)"
    r"(\**\s{0,3}[:：]\**)(\s|$)"
)
_TAG_START = Lazy(
    r"<(\s{0,4}[/!?|]?\s{0,4})("
    r"system|user|assistant|human|developer|tool|function|invoke|parameter|antml|thinking|memory|"
    r"instruction|important|command|context|reminder|prompt|policy|admin|im_start|im_end|<sys|"
    r"endoftext|[a-z][a-z0-9]{0,40}[_:-])",
    ignore_case=True,
)
_MODEL_MARK = Lazy(r"\[(/?)(INST|SYS|SYSTEM)\]|(?:<\||\|>)", ignore_case=True)
_FENCE = Lazy(r"`{3,}|~{3,}")
_ANGLES = str.maketrans({"\uff1c": "<", "\ufe64": "<", "\uff1e": ">", "\ufe65": ">"})


def neutralise(text: str) -> str:
    """Stored text in the form a prompt may contain: one line of data, no instructions (TR-1).

    Removes line breaks, invisible and bidi characters, role markers, fences, and tags that have a
    meaning for a client, a model or `wm`. Ordinary angle brackets (`Array<string>`) stay.
    """
    text = without_invisible(text).translate(_ANGLES)
    text = _ROLE_AT_LINE_START.sub(lambda m: f"{m.group(1)}({m.group(2)})", text)
    text = _ROLE_ANYWHERE.sub(lambda m: f"({m.group(1)}){m.group(3)}", text)
    text = _FENCE.sub("`", " ".join(text.split()))
    text = _MODEL_MARK.sub(lambda m: f"({m.group(2)})" if m.group(2) else "|", text)
    return _close_tags(text)


def lines_as_data(text: str) -> str:
    """`neutralise` for a text of several lines, such as code: lines and their spacing stay."""
    return "\n".join(map(_line_as_data, text.split("\n")))


def _line_as_data(line: str) -> str:
    line, plain = line.rstrip(), neutralise(line)
    if plain == " ".join(line.split()) and line.replace("\t", " ").isprintable():
        return line
    return line[: len(line) - len(line.lstrip(" \t"))] + plain


def _close_tags(text: str) -> str:
    """Replace the angle brackets of special tags with single angle quotation marks."""
    pieces, last = [], 0
    for match in _TAG_START.finditer(text):
        start = match.start()
        if start < last:
            continue
        end = text.find(">", start, start + 400)
        pieces += [text[last:start], "\u2039"]
        last = start + 1
        if end >= 0:
            pieces += [text[last:end].replace("<", "\u2039"), "\u203a"]
            last = end + 1
    return "".join(pieces) + text[last:]
