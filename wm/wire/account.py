"""The bill of a conversation with its decisions beside the bill without them. Pure (PX-7).

Both are counted with the block model: a request reads the longest prefix that was sent before
within the lifetime of its marks, and writes the rest. Against `wm.wire.cachesim` it leaves out
marks, their reach and the minimum size, which no decision can rely on. The difference is the
credit: what decisions have saved so far.
"""

from __future__ import annotations

from msgspec import Struct, field

from wm.wire.cachesim import LIFETIME_S
from wm.wire.prices import READ, WRITE_1H, WRITE_5M, Price
from wm.wire.rows import BlockRow

_MAX_PREFIXES = 100_000


class Rates(Struct, frozen=True):
    """Prices of a token, in dollars per million; for an unknown model as multiples of its input
    price."""

    input: float
    read: float
    write: float


def rates_of(price: Price, lifetime: str) -> Rates:
    """lifetime: of the marks that write, `5m` or `1h`."""
    hour = lifetime == "1h"
    if not price.known:
        return Rates(1.0, READ, WRITE_1H if hour else WRITE_5M)
    write = price.cache_write_1h if hour else price.cache_write_5m
    return Rates(price.input, price.cache_read, write)


class Bill(Struct, frozen=True):
    """One request. cost: in the unit of the rates."""

    read: int
    written: int
    cost: float

    @property
    def tokens(self) -> int:
        return self.read + self.written


class PrefixCache(Struct):
    """The block model's cache: every prefix that was sent."""

    _known: set[bytes] = field(default_factory=set)

    def bill(self, row: BlockRow, rates: Rates) -> Bill:
        """What the request costs if it is sent now."""
        last = self.known_to(row)
        read = row.tokens[last] if last >= 0 else 0
        written = row.prompt - read
        return Bill(read, written, read * rates.read + written * rates.write)

    def known_to(self, row: BlockRow) -> int:
        """The last block of the longest known prefix, or -1."""
        for number in range(len(row.chain) - 1, -1, -1):
            if row.chain[number] in self._known:
                return number
        return -1

    def take(self, row: BlockRow) -> None:
        """The request was sent."""
        for digest in reversed(row.chain):
            if digest in self._known:
                break  # a known prefix was sent with all its own prefixes
            self._known.add(digest)

    def clear(self) -> None:
        self._known.clear()

    @property
    def full(self) -> bool:
        return len(self._known) > _MAX_PREFIXES


class Account(Struct):
    """plain: requests as the client makes them. sent: as they go upstream. credit: the sum of
    their differences."""

    plain: PrefixCache = field(default_factory=PrefixCache)
    sent: PrefixCache = field(default_factory=PrefixCache)
    credit: float = 0.0
    _until: float = 0.0

    def expire(self, at: float) -> None:
        """Time passes. Both caches lose everything at once: they are used by the same requests."""
        if not self.is_alive(at) or self.plain.full or self.sent.full:
            self.plain.clear()
            self.sent.clear()

    def resume(self, credit: float, until: float) -> None:
        """Go on after a restart: what was saved, and when the cache entries expire."""
        self.credit, self._until = credit, until

    @property
    def until(self) -> float:
        """When the cache entries expire."""
        return self._until

    def is_alive(self, at: float) -> bool:
        return at <= self._until

    def difference(self, plain: BlockRow, sent: BlockRow, rates: Rates) -> float:
        """What this request saves, negative if it costs more."""
        return self.plain.bill(plain, rates).cost - self.sent.bill(sent, rates).cost

    def charge(self, read: int, written: int, rates: Rates) -> None:
        """Something outside of the requests cost these tokens, such as restoring what was
        removed."""
        self.credit -= read * rates.read + written * rates.write

    def take(self, plain: BlockRow, sent: BlockRow, rates: Rates, at: float, ttl: str) -> None:
        """The request was sent. ttl: the lifetime of its marks."""
        self.credit += self.difference(plain, sent, rates)
        self.plain.take(plain)
        self.sent.take(sent)
        self._until = at + LIFETIME_S[ttl]
