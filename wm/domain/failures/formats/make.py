"""make, cmake, ninja and linker errors: used if no compiler reported more.

That a target failed is the consequence of another error, if one is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import (
    DetectedError,
    whole,
)
from wm.text import patterns

_CMAKE = patterns.compile(r"^CMake Error(?: \(dev\))?(?: at (\S+?):(\d+) \((\w+)\))?:(.*)$")
_STOP = patterns.compile(r"^(?:(\S+?):(\d+): )?(?:g?make(?:\[\d+\])?: )?\*\*\* (.+?)\.  Stop\.$")
_APPLE = patterns.compile(r'^\s+"(.+)", referenced from:$')


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        if line.startswith("CMake Error"):
            match = _CMAKE.match(line)
            if match:
                file, number, _call, rest = match.groups()
                told = _paragraph(lines, i + 1)
                message = rest.strip() or told or "CMake Error"
                yield DetectedError("build", message, file or "", whole(number or ""), i, i + 8)
        elif "***" in line and line.endswith("Stop."):
            match = _STOP.match(line)
            if match:
                file, number, message = match.groups()
                yield DetectedError("build", message, file or "", whole(number or ""), i, i + 1)
        elif "referenced from:" in line and (match := _APPLE.match(line)):
            yield DetectedError("build", f"undefined symbol {match.group(1)}", at=i, until=i + 1)


def _paragraph(lines: Sequence[str], start: int) -> str:
    words: list[str] = []
    for line in lines[start : start + 8]:
        if line.strip():
            words.append(line.strip())
        elif words:
            break
    return " ".join(words)
