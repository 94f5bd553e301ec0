"""From the bytes of a session contract to its tree, with every fault of the writing (CT-1).

Goes on behind a fault where it is clear what was meant (a comma too many, a comment), so that
one run names them all; what was meant is only read on with, never written. Pure and linear but
for the number of such faults, which is bounded. What the fields say is not looked at here.
"""

from __future__ import annotations

import json

from msgspec import Struct

from wm.formats.contract import ContractFault
from wm.formats.jsontext import Node, NotJsonError, parse
from wm.formats.session_contract import MAX_BYTES, MAX_DEPTH

WHOLE = "file"
BOM = b"\xef\xbb\xbf"
MOST_MENDED = 30
"""Faults of the writing that are read on behind."""
SPACE = " \t\n\r"


class Text(Struct, frozen=True):
    """What could be read. tree: None where the text is no JSON. sound: it is JSON as it stands,
    so that it may be edited."""

    text: str
    tree: Node | None
    faults: tuple[ContractFault, ...] = ()

    @property
    def sound(self) -> bool:
        return self.tree is not None and not self.faults


def read(raw: bytes) -> Text:
    """The tree of a file, and every fault of its writing."""
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
    mended = text
    for _ in range(MOST_MENDED):
        try:
            return Text(text, parse(mended, numbers=True), tuple(faults))
        except NotJsonError as error:
            cause = error.__cause__
        at = cause.pos if isinstance(cause, json.JSONDecodeError) else 0
        said = cause.msg if isinstance(cause, json.JSONDecodeError) else str(cause)
        code, at, wrong, fix, mended_now = _syntax(mended, min(at, len(mended)), said)
        faults.append(_at(text, at, code, field_at(text, at), wrong, fix))
        if mended_now == mended:
            break
        mended = mended_now
    return Text(text, None, tuple(faults))


Mended = tuple[str, int, str, str, str]
"""Code, place, what is wrong, the mend, and the text to go on with (the same: no going on)."""


def _syntax(text: str, at: int, said: str) -> Mended:
    """What is wrong at a place where a parser stopped. What is put in its place is as long."""
    for find in (_comma_too_many, _comment, _comma_missing, _quotes, _control):
        found = find(text, at, said)
        if found is not None:
            return found
    if at >= len(text.rstrip(SPACE)):
        wrong = "ends before what was opened is closed"
        fix = "Close what is open: a quotation mark, ] or }."
        return "invalid_json", max(0, len(text.rstrip(SPACE)) - 1), wrong, fix, text
    if said.startswith("Extra data"):
        wrong = "goes on after the end of the object"
        return "invalid_json", at, wrong, "Remove what stands after the last }.", text
    wrong = f"is no JSON here ({said[:1].lower()}{said[1:60]})"
    return "invalid_json", at, wrong, "Correct the line; every JSON editor shows the place.", text


def _comma_too_many(text: str, at: int, _said: str) -> Mended | None:
    comma = at if text[at : at + 1] == "," else len(text[:at].rstrip(SPACE)) - 1
    if comma < 0 or text[comma] != ",":
        return None
    after = text[comma + 1 :].lstrip(SPACE)[:1]
    before = text[:comma].rstrip(SPACE)[-1:]
    if after not in ("]", "}") and before not in ("[", "{", ",", ":"):
        return None
    mended = f"{text[:comma]} {text[comma + 1 :]}"
    return "invalid_json", comma, "has a comma too many", "Remove the comma.", mended


def _comment(text: str, at: int, _said: str) -> Mended | None:
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


def _comma_missing(text: str, at: int, said: str) -> Mended | None:
    follows = text[at : at + 1]
    if not said.startswith("Expecting ',' delimiter") or not follows or follows in "}]:,":
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
    mended = f"{text[:gap]},{text[gap + 1 :]}"
    return "invalid_json", at, "lacks a comma here", "Add one before this place.", mended


def _quotes(text: str, at: int, _said: str) -> Mended | None:
    if text[at : at + 1] != "'":
        return None
    end = text.find("'", at + 1)
    inner = text[at + 1 : end]
    whole = end > 0 and "\n" not in inner and '"' not in inner and "\\" not in inner
    mended = f'{text[:at]}"{inner}"{text[end + 1 :]}' if whole else text
    fix = 'Write double quotation marks: "…".'
    return "invalid_json", at, "is in single quotation marks", fix, mended


def _control(text: str, at: int, said: str) -> Mended | None:
    if not said.startswith("Invalid control character"):
        return None
    name = {"\n": "a line break", "\t": "a tab"}.get(text[at : at + 1], "a control character")
    if text[at : at + 1] == "\n":
        wrong = f"has {name} inside a text, or lacks its closing quotation mark"
        return "invalid_json", at, wrong, r"Close the text on its line, or write \n.", text
    fix = r"Remove it, or write it as \t." if name == "a tab" else "Remove it."
    return "invalid_json", at, f"has {name} inside a text", fix, f"{text[:at]} {text[at + 1 :]}"


# --- the whole file -----------------------------------------------------------------------


def whole(code: str, message: str, fix: str) -> ContractFault:
    """A fault of the file as such."""
    return ContractFault(code=code, field=WHOLE, message=message, fix=fix)


def _too_large(size: int) -> ContractFault:
    return whole(
        "too_large",
        f"The file has {size:,} bytes; {MAX_BYTES:,} are the most.",
        "Move what is done out of it; a contract says where things stand.",
    )


def _bom() -> ContractFault:
    return ContractFault(
        code="byte_order_mark",
        field=WHOLE,
        line=1,
        column=1,
        message="The file begins with a byte order mark, which JSON has not.",
        fix="Save it as UTF-8 without a mark (BOM).",
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
        fix="Save the file as UTF-8, or write the character anew.",
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
    """Behind the string that begins at `at`."""
    end = at + 1
    while end < len(text) and text[end] not in '"\n':
        end += 2 if text[end] == "\\" else 1
    return end + 1


def field_at(text: str, place: int) -> str:
    """The field of the outermost object that a place lies in; `file` outside of all."""
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
    """A place, both counted from 1."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
