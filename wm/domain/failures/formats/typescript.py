"""tsc, vue-tsc, svelte-check, MSBuild's `file(line,column): error CODE:`, and pyright."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import (
    DetectedError,
    whole,
)
from wm.text import patterns

_PLAIN = patterns.compile(r"^\s*([^\s(][^(]*)\((\d+),\d+\): error ([A-Z]{2,5}\d+): (.*)$")
_PRETTY = patterns.compile(r"^(\S.*?):(\d+):\d+ - error (TS\d+): (.*)$")
_GLOBAL = patterns.compile(r"^error (TS\d+): (.*)$")
_PYRIGHT = patterns.compile(r"^\s*(\S.*?\.pyi?):(\d+):\d+ - error: (.*)$")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        if "error" not in line:
            continue
        match = _PLAIN.match(line) or _PRETTY.match(line)
        if match:
            file, number, code, message = match.groups()
            category = "typecheck" if code.startswith("TS") else "build"
            yield DetectedError(category, f"{code}: {message}", file, whole(number), i, i + 1)
            continue
        match = _PYRIGHT.match(line)
        if match:
            file, number, message = match.groups()
            yield DetectedError("typecheck", message, file, whole(number), i, i + 1)
            continue
        match = _GLOBAL.match(line)
        if match:
            yield DetectedError(
                "typecheck", f"{match.group(1)}: {match.group(2)}", at=i, until=i + 1
            )
