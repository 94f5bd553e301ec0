"""The Test Anything Protocol (node --test, vitest, tape, prove) and node's own spec reporter.

`not ok` with `# TODO` or `# SKIP` is not a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import DetectedError, is_foreign, line_no, own_place
from wm.text import patterns

_NOT_OK = patterns.Lazy(r"^(\s*)not ok \d+(?: -)? (.*?)(?: # (?:time|duration)[^{]*)?(\s*\{)?$")
_PLACE = patterns.Lazy(r"['\"(]?((?:file://)?[^\s'\"()]+\.\w+):(\d+)(?::\d+)?['\")]?")
_FIELD = patterns.Lazy(r"^\s*(location|at|error|message|file|stack|expected|actual) *: *(\S.*|)$")
_SPEC_PLACE = patterns.Lazy(r"^test at (\S+?):(\d+):\d+$")
_SPEC_NAME = patterns.Lazy(r"^✖ (.+?)(?: \([\d.]+ms\))?$")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _protocol(lines)
    yield from _spec(lines)


def _protocol(lines: Sequence[str]) -> Iterator[DetectedError]:
    """Only the innermost `not ok` is a test; the outer ones are its suites and its file."""
    around: list[tuple[int, str]] = []
    for i, line in enumerate(lines):
        match = _NOT_OK.match(line) if "not ok" in line else None
        if match is None:
            continue
        indent, name = len(match.group(1)), match.group(2).strip()
        around = [(n, t) for n, t in around if n < indent]
        if match.group(3):
            around.append((indent, name))
            continue
        if name.upper().endswith(("# TODO", "# SKIP")):
            continue
        end = _end(lines, i, indent)
        block = lines[i + 1 : end]
        if any("subtestsFailed" in text or "subtests failed" in text for text in block):
            continue
        file = next((t for _n, t in reversed(around) if "." in t and " " not in t), "")
        place, number, message = _described(block, file)
        if not place and (commented := _comments(lines, i + 1)):
            place, number, message, end = commented
        yield DetectedError("test", message, file or place, number, i, end, name)


def _end(lines: Sequence[str], start: int, indent: int) -> int:
    """The end of the block of fields, which is indented deeper than its `not ok`."""
    end = start + 1
    while end < len(lines) and end < start + 200:
        text = lines[end]
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            break
        end += 1
    return end


def _described(block: Sequence[str], file: str) -> tuple[str, int, str]:
    place, number, message = "", 0, ""
    compared: list[str] = []
    for at, text in enumerate(block):
        field = _FIELD.match(text)
        if field is None:
            continue
        key, value = field.group(1), field.group(2).strip().strip("'\"")
        if key in ("location", "at", "file") and not place:
            found = _PLACE.search(value)
            if found and not is_foreign(found.group(1)):
                path = found.group(1).removeprefix("file://")
                if not file or path.endswith(file):
                    place, number = path, line_no(found.group(2))
        elif key in ("expected", "actual") and value:
            compared.append(f"{key} {value}")
        elif key in ("error", "message") and not message and value not in ("", "failed"):
            folded = value in ("|-", ">-", "|+", ">+", "|", ">")
            below = [t.strip() for t in block[at + 1 : at + 3]] or [""]
            first, *more = below if folded else [value]
            goes_on = first.startswith("Error: Failed to load") or first.endswith(":")
            message = " ".join([first, *filter(None, more if goes_on else ())])
    if not (place or file):
        place, number = own_place(_PLACE, block)
    return place.removeprefix("file://"), number, message or ", ".join(compared) or "failed"


def _comments(lines: Sequence[str], start: int) -> tuple[str, int, str, int] | None:
    """Place and message from comments below a `not ok` (`# 6 != 5`, `# t.c:11: error: Failure!`),
    and where they end; None without a place."""
    end = next((i for i in range(start, len(lines)) if not lines[i].lstrip().startswith("#")), -1)
    block = [text.strip("# ") for text in lines[start : end if end >= 0 else len(lines)]]
    for at, text in enumerate(block):
        found = _PLACE.match(text)
        if found:
            said = next((t for t in (*block[:at], text[found.end() :].strip(": ")) if t), "failed")
            return found.group(1), line_no(found.group(2)), said, start + len(block)
    return None


def _spec(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        match = _SPEC_PLACE.match(line) if line.startswith("test at ") else None
        if match is None or i + 1 >= len(lines):
            continue
        name = _SPEC_NAME.match(lines[i + 1])
        said = next((t.strip() for t in lines[i + 2 : i + 6] if t.strip()), "failed")
        title = name.group(1) if name else ""
        yield DetectedError("test", said, match.group(1), line_no(match.group(2)), i, i + 6, title)
