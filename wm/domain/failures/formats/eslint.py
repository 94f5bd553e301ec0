"""eslint and stylelint (a file, then its problems indented), biome, prettier.

Warnings count only if the run failed because of too many of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import (
    DetectedError,
    whole,
)
from wm.text import patterns

_PROBLEM = patterns.compile(r"^\s+(\d+):(\d+)\s+(error|warning|✖|⚠|×)\s+(\S.*)$")
_GROUPED = patterns.compile(r"^\s+(\d+):\d+\s+((?:[A-Z]{1,4}\d+|[a-z]+(?:-[a-z]+)*:) .+)$")
_BIOME = patterns.compile(
    r"^(\S+\.\w+)(?::(\d+):\d+)? ((?:lint|format|parse|assist|organizeImports)\S*)"
)
_UNIX = patterns.compile(r"^(\S.*?):(\d+):\d+: (.+) \[(Error|Warning)/([^\]]*)\]$")
_PRETTIER_ERROR = patterns.compile(r"^\[error\] (\S+): (\w*Error: .*?)(?: \((\d+):\d+\))?$")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    """Warnings count only if the run failed because of too many warnings."""
    found = list(_stylish(lines))
    errors = [f for f, severe in found if severe]
    yield from errors or [f for f, _severe in found]
    yield from _biome(lines)
    yield from _prettier(lines)


def _stylish(lines: Sequence[str]) -> Iterator[tuple[DetectedError, bool]]:
    file = ""
    for i, line in enumerate(lines):
        if not line:
            continue
        if line[0] != " ":
            match = _UNIX.match(line)
            if match:
                path, number, message, level, rule = match.groups()
                message = f"{message} {rule}"
                yield (
                    DetectedError("lint", message, path, whole(number), i, i + 1),
                    level == "Error",
                )
            file = line.strip().removesuffix(":") if _is_path(line) else ""
            continue
        match = _PROBLEM.match(line) if file else None
        grouped = _GROUPED.match(line) if file and match is None else None
        if grouped:
            # ruff's grouped format
            text = grouped.group(2).replace("[*] ", "")
            yield DetectedError("lint", text, file, whole(grouped.group(1)), i, i + 1), True
        elif match:
            number, _column, level, message = match.groups()
            text = " ".join(message.split())
            yield (
                DetectedError("lint", text, file, whole(number), i, i + 1),
                level in ("error", "✖", "×"),
            )


def _is_path(line: str) -> bool:
    name = line.strip().replace("\\", "/").rsplit("/", 1)[-1]
    return "." in name and ": " not in line and (" " not in line.strip() or line.startswith("/"))


def _biome(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        match = _BIOME.match(line)
        if match and "━" in line:
            file, number, rule = match.groups()
            told = next((t.strip() for t in lines[i + 1 : i + 4] if t.strip()), "")
            message = f"{rule} {told.lstrip('×✖! ')}".strip()
            yield DetectedError("lint", message, file, whole(number or ""), i, i + 3)


def _prettier(lines: Sequence[str]) -> Iterator[DetectedError]:
    unformatted = any("Code style issues" in line for line in lines)
    for i, line in enumerate(lines):
        if line.startswith("[warn] ") and unformatted and "Code style" not in line:
            yield DetectedError(
                "lint", "not formatted (prettier)", line[7:].strip(), at=i, until=i + 1
            )
        elif line.startswith("[error] "):
            match = _PRETTIER_ERROR.match(line)
            if match:
                file, message, number = match.groups()
                yield DetectedError("lint", message, file, whole(number or ""), i, i + 1)
