"""What the client had cut from an output before wm saw it, by the line it left in its place (PR-2).

Claude Code, OpenCode and Codex each say how much they cut, and the first two where the rest is.
"""

from __future__ import annotations

from msgspec import Struct

from wm.domain.pruning.lines import OutputLines
from wm.text.patterns import Lazy

_UNIT = r"(lines|characters|chars|bytes|tokens)"
_GONE = "(?:truncated|omitted|elided|hidden|removed)"
_MARK = Lazy(
    rf"^\W{{0,20}}(?:output )?(?:([\d,]+) {_UNIT} (?:were )?{_GONE}"
    rf"|{_GONE} (?:([\d,]+)(?: of [\d,]+)? {_UNIT}|lines ([\d,]+)-([\d,]+)))\W{{0,20}}$",
    ignore_case=True,
)
_FILE = Lazy(
    r"(?:full|complete) (?:output|text|result)[^\n]{0,40}? (?:saved|written|stored)"
    r"(?: to| at| in)?:? (\S+)",
    ignore_case=True,
)
_WORDS = ("truncated", "omitted", "elided", "hidden", "removed", "saved ", "written ", "stored ")


class ClientCut(Struct, frozen=True):
    """marks: indexes of the client's own lines about it. said: for the first mark of wm."""

    marks: tuple[int, ...] = ()
    said: str = ""
    file: str = ""


def client_cut(lines: OutputLines) -> ClientCut:
    marks, gone, unit, file = [], 0, "", ""
    for index, line in enumerate(lines.plain):
        if not any(word in line for word in _WORDS):
            continue
        match = _MARK.match(line[:200])
        if match is not None:
            count, unit_of_count, other, unit_of_other, first, last = match.groups()
            unit = unit_of_count or unit_of_other or "lines"
            gone += _number(last) - _number(first) + 1 if first else _number(count or other)
            marks.append(index)
        elif (saved := _FILE.search(line[:400])) is not None:
            file = saved.group(1).rstrip(".,)")
            marks.append(index)
    if not marks:
        return ClientCut()
    kept = lines.total - len(marks)
    said = (
        f" that the client kept of {kept + gone:,}" if unit == "lines" else " that the client kept"
    )
    if gone and unit != "lines":
        said += f" (it cut {gone:,} {unit})"
    return ClientCut(tuple(marks), said, file)


def _number(text: str) -> int:
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() and len(digits) < 12 else 0
