"""Maven, Gradle, and their tests and programs: compile errors, failures, stack traces.

An uncaught exception has the name of the outermost one and the place of its cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import LAST_WORD, TABLES, DetectedError, line_no, own_place
from wm.text import patterns

_SUREFIRE = patterns.Lazy(
    r"^\[ERROR\]\s+([\w$.]+?)\.([\w$\[\]() ]+?):(\d+)(?:->[\w$:.>-]+)?[ :]+(.+)$"
)
_GRADLE = patterns.Lazy(r"^([\w$.]+) > (.+?) FAILED$")
_AT = patterns.Lazy(r"^\s+(.+?) at (\w+\.(?:java|kt|groovy|scala)):(\d+)$")
_FRAME = patterns.Lazy(r"^\s+at (?:[\w.]+/)?([\w$.<>]+)\((\w+\.(?:java|kt|groovy|scala)):(\d+)\)$")
_HEAD = patterns.Lazy(r'^(?:Exception in thread "[^"]*" |Caused by: )([\w$.]+(?:: .*)?)$')

LIBRARY = TABLES.words("jvm_libraries")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    yield from _tested(lines)
    yield from _thrown(lines)
    yield from _build_failure(lines)


def _tested(lines: Sequence[str]) -> Iterator[DetectedError]:
    for i, line in enumerate(lines):
        if line.startswith("[ERROR]") and (match := _SUREFIRE.match(line)):
            owner, test, number, message = match.groups()
            if owner.split(".")[-1][:1].isupper():
                file = f"{owner.split('.')[-1].split('$')[0]}.java"
                yield DetectedError(
                    "test", message, file, line_no(number), i, i + 1, f"{owner}.{test}"
                )
        elif line.endswith(" FAILED") and (match := _GRADLE.match(line)):
            place = _AT.match(lines[i + 1]) if i + 1 < len(lines) else None
            message, file, number = place.groups() if place else ("failed", "", "0")
            name = f"{match.group(1)} > {match.group(2)}"
            yield DetectedError("test", message, file, line_no(number), i, i + 2, name)


def _thrown(lines: Sequence[str]) -> Iterator[DetectedError]:
    """An uncaught exception: named after the outermost one, placed at the cause."""
    for i, line in enumerate(lines):
        if not line.startswith("Exception in thread "):
            continue
        head = _HEAD.match(line)
        if head is None:
            continue
        end = i + 1
        while end < len(lines) and lines[end].startswith(("\t", "    ", "Caused by: ")):
            end += 1
        block = lines[i:end]
        causes = [j for j, t in enumerate(block) if t.startswith("Caused by: ")]
        file, number = _place(block[causes[-1] :] if causes else block)
        if not file:
            file, number = _place(block)
        message = head.group(1)
        if causes and (cause := _HEAD.match(block[causes[-1]])):
            message = f"{message} (caused by {cause.group(1)})"
        yield DetectedError("runtime", message, file, number, i, end)


def _place(block: Sequence[str]) -> tuple[str, int]:
    for text in block:
        frame = _FRAME.match(text)
        if frame and not frame.group(1).startswith(LIBRARY):
            owner, file, number = frame.groups()
            package = owner.split(".")[:-2]
            return "/".join([*package, file]), line_no(number)
    return "", 0


def _build_failure(lines: Sequence[str]) -> Iterator[DetectedError]:
    """Gradle's `What went wrong`, Maven's failed goal: used only if nothing better is found."""
    for i, line in enumerate(lines):
        if line.startswith("* What went wrong:"):
            detail = [t.strip(" >") for t in lines[i + 1 : i + 4] if t.strip()]
            message = " ".join(detail[:2]) or "build failed"
            # Gradle names the place, if it has one, above `What went wrong`.
            place = own_place(_BUILD_FILE, reversed(lines[max(0, i - 6) : i]))
            yield DetectedError("build", message, *place, i, i + 4, LAST_WORD)
            return
        elif line.startswith("[ERROR] Failed to execute goal"):
            message = line.removeprefix("[ERROR] ").split(" -> [Help")[0]
            yield DetectedError("build", message, at=i, until=i + 1, name=LAST_WORD)
            return


_BUILD_FILE = patterns.Lazy(r"^(?:Build|Settings|Script) (?:file )?'(\S+?)' line: (\d+)$")
