"""The named policies and their limits (PX-1, PX-4).

`off` changes nothing. `safe` only shortens what the context already holds, when it first appears.
`balanced` and `tight` also cut old content.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace


class PagingLimits(Struct, frozen=True):
    """repeats: collapse lines of tool output that the context already holds; reads: also in files
    that somebody asked to read. Counts below are of tool results.

    keep: newer results before a result or an input may be shortened. hot: since a file was last
    used. collapse: before a whole step may be replaced; 0: never. newest: before even the newest
    copy of a file may be; 0: never. pinned: since content was brought back. least: tokens that a
    cut must remove. ahead: requests for which content would be read again for certain. stubs:
    shorten at all.
    """

    repeats: bool = True
    reads: bool = False
    stubs: bool = False
    keep: int = 1
    hot: int = 8
    collapse: int = 10
    newest: int = 0
    pinned: int = 16
    least: int = 200
    ahead: int = 6


OFF = PagingLimits(repeats=False)
SAFE = PagingLimits()
BALANCED = PagingLimits(reads=True, stubs=True)
TIGHT = PagingLimits(reads=True, stubs=True, hot=4, collapse=6)
LEVELS: Mapping[str, PagingLimits] = MappingProxyType(
    {"off": OFF, "safe": SAFE, "balanced": BALANCED, "tight": TIGHT}
)


def in_emergency(limits: PagingLimits) -> PagingLimits:
    """When the window is full: whatever is not of the last steps goes, however much of the cache
    has to be written again. What was brought back stays (PS-2)."""
    return replace(limits, hot=2, collapse=4, newest=4, ahead=1_000_000)
