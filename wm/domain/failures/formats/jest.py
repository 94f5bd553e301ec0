"""jest, vitest, mocha and playwright: failed tests with their file, name and place.

A test that appears in both the report and the summary is one error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from wm.domain.failures.detected import DetectedError, line_no, own_place, same_file
from wm.text import patterns

_FAIL = patterns.Lazy(
    r"^\s*(?:FAIL|❌)\s+(?:\|\S+\|\s+)?(\S+\.[cm]?[jt]sx?)(?:\s+>\s+(.+)|\s+\[.*\])?"
    r"(?:\s+\(\d.*\))?\s*$"
)
_BULLET = patterns.Lazy(r"^  ● (.+)$")
_FRAME = patterns.Lazy(
    r"(?:^\s+at .*?|^\s*❯ .*?)\(?(?:webpack(?:-internal)?://[\w-]*/(?:\./)?)?((?:file://)?[^\s():]+\.[cm]?[jt]sx?):(\d+):\d+\)?"
)
_MOCHA = patterns.Lazy(r"^  (\d+)\) (.+?)$")
_PLAYWRIGHT = patterns.Lazy(
    r"^\s+\d+\) (?:\[[^\]]+\] › )?(\S+\.[cm]?[jt]sx?):(\d+):\d+ › (.+?)[ ─]*$"
)

NOT_TESTS = ("Console", "Deprecation Warning", "Validation Warning", "Cannot log after")
MAX_BLOCK_LINES = 200


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    seen: dict[tuple[str, str], None] = {}
    for error in (*_blocks(lines), *_playwright(lines), *_mocha(lines)):
        if (error.file, error.name) not in seen:
            seen[(error.file, error.name)] = None
            yield error


def _blocks(lines: Sequence[str]) -> Iterator[DetectedError]:
    """jest names the file once and marks its tests with ●; vitest names both on one line."""
    file = ""
    i = 0
    while i < len(lines):
        line = lines[i]
        fail = _FAIL.match(line) if "FAIL" in line else None
        name = ""
        if fail:
            file, name = fail.group(1), (fail.group(2) or "").strip()
            if name or "[" in line:
                yield _failed_test(lines, i, _block_end(lines, i), file, name or "suite")
            i += 1
            continue
        bullet = _BULLET.match(line) if file and "●" in line else None
        if bullet and not bullet.group(1).startswith(NOT_TESTS):
            end = _block_end(lines, i)
            yield _failed_test(lines, i, end, file, bullet.group(1).strip())
            i = end
            continue
        i += 1


def _block_end(lines: Sequence[str], start: int) -> int:
    for i in range(start + 1, min(len(lines), start + MAX_BLOCK_LINES)):
        line = lines[i]
        if line.startswith(
            ("  ● ", "FAIL ", " FAIL ", "PASS ", "Test Suites:", "⎯⎯", " Test Files")
        ):
            return i
    return min(len(lines), start + MAX_BLOCK_LINES)


def _failed_test(lines: Sequence[str], start: int, end: int, file: str, name: str) -> DetectedError:
    block = lines[start + 1 : end]
    said = [line.strip() for line in block if line.strip()] or ["failed"]
    thrown = (text for text in said if _THROWN.match(text))
    message = next(thrown, said[0]) if name == "Test suite failed to run" else said[0]
    return DetectedError("test", message, file, _line(block, file), start, end, name)


_THROWN = patterns.Lazy(r"^(?:[A-Z]\w*)?(?:Error|Exception): \S")


def _line(block: Sequence[str], file: str) -> int:
    """The line of the failure in the test's own file; 0 if no frame names it."""
    for line in block:
        frame = _FRAME.search(line) if "at " in line or "❯" in line else None
        if frame and same_file(frame.group(1), file):
            return line_no(frame.group(2))
    return 0


def _playwright(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        match = _PLAYWRIGHT.match(line) if " › " in line else None
        if match:
            file, number, name = match.groups()
            message = next((t.strip() for t in lines[i + 1 : i + 6] if t.strip()), "failed")
            below = takewhile(lambda t: not _ENDS.match(t), lines[i + 1 : i + MAX_BLOCK_LINES])
            at = _line([*below], file) or line_no(number)
            yield DetectedError("test", message, file, at, i, i + 6, name.strip())


_ENDS = patterns.Lazy(r"^\s{1,4}\d+(?:\) | \w+$)")


def _mocha(lines: Sequence[str]) -> Iterator[DetectedError]:
    """After `N failing`: a number, the titles up to a colon, the error, its frames."""
    heads = (" failing", "- FAILURES:")
    begin = next((i for i, t in enumerate(lines) if t.strip().endswith(heads)), None)
    if begin is None:
        return
    after = range(begin + 1, len(lines))
    begins = [i for i in after if _MOCHA.match(lines[i]) and " › " not in lines[i]]
    for start, end in pairwise([*begins, len(lines)]):
        yield _mocha_block(lines, start, end)


def _mocha_block(lines: Sequence[str], start: int, end: int) -> DetectedError:
    titles = [lines[start].split(")", 1)[1].strip()]
    i = start + 1
    while i < end and not titles[-1].endswith(":") and lines[i].strip():
        titles.append(lines[i].strip())
        i += 1
    block = lines[i:end]
    message = next((line.strip() for line in block if line.strip()), "failed")
    file, number = own_place(_FRAME, block)
    name = " › ".join(titles).rstrip(":")
    return DetectedError("test", message, file.removeprefix("file://"), number, start, end, name)
