"""go build, vet and test, golangci-lint; panics of Go programs.

A panic takes its stack with it, so that the lines below it are not read as further errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from posixpath import commonpath

from wm.domain.failures.detected import PACKAGE_MARK, DetectedError, line_no, own_place
from wm.text import patterns

_PLACE = patterns.Lazy(r"^(?:vet: |\s{0,4})?(\S+\.go):(\d+)(?::\d+)?: (.+)$")
_FAIL = patterns.Lazy(r"^(\s*)--- FAIL: (\S+) \(")
_MESSAGE = patterns.Lazy(r"^\s+(\S+\.go):(\d+): (.*)$")
_PACKAGE = patterns.Lazy(r"^FAIL\s+(\S+)(?:\s+\[|\s+[\d.]+s|$)")
_NAMED = patterns.Lazy(r"^(?:ok  |FAIL|\?   )\t(\S+)")
_FRAME = patterns.Lazy(r"^\t(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$")

MAX_MESSAGE_LINES = 40
MAX_PACKAGES = 100


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    panic = _panic(lines)
    inside = range(panic.at, panic.until) if panic else range(0)
    if panic:
        yield panic
    yield from _tests(lines, panic)
    for i, line in enumerate(lines):
        if ".go:" not in line or i in inside:
            continue
        match = _PLACE.match(line)
        if match and line[:1] not in "\t" and not line.startswith("    "):
            file, number, message = match.groups()
            yield DetectedError("", message, file, line_no(number), i, i + 1)


def _panic(lines: Sequence[str]) -> DetectedError | None:
    """`panic:` or `fatal error:` with the stack of the first goroutine."""
    stack = next((i for i, t in enumerate(lines) if t.startswith("goroutine ")), None)
    if stack is None:
        return None
    above = range(max(0, stack - MAX_MESSAGE_LINES), stack)
    begin = next((i for i in above if lines[i].startswith(("panic: ", "fatal error: "))), None)
    if begin is None:
        return None
    last = min(len(lines), stack + 400)
    end = next((i for i in range(stack, last) if lines[i].startswith(("FAIL\t", "exit "))), last)
    other = next((i for i in range(stack + 1, end) if lines[i].startswith("goroutine ")), end)
    place = own_place(_FRAME, lines[stack:other])
    message = lines[begin].removesuffix(" [recovered]")
    head = next((m for i in range(begin, max(-1, begin - MAX_MESSAGE_LINES), -1)
                 if (m := _FAIL.match(lines[i]))), None)  # fmt: skip
    in_test = head.group(2) if head else ""
    category = "test" if in_test else "runtime"
    return DetectedError(category, message, *place, begin, end, in_test)


def _tests(lines: Sequence[str], panic: DetectedError | None) -> Iterator[DetectedError]:
    """A failed test and its message; a test with failed subtests only summarises them."""
    packages = _packages(lines)
    for i, line in enumerate(lines):
        head = _FAIL.match(line) if "--- FAIL: " in line else None
        if head is None or (panic and head.group(2) == panic.name):
            continue
        end = i + 1
        while end < len(lines) and lines[end].startswith(head.group(1) + "    "):
            end += 1
        block = lines[i + 1 : end]
        if any("--- FAIL: " in text for text in block):
            continue
        run = next((j for j in range(i) if lines[j].rstrip() == f"=== RUN   {head.group(2)}"), i)
        # With -v the messages come first.
        said = block or [*takewhile(lambda t: not t.startswith("==="), lines[run + 1 : i])]
        found = next((m for text in said if (m := _MESSAGE.match(text))), None)
        file, number, message = found.groups() if found else ("", "0", "failed")
        folder = next((name for at, name in packages if at >= i), "")
        path = f"{folder}/{file}" if folder and file and "/" not in file else file
        yield DetectedError("test", message, path, line_no(number), i, end, head.group(2))


def _packages(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The failed packages with their lines; the table resolves their folders. The module, which is
    the root, is what all packages begin with."""
    found: list[tuple[int, str]] = []
    named = {match.group(1) for text in lines if (match := _NAMED.match(text))}
    shared = commonpath(named).split("/") if len(named) > 1 else []
    for i, text in enumerate(lines):
        match = _PACKAGE.match(text) if text.startswith("FAIL") else None
        if match and len(found) < MAX_PACKAGES:
            parts = match.group(1).split("/")
            folder = "/".join([".", *parts[len(shared) :]]) if shared else match.group(1)
            found.append((i, f"{PACKAGE_MARK}{folder}"))
    return found
