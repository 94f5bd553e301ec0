"""Ensures usable standard streams, whatever the caller left of them (F68).

A caller may have closed 0, 1 or 2: none of our files may get such a number. Output to a closed
stream is discarded; a verb that must read or write it reports that. A stream may also refuse
writes (a full disk): then the verb reports that too, with its own exit code, not that of the
interpreter's last flush.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper


def fill() -> bool:
    """Open the missing streams. Returns whether standard output was closed."""
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


def tolerate() -> None:
    """Replace characters that the locale's encoding lacks: by default Python refuses to print them,
    behind what the verb did."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors="replace")


def text_argument(words: Sequence[str]) -> str:
    """The text given to a verb: its words or, for a single "-", standard input."""
    text = " ".join(words)
    return sys.stdin.read() if text == "-" else text


def refuse() -> None:
    """Make a standard output that was closed refuse writes, as a full disk does: an export that was
    discarded must not look successful."""
    _null(1, os.O_RDONLY)


def abandon(number: int) -> None:
    """Discard the unwritten data of stream 1 or 2: Python flushes both again at exit, and would
    complain with its own exit code."""
    _null(number, os.O_WRONLY)


def _null(number: int, flags: int) -> None:
    fd = os.open(os.devnull, flags)
    os.dup2(fd, number)
    os.close(fd)
