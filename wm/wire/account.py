"""The bill of a conversation with its decisions beside the bill without them. Pure (PX-7).

Both are counted with two models: in the block model a request reads the longest prefix that was
sent before within the lifetime of its marks, and writes the rest; `wm.wire.cachesim` also knows
marks, their reach and the minimum size. Each has its own credit, what decisions have saved so far,
and a decision must be paid by both.
"""

from __future__ import annotations

from msgspec import Struct, field

from wm.wire.cachesim import LIFETIME_S, PromptCache
from wm.wire.prices import READ, WRITE_1H, WRITE_5M, Price
from wm.wire.rows import BlockRow

_MAX_PREFIXES = 100_000


Savings = tuple[float, float]
"""Costs in the block model, and in the one with marks."""


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
    """Tokens of one request that are read from the cache, and the others."""

    read: int = 0
    written: int = 0

    @property
    def tokens(self) -> int:
        return self.read + self.written

    def cost(self, rates: Rates) -> float:
        """In the unit of the rates."""
        return self.read * rates.read + self.written * rates.write


class Forecast(Struct, frozen=True):
    """A request as the client makes it, and as it is sent. saved: the difference of their costs, in
    the unit of the rates; spent: by how much new decisions lowered it. is_guess: how much of it is
    cached is unknown."""

    plain: Bill = Bill()
    sent: Bill = Bill()
    saved: float = 0.0
    spent: float = 0.0
    is_guess: bool = False


class PrefixCache(Struct):
    """The block model's cache: every prefix that was sent."""

    _known: set[bytes] = field(default_factory=set)

    def bill(self, row: BlockRow) -> Bill:
        """The bill of the request if it is sent now."""
        last = self.known_to(row)
        read = row.tokens[last] if last >= 0 else 0
        return Bill(read, row.prompt - read)

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


class SentCaches(Struct):
    """What the service caches of the requests in one form, by each model."""

    blocks: PrefixCache = field(default_factory=PrefixCache)
    marks: PromptCache = field(default_factory=PromptCache)

    def take(self, row: BlockRow, at: float) -> None:
        """The request was sent."""
        self.blocks.take(row)
        self.marks.account(row, at)

    def costs(self, row: BlockRow, rates: Rates, at: float) -> Savings:
        """What the request costs if it is sent now."""
        read, written = self.marks.expected(row, at)
        rest = row.prompt - read - written
        marked = read * rates.read + written * rates.write + rest * rates.input
        return self.blocks.bill(row).cost(rates), marked

    def expected(self, row: BlockRow, at: float) -> Bill:
        """The bill by the model that expects less of the cache."""
        read = min(self.blocks.bill(row).read, self.marks.expected(row, at)[0])
        return Bill(read, row.prompt - read)


class Account(Struct):
    """plain: requests as the client makes them. sent: the same as they go upstream. credits: the
    sums of the differences of their costs; that with marks may fall below zero when a client's
    marks no longer reach what is cached. reserved: what returns into replaced steps may still cost,
    so no cut may spend it."""

    plain: SentCaches = field(default_factory=SentCaches)
    sent: SentCaches = field(default_factory=SentCaches)
    credits: Savings = (0.0, 0.0)
    reserved: float = 0.0
    until: float = 0.0
    """When the cache entries expire."""

    @staticmethod
    def of(ttl: str) -> Account:
        """An account in which every mark has this lifetime; "" takes the client's."""
        plain, sent = (SentCaches(marks=PromptCache(ttl=ttl)) for _ in range(2))
        return Account(plain, sent)

    def expire(self, at: float) -> bool:
        """Time passes; whether the caches of the block model are empty now. Both lose everything at
        once: they are used by the same requests. Those with marks expire by themselves."""
        caches = (self.plain.blocks, self.sent.blocks)
        if self.is_alive(at) and not any(cache.full for cache in caches):
            return False
        for cache in caches:
            cache.clear()
        self.reserved = 0.0
        return True

    def resume(self, credit: float, until: float) -> None:
        """Go on after a restart, with what was saved before. until: when the last cache entries
        expire."""
        self.credits, self.until = (credit, credit), until

    def revive(self, plain: BlockRow, at: float, until: float) -> None:
        """All of a request as the client makes it is cached since before a restart."""
        self.until = until
        self.plain.take(plain, at)

    @property
    def credit(self) -> float:
        """What the next decision may cost: the smaller credit."""
        return min(self.credits)

    def is_alive(self, at: float) -> bool:
        return at <= self.until

    def savings(self, plain: BlockRow, sent: BlockRow, rates: Rates, at: float) -> Savings:
        """What this request saves in each model, negative if it costs more."""
        full, less = self.plain.costs(plain, rates, at), self.sent.costs(sent, rates, at)
        return full[0] - less[0], full[1] - less[1]

    def forecast(self, plain: BlockRow, sent: BlockRow, rates: Rates, at: float) -> Forecast:
        """What a request is expected to cost."""
        return Forecast(
            plain=self.plain.expected(plain, at),
            sent=self.sent.expected(sent, at),
            saved=min(self.savings(plain, sent, rates, at)),
        )

    def after(self, saved: Savings) -> float:
        """What may be spent of the credit if a request saves this."""
        return min(self._with(saved)) - self.reserved

    def charge(self, read: int, written: int, rates: Rates) -> None:
        """Something outside of the requests cost these tokens, such as restoring what was
        removed."""
        cost = read * rates.read + written * rates.write
        self.credits = self._with((-cost, -cost))

    def take(self, plain: BlockRow, sent: BlockRow, rates: Rates, at: float, ttl: str) -> None:
        """The request was sent. ttl: the lifetime of its marks."""
        self.credits = self._with(self.savings(plain, sent, rates, at))
        self.plain.take(plain, at)
        self.sent.take(sent, at)
        self.until = at + LIFETIME_S[ttl]

    def _with(self, saved: Savings) -> Savings:
        return self.credits[0] + saved[0], self.credits[1] + saved[1]
