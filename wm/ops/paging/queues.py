"""What one conversation still has to write: its records and its objects, in their order. Pure.

The record of an answered request waits until the service's figures came, and those behind it keep
their order. Nothing is written here; callers take what is due and report what the ledger did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wm.domain.paging.ledger import LedgerState, take
from wm.formats.ledger import LedgerBill, LedgerRecord
from wm.formats.paged_object import PagedObject
from wm.ops.paging.contents import ObjectReader
from wm.wire.account import Bill
from wm.wire.body import Body
from wm.wire.history import ConversationHistory

_PIECE_TOKENS = 120_000
"""Content that is written behind an answer, in one call."""
_MAX_UNSTORED_TOKENS = 8_000_000
_MAX_WAITING = 2_000
MAX_UNREPORTED = 64
"""Requests whose figures may still come."""


class RecordQueue:
    """conversation: as in `wm.ops.paging.turns.ManagedConversation`. unproven: requests of an
    earlier process that may not have been answered; they are void."""

    def __init__(self, conversation: str, unproven: Iterable[str]) -> None:
        self._name = conversation
        self._waiting = [self._record("void", request) for request in unproven]
        self._totals = LedgerState()
        self._predicted: dict[str, Bill] = {}

    @property
    def totals(self) -> LedgerState:
        """What all records of this process count."""
        self._count_sent(self._waiting)
        return self._totals

    @property
    def ready(self) -> int:
        """Number of records before the first one whose figures may still come."""
        for number, record in enumerate(self._waiting):
            if record.kind == "sent" and record.request in self._predicted:
                return number
        return len(self._waiting)

    def add(self, kind: str, request: str = "", **fields: Any) -> None:
        """The oldest are dropped above a limit, as without a daemon they are not stored."""
        record = self._record(kind, request, **fields)
        self._waiting = [*self._waiting, record][-_MAX_WAITING:]
        if kind != "sent":  # its figures may still come
            take(self._totals, record)

    def decided(self, request: str, **fields: Any) -> LedgerRecord:
        """The record of new decisions; it is not queued, as they wait for it."""
        record = self._record("decided", request, **fields)
        take(self._totals, record)
        return record

    def expect(self, request: str, predicted: Bill) -> None:
        """The figures of this request may come. predicted: its bill."""
        self._predicted[request] = predicted
        if len(self._predicted) > MAX_UNREPORTED:
            del self._predicted[next(iter(self._predicted))]

    def predicted(self, request: str) -> Bill | None:
        """The prediction for a request whose figures came, or will not come; once."""
        return self._predicted.pop(request, None)

    def report(self, request: str, bill: LedgerBill) -> None:
        for number, record in enumerate(self._waiting):
            if record.kind == "sent" and record.request == request:
                self._waiting[number] = record.model_copy(update={"reported": bill})

    def take_ready(self) -> tuple[LedgerRecord, ...]:
        """Those that can be written behind an answer; they leave the queue."""
        return self._take(self.ready)

    def take_all(self) -> tuple[LedgerRecord, ...]:
        return self._take(len(self._waiting))

    def put_back(self, records: Sequence[LedgerRecord]) -> None:
        """The ledger did not acknowledge these. One that was written nevertheless counts once."""
        kept = [record for record in records if record.kind != "decided"]
        self._waiting = [*kept, *self._waiting]

    def _take(self, count: int) -> tuple[LedgerRecord, ...]:
        taken, self._waiting = tuple(self._waiting[:count]), self._waiting[count:]
        self._count_sent(taken)
        return taken

    def _count_sent(self, records: Iterable[LedgerRecord]) -> None:
        """Requests count once, with the figures that came until now."""
        for record in records:
            if record.kind == "sent":
                take(self._totals, record)

    def _record(self, kind: str, request: str, **fields: Any) -> LedgerRecord:
        named = {"kind": kind, "conversation": self._name, "request": request}
        return LedgerRecord.model_validate(named).model_copy(update=fields)


class ObjectQueue:
    """The objects of the steps that were sent, until the ledger has them.

    conversation: as in `RecordQueue`. stored: ids of those that the ledger has.
    """

    def __init__(self, conversation: str, stored: Iterable[str]) -> None:
        self._name = conversation
        self._reader = ObjectReader()
        self._stored = set(stored)
        self._waiting: dict[str, PagedObject] = {}

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self._waiting.values())

    def __len__(self) -> int:
        return len(self._waiting)

    def read(self, body: Body, past: ConversationHistory) -> None:
        """Queue the steps of a request that were not read before. The oldest are dropped above a
        limit, as without a daemon they are not stored."""
        for one in self._reader.new(body, past, self._name):
            if one.id not in self._stored:
                self._waiting[one.id] = one
        while self.tokens > _MAX_UNSTORED_TOKENS:
            del self._waiting[next(iter(self._waiting))]

    def id_of(self, place: str) -> str:
        """The id of the object with this block; "" if its step was not read."""
        return self._reader.id_of(place)

    def all(self) -> tuple[PagedObject, ...]:
        """All that wait; they leave the queue with `stored`."""
        return tuple(self._waiting.values())

    def piece(self) -> tuple[PagedObject, ...]:
        """As many as are written in one call, at least one."""
        found: list[PagedObject] = []
        tokens = 0
        for one in self._waiting.values():
            tokens += one.tokens
            if found and tokens > _PIECE_TOKENS:
                break
            found.append(one)
        return tuple(found)

    def stored(self, objects: Iterable[PagedObject]) -> None:
        """The ledger has these."""
        for one in objects:
            self._stored.add(one.id)
            self._waiting.pop(one.id, None)
