"""black, isort, ruff and prettier: files that are not formatted, named without a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from wm.domain.failures import summaries
from wm.domain.failures.detected import DetectedError
from wm.text import patterns

_UNFORMATTED = patterns.Lazy(
    r"^(?:[Ww]ould (?:re)?format:?|error: cannot format) (\S+?)(?:: (.+))?$"
    r"|^(?:ERROR: )?(\S+\.pyi?):? (Imports .+)$"
)

_REFORMAT = patterns.Lazy(r"(?i)^would reformat|\bfiles? would be reformatted")
_SIDE = patterns.Lazy(r"^(?:\w+/ +|(?:current|changed|expected|actual|old|new) )")
"""`original/ a.py`, `fixed/ a.py`, `changed a.md`"""


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    # The diff of a run of tests compares expected and actual output.
    verdict = summaries.failed(lines, checks=False) and not any(map(_REFORMAT.search, lines))
    prettier = any("Code style issues" in line for line in lines)
    for i, line in enumerate(lines):
        match = _UNFORMATTED.match(line) if "format" in line or "Imports" in line else None
        if match:
            file, said, unsorted, _imports = match.groups()
            message = said or (_imports if unsorted else "not formatted")
            yield DetectedError("lint", message, file or unsorted, 0, i, i + 1)
        elif line.startswith("--- "):
            below = [text for text in lines[i + 1 : i + 5] if text.strip()][:2]
            if _is_diff(below):
                sides = (side[4:].split("\t")[0].strip() for side in (line, below[0]))
                old, new = (_SIDE.sub("", side) for side in sides)
                file = old if verdict else (new or old).removesuffix(":after")
                message = _difference(lines, i + 3) if verdict else "not formatted"
                yield DetectedError("test" if verdict else "lint", message, file, 0, i, i + 3)
        elif prettier and line.startswith("[warn] ") and "Code style" not in line:
            file = line[7:].strip()
            yield DetectedError("lint", "not formatted (prettier)", file, 0, i, i + 1)


def _difference(lines: Sequence[str], begin: int) -> str:
    """The first expected and the first actual line of a diff."""
    block = [*takewhile(lambda line: not line.startswith("--- "), lines[begin : begin + 60])]
    changed = (next((t[1:] for t in block if t[:1] == sign), "") for sign in "-+")
    return "wanted: {}, got: {}".format(*map(str.strip, changed))


def _is_diff(below: Sequence[str]) -> bool:
    """What `--diff` prints: a formatter that failed shows what it would change."""
    return len(below) == 2 and below[0].startswith("+++") and below[1].startswith("@@ ")
