"""The named policies and their limits (PX-1, PX-4).

`off` changes nothing. `safe` only shortens tool output when it first appears: by pruning, or to
what the context does not hold yet. `balanced` and `tight` also cut old content.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.paging.stubs import SHORT_CHARS


class PagingLimits(Struct, frozen=True):
    """repeats: shorten new tool output; reads: also files that the model asked to read. Counts
    below are of tool results.

    stubs: shorten at all. keep: newer results after which a result or an input may be shortened.
    hot: newest results; copies of files that they use stay, and the steps that wrote these files.
    collapse: newer results after which a complete step may be replaced; 0: never. newest: those
    after which even the newest copy of a file may be; 0: never. pinned: results during which what
    was brought back stays. least: tokens that a cut must remove. ahead: requests that will surely
    still come. passages: tokens that are appended at most when what was removed seems to be needed;
    0: nothing. short: characters up to which a text of an input stays as long as its step: what the
    model wrote it often writes again. The text that an edit replaced is not such a text.
    """

    repeats: bool = True
    reads: bool = False
    stubs: bool = False
    keep: int = 1
    hot: int = 12
    collapse: int = 10
    newest: int = 0
    pinned: int = 16
    least: int = 200
    ahead: int = 6
    passages: int = 0
    short: int = 5_000


OFF = PagingLimits(repeats=False)
SAFE = PagingLimits()
BALANCED = PagingLimits(reads=True, stubs=True, newest=20)
TIGHT = PagingLimits(reads=True, stubs=True, hot=4, collapse=6, newest=20, short=SHORT_CHARS)
LEVELS: Mapping[str, PagingLimits] = {
    "off": OFF,
    "safe": SAFE,
    "balanced": BALANCED,
    "tight": TIGHT,
}


def with_passages(limits: PagingLimits, tokens: int) -> PagingLimits:
    """The limits of a policy that also appends passages. One that makes no cuts has nothing to
    append."""
    return replace(limits, passages=tokens if limits.stubs else 0)


def in_emergency(limits: PagingLimits, newest: int) -> PagingLimits:
    """When the window is full: everything but the newest results is removed, however much of the
    cache has to be written again. What was brought back stays (PS-2)."""
    return replace(limits, keep=newest, hot=newest, collapse=newest, newest=newest, ahead=1_000_000)
