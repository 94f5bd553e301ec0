"""Freed memory, given back to the system.

The allocator keeps what a thread frees for its next request. After something large that does not
come again soon (a model, the building of every pattern, a sweep), that is memory that nobody has.
"""

from __future__ import annotations

import ctypes


def give_back() -> None:
    """A few milliseconds, with the interpreter's lock released. Nothing where the C library has
    no such call (macOS, musl)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
