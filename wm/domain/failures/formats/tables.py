"""Findings in the rows of a table that has a column for the message (HS-2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import DetectedError, line_no
from wm.domain.failures.json_reports import MILD
from wm.text import patterns

MESSAGES = ("message", "description", "details", "detail", "error", "problem", "solution", "reason")
FILES = ("file", "path", "filename", "location")
LINES = ("line", "line(s)", "row", "lineno")
LEVELS = ("severity", "level", "type")

_BARS = str.maketrans("│┃║", "|||")
_RULE = patterns.Lazy(r"^[\s─━═╇╪┼┿┡┢┩┪├┤┣┫╞╡╟╢╔╗╚╝╠╣╬╤╧╭╮╰╯┌┐└┘┏┓┗┛┳┻╋┬┴+|:=-]{3,}$")
_WORDS = patterns.Lazy(r"\S(?: ?\S)*")
MAX_ROWS = 200


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    end = 0
    for i, line in enumerate(lines):
        names, starts = _header(line) if i >= end else ((), ())
        if names and _RULE.match("".join(lines[i + 1 : i + 2])):
            rows, end = _rows(lines, i + 2, len(names), starts)
            for at, row in rows:
                found = _finding(dict(zip(names, row, strict=True)), at)
                if found is not None:
                    yield found


def _header(line: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names of the columns, if one is for messages, and where they begin; no beginnings for a
    table with bars."""
    lower = line.casefold()
    if not any(name in lower for name in MESSAGES):
        return (), ()
    barred = "|" in line.translate(_BARS).strip("| ")
    words = list(_WORDS.finditer(lower))
    names = tuple(_cells(lower, 1) if barred else (match.group() for match in words))
    known = {*MESSAGES, *FILES, *LINES, *LEVELS, "#"}
    if len(names) < 2 or not known.intersection(names) - {*LEVELS, *FILES, *LINES}:
        return (), ()
    if len(set(names)) < len(names) or sum(name in known for name in names) < 2:
        return (), ()
    return names, () if barred else tuple(match.start() for match in words)


def _cells(line: str, size: int) -> list[str]:
    """The cells between the bars; the outer bars may be missing. size: how many there should be."""
    cells = [cell.strip() for cell in line.translate(_BARS).split("|")]
    for end in (-1, 0):
        if len(cells) > size and not cells[end]:
            del cells[end]
    return cells


def _rows(
    lines: Sequence[str], begin: int, size: int, starts: Sequence[int]
) -> tuple[list[tuple[int, list[str]]], int]:
    """The rows with their line, those that were wrapped as one, and the end of the table."""
    rows: list[tuple[int, list[str]]] = []
    for at in range(begin, min(len(lines), begin + MAX_ROWS)):
        line = lines[at]
        if _RULE.match(line):
            continue
        ends = (*starts[1:], len(line) + 1)
        cells = _cells(line, size) if not starts else [
            line[a:b].strip() for a, b in zip(starts, ends, strict=True)
        ]  # fmt: skip
        if len(cells) != size or not any(cells):
            return rows, at
        if rows and not cells[0]:
            joined = zip(rows[-1][1], cells, strict=True)
            rows[-1][1][:] = [f"{above} {cell}".strip() for above, cell in joined]
        else:
            rows.append((at, cells))
    return rows, begin + MAX_ROWS


def _finding(row: dict[str, str], at: int) -> DetectedError | None:
    said = next((row[name] for name in MESSAGES if row.get(name)), "")
    level = next((row[name].casefold() for name in LEVELS if row.get(name)), "")
    if not said or level in MILD:
        return None
    file = next((row[name] for name in FILES if row.get(name)), "")
    line = next((row[name] for name in LINES if row.get(name)), "")
    return DetectedError("", said, file, line_no(line), at, at + 1)
