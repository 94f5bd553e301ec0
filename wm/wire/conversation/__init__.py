"""Follows one conversation: its decisions, its bill, and what was sent last. Pure (PX-2, PX-7).

Each request inherits decisions (`inheritance`), so that what it shares with earlier ones is sent in
the very form in which it was sent before. So a request without new decisions never costs more than
the client's own, but for a return into a replaced step, which is paid by what is held back for it.
A bounded conversation refuses new decisions that would cost more than was saved so far, whatever
the policy says; only first appearances are free.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from wm.wire.account import Account, Bill, Forecast, Rates, rates_of
from wm.wire.binding import tolerance
from wm.wire.body import Body, Indexed, index, splice, unread
from wm.wire.cachesim import LIFETIME_S
from wm.wire.conversation.cut_marks import CutMarks, own_marks
from wm.wire.conversation.inheritance import Inheritance, cost_of_returns
from wm.wire.conversation.request import OpenRequest, SentRequest
from wm.wire.history import ConversationHistory, history
from wm.wire.marks import end_mark
from wm.wire.policy import (
    FIRST_LEVELS,
    Decision,
    Log,
    Moment,
    Policy,
    Prepared,
    dropped,
    nothing,
    pending,
    replaced,
)
from wm.wire.prices import known_window, price_of
from wm.wire.rows import AS_RECORDED, AssumedHead, BlockRow, Measure, estimate, row
from wm.wire.spans import ByteSpan

EMERGENCY_SHARE = 0.95
"""Beyond this share of the model's window a cut may exceed the credit (PS-2)."""
_ROUNDING = 1e-6
_NO_DECISIONS: Log = {}


def has_begun(body: Body) -> bool:
    """Whether the service answered an earlier request of this conversation."""
    return any(message.role == "assistant" for message in body.messages)


class Conversation(Struct):
    """One conversation.

    log: its decisions as logged. bounded: refuse decisions that cost more than was saved so far.
    marks: place cache marks of ours at cuts. tolerant: let the service drop thinking whose prefix
    changed. barred: blocks that must stay. proposed: decisions to make in the next request that is
    answered and contains their block.
    scale: tokens by the service's count for each estimated one. marked: the places with marks of
    ours in a request with a cut, by the place of its end; it has them again when it is repeated.
    ttl: the lifetime of every mark; "" takes the client's. before, plain: the last request as it
    came, and its row. sent: the same as it went upstream.
    """

    log: dict[str, Decision] = field(default_factory=dict)
    bounded: bool = False
    marks: bool = False
    tolerant: bool = False
    barred: set[str] = field(default_factory=set)
    proposed: tuple[Decision, ...] = ()
    scale: float = 1.0
    marked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    measure: Measure = estimate
    assumed: AssumedHead = AS_RECORDED
    ttl: str = ""
    before: tuple[Body, ConversationHistory] | None = None
    sent: SentRequest | None = None
    account: Account = field(default_factory=Account)
    plain: BlockRow | None = None
    _inheritance: Inheritance = field(default_factory=Inheritance)
    _cut_marks: CutMarks = field(default_factory=CutMarks)
    _prepared: OpenRequest | None = None
    _rates: Rates | None = None
    """Prices of the last request."""
    _is_resumed: bool = False
    """Whether requests before a restart are on record."""
    _before_restart: Mapping[str, float] | None = field(default_factory=dict)
    """Until when cache entries live, by model; None: not known. Empty when the first request went
    out."""

    def __post_init__(self) -> None:
        if self.ttl:
            self.account = Account.of(self.ttl)

    @property
    def body(self) -> Body | None:
        """The last request as it came."""
        return self.before[0] if self.before else None

    def resume(
        self,
        credit: float,
        alive: Mapping[str, float],
        ends: Mapping[str, Log] = {},
        *,
        is_known: bool,
    ) -> None:
        """Go on after a restart. What the next request contains counts as cached if its model has
        entries that are alive, so that no cut is taken for free and nothing for saved.

        alive: until when, by model. is_known: there are no others; else, as in a fork, a
        conversation that has begun counts as cached. ends: the decisions of each request, by the
        place of its end. A request that contains no such place inherits nothing.
        """
        self.account.resume(credit, max(alive.values(), default=0.0))
        self._is_resumed = bool(alive)
        self._before_restart = alive if is_known else None
        self._inheritance.recover(ends)

    def prepare(
        self, raw: bytes, policy: Policy = nothing, at: float = 0.0, indexed: Indexed | None = None
    ) -> Prepared | None:
        """The next request as sent upstream; None if the bytes are not a request.

        at: seconds; with a constant value no cache entry expires. indexed: its index, used if it
        was made with the last request. The request counts as sent when the next one is prepared,
        unless `void` is called before.
        """
        self.mark_sent()
        is_known = indexed is not None and indexed.before is self.body
        body = indexed.body if indexed is not None and is_known else index(raw, self.body)
        if body is None:
            return None
        one = self._opened(body, at)
        base = self._form(one)
        if one.revived:
            self.account.sent.take(base.row, at)  # cached in this form, too
        new, made = self._accepted(one, base, policy)
        self.sent = one.made = made
        if new and made.own.wanted:
            self.marked[one.end] = made.own.wanted
        self._prepared, self._rates = one, one.rates
        is_tolerant = one.tolerance is not None
        marked = (one.end, *made.own.wanted) if new and made.own.wanted else ()
        count = len(made.applied)
        return Prepared(made.body.raw, new, count, tolerant=is_tolerant, marked=marked)

    def keep(self, decisions: tuple[Decision, ...]) -> None:
        """These decisions are logged, and the request goes out with them."""
        if self._prepared is not None and decisions:
            own = {decision.block: decision for decision in decisions}
            self._prepared.undo = {block: self.log.get(block) for block in own}
            self._prepared.base = self._prepared.inherited
            self._prepared.inherited = {**self._prepared.inherited, **own}
            self.log.update(own)

    def origin(self) -> tuple[str, Log, Log]:
        """The place of the end of the last request, the decisions that it inherited, and these with
        its own."""
        one = self._prepared
        if one is None:
            return "", {}, {}
        return one.end, one.base if one.undo else one.inherited, one.inherited

    def in_force(self) -> Log:
        """The decisions that apply to the last request."""
        return self.log if self._prepared is None else self._prepared.inherited

    def forecast(self) -> Forecast:
        """What the last request is expected to cost."""
        one = self._prepared
        if one is None or one.made is None:
            return Forecast()
        found = self.account.forecast(one.plain, one.made.row, one.rates, one.at)
        return replace(found, spent=one.spent, is_guess=one.revived)

    def is_foreign(self) -> bool:
        """Whether the last request continues a history that did not pass here: it contains answers
        to other requests."""
        return self._prepared is not None and self._prepared.is_foreign

    def is_emergency(self) -> bool:
        """Whether the last request got decisions that cost more than the credit."""
        return self._prepared is not None and self._prepared.emergency

    def cost(self, bill: Bill) -> float:
        """What these tokens cost at the prices of the last request."""
        return bill.cost(self._rates) if self._rates is not None else 0.0

    def charge(self, read: int, written: int) -> None:
        """Book what restoring removed text cost, in tokens, on the credit of later cuts."""
        if self._rates is not None:
            self.account.charge(read, written, self._rates)

    def preview(self, raw: bytes) -> bytes:
        """A body as it would be sent now, such as one to be counted. Changes nothing."""
        body = index(raw, self.body)
        if body is None:
            return raw
        past = history(body, self.before)
        plain = row(body, self.plain, self.measure, self.assumed)
        known, cached = self._inheritance.known(past)[1], self.account.plain.blocks.known_to(plain)
        log, _ = self._inheritance.inherited(body, past, plain, known, cached, self.log)
        splices, _ = replaced(body, past, log, dropped(body, past, log))
        return splice(raw, splices)

    def forget_decisions(self) -> None:
        """From the next request on, everything is sent as the client makes it."""
        self.void()
        self.log.clear()
        self._inheritance.clear()

    def void(self) -> None:
        """The prepared request does not go out as prepared, so its decisions do not hold."""
        for block, known in self._prepared.undo.items() if self._prepared else ():
            if known is None:
                self.log.pop(block, None)
            else:
                self.log[block] = known
        self._prepared = None

    def drop_parsed(self) -> None:
        """Drop parsed values that can be parsed again."""
        body, one = self.body, self._prepared
        if body is None or self.sent is None:
            return
        known = 0  # a cut reads what it replaces
        if one is not None and one.previous is not None and not one.undo:
            known = min(one.previous.reused, body.reused)  # what was new then was read behind it
        for kept in (body, self.sent.body):
            unread(kept, len(body.messages) - known)

    def _opened(self, body: Body, at: float) -> OpenRequest:
        previous = self.body
        past = history(body, self.before)
        plain = row(body, self.plain, self.measure, self.assumed)
        self.before, self.plain = (body, past), plain
        ttl = self.ttl or end_mark(body) or "5m"
        if self.account.expire(at):
            self._inheritance.expire()
        until = self._alive_until(body, plain.model, at, ttl)
        if until is not None:
            self.account.revive(plain, at, until)
        known = self.account.plain.blocks.known_to(plain)
        number, place = self._inheritance.known(past)
        inherited, returned = self._inheritance.inherited(body, past, plain, place, known, self.log)
        is_foreign = _is_foreign(body, number)
        # Before a restart, an answer to a request that is not on record may have been bound to a
        # form of this history in which thinking was dropped.
        is_tolerant = self.tolerant or (is_foreign and self._is_resumed)
        return OpenRequest(
            body=body,
            previous=previous,
            past=past,
            plain=plain,
            inherited=inherited,
            is_foreign=is_foreign,
            rates=rates_of(price_of(plain.model), ttl),
            at=at,
            ttl=ttl,
            cached_to=plain.units[known].message if known >= 0 else -1,
            known_to=number,
            known_unit=known,
            returned=returned,
            tolerance=tolerance(body) if is_tolerant else None,
            revived=until is not None,
        )

    def _alive_until(self, body: Body, model: str, at: float, ttl: str) -> float | None:
        """When what is cached of the first request after a restart expires; None if nothing is."""
        known = self._before_restart
        if known is None:
            return at + LIFETIME_S[ttl] if has_begun(body) else None
        until = known.get(model)
        return until if until is not None and at <= until else None

    def _accepted(
        self, one: OpenRequest, base: SentRequest, policy: Policy
    ) -> tuple[tuple[Decision, ...], SentRequest]:
        """The policy's new decisions as far as credit permits them, and the request with them."""
        if policy is nothing:
            return (), base
        without = self.account.savings(one.plain, base.row, one.rates, one.at)
        moment = self._moment(one, base, self.account.after(without))
        decided = (*self._proposed(one), *policy(one.body, one.past, one.inherited, moment))
        new = self._applicable(one, decided)
        if not self.bounded:
            return tuple(new.values()), self._form(one, new)
        places = {p for line in one.past.places[moment.cached :] for p in line}
        fresh = {p: decision for p, decision in new.items() if p in places}
        added = {p: decision for p, decision in new.items() if decision.form == "passages"}
        partly = ({**fresh, **added},) if added else ()
        for accepted in filter(None, (new, *partly, fresh)):
            made = self._form(one, accepted)
            if not added.keys().isdisjoint(accepted) and made.row.prompt > one.plain.prompt:
                continue  # every later request would cost more than the client's own
            saved = self.account.savings(one.plain, made.row, one.rates, one.at)
            gained = min(more - less for more, less in zip(saved, without, strict=True))
            left = gained if accepted is fresh else self.account.after(saved)
            is_permitted = left >= -_ROUNDING * one.rates.write
            if is_permitted or moment.emergency:
                one.emergency = not is_permitted
                one.spent = max(0.0, min(without) - min(saved))
                return tuple(accepted.values()), made
        return (), base

    def _applicable(self, one: OpenRequest, decided: Iterable[Decision]) -> Log:
        """The decisions that this request may apply, by block, the first one of each."""
        # Another branch may have an answer to what was sent, also if the cache has forgotten it.
        unseen = {place for line in one.past.places[one.known_to + 1 :] for place in line}
        new: dict[str, Decision] = {}
        for decision in decided:
            known = one.inherited.get(decision.block)
            is_late = 0 < decision.level <= FIRST_LEVELS and decision.block not in unseen
            may = decision.text and decision.block not in self.barred and not is_late
            # A decision is final, except for one that goes further.
            if may and (known is None or decision.level > known.level):
                new.setdefault(decision.block, decision)
        return new

    def _proposed(self, one: OpenRequest) -> list[Decision]:
        found = [new for new in self.proposed if one.contains(new.block)]
        log = {**one.inherited, **{decision.block: decision for decision in found}}
        early = pending(one.body, one.past, log) if found else ()
        return [decision for decision in found if decision.block not in early]

    def _moment(self, one: OpenRequest, base: SentRequest, credit: float) -> Moment:
        known = self.account.plain.blocks.known_to(one.plain)
        cached = one.cached_to + 1
        if known >= 0 and known + 1 < len(one.plain.units):
            # A message of which only a part is known does not count.
            cached = min(cached, one.plain.units[known + 1].message)
        tokens = round(self.scale * base.row.prompt)
        window = known_window(one.plain.model, tokens)
        return Moment(
            read=one.rates.read / one.rates.input,
            write=one.rates.write / one.rates.input,
            credit=credit / one.rates.input,
            cached=max(0, cached),
            prompt=base.row.prompt,
            emergency=0 < EMERGENCY_SHARE * window < tokens,
            window=window,
            scale=self.scale,
            at=one.at,
            until=self.account.until,
        )

    def _form(self, one: OpenRequest, new: Log = _NO_DECISIONS) -> SentRequest:
        """The request with the inherited and these decisions. If they change what is cached, it
        gets marks of ours."""
        log = {**one.inherited, **new} if new else one.inherited
        known, same = self.sent, self._same(one, new)
        steps = known.steps if known and same else dropped(one.body, one.past, log)
        changes = one.changes(log, steps, same)
        is_cut = self.marks and changes.first <= one.cached_to
        wanted = self._cut_marks.wanted(one, changes) if is_cut else self.marked.get(one.end, ())
        own = own_marks(one, wanted, steps)
        same = 0 if own.wanted else same
        splices, applied = replaced(one.body, one.past, log, steps, own.texts, same)
        taken = {span for span, _ in splices}
        splices += [splice for splice in own.splices if splice[0] not in taken]
        splices += (one.tolerance,) if one.tolerance else ()
        if known is None or known.body is one.previous:
            same = 0  # it went as it came
            if not splices:
                return SentRequest(one.body, one.plain, one.body, log, steps, (), changes, own)
        elif same:
            applied = [*known.applied[: bisect_left(known.applied, same)], *applied]
        before = known.body if known else None
        if before is not None and same:
            sent = _beginning(before, same - len(steps.messages))
            splices.append((_beginning(one.body, same), sent.of(before.raw)))
        goes = index(splice(one.body.raw, splices), before, one.body) or one.body
        found = row(goes, known.row if known else None, self.measure, self.assumed)
        return SentRequest(goes, found, one.body, log, steps, applied, changes, own)

    def _same(self, one: OpenRequest, new: Log) -> int:
        """How many messages at the beginning are sent as in the last request: they are the same,
        and so are the decisions on them; no replaced step ends behind them."""
        known, places = self.sent, one.past.places
        if known is None or known.source is not one.previous or known.own.wanted:
            return 0
        if known.applied and known.body is known.source:
            return 0  # it could not be edited
        # The last message ends no step.
        count = min(one.body.reused, len(known.source.messages) - 1, len(places) - 1)
        behind_it = {place for line in places[count:] for place in line}
        ends = (one.inherited.get(line[-1]) for line in places[count:] if line)
        is_same = (
            count > 0
            and new.keys() <= behind_it
            and max(known.steps.anchors, default=0) < count
            and not any(decision and decision.form == "step" for decision in (*ends, *new.values()))
            and known.log == one.inherited
        )
        return count if is_same else 0

    def mark_sent(self) -> None:
        """The prepared request went out."""
        one, self._prepared = self._prepared, None
        if one is None or one.made is None:
            return
        self._before_restart = {}
        # A refused request is repeated, and another branch does not contain their blocks.
        self.proposed = tuple(new for new in self.proposed if not one.contains(new.block))
        self._inheritance.take(one)
        self.account.reserved += cost_of_returns(one, one.made)
        self.account.take(one.plain, one.made.row, one.rates, one.at, one.ttl)
        self._cut_marks.take(one, one.made)


def _beginning(body: Body, count: int) -> ByteSpan:
    """The span of the first messages of a body and of the bracket before them."""
    return ByteSpan(body.fields["messages"].start, body.messages[count - 1].span.end)


def _is_foreign(body: Body, known: int) -> bool:
    """known: number of the last message of which something was in an earlier request."""
    answers = sum(message.role == "assistant" for message in body.messages[known + 1 :])
    return answers > (known >= 0 and body.messages[known].role != "assistant")
