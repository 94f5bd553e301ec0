"""Parse the bytes of a session contract into a tree, and report every syntax fault (CT-1).

Continues after a fault with a clear correction (an extra comma, a comment), so that one run
reports all faults; the correction is used only to continue parsing and is never written. Pure;
linear in the text per such fault, whose number is bounded. Does not check the fields.
"""

from __future__ import annotations

import json

from msgspec import Struct

from wm.api.contract import ContractFault
from wm.formats.session_contract import MAX_BYTES, MAX_DEPTH
from wm.text.jsontext import Node, NotJsonError, parse
from wm.text.tables import Tables

WHOLE = "file"
BOM = b"\xef\xbb\xbf"
MOST_CORRECTED = 30
"""Most syntax faults after which parsing continues."""
SPACE = " \t\n\r"
_FAULTS: dict[str, list[str]] = Tables("wm.domain.contract").table("faults")


class Text(Struct, frozen=True):
    """The readable part of a file. tree: None if the text is not JSON. sound: it is valid JSON, so
    it may be edited."""

    text: str
    tree: Node | None
    faults: tuple[ContractFault, ...] = ()

    @property
    def sound(self) -> bool:
        return self.tree is not None and not self.faults


def read(raw: bytes) -> Text:
    """Return the tree of a file, and every syntax fault."""
    if len(raw) > MAX_BYTES:
        message = f"The file has {len(raw):,} bytes; the limit is {MAX_BYTES:,}."
        fix = "Move finished work out of it; a contract holds only the current state."
        return Text("", None, (file_fault("too_large", message, fix),))
    faults: list[ContractFault] = []
    if raw.startswith(BOM):
        message = "The file begins with a byte order mark, which JSON does not allow."
        fix = "Save it as UTF-8 without a byte order mark (BOM)."
        faults.append(file_fault("byte_order_mark", message, fix, line=1))
        raw = raw[len(BOM) :]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Text("", None, (*faults, _not_utf8(raw, error.start)))
    if not text.strip():
        fix = "Remove it, then `wm state init` makes a new one."
        return Text(
            text, None, (*faults, file_fault("empty_file", "The file is empty.", fix, line=1))
        )
    deep = _too_deep(text)
    if deep is not None:
        return Text(text, None, (*faults, deep))
    return _parsed(text, faults)


def _parsed(text: str, faults: list[ContractFault]) -> Text:
    corrected = text
    for _ in range(MOST_CORRECTED):
        try:
            return Text(text, parse(corrected, numbers=True), tuple(faults))
        except NotJsonError as error:
            cause = error.__cause__
        at = cause.pos if isinstance(cause, json.JSONDecodeError) else 0
        reason = cause.msg if isinstance(cause, json.JSONDecodeError) else str(cause)
        words, at, next_text = _syntax(corrected, min(at, len(corrected)), reason)
        about = f"{reason[:1].lower()}{reason[1:60]}"
        faults.append(fault(text, at, field_at(text, at), "invalid_json", words, reason=about))
        if next_text == corrected:
            break
        corrected = next_text
    return Text(text, None, tuple(faults))


Correction = tuple[str, int, str]
"""The words for the fault, its offset, and the corrected text to parse next (unchanged: stop)."""


def _syntax(text: str, at: int, reason: str) -> Correction:
    """Describe the fault at which a parser stopped. A correction has the same length as the
    original."""
    found = (
        _comma_too_many(text, at)
        or _comment(text, at)
        or _comma_missing(text, at, reason)
        or _quotes(text, at)
        or _control(text, at, reason)
    )
    if found is not None:
        return found
    if at >= len(text.rstrip(SPACE)):
        return "open_end", max(0, len(text.rstrip(SPACE)) - 1), text
    return "extra_data" if reason.startswith("Extra data") else "not_json", at, text


def _comma_too_many(text: str, at: int) -> Correction | None:
    comma = at if text[at : at + 1] == "," else len(text[:at].rstrip(SPACE)) - 1
    if comma < 0 or text[comma] != ",":
        return None
    after = text[comma + 1 :].lstrip(SPACE)[:1]
    before = text[:comma].rstrip(SPACE)[-1:]
    if after not in ("]", "}") and before not in ("[", "{", ",", ":"):
        return None
    return "extra_comma", comma, f"{text[:comma]} {text[comma + 1 :]}"


def _comment(text: str, at: int) -> Correction | None:
    if text.startswith("/*", at):
        end = text.find("*/", at)
        end = len(text) if end < 0 else end + 2
    elif text.startswith(("//", "#"), at):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
    else:
        return None
    blank = "".join(char if char == "\n" else " " for char in text[at:end])
    return "comment", at, text[:at] + blank + text[end:]


def _comma_missing(text: str, at: int, reason: str) -> Correction | None:
    follows = text[at : at + 1]
    if not reason.startswith("Expecting ',' delimiter") or not follows or follows in "}]:,":
        return None
    gap = at - 1
    begins = follows in '"{[-tfn' or follows.isdigit()
    if not begins or gap < 0 or text[gap] not in SPACE:
        return None
    while gap > 0 and text[gap] == "\n":
        gap -= 1
    if text[gap] not in SPACE:
        return "comma_missing", at, text
    return "comma_missing", at, f"{text[:gap]},{text[gap + 1 :]}"


def _quotes(text: str, at: int) -> Correction | None:
    if text[at : at + 1] != "'":
        return None
    end = text.find("'", at + 1)
    inner = text[at + 1 : end]
    is_simple = end > 0 and "\n" not in inner and '"' not in inner and "\\" not in inner
    return "single_quotes", at, f'{text[:at]}"{inner}"{text[end + 1 :]}' if is_simple else text


def _control(text: str, at: int, reason: str) -> Correction | None:
    if not reason.startswith("Invalid control character"):
        return None
    if text[at : at + 1] == "\n":
        return "line_inside", at, text
    words = "tab_inside" if text[at : at + 1] == "\t" else "control_inside"
    return words, at, f"{text[:at]} {text[at + 1 :]}"


# --- the complete file -----------------------------------------------------------------------


def file_fault(code: str, message: str, fix: str, line: int = 0) -> ContractFault:
    """Return a fault of the complete file. line: 1 for one at its beginning."""
    return ContractFault(code=code, field=WHOLE, message=message, fix=fix, line=line, column=line)


def _not_utf8(raw: bytes, at: int) -> ContractFault:
    begin = raw.rfind(b"\n", 0, at) + 1
    return ContractFault(
        code="not_utf8",
        field=field_at(raw[:at].decode("utf-8", "replace"), at),
        line=raw.count(b"\n", 0, at) + 1,
        column=at - begin + 1,
        message=f"The byte 0x{raw[at]:02x} is not UTF-8.",
        fix="Save the file as UTF-8, or retype the character.",
    )


def _too_deep(text: str) -> ContractFault | None:
    depth, at = 0, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at = _string_end(text, at)
            continue
        depth += (char in "{[") - (char in "}]")
        if depth > MAX_DEPTH:
            return fault(text, at, field_at(text, at), "too_deep", most=MAX_DEPTH)
        at += 1
    return None


def _string_end(text: str, at: int) -> int:
    """Return the offset after the string that begins at `at`."""
    end = at + 1
    while end < len(text) and text[end] not in '"\n':
        end += 2 if text[end] == "\\" else 1
    return end + 1


def field_at(text: str, place: int) -> str:
    """Return the field of the outermost object at an offset; `file` outside all fields."""
    depth, at, last, found = 0, 0, "", WHOLE
    while at < min(place, len(text)):
        char = text[at]
        if char == '"':
            end = _string_end(text, at)
            if depth == 1:
                last = text[at + 1 : end - 1]
            at = end
            continue
        if depth == 1:
            found = (last or WHOLE) if char == ":" else WHOLE if char == "," else found
        depth += (char in "{[") - (char in "}]")
        at += 1
    return found.encode("utf-8", "replace").decode("utf-8")[:80] if depth else WHOLE


def fault(
    text: str, at: int, field: str, code: str, words: str = "", /, **values: object
) -> ContractFault:
    """Return a fault at an offset. words: its row in words.toml, if not that of its code."""
    line, column = line_column(text, at)
    name = "The file" if field == WHOLE else field
    wrong, fix = (part.format(**values) for part in _FAULTS[words or code])
    return ContractFault(
        code=code, field=field, line=line, column=column, message=f"{name} {wrong}.", fix=fix
    )


def line_column(text: str, at: int) -> tuple[int, int]:
    """Return the line and column of an offset, both counted from 1."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
