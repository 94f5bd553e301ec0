"""make, cmake and linker errors: used if no compiler reported more.

That a target failed is the consequence of another error, if one is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile

from wm.domain.failures.detected import DetectedError, line_no
from wm.text import patterns

_CMAKE = patterns.Lazy(r"^CMake Error(?: \(dev\))?(?: at (\S+?):(\d+) \((\w+)\))?:(.*)$")
_STOP = patterns.Lazy(
    r"^(?:(\S+?):(\d+): )?(?:g?make(?:\[\d+\])?: )?\*\*\* "
    r"+([^\[\s].*?[^.])(?:\. +[\pL ]+[.。]|[.。])?$"
)
"""In any language; `[target] Error 1` and `Waiting for unfinished jobs....` say less."""
_LINKER = patterns.Lazy(
    r"^(?:\S*ld: )?(?:\S+\.o: in function .*; )?(\S+?\.\w+):\(\S+\): (undefined reference to .+)$"
)


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        if "undefined reference" in line and (match := _LINKER.match(line)):
            yield DetectedError("build", match.group(2), match.group(1), 0, i, i + 1)
        elif line.startswith("CMake Error") and (match := _CMAKE.match(line)):
            file, number, _call, rest = match.groups()
            detail = _paragraph(lines, i + 1)
            message = rest.strip() or detail or "CMake Error"
            yield DetectedError("build", message, file or "", line_no(number or ""), i, i + 8)
        elif "***" in line and not line.endswith("....") and (match := _STOP.match(line)):
            file, number, message = match.groups()
            yield DetectedError("build", message, file or "", line_no(number or ""), i, i + 1)


def _paragraph(lines: Sequence[str], start: int) -> str:
    below = dropwhile(lambda line: not line.strip(), lines[start : start + 8])
    return " ".join(map(str.strip, takewhile(str.strip, below)))
