"""The three standard streams, whatever the caller left of them (F68).

A caller may have closed 0, 1 or 2: no file of ours ever gets such a number. What is printed then
goes nowhere, and where it was to be read the verb says so. A stream may also refuse what is
written to it (a full disk): then the verb says so too, and its exit code is its own, not that of
the interpreter's last flush.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def fill() -> bool:
    """Make all three of them exist. Whether standard output was closed."""
    if sys.stdin is not None and sys.stdout is not None and sys.stderr is not None:
        return False
    closed = sys.stdout is None
    fd = os.open(os.devnull, os.O_RDWR)
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    return closed


def given(words: Sequence[str]) -> str:
    """The text that a verb was given: its words or, for "-" alone, standard input."""
    text = " ".join(words)
    return sys.stdin.read() if text == "-" else text


def refuse() -> None:
    """Let a standard output that was closed refuse what is printed, as a full disk does: an
    export that went nowhere must not pass for one."""
    fd = os.open(os.devnull, os.O_RDONLY)
    os.dup2(fd, 1)
    os.close(fd)


def abandon(number: int) -> None:
    """Send what still waits for stream 1 or 2 nowhere: Python flushes both once more when it
    ends, and complains, with an exit code of its own."""
    fd = os.open(os.devnull, os.O_WRONLY)
    os.dup2(fd, number)
    os.close(fd)
