"""esbuild, webpack, vite, rollup, next: errors of web bundlers, with the place that they name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import (
    DetectedError,
    whole,
)
from wm.text import patterns

_ESBUILD = patterns.compile(r"^(?:✘|X) \[ERROR\] (.+)$")
_PLACE = patterns.compile(r"^\s*(?:\./)?((?:[A-Za-z]:)?[^\s:]+\.\w+):(\d+):(\d+):?$")
_WEBPACK = patterns.compile(
    r"^ERROR in (?:\./)?(\S+?)(?: (\d+):\d+(?:-\d+)?|:(\d+):\d+| \((\d+),\d+\))?$"
)
_VITE = patterns.compile(
    r'(?:Rollup failed to resolve import|Could not resolve) "([^"]+)" from "([^"]+)"'
)
_ROLLUP = patterns.compile(
    r"^(?:\[!\] )?(?:\(plugin [^)]*\) )?(RollupError|Error|SyntaxError|ParseError): "
    r"(?:\[(?:vite|plugin)[^\]]*\] )?(.+)$"
)
_FILE = patterns.compile(r"^(?:file|File): (\S+?)(?::(\d+):\d+)?$")
_AT_ROLLUP = patterns.compile(r"^(\S+\.\w+) \((\d+):\d+\)(?:: (.+))?")
_NEXT_ERROR = patterns.compile(r"^(?:Type error|Error|Module not found|Syntax Error)[:\s].*$")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _esbuild(lines)
    yield from _webpack(lines)
    yield from _vite(lines)
    yield from _next(lines)


def _esbuild(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        head = _ESBUILD.match(line) if "[ERROR]" in line else None
        if head:
            place = next((m for t in lines[i + 1 : i + 4] if (m := _PLACE.match(t))), None)
            file, number = (place.group(1), place.group(2)) if place else ("", "0")
            yield DetectedError("build", head.group(1), file, whole(number), i, i + 8)


def _webpack(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        head = _WEBPACK.match(line) if line.startswith("ERROR in ") else None
        if head:
            file, *numbers = head.groups()
            number = next((n for n in numbers if n), "0")
            told = next((t.strip() for t in lines[i + 1 : i + 4] if t.strip()), "failed")
            yield DetectedError("build", told, file, whole(number), i, _blank(lines, i))


def _blank(lines: Sequence[str], start: int) -> int:
    return next((j for j in range(start, len(lines)) if not lines[j].strip()), len(lines))


def _vite(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        match = _VITE.search(line) if " from " in line else None
        if match:
            name, file = match.groups()
            yield DetectedError("build", f'Could not resolve "{name}"', file, 0, i, i + 1)
            return
        if line.startswith("error during build:"):
            place = next((m for t in lines[i + 1 : i + 4] if (m := _AT_ROLLUP.match(t))), None)
            if place and place.group(3):
                file, number, told = place.groups()
                yield DetectedError("build", told, file, whole(number), i, i + 4)
                return
        if "rror: " in line and (match := _ROLLUP.match(line)):
            place = next((m for t in lines[i + 1 : i + 6]
                          if (m := _FILE.match(t) or _AT_ROLLUP.match(t))), None)  # fmt: skip
            if place:
                yield DetectedError(
                    "build", match.group(2), place.group(1), whole(place.group(2) or ""), i, i + 6
                )
                return


def _next(lines: Sequence[str]) -> Iterator[DetectedError]:
    """`./src/page.tsx:3:5`, with the error on the next line."""
    for i, line in enumerate(lines[:-1]):
        if line.startswith("./") and (place := _PLACE.match(line)):
            told = lines[i + 1]
            if _NEXT_ERROR.match(told):
                category = "typecheck" if told.startswith("Type error") else "build"
                yield DetectedError(category, told, place.group(1), whole(place.group(2)), i, i + 2)
