"""How the allocator of the C library treats what a proxy frees.

A request takes some hundred kilobytes for the time that it passes. By default that memory goes
back to the system after each, and comes again as a page fault for every four kilobytes, in front
of the first byte. A few megabytes stay ours instead. What is freed above that still goes back.
"""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""`M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` of malloc.h."""
KEPT_BYTES = 4 * 1024 * 1024
MAPPED_BYTES = 1024 * 1024
"""A larger piece is mapped by itself, and gone when it is freed: a body that is kept in whole."""


def keep() -> None:
    """Nothing where the C library has no such call (macOS, musl)."""
    tune = getattr(ctypes.CDLL(None), "mallopt", None)
    if tune is not None:
        tune(_TRIM_THRESHOLD, KEPT_BYTES)
        tune(_MMAP_THRESHOLD, MAPPED_BYTES)
