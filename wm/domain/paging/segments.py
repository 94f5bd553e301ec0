"""The history as the planner sees it: segments of blocks, with sizes and file uses (OB-3).

A segment is a step (an answer with its calls, and the message with their results) or one other
message. No text is here: sizes, places and paths decide.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from wm.domain.paging.files import FileUse
from wm.formats.ledger import Uncut


class PagedBlock(Struct, frozen=True, dict=True):
    """place: its identity. tokens: in its present form. stub: as a stub; equal to `tokens` if it
    cannot be shorter. result: number of tool results up to it, itself included. uses: of files,
    for a result those of its call. is_result: else it is the input of a call, or something else.
    pinned: it stays, and the step with it. dropped: the number of results when the model gave it
    up (PX-6); None: it did not.
    """

    place: str
    tokens: int
    stub: int
    result: int = 0
    uses: tuple[FileUse, ...] = ()
    is_result: bool = False
    pinned: bool = False
    dropped: int | None = None

    @cached_property
    def reads(self) -> tuple[FileUse, ...]:
        """What it shows of files."""
        return tuple(use for use in self.uses if not use.writes) if self.is_result else ()


class Segment(Struct, frozen=True, dict=True):
    """line: tokens of the text that can replace the whole segment; 0 if nothing can. request:
    number of the request in which it was sent first. dropped: as in `PagedBlock`, for all of it.
    lacks: tokens that it has fewer than as the client made it. Consecutive plans share their
    segments."""

    blocks: tuple[PagedBlock, ...]
    line: int
    request: int
    dropped: int | None = None
    lacks: int = 0

    @cached_property
    def tokens(self) -> int:
        return sum(block.tokens for block in self.blocks)

    @cached_property
    def last(self) -> int:
        """Number of its last result."""
        return max((block.result for block in self.blocks), default=0)

    @cached_property
    def written(self) -> frozenset[str]:
        """Paths of the files that it wrote."""
        uses = (use for block in self.blocks if block.is_result for use in block.uses)
        return frozenset(use.path for use in uses if use.writes)

    @cached_property
    def deciding(self) -> tuple[PagedBlock, ...]:
        """The blocks that can be removed, or keep the segment."""
        return tuple(b for b in self.blocks if b.tokens > b.stub or b.pinned or b.reads)

    @cached_property
    def is_least(self) -> bool:
        """Whether nothing of it can be removed, at any time."""
        return not self.line and all(block.tokens <= block.stub for block in self.blocks)


class PagingMoment(Struct, frozen=True):
    """What a plan depends on besides the content of the history. It is computed from the history
    and the `Moment`; of these only the latter is logged, as a `LedgerMoment` (PX-2).

    Prices and credit are multiples of the price of an input token. request: number of this request.
    cached: number of segments at the beginning that the cache holds. end: number of the first
    segment that stays, with all behind it. left: number of the last request before the user's last
    two messages; since: of the last one before the last message; 0 without two messages."""

    read: float
    write: float
    credit: float
    request: int
    cached: int
    end: int = 1 << 30
    left: int = 0
    since: int = 0


class PlannedCut(Struct, frozen=True):
    """What to replace. stubs: places of blocks. steps: numbers of segments. cost: what
    this request costs more than without the cut; negative if it costs less. removed: tokens. why:
    nothing is replaced."""

    stubs: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    cost: float = 0.0
    removed: int = 0
    why: Uncut | None = None
