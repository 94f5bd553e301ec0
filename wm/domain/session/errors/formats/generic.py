"""What a tool without a parser of its own says when it fails (HS-2).

One error at most: the line that states the failure best. A line that merely contains the
word "error" states nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wm.domain import patterns
from wm.domain.session.errors.found import Found

_STATED = patterns.compile(
    r"^(?:[\w./@+-]+(?:\[\d+\])?: )?(?:fatal|error|Error|ERROR|FATAL|FAILED|E|err|Fatal|panic|"
    r"\[ERROR\]|\[error\]|✖|✘|❌)(?: \[?[\w-]+\]?)?:\s+\S"
)
_BRACKETED = patterns.compile(r"^(?:\[ERROR\]|\[error\]|\[FATAL\]|✘|✖|×|❌|!!)\s+\S")
_NAMED = patterns.compile(r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault)\b(?:: |$)")
_COMPLAINT = patterns.compile(
    r"(?i)^(?:(?:ba|z|da|k)?sh: (?:line \d+: |\d+: )?)?[\w./@+-]+: .*(?:no such file or directory|"
    r"permission denied|command not found|not found|cannot |can't |is a directory|not a directory|"
    r"file exists|no such process|operation not permitted|connection refused|could not|"
    r"invalid|unrecogni[sz]ed|missing|unknown|no space left|failed|too many|denied|unable|"
    r"does not exist|no rule)"
)
_SHELL = patterns.compile(r"^(?:ba|z|da|k)?sh: (?:line \d+: |\d+: )?\S")
_CRASH = patterns.compile(
    r"\b(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted|"
    r"core dumped|Killed|Out of memory|stack overflow)\b"
)
_FAILED = patterns.compile(
    r"(?i)^(?:failed to |failure: |failed: |could not |cannot |unable to |aborting|build failed|"
    r"invalid |unknown |no such |unexpected |uncaught |unhandled |missing |oops)"
)
_LOGGED = patterns.compile(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b")
_SHELL_PID = patterns.compile(r"^((?:ba|z|da|k)?sh: line )\d+: +\d+ ")

SUMS = ("error: could not compile", "error: test failed", "error: aborting", "make: ***",
        "make[", "ninja: build stopped", "error Command failed", "npm error", "npm ERR!",
        "error: script ", "error: Recipe ", "error: process didn't", "ERROR: InvocationError",
        "collect2: error", "error: command ", "Error: Process completed")  # fmt: skip
"""Lines that only pass on that another tool failed."""

LEVELS: tuple[Callable[[str], object], ...] = (
    _STATED.match,
    _NAMED.match,
    _SHELL.match,
    _COMPLAINT.match,
    _CRASH.search,
    _BRACKETED.match,
    _FAILED.match,
    _LOGGED.search,
)
"""What a line says, the clearest first."""


def find(lines: Sequence[str]) -> Iterator[Found]:
    """The first line of the clearest kind; a sum only where nothing else is said."""
    best: tuple[int, int] | None = None
    for i, line in enumerate(lines):
        text = line.strip()
        if not text or not _worth(text):
            continue
        level = next((n for n, says in enumerate(LEVELS) if says(text)), None)
        if level is None:
            continue
        rank = level + (len(LEVELS) if text.startswith(SUMS) else 0)
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
        shell = _SHELL.match(text)
        if shell:
            rest = text.split(": ", 2)[-1] if ": line " in text else text.split(": ", 1)[-1]
        if rest.startswith(f"{tool}: "):
            yield Found("", text, at=i, until=i + 1)
            return


def _worth(text: str) -> bool:
    """A cheap look before eight patterns are tried."""
    return ":" in text or any(
        mark in text
        for mark in (
            "rror",
            "ERR",
            "ail",
            "FATAL",
            "fault",
            "Kill",
            "bort",
            "nable",
            "ould not",
            "annot",
            "nvalid",
            "nknown",
            "✖",
            "✘",
            "❌",
        )
    )
