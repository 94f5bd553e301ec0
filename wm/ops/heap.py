"""Freed memory, given back to the system, and objects that stay, kept from the collector.

The allocator keeps what a thread frees for its next request. After something large that does not
come again soon (a model, the building of every pattern, a sweep), that is memory that nobody has.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def none_collected() -> Iterator[None]:
    """For what makes many objects that stay, a memory or an index of it: they are not looked
    through for garbage meanwhile, nor ever again, which takes up to a tenth of a second with the
    interpreter's lock held. They are freed as ever, by counting."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def give_back() -> None:
    """A few milliseconds, with the interpreter's lock released. Nothing where the C library has
    no such call (macOS, musl)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
