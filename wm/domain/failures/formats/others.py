"""rspec, ctest, terraform, and single lines of smaller tools.

Formats too small for a module of their own; each is recognised by its own marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile

from wm.domain.failures.detected import DetectedError, line_no, own_place
from wm.domain.failures.summaries import says_failed
from wm.text import patterns

_RSPEC = patterns.Lazy(r"^(?:rspec|crystal spec) '?(\S+?)(?::(\d+)|\[[\d:]+\])'? # (.+)$")
_RSPEC_BODY = patterns.Lazy(r"^\s+Failure/Error: ?(.*)$")
_TERRAFORM = patterns.Lazy(r"^\s*on (\S+) line (\d+)")
_CONFLICT = patterns.Lazy(
    r"^(?:CONFLICT|KONFLIKT|CONFLIT|CONFLICTO|CONFLITO|CONFLITTO|КОНФЛИКТ|冲突|衝突|충돌) ?"
    r"[(（][^)）]+[)）] ?[:：] ?.*?(?:\b(?:in|of) )?(\S+?\.?\S*?)(?: deleted in .*)?$"
)
_EXUNIT = patterns.Lazy(r"^\s+\d+\) (?:test|property|doctest) (.+?) \(\S+\)$")
_EXUNIT_PLACE = patterns.Lazy(r"^\s+(\S+\.exs?):(\d+)$")
_EXUNIT_FRAME = patterns.Lazy(r"^\s+(\S+\.exs?):(\d+): ")
_DART = patterns.Lazy(r"^\d\d:\d\d \+\d+(?: ~\d+)? -\d+: (?:(\S+\.dart): )?(.+) \[E\]$")
_DART_PLACE = patterns.Lazy(r"^\s+(\S+_test\.dart) (\d+):\d+ ")
_DOCTEST = patterns.Lazy(r'^File "(.+?)", line (\d+)(?:, in (\S+))?$')
_MINITEST = patterns.Lazy(r"^(\w[\w:]*#\S+?)(?: \[(\S+?):(\d+)\])?:$")
_RUBY_FRAME = patterns.Lazy(r"^\s+(\S+\.rb):(\d+):in ")
_VERDICT = patterns.Lazy(r"^(\S.*?) +\| (?:FAIL|ERROR) \|$")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _minitest(lines)
    messages = _rspec_messages(lines)
    for i, line in enumerate(lines):
        if line.startswith(("rspec ", "crystal ")) and (match := _RSPEC.match(line)):
            file, number, name = match.groups()
            yield DetectedError(
                "test", next(messages, "failed"), file, line_no(number or ""), i, i + 1, name
            )
        elif line.startswith("Error: ") and i + 3 < len(lines):
            place = own_place(_TERRAFORM, lines[i + 1 : i + 4])
            if place[0]:
                below = dropwhile(str.strip, lines[i + 2 : i + 20])
                texts = dropwhile(lambda text: not text or text[0].isspace(), below)  # Not source.
                said = " ".join(takewhile(str.strip, texts))
                yield DetectedError("build", f"{line[7:]}: {said}".rstrip(": "), *place, i, i + 6)
        elif (match := _CONFLICT.match(line)) is not None:
            yield DetectedError("", line, match.group(1), 0, i, i + 1)
        elif ") " in line and line.startswith("  ") and (match := _EXUNIT.match(line)):
            body = next((t.strip() for t in lines[i + 2 : i + 6] if t.strip()), "failed")
            block = list(takewhile(str.strip, lines[i + 1 : i + 40]))
            place = own_place(_EXUNIT_PLACE, block[:1])
            frames = (m.groups() for t in block if (m := _EXUNIT_FRAME.match(t)))
            place = next(((f, line_no(n)) for f, n in frames if f == place[0]), place)
            yield DetectedError("test", body, *place, i, i + 3, match.group(1))
        elif line.startswith('File "') and (match := _DOCTEST.match(line)):
            if i + 2 < len(lines) and lines[i + 1].startswith("Failed example:"):
                file, number, name = match.groups()
                body = lines[i + 2].strip()
                yield DetectedError(
                    "test", f"failed: {body}", file, line_no(number), i, i + 8, name or ""
                )
        elif line.endswith(" [E]") and (match := _DART.match(line)):
            place = own_place(_DART_PLACE, lines[i : i + 30])
            body = next((t.strip() for t in lines[i + 1 : i + 6] if t.strip()), "failed")
            file = place[0] or match.group(1) or ""
            yield DetectedError("test", body, file, place[1], i, i + 30, match.group(2))
        elif line.rstrip().endswith(" |") and (match := _VERDICT.match(line.rstrip())):
            detail = next((t.strip() for t in lines[i + 1 : i + 3] if t.strip()), "failed")
            if not says_failed(detail):  # A suite says how many of its tests failed.
                yield DetectedError("test", detail, at=i, until=i + 2, name=match.group(1))


def _rspec_messages(lines: Sequence[str]) -> Iterator[str]:
    """The message of each numbered failure, in the order of the final list."""
    for i, line in enumerate(lines):
        body = _RSPEC_BODY.match(line) if "Failure/Error:" in line else None
        if body:
            detail = [t.strip() for t in lines[i + 1 : i + 6] if t.strip()]
            heading = bool(detail) and detail[0].endswith(":")
            yield " ".join(detail[: 1 + heading]) or body.group(1)


def _minitest(lines: Sequence[str]) -> Iterator[DetectedError]:
    """`1) Failure:`, the test, its place and the message; an error has its place in a frame."""
    for i, line in enumerate(lines[:-2]):
        ends = line.rstrip().endswith(("Failure:", "Error:"))
        match = _MINITEST.match(lines[i + 1]) if ends else None
        if match is not None:
            name, file, number = match.groups()
            if not file:
                frames = [m.groups() for t in lines[i : i + 20] if (m := _RUBY_FRAME.match(t))]
                file, number = frames[-1] if frames else ("", "0")
            yield DetectedError("test", lines[i + 2], file, line_no(number), i, i + 14, name)
