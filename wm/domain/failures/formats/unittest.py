"""Python's unittest (and Django's): blocks of `FAIL:` and `ERROR:` with a traceback each.

The whole block is one error, so that its traceback is not read as a crash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import DetectedError, own_place
from wm.text import patterns

_HEAD = patterns.Lazy(r"^(FAIL|ERROR): (\S+)(?: \((\S+)\))?")
_FRAME = patterns.Lazy(r'^\s+File "(.+?)", line (\d+)')


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    i = 0
    while i < len(lines):
        head = _HEAD.match(lines[i]) if lines[i].startswith(("FAIL: ", "ERROR: ")) else None
        if head is None or not lines[i - 1].startswith("====="):
            i += 1
            continue
        end = i + 1
        while end < len(lines) and not lines[end].startswith("====="):
            if lines[end].startswith("-----") and end > i + 2:
                break
            end += 1
        block = lines[i:end]
        file, number = own_place(_FRAME, block)
        said = [line for line in block[1:] if line and line[0] not in " -\t"]
        own_lines = [line for line in said if not line.startswith("Traceback")]
        message = next(
            (t for t in reversed(own_lines) if _is_exception(t)),
            own_lines[-1] if own_lines else "failed",
        )
        yield DetectedError("test", message, file, number, i, end, head.group(2))
        i = end


def _is_exception(line: str) -> bool:
    name = line.split(":", 1)[0]
    return name.replace(".", "").replace("_", "").isalnum() and name[:1].isalpha()
