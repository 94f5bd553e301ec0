"""What a tool without a parser of its own says when it fails (HS-2).

One error at most: the line that states the failure best. A line that merely contains the
word "error" states nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain import patterns
from wm.domain.session.errors.found import Found

_SHELL = r"^(?:ba|z|da|k)?sh: (?:line \d+: |\d+: )?\S"

LEVELS = (
    # 1 states an error and says which
    r"^(?:[\w./@+-]+(?:\[\d+\])?: )?(?:fatal|error|Error|ERROR|FATAL|FAILED|E|err|Fatal|panic|"
    r"\[ERROR\]|\[error\]|✖|✘|❌)(?: \[?[\w-]+\]?)?:\s+\S|"
    r"^(?:Error|error)(?: [a-z][\w-]*){1,4}: \S|^ESLint couldn't \S",
    # 2 names its kind
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault)\b(?:: |$)",
    # 3 the shell's own complaint
    _SHELL,
    # 4 a program's own complaint
    r"^[\w./@+-]+: .*(?i:no such file or directory|permission denied|not found|cannot |can't |"
    r"is a directory|not a directory|file exists|no such process|operation not permitted|"
    r"connection refused|could not|invalid|unrecogni[sz]ed|missing|unknown|no space left|failed|"
    r"too many|denied|unable|does not exist|no rule|no module named)",
    # 5 a crash
    r"\b(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted|"
    r"core dumped|Killed|Out of memory|stack overflow)\b",
    # 6 marked as an error
    r"^(?:\[ERROR\]|\[error\]|\[FATAL\]|✘|✖|×|❌|!!)\s+\S",
    # 7 begins like a failure
    r"^(?i:failed to |failure: |failed: |could not |cannot |can't |couldn't |unable to |aborting|"
    r"build failed|invalid |unknown |no such |unexpected |uncaught |unhandled |missing |oops)",
    # 8 was logged as one
    r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b",
    # 9 passes on that a part of it failed
    r"^g?make(?:\[\d+\])?: \*\*\* \[",
)
"""What a line says, the clearest first."""

_LEVELS = tuple(patterns.compile(level) for level in LEVELS)
_ANY = patterns.compile("|".join(f"(?:{level})" for level in LEVELS))
_SHELL_SAYS = patterns.compile(_SHELL)
_SHELL_PID = patterns.compile(r"^((?:ba|z|da|k)?sh: line )\d+: +\d+ ")

SUMS = (
    "ERROR: usage", "usage: ", "error: could not compile", "error: test failed",
    "error: aborting", "make: ***", "make[", "ninja: build stopped", "error Command failed",
    "npm error", "npm ERR!", "error: script ", "error: Recipe ", "error: process didn't",
    "ERROR: InvocationError", "collect2: error", "error: command ", "Error: Process completed",
)  # fmt: skip
"""Lines that only pass on that another tool failed."""


def find(lines: Sequence[str]) -> Iterator[Found]:
    """The first line of the clearest kind; a sum only where nothing else is said."""
    best: tuple[int, int] | None = None
    for i, line in enumerate(lines):
        text = line.strip()
        if len(text) < 4 or _ANY.search(text) is None:
            continue
        level = next(n for n, pattern in enumerate(_LEVELS) if pattern.search(text))
        rank = level + (len(_LEVELS) if text.startswith(SUMS) else 0)
        if best is None or rank < best[0]:
            best = (rank, i)
        if rank == 0:
            break
    if best is not None:
        i = best[1]
        yield Found("", _SHELL_PID.sub(r"\1", lines[i].strip()), at=i, until=i + 1)


def complaint(lines: Sequence[str], tool: str) -> Iterator[Found]:
    """What a tool says of itself (`ls: cannot access …`), for tools that show others' text."""
    for i, line in enumerate(lines):
        text = line.strip()
        rest = text
        shell = _SHELL_SAYS.match(text)
        if shell:
            rest = text.split(": ", 2)[-1] if ": line " in text else text.split(": ", 1)[-1]
        if rest.startswith(f"{tool}: "):
            yield Found("", text, at=i, until=i + 1)
            return
