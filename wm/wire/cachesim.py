"""A model of the service's prompt cache: what a request reads, writes and costs. Pure (PX-11).

Rules: a prefix is cached only if an earlier request had a cache mark there, and only from a
minimum size. A request looks up from each of its marks back over at most 20 blocks. An entry
expires when the time of its mark has passed since its last use. Not modelled: concurrent requests
(an entry exists from the start of an answer), and early eviction by the service.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from wm.wire.prices import Price, price_of
from wm.wire.rows import BlockRow
from wm.wire.usage import Usage

LOOK_BACK_BLOCKS = 20
MAX_MARKS = 4
LIFETIME_S: Mapping[str, float] = {"5m": 300.0, "1h": 3600.0}
_MAX_ENTRIES = 4096
_MILLION = 1_000_000


class _Entry(Struct):
    seconds: float
    until: float


class PromptCache(Struct, eq=False):
    """One cache, fed request by request. ttl: overrides the lifetime of every mark; "" does not.

    minimum: tokens of the shortest cacheable prefix; None uses the model's.
    """

    ttl: str = ""
    minimum: int | None = None
    _entries: dict[bytes, _Entry] = {}

    def account(self, row: BlockRow, at: float = 0.0, *, output: int = 0) -> Usage:
        """The usage of this request; its marks create entries for later ones.

        at: seconds on any monotonic clock; with a constant value nothing expires.
        """
        marks, read_to = self._found(row, at, renew=True)
        self._keep(row, marks, read_to, at)
        read = row.tokens[read_to] if read_to >= 0 else 0
        hours = [mark for mark in marks if self._of(row, mark) == "1h" and mark > read_to]
        hour = (row.tokens[hours[-1]] - read) if hours else 0
        written = max(0, row.tokens[marks[-1]] - read) if marks else 0
        return Usage(
            input=row.prompt - read - written,
            output=output,
            cache_read=read,
            cache_write_5m=written - hour,
            cache_write_1h=hour,
        )

    def expected(self, row: BlockRow, at: float = 0.0) -> tuple[int, int]:
        """Tokens that this request would read and write. Changes nothing."""
        marks, read_to = self._found(row, at)
        read = row.tokens[read_to] if read_to >= 0 else 0
        return read, max(0, row.tokens[marks[-1]] - read) if marks else 0

    def _found(self, row: BlockRow, at: float, *, renew: bool = False) -> tuple[list[int], int]:
        """The marks, and the last block of what is read, or -1. renew: hits renew lifetimes."""
        marks = self._marks(row)
        hits = (self._longest_hit(row, mark, at, renew=renew) for mark in marks)
        return marks, max(hits, default=-1)

    def _marks(self, row: BlockRow) -> list[int]:
        """Positions of the effective marks: the first four, at or above the minimum size."""
        known = self.minimum
        minimum = price_of(row.model).cache_minimum if known is None else known
        return [number for number in row.marked[:MAX_MARKS] if row.tokens[number] >= minimum]

    def _of(self, row: BlockRow, mark: int) -> str:
        return self.ttl or row.units[mark].ttl

    def _longest_hit(self, row: BlockRow, mark: int, at: float, *, renew: bool) -> int:
        """The last block of the longest cached prefix in range of a mark, or -1."""
        for number in range(mark, max(-1, mark - LOOK_BACK_BLOCKS), -1):
            entry = self._entries.get(row.chain[number])
            if entry is not None and at <= entry.until:
                if renew:
                    entry.until = at + entry.seconds
                return number
        return -1

    def _keep(self, row: BlockRow, marks: list[int], read_to: int, at: float) -> None:
        """Entries for the marks. What was only read keeps the lifetime that was paid for it: a mark
        for an hour on an entry of five minutes costs nothing and prolongs nothing."""
        hit = self._entries.get(row.chain[read_to]) if read_to >= 0 else None
        for mark in marks:
            seconds = LIFETIME_S[self._of(row, mark)]
            known = self._entries.get(row.chain[mark])
            if mark <= read_to and known is not None and at <= known.until:
                seconds = known.seconds
            elif mark <= read_to and hit is not None:
                seconds = min(seconds, hit.seconds)
            self._entries[row.chain[mark]] = _Entry(seconds, at + seconds)
        if len(self._entries) > _MAX_ENTRIES:
            alive = sorted(self._entries.items(), key=lambda item: item[1].until)
            self._entries = dict(alive[-_MAX_ENTRIES // 2 :])


def dollars(usage: Usage, price: Price) -> float:
    """The price of a request."""
    parts = (
        usage.input * price.input
        + usage.output * price.output
        + usage.cache_read * price.cache_read
        + usage.cache_write_5m * price.cache_write_5m
        + usage.cache_write_1h * price.cache_write_1h
    )
    return parts * price.times(usage.prompt) / _MILLION


def uncached(usage: Usage) -> Usage:
    """The same usage without any caching."""
    return Usage(input=usage.prompt, output=usage.output)
