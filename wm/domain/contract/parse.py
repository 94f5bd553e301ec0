"""Parse the bytes of a session contract into a tree, and report every syntax fault (CT-1).

Continues after a fault with a clear correction (an extra comma, a comment), so that one run
reports all faults; the correction is used only to continue parsing and is never written. Pure;
linear in the text per such fault, whose number is bounded. Does not check the fields.
"""

from __future__ import annotations

import json

from msgspec import Struct

from wm.api.contract import ContractFault
from wm.formats.jsontext import Node, NotJsonError, parse
from wm.formats.session_contract import MAX_BYTES, MAX_DEPTH

WHOLE = "file"
BOM = b"\xef\xbb\xbf"
MOST_CORRECTED = 30
"""Most syntax faults after which parsing continues."""
SPACE = " \t\n\r"


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
        return Text("", None, (_too_large(len(raw)),))
    faults: list[ContractFault] = []
    if raw.startswith(BOM):
        faults.append(_bom())
        raw = raw[len(BOM) :]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Text("", None, (*faults, _not_utf8(raw, error.start)))
    if not text.strip():
        return Text(text, None, (*faults, _empty()))
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
        code, at, wrong, fix, next_text = _syntax(corrected, min(at, len(corrected)), reason)
        faults.append(_at(text, at, code, field_at(text, at), wrong, fix))
        if next_text == corrected:
            break
        corrected = next_text
    return Text(text, None, tuple(faults))


Correction = tuple[str, int, str, str, str]
"""Code, offset, what is wrong, the fix, and the corrected text to parse next (unchanged: stop)."""


def _syntax(text: str, at: int, reason: str) -> Correction:
    """Describe the fault at which a parser stopped. A correction has the same length as the
    original."""
    for find in (_comma_too_many, _comment, _comma_missing, _quotes, _control):
        found = find(text, at, reason)
        if found is not None:
            return found
    if at >= len(text.rstrip(SPACE)):
        wrong = "ends before what was opened is closed"
        fix = "Close what is open: a quotation mark, ] or }."
        return "invalid_json", max(0, len(text.rstrip(SPACE)) - 1), wrong, fix, text
    if reason.startswith("Extra data"):
        wrong = "continues after the end of the object"
        return "invalid_json", at, wrong, "Remove everything after the last }.", text
    wrong = f"is not valid JSON here ({reason[:1].lower()}{reason[1:60]})"
    return "invalid_json", at, wrong, "Correct the line; every JSON editor shows the place.", text


def _comma_too_many(text: str, at: int, _reason: str) -> Correction | None:
    comma = at if text[at : at + 1] == "," else len(text[:at].rstrip(SPACE)) - 1
    if comma < 0 or text[comma] != ",":
        return None
    after = text[comma + 1 :].lstrip(SPACE)[:1]
    before = text[:comma].rstrip(SPACE)[-1:]
    if after not in ("]", "}") and before not in ("[", "{", ",", ":"):
        return None
    corrected = f"{text[:comma]} {text[comma + 1 :]}"
    return "invalid_json", comma, "has an extra comma", "Remove the comma.", corrected


def _comment(text: str, at: int, _reason: str) -> Correction | None:
    if text.startswith("/*", at):
        end = text.find("*/", at)
        end = len(text) if end < 0 else end + 2
    elif text.startswith(("//", "#"), at):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
    else:
        return None
    blank = "".join(char if char == "\n" else " " for char in text[at:end])
    fix = "Remove it; JSON has no comments."
    return "invalid_json", at, "has a comment", fix, text[:at] + blank + text[end:]


def _comma_missing(text: str, at: int, reason: str) -> Correction | None:
    follows = text[at : at + 1]
    if not reason.startswith("Expecting ',' delimiter") or not follows or follows in "}]:,":
        return None
    if not (follows in '"{[-tfn' or follows.isdigit()):
        return None
    gap = at - 1
    if gap < 0 or text[gap] not in SPACE:
        return None
    while gap > 0 and text[gap] == "\n":
        gap -= 1
    if text[gap] not in SPACE:
        return "invalid_json", at, "lacks a comma here", "Add one before this place.", text
    corrected = f"{text[:gap]},{text[gap + 1 :]}"
    return "invalid_json", at, "lacks a comma here", "Add one before this place.", corrected


def _quotes(text: str, at: int, _reason: str) -> Correction | None:
    if text[at : at + 1] != "'":
        return None
    end = text.find("'", at + 1)
    inner = text[at + 1 : end]
    whole = end > 0 and "\n" not in inner and '"' not in inner and "\\" not in inner
    corrected = f'{text[:at]}"{inner}"{text[end + 1 :]}' if whole else text
    fix = 'Write double quotation marks: "…".'
    return "invalid_json", at, "is in single quotation marks", fix, corrected


def _control(text: str, at: int, reason: str) -> Correction | None:
    if not reason.startswith("Invalid control character"):
        return None
    name = {"\n": "a line break", "\t": "a tab"}.get(text[at : at + 1], "a control character")
    if text[at : at + 1] == "\n":
        wrong = f"has {name} inside a text, or lacks its closing quotation mark"
        return "invalid_json", at, wrong, r"Close the text on its line, or write \n.", text
    fix = r"Remove it, or write it as \t." if name == "a tab" else "Remove it."
    return "invalid_json", at, f"has {name} inside a text", fix, f"{text[:at]} {text[at + 1 :]}"


# --- the whole file -----------------------------------------------------------------------


def whole(code: str, message: str, fix: str) -> ContractFault:
    """Return a fault of the whole file."""
    return ContractFault(code=code, field=WHOLE, message=message, fix=fix)


def _too_large(size: int) -> ContractFault:
    return whole(
        "too_large",
        f"The file has {size:,} bytes; the limit is {MAX_BYTES:,}.",
        "Move finished work out of it; a contract holds only the current state.",
    )


def _bom() -> ContractFault:
    return ContractFault(
        code="byte_order_mark",
        field=WHOLE,
        line=1,
        column=1,
        message="The file begins with a byte order mark, which JSON does not allow.",
        fix="Save it as UTF-8 without a byte order mark (BOM).",
    )


def _not_utf8(raw: bytes, at: int) -> ContractFault:
    line = raw.count(b"\n", 0, at) + 1
    column = at - (raw.rfind(b"\n", 0, at) + 1) + 1
    return ContractFault(
        code="not_utf8",
        field=field_at(raw[:at].decode("utf-8", "replace"), at),
        line=line,
        column=column,
        message=f"The byte 0x{raw[at]:02x} is not UTF-8.",
        fix="Save the file as UTF-8, or retype the character.",
    )


def _empty() -> ContractFault:
    return ContractFault(
        code="empty_file",
        field=WHOLE,
        line=1,
        column=1,
        message="The file is empty.",
        fix="Remove it, then `wm state init` makes a new one.",
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
            wrong = f"is nested deeper than {MAX_DEPTH} levels"
            fix = "Write it flat: the lists of a contract hold texts."
            return _at(text, at, "too_deep", field_at(text, at), wrong, fix)
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


def _at(text: str, at: int, code: str, field: str, wrong: str, fix: str) -> ContractFault:
    line, column = line_column(text, at)
    name = "The file" if field == WHOLE else field
    return ContractFault(
        code=code, field=field, line=line, column=column, message=f"{name} {wrong}.", fix=fix
    )


def line_column(text: str, at: int) -> tuple[int, int]:
    """Return the line and column of an offset, both counted from 1."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
