"""The three standard streams, whatever the caller left of them (F68).

A caller may have closed 0, 1 or 2: what is printed goes nowhere then, and no file of ours ever
gets such a number. A stream may also refuse what is written to it (a full disk): then the verb
says so, and its exit code is its own, not that of the interpreter's last flush.
"""

from __future__ import annotations

import os
import sys


def fill() -> None:
    """Make all three of them exist."""
    if sys.stdin is not None and sys.stdout is not None and sys.stderr is not None:
        return
    fd = os.open(os.devnull, os.O_RDWR)
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def abandon(number: int) -> None:
    """Send what still waits for stream 1 or 2 nowhere: Python flushes both once more when it
    ends, and complains, with an exit code of its own."""
    fd = os.open(os.devnull, os.O_WRONLY)
    os.dup2(fd, number)
    os.close(fd)
