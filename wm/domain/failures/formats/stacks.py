"""Stacks of calls below what was thrown, of any language: one error for each stack (HS-2).

A stack is two or more lines, each of which says little more than a place; between them a line may
name the function. Languages that print the innermost call first write the message above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import DetectedError, is_foreign, is_host, line_no
from wm.domain.failures.formats.jvm import LIBRARY
from wm.text import patterns

_FRAME = patterns.Lazy(
    r"^(?:\s+|\s*(?:#|at |from |in |@ |\.{3} |[│|] ))[^\s:(]*?(?:[^#]{0,80}?[\s(@\[])?"
    r"((?:file://)?[^\s:()\[\]\"'`,]*\.[A-Za-z]\w{0,8}):(\d+)(?::\d+)?"
    r"(?:\)|:? ?in .*|: ?\(\w+\)| \+0x\w+|: .{0,80}[)'`])?\]?(?: \{)?$|^\s+at \S.*$"
)
_THROWN = patterns.Lazy(
    r"^\W*(?:[\w.]+[:.])?[\w:.]*(?:Error|Exception|Failure|Fault|[Pp]anic|Violation|Assertion)\b"
    r"(?: ?:|$| \[| in )|^\W*(?:error|fatal)[: ]|\([\w:.\\]*(?:Error|Exception)\)$|"
    r"(?i)\bexpected\b.* (?:but (?:was|got|found)\b|got\b|to (?:\w+ ){0,2}[^\sA-Za-z])"
)
"""What was thrown, or two values that differ; `Expected objects to be equal` says too little."""
_ALONE = patterns.Lazy(r"^((?:file://)?(?:/|[A-Za-z]:[\\/])\S*?):(\d+)$")
"""A place that is the only text of its line."""
_CAUSE = patterns.Lazy(r"^(?:[Cc]aused by|\s+\[cause\]): (\S.*?)(?: \{)?$")
REACH = 16
"""Lines above a stack in which its message is looked for."""


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    if any("<testcase" in line for line in lines):
        return  # Its elements say more.
    done = 0
    i = 0
    while i < len(lines):
        end, frames = _stack(lines, i)
        alone = lines[i].lstrip().startswith("at ") and any(map(_THROWN.search, lines[i - 1 : i]))
        if len(frames) > 1 or (frames and alone):
            own = [frame for frame in frames if not (is_foreign(frame[0]) or is_host(frame[0]))]
            at = _message(lines, max(done, i - REACH), i)
            if own and at >= 0:
                file, number = own[0]
                if "SyntaxError" in lines[at]:  # node prints its place above the source.
                    above = map(_ALONE.match, reversed(lines[max(done, at - 8) : at]))
                    file, number = next((m.groups() for m in above if m), (file, number))
                message = lines[at].strip(" \t─━=")
                below = lines[at + 1 : at + 2] if message.endswith(":") else []
                message = " ".join([message, *(line.strip() for line in below)])
                cause = next(filter(None, map(_CAUSE.match, lines[at:end])), None)
                message += f" (cause: {cause.group(1)})" if cause else ""
                yield DetectedError(
                    "", message, file.removeprefix("file://"), line_no(number), at, end
                )
            done = end
        i = max(end, i + 1)


def _stack(lines: Sequence[str], i: int) -> tuple[int, list[tuple[str, str]]]:
    """The end of the stack that begins at this line, and the places in it."""
    frames: list[tuple[str, str]] = []
    while i < len(lines):
        frame = _FRAME.match(lines[i])
        after = i + 1 < len(lines) and frame is None and bool(frames) and lines[i].strip()
        if frame:
            ours = not lines[i].lstrip().removeprefix("at ").startswith(LIBRARY)
            ours = ours and "https://" not in lines[i]  # A library that was loaded from its host.
            frames.append(((ours and frame.group(1)) or "", frame.group(2) or ""))
        elif not after or not _FRAME.match(lines[i + 1]) or _THROWN.match(lines[i]):
            break
        i += 1
    return i, frames


def _message(lines: Sequence[str], begin: int, end: int) -> int:
    """The line above a stack that says what was thrown: the nearest one; -1 for none."""
    return next((j for j in range(end - 1, begin - 1, -1) if _THROWN.search(lines[j])), -1)
