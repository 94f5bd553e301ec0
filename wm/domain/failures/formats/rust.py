"""cargo, rustc and clippy; ruff, ty and other tools that point with `--> file:line:column`.

The message is above the pointer, the place in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from wm.domain.failures.detected import DetectedError, is_foreign, line_no
from wm.text import patterns

_ARROW = patterns.Lazy(r"^\s*(?:-->|╭─\[|┌─|└─) ?([^\s:\]]+(?: [^\s:\]]+)*):(\d+)(?::\d+)?")
_TITLE = patterns.Lazy(
    r"^(?:(error)(?:\[([\w-]+)\])?: (.+)|([A-Z]{1,4}\d{2,5}) (?:\[\*\] )?(.+)"
    r"|(invalid-syntax|unformatted|[a-z]+(?:-[a-z]+)+): (.+)|(Error): (.+))$"
)
_PANIC = patterns.Lazy(
    r"^thread '(.*?)'(?: \(\d+\))? panicked at (?:'(.*)', )?([^\s']+):(\d+):\d+:?$"
)
_STDOUT = patterns.Lazy(r"^---- (.+?) stdout ----$")
_RETURNED = patterns.Lazy(
    r"^(Error: .+|note: (?:test did not panic as expected|panic did not contain expected string))"
    r"(?: at (\S+?):(\d+):\d+)?$"
)
_DIFF = patterns.Lazy(r"^Diff in (\S+?)(?:\s+at line |:)(\d+):?$")
_LABEL = patterns.Lazy(r"^\s*\|.*?[\^~]+ (\S.*)$")


_FRAMED = frozenset(" \t│|0123456789")
"""First characters of quoted source between a title and its place."""


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _pointed(lines)
    yield from _panics(lines)
    for i, line in enumerate(lines):
        diff = _DIFF.match(line) if line.startswith("Diff in ") else None
        if diff:
            yield DetectedError(
                "lint", "not formatted (rustfmt)", diff.group(1), line_no(diff.group(2)), i, i + 1
            )


def _pointed(lines: Sequence[str]) -> Iterator[DetectedError]:
    """A title, and in one of the next lines the place it points to."""
    for i, line in enumerate(lines):
        if not line or line[0] in " |=\t":
            continue
        title = _TITLE.match(line)
        if title is None:
            continue
        for j in range(i + 1, min(i + 10, len(lines))):
            if j > i + 3 and lines[j][:1] not in _FRAMED:
                break
            place = _ARROW.match(lines[j]) if "--" in lines[j] or "─" in lines[j] else None
            if place:
                file, number = place.group(1), line_no(place.group(2))
                end = _end(lines, j)
                message = _message(title.groups(), lines[j + 1 : end])
                linted = any("clippy::" in text for text in lines[j:end])
                category = "build" if file.endswith(".rs") and not linted else ""
                yield DetectedError(category, message, file, number, i, end)
                break
            if _TITLE.match(lines[j]):
                break


def _message(parts: tuple[str | None, ...], block: Sequence[str]) -> str:
    """Code, title and the text under the marks: two mismatches are two errors."""
    _error, code, text, rule, said, word, detail, _upper, other = parts
    label = next((m.group(1) for line in block if (m := _LABEL.match(line))), "")
    head = code or rule or word or ""
    body = text or said or detail or other or ""
    if rule or (label and label in body):
        label = ""
    return f"{head}{': ' if head else ''}{body}" + (f" ({label})" if label else "")


def _end(lines: Sequence[str], start: int) -> int:
    return start + 1 + sum(1 for _ in takewhile(str.strip, lines[start + 1 : start + 120]))


def _returned(lines: Sequence[str], start: int, test: str) -> Iterator[DetectedError]:
    """A test that failed without a panic: it returned an error or should have panicked."""
    at = next((j for j in range(start + 1, min(start + 4, len(lines))) if lines[j].strip()), start)
    match = _RETURNED.match(lines[at].strip())
    if match is not None:
        said, file, number = match.groups()
        yield DetectedError(
            "test", said.removeprefix("note: "), file or "", line_no(number or ""), at, at + 1, test
        )


def _panics(lines: Sequence[str]) -> Iterator[DetectedError]:
    test = ""
    for i, line in enumerate(lines):
        if line.startswith("---- "):
            head = _STDOUT.match(line)
            test = head.group(1) if head else test
            yield from _returned(lines, i, test)
        elif line.startswith("failures:") or line.startswith("test result:"):
            test = ""
        panic = _PANIC.match(line) if "panicked at" in line else None
        if panic is None:
            continue
        thread, quoted, file, number = panic.groups()
        said = quoted or next((t.strip() for t in lines[i + 1 : i + 3] if t.strip()), "panicked")
        if is_foreign(file):
            file, number = "", "0"
        inside = test or (thread if thread != "main" and "::" in thread else "")
        end = _end(lines, i)
        category = "test" if inside else "runtime"
        yield DetectedError(category, f"panicked: {said}", file, line_no(number), i, end, inside)
        test = ""
