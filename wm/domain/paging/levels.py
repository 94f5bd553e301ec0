"""The named policies and their limits (PX-1, PX-4).

`off` changes nothing. `safe` only shortens what the context already holds, when it first appears.
`balanced` and `tight` also cut old content.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct


class PagingLimits(Struct, frozen=True):
    """repeats: collapse lines of tool output that the context already holds; reads: also in files
    that somebody asked to read. Counts below are of tool results.

    keep: newer results before a result or an input may be shortened. hot: since a file was last
    used. collapse: before a whole step may be replaced; 0: never. least: tokens that a cut must
    remove. ahead: requests for which content would be read again for certain. stubs: shorten at
    all.
    """

    repeats: bool = True
    reads: bool = False
    stubs: bool = False
    keep: int = 1
    hot: int = 12
    collapse: int = 16
    least: int = 200
    ahead: int = 6


OFF = PagingLimits(repeats=False)
SAFE = PagingLimits()
BALANCED = PagingLimits(reads=True, stubs=True)
TIGHT = PagingLimits(reads=True, stubs=True, hot=6, collapse=10)
LEVELS: Mapping[str, PagingLimits] = MappingProxyType(
    {"off": OFF, "safe": SAFE, "balanced": BALANCED, "tight": TIGHT}
)
