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
"""In the block model, and in the one with marks."""


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
    """plain: requests as the client makes them. sent: as they go upstream. marked_plain,
    marked_sent: the same requests in the model with marks. credits: the sums of their differences;
    that with marks may fall below zero when a client's marks no longer reach what is cached."""

    plain: PrefixCache = field(default_factory=PrefixCache)
    sent: PrefixCache = field(default_factory=PrefixCache)
    marked_plain: PromptCache = field(default_factory=PromptCache)
    marked_sent: PromptCache = field(default_factory=PromptCache)
    credits: Savings = (0.0, 0.0)
    _until: float = 0.0

    @staticmethod
    def of(ttl: str) -> Account:
        """An account in which every mark has this lifetime; "" takes the client's."""
        return Account(marked_plain=PromptCache(ttl=ttl), marked_sent=PromptCache(ttl=ttl))

    def expire(self, at: float) -> None:
        """Time passes. Both caches of the block model lose everything at once: they are used by the
        same requests. Those with marks expire by themselves."""
        if not self.is_alive(at) or self.plain.full or self.sent.full:
            self.plain.clear()
            self.sent.clear()

    def resume(self, credit: float, until: float) -> None:
        """Go on after a restart: what was saved, and when the cache entries expire."""
        self.credits, self._until = (credit, credit), until

    @property
    def credit(self) -> float:
        """What the next decision may cost: the smaller credit."""
        return min(self.credits)

    @property
    def until(self) -> float:
        """When the cache entries expire."""
        return self._until

    def is_alive(self, at: float) -> bool:
        return at <= self._until

    def bills(self, plain: BlockRow, sent: BlockRow, rates: Rates) -> tuple[Bill, Bill]:
        """A request as the client makes it and as it is sent, in the block model."""
        return self.plain.bill(plain, rates), self.sent.bill(sent, rates)

    def savings(self, plain: BlockRow, sent: BlockRow, rates: Rates, at: float) -> Savings:
        """What this request saves in each model, negative if it costs more."""
        whole, less = self.bills(plain, sent, rates)
        marked = _marked_cost(self.marked_plain, plain, rates, at)
        return whole.cost - less.cost, marked - _marked_cost(self.marked_sent, sent, rates, at)

    def expected_read(self, sent: BlockRow, rates: Rates, at: float) -> int:
        """Tokens that the service is expected to read, in the model that expects fewer."""
        return min(self.sent.bill(sent, rates).read, self.marked_sent.expected(sent, at)[0])

    def after(self, saved: Savings) -> float:
        """The credit if a request saves this."""
        return min(credit + more for credit, more in zip(self.credits, saved, strict=True))

    def charge(self, read: int, written: int, rates: Rates) -> None:
        """Something outside of the requests cost these tokens, such as restoring what was
        removed."""
        cost = read * rates.read + written * rates.write
        self.credits = (self.credits[0] - cost, self.credits[1] - cost)

    def take(self, plain: BlockRow, sent: BlockRow, rates: Rates, at: float, ttl: str) -> None:
        """The request was sent. ttl: the lifetime of its marks."""
        blocks, marks = self.savings(plain, sent, rates, at)
        self.credits = (self.credits[0] + blocks, self.credits[1] + marks)
        self.plain.take(plain)
        self.sent.take(sent)
        self.marked_plain.account(plain, at)
        self.marked_sent.account(sent, at)
        self._until = at + LIFETIME_S[ttl]


def _marked_cost(cache: PromptCache, row: BlockRow, rates: Rates, at: float) -> float:
    read, written = cache.expected(row, at)
    rest = row.prompt - read - written
    return read * rates.read + written * rates.write + rest * rates.input
