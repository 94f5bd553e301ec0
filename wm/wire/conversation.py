"""Follows one conversation: its decisions, its bill, and what was sent last. Pure (PX-2, PX-7).

Each request inherits the decisions of the earlier request with which it shares the longest
beginning. So what it shares was sent in this very form, and a request without new decisions never
costs more than the client's own. A bounded conversation refuses new decisions that would cost more
than was saved so far, whatever the policy says; only first appearances are free.
"""

from __future__ import annotations

from msgspec import Struct, field

from wm.wire.account import Account, Rates, rates_of
from wm.wire.body import Body, index, splice, unread
from wm.wire.history import ConversationHistory, history
from wm.wire.marks import end_mark, own_marks
from wm.wire.policy import Decision, Log, Moment, Policy, Prepared, dropped, nothing, replaced
from wm.wire.prices import price_of
from wm.wire.rows import AS_RECORDED, AssumedHead, BlockRow, Measure, estimate, row

_ROUNDING = 1e-6
_NOWHERE = 1 << 30


class _Request(Struct):
    """One request while it is prepared. previous: the one before it. inherited: decisions of
    earlier requests. cached_to: number of the last message of which the cache holds something."""

    body: Body
    previous: Body | None
    past: ConversationHistory
    plain: BlockRow
    inherited: Log
    rates: Rates
    at: float
    ttl: str
    cached_to: int
    made: _Sent | None = None


class _Sent(Struct):
    """A request in the form in which it goes upstream. first: number of the first message that new
    decisions change. marked: number of a message behind them with a mark of ours, or -1."""

    body: Body
    row: BlockRow
    replaced: int
    first: int
    marked: int


class Conversation(Struct):
    """One conversation.

    log: its decisions as logged. bounded: refuse decisions that cost more than was saved so far.
    marks: place cache marks of ours at cuts.
    ttl: the lifetime of every mark; "" takes the client's. before, plain: the last request as it
    came, and its row. sent: as it went upstream, with its row.
    """

    log: dict[str, Decision] = field(default_factory=dict)
    bounded: bool = False
    marks: bool = False
    measure: Measure = estimate
    assumed: AssumedHead = AS_RECORDED
    ttl: str = ""
    before: tuple[Body, ConversationHistory] | None = None
    sent: tuple[Body, BlockRow] | None = None
    account: Account = field(default_factory=Account)
    plain: BlockRow | None = None
    _in_force: dict[str, Log] = field(default_factory=dict)
    """The decisions in force at the last request that contained a place."""
    _anchors: list[tuple[int, str]] = field(default_factory=list)
    """Messages at whose end an earlier request had a mark, and the place of that end."""
    _prepared: _Request | None = None

    def prepare(self, raw: bytes, policy: Policy = nothing, at: float = 0.0) -> Prepared | None:
        """The next request as sent upstream; None if the bytes are not a request.

        at: seconds; with a constant value no cache entry expires. It counts as sent when the next
        one is prepared, unless `void` is called before.
        """
        self._settle()
        body = index(raw, self.before[0] if self.before else None)
        if body is None:
            return None
        one = self._opened(body, at)
        base = self._form(one, one.inherited)
        new, made = self._accepted(one, base, policy)
        self.sent = (made.body, made.row)
        one.made = made
        self._prepared = one
        return Prepared(made.body.raw, new, made.replaced)

    def keep(self, decisions: tuple[Decision, ...]) -> None:
        """These decisions are logged, and the request goes out with them."""
        self.log.update((decision.block, decision) for decision in decisions)
        if self._prepared is not None and decisions:
            own = {decision.block: decision for decision in decisions}
            self._prepared.inherited = {**self._prepared.inherited, **own}

    def in_force(self) -> Log:
        """The decisions that apply to the last request."""
        return self.log if self._prepared is None else self._prepared.inherited

    def void(self) -> None:
        """The prepared request does not go out as prepared."""
        self._prepared = None

    def rest(self) -> None:
        """Drop parsed values that can be parsed again."""
        if self.before is None or self.sent is None:
            return
        same = self.sent[0] is self.before[0]
        self.before = (unread(self.before[0]), self.before[1])
        self.sent = (self.before[0] if same else unread(self.sent[0]), self.sent[1])

    def _opened(self, body: Body, at: float) -> _Request:
        before = self.before
        past = history(body, before)
        plain = row(body, self.plain, self.measure, self.assumed)
        self.before, self.plain = (body, past), plain
        ttl = self.ttl or end_mark(body) or "5m"
        self.account.expire(at)
        known = self.account.plain.known_to(plain)
        return _Request(
            body=body,
            previous=before[0] if before else None,
            past=past,
            plain=plain,
            inherited=self._inherited(past),
            rates=rates_of(price_of(plain.model), ttl),
            at=at,
            ttl=ttl,
            cached_to=plain.units[known].message if known >= 0 else -1,
        )

    def _inherited(self, past: ConversationHistory) -> Log:
        if not self._in_force:
            return dict(self.log)  # the log grows, what is inherited does not
        for places in reversed(past.places):
            for place in reversed(places):
                if (known := self._in_force.get(place)) is not None:
                    return known
        return {}

    def _accepted(
        self, one: _Request, base: _Sent, policy: Policy
    ) -> tuple[tuple[Decision, ...], _Sent]:
        """The policy's new decisions as far as credit permits them, and the request with them."""
        if policy is nothing:
            return (), base
        moment = self._moment(one, base)
        new: dict[str, Decision] = {}
        for decision in policy(one.body, one.past, one.inherited, moment):
            if decision.text and _may_follow(one.inherited.get(decision.block), decision):
                new.setdefault(decision.block, decision)
        if not self.bounded:
            chosen = {**one.inherited, **new} if new else one.inherited
            return tuple(new.values()), self._form(one, chosen)
        places = {p for line in one.past.places[moment.cached :] for p in line}
        fresh = {p: decision for p, decision in new.items() if p in places}
        without = self.account.difference(one.plain, base.row, one.rates)
        for accepted, least in ((new, -self.account.credit), (fresh, without)):
            if accepted:
                made = self._form(one, {**one.inherited, **accepted})
                saved = self.account.difference(one.plain, made.row, one.rates)
                if saved >= least - _ROUNDING * one.rates.write:
                    return tuple(accepted.values()), made
        return (), base

    def _moment(self, one: _Request, base: _Sent) -> Moment:
        known = self.account.plain.known_to(one.plain)
        cached = one.cached_to + 1
        if known >= 0 and known + 1 < len(one.plain.units):
            # A message of which only a part is known does not count.
            cached = min(cached, one.plain.units[known + 1].message)
        saved = self.account.difference(one.plain, base.row, one.rates)
        return Moment(
            read=one.rates.read / one.rates.input,
            write=one.rates.write / one.rates.input,
            credit=(self.account.credit + saved) / one.rates.input,
            cached=max(0, cached),
            prompt=base.row.prompt,
        )

    def _form(self, one: _Request, log: Log) -> _Sent:
        """The request with these decisions. If they change what is cached, it gets marks of
        ours."""
        splices, count = replaced(one.body, one.past, log) if log else ([], 0)
        first, last = _changed(one, log)
        marked = -1
        if self.marks and first <= one.cached_to:
            taken = {span for span, _ in splices}
            # Behind the changes too: the next cut is likely to begin there.
            more = (last,) if last < len(one.body.messages) - 1 else ()
            marks, places = own_marks(one.body, (*self._usable(one, first)[-1:], *more))
            if not any(span in taken for span, _ in marks):
                splices += marks
                marked = last if last in places else -1
        known = self.sent
        if splices:
            goes = index(splice(one.body.raw, splices), known and known[0]) or one.body
        elif known is None or known[0] is one.previous:
            return _Sent(one.body, one.plain, 0, first, marked)
        else:
            goes = index(one.body.raw, known[0]) or one.body
        found = row(goes, known[1] if known else None, self.measure, self.assumed)
        return _Sent(goes, found, count, first, marked)

    def _usable(self, one: _Request, first: int) -> list[int]:
        """The messages before `first` with a mark of an earlier request at their end."""
        return [
            number
            for number, place in self._anchors
            if number < min(first, len(one.past.places))
            and one.past.places[number][-1:] == (place,)
        ]

    def _settle(self) -> None:
        """The prepared request went out."""
        one, self._prepared = self._prepared, None
        if one is None or one.made is None:
            return
        self.account.take(one.plain, one.made.row, one.rates, one.at, one.ttl)
        self._take_over(one)
        places = one.past.places
        self._anchors = [(n, places[n][-1]) for n in self._usable(one, one.made.first)]
        if one.made.marked >= 0:
            self._anchors.append((one.made.marked, places[one.made.marked][-1]))
        if end_mark(one.body):
            self._anchors.append((len(places) - 1, places[-1][-1]))

    def _take_over(self, one: _Request) -> None:
        for places in reversed(one.past.places):
            for place in reversed(places):
                if self._in_force.get(place) is one.inherited:
                    return
                self._in_force[place] = one.inherited


def _may_follow(before: Decision | None, new: Decision) -> bool:
    """A decision is final, except that a step may be replaced as a whole later."""
    return before is None or (new.form == "step" and before.form != "step")


def _changed(one: _Request, log: Log) -> tuple[int, int]:
    """Numbers of the first message that new decisions change, and of the first behind all changes
    that stays; a large one for none."""
    if log is one.inherited:
        return _NOWHERE, _NOWHERE
    steps = dropped(one.body, one.past, log)
    found = []
    for number, places in enumerate(one.past.places):
        if any(log.get(p) is not one.inherited.get(p) for p in places):
            found.append((steps.anchors.get(number, number - 1) + 1, number))
    if not found:
        return _NOWHERE, _NOWHERE
    last = found[-1][1]
    while last in steps.messages:
        last += 1
    return found[0][0], last
