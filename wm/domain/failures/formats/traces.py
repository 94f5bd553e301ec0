"""Crashed programs: Python tracebacks, and the last line of Ruby, PHP, Elixir and Perl.

Of several tracebacks the last one ended the program. The error is placed in the user's own code
where a frame of it exists, not in a library's.
"""

# ruff: noqa: E501  One expression, one line.
from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wm.domain.failures.detected import DetectedError, is_foreign, line_no
from wm.text import patterns

_PY_FRAME = patterns.Lazy(r'^\s*File "(.+?)", line (\d+)')
_GENERATED = patterns.Lazy(r"^<\w+ (\S+\.\w+)(?::\d+)?>$")
"""`<cog README.md:3>`: code in another file."""
_PY_END = patterns.Lazy(
    r"^([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Group|Iteration|Timeout|[A-Z]\w*))(?::.*|)$"
)


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _python(lines)
    yield from _others(lines)


def _python(lines: Sequence[str]) -> Iterator[DetectedError]:
    """Only the last traceback that has a heading, and each below the name of a test: the others
    were logged or handled. A test is placed in its own code, not in what it calls."""
    last: DetectedError | None = None
    headless = False
    i = 0
    while i < len(lines):
        text = _bare(lines[i])
        before, heading, _after = text.partition("Traceback (most recent call last)")
        if heading:
            test = next(filter(None, map(_TEST.match, lines[max(0, i - 4) : i])), None)
            trace = _without_prefix(lines[i : i + MAX_TRACE], before)
            found, size = _traceback(trace, 0, own_frame=0 if test else -1)
            cause = last if any(_CAUSED in text for text in lines[max(0, i - 3) : i]) else None
            last = replace(found, at=i, until=i + size) if found else last
            last = _caused(last, cause) if last and cause else last
            if last and test:
                yield replace(last, category="test", name=test.group(1))
                last = None
            i += size
        elif text.startswith('  File "') and (headless or last is None):
            # A SyntaxError of the program itself has no heading, nor has one of a test in green.
            found, i = _traceback(lines, i - 1)
            if found and "Error" in found.message:
                yield from (last,) if last else ()
                last, headless = found, True
        else:
            i += 1
    if last:
        yield last


_TEST = patterns.Lazy(r"^(?:FAIL|ERROR): (\S+)")
"""The name of a test, above its traceback."""
_CAUSED = "The above exception was the direct cause"


def _caused(last: DetectedError, cause: DetectedError) -> DetectedError:
    """An exception with the one that was its cause, whose place counts if the last has none."""
    message = f"{last.message} (cause: {cause.message})"
    if last.file:
        return replace(last, message=message)
    return replace(last, message=message, file=cause.file, line=cause.line)


def _without_prefix(lines: Sequence[str], prefix: str) -> list[str]:
    """The lines without what a log or another tool wrote before each."""
    bare = map(_bare, lines)
    return [line.removeprefix(prefix) for line in bare] if prefix else list(bare)


MAX_TRACE = 2000
"""Lines of one traceback."""


def _bare(line: str) -> str:
    """The line without the frame that exception groups draw on the left."""
    return line.lstrip(" +|-") if line.startswith(("  |", "  +", "    |", "    +")) else line


def _traceback(
    lines: Sequence[str], start: int, own_frame: int = -1
) -> tuple[DetectedError | None, int]:
    """own_frame: which of the frames in the project's own files is the place of the error."""
    frames: list[tuple[str, str]] = []
    i = start + 1
    while i < len(lines):
        text = _bare(lines[i])
        frame = _PY_FRAME.match(text) if "File " in text else None
        if frame:
            frames.append((_GENERATED.sub(r"\1", frame.group(1)), frame.group(2)))
        elif (text and text[0] not in " \t+|") or (
            not text and i > start + 1 and not (i + 1 < len(lines) and lines[i + 1][:1] == " ")
        ):
            break
        i += 1
    if frames and not "".join(lines[i : i + 1]).strip():
        i += 1  # A runner that writes a blank line below each frame.
    end = _bare(lines[i]) if i < len(lines) else ""
    if _PY_END.match(end.split(": ", 1)[0] if ": " in end else end) is None:
        return None, max(i, start + 1)
    own = [(path, number) for path, number in frames if not is_foreign(path)]
    file, number = own[own_frame] if own else ("", "0")
    more = "".join(lines[i + 1 : i + 2]) if end.rstrip().endswith(":") else ""
    said = f"{end.strip()} {more}" if any(map(str.isalpha, more)) else end
    return DetectedError("", said.strip(), file, line_no(number), max(start, 0), i + 1), i + 1


def _others(lines: Sequence[str]) -> Iterator[DetectedError]:
    """The one line in which other languages say what ended a program."""
    for i, line in enumerate(lines):
        for hint, category, pattern in _LINES:
            match = pattern.match(line) if hint in line else None
            if match is not None:
                said = match.groupdict("")
                below = (text.strip() for text in lines[i + 1 : i + 3] if text.strip())
                more = next(below, "") if said.get("kind") and said["file"] else ""
                message = f"{said.get('kind', '')}: {said['message']} {more}".strip(": ")
                file, number = said["file"], line_no(said["line"])
                yield DetectedError(category, message, file, number, i, i + 1)
                return


_LINES = (
    (".rb:", "", patterns.Lazy(r"^(?:\S+: )?(?P<file>\S+\.rb):(?P<line>\d+):in [`'].*?': (?P<message>.+)$")),
    (" error:", "runtime", patterns.Lazy(r"^(?:PHP )?(?:Fatal|Parse) error:\s+(?P<message>.+?) in (?P<file>\S+?)(?: on line |:)(?P<line>\d+)$")),
    ("** (", "", patterns.Lazy(r"^\*\* \((?P<kind>\S+)\) (?P<message>.+?)(?: on (?P<file>\S+\.exs?):(?P<line>\d+)(?::\d+)?:)?$")),
    (" line ", "runtime", patterns.Lazy(r"^(?P<message>.+) at (?P<file>\S+\.p[lm]) line (?P<line>\d+)(?:\.|, (?:near|at|<).*)$")),
)  # fmt: skip
"""For Ruby, PHP, Elixir and Perl: a substring of each such line, the category, the expression."""
