"""Follows one conversation: its decisions, its bill, and what was sent last. Pure (PX-2, PX-7).

Each request inherits the decisions of the earlier request with which it shares the longest
beginning, and for what the cache holds those with which it holds that. So what it shares was sent
in this very form, and a request without new decisions never costs more than the client's own, but
for a return into a replaced step, which is paid by what is held back for it. A bounded conversation
refuses new decisions that would cost more than was saved so far, whatever the policy says; only
first appearances are free.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from wm.wire.account import Account, Bill, Forecast, Rates, rates_of
from wm.wire.binding import tolerance
from wm.wire.body import Body, Indexed, index, splice, unread
from wm.wire.cachesim import LIFETIME_S, LOOK_BACK_BLOCKS
from wm.wire.history import ConversationHistory, history
from wm.wire.marks import client_marks, end_mark, end_marked, room_for
from wm.wire.policy import (
    FIRST_LEVELS,
    Decision,
    DroppedSteps,
    Log,
    Moment,
    Policy,
    Prepared,
    behind,
    dropped,
    nothing,
    pending,
    replaced,
)
from wm.wire.prices import known_window, price_of
from wm.wire.rows import AS_RECORDED, AssumedHead, BlockRow, Measure, estimate, is_empty, row
from wm.wire.spans import ByteSpan

EMERGENCY_SHARE = 0.95
"""Beyond this share of the model's window a cut may exceed the credit (PS-2)."""
_ROUNDING = 1e-6
NEED_MORE = frozenset(("step", "thinking"))
"""Forms of decisions that have an effect only if more messages follow their block."""
_NOWHERE = 1 << 30
_NO_DECISIONS: Log = MappingProxyType({})


def has_begun(body: Body) -> bool:
    """Whether the service answered an earlier request of this conversation."""
    return any(message.role == "assistant" for message in body.messages)


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
    known_to: int
    """Number of the last message of which an earlier request had something."""
    known_unit: int = -1
    """The last unit of `plain` that the cache holds."""
    returned: tuple[Decision, ...] = ()
    """Decisions that it does not inherit because they have no effect in it."""
    tolerance: tuple[ByteSpan, bytes] | None = None
    made: SentRequest | None = None
    undo: dict[str, Decision | None] = field(default_factory=dict)
    """What the log had for the blocks of its new decisions."""
    base: Log = field(default_factory=dict)
    """What it inherited without them."""
    emergency: bool = False
    spent: float = 0.0
    """What its new decisions cost in it."""
    is_foreign: bool = False
    """It continues requests that did not pass here, such as those before a restart."""
    revived: bool = False
    """It is the first one after a restart, and what is cached of it is a guess: all."""


def _beginning(body: Body, count: int) -> ByteSpan:
    """The span of the first messages of a body and of the bracket before them."""
    return ByteSpan(body.fields["messages"].start, body.messages[count - 1].span.end)


class _Changes(Struct, frozen=True):
    """What new decisions change.

    begin: number of the first message that they name. first: number of the first message whose
    form changes (the one behind it for a text of a step). last: of the first message that stays,
    behind all changes of what is cached. steps: all that are replaced.
    """

    begin: int = _NOWHERE
    first: int = _NOWHERE
    last: int = _NOWHERE
    steps: DroppedSteps = field(default_factory=DroppedSteps)


class _OwnMarks(Struct):
    """Cache marks of ours. wanted: places, the best first. texts: on texts of steps, by place.
    messages: at ends of messages."""

    wanted: tuple[str, ...] = ()
    texts: dict[str, Any] = field(default_factory=dict)
    messages: list[int] = field(default_factory=list)
    splices: list[tuple[ByteSpan, bytes]] = field(default_factory=list)


class SentRequest(Struct):
    """A request in the form in which it goes upstream. source: as it came. log, steps: its
    decisions, and the steps that they replace. applied: numbers of the messages of those that have
    an effect, in order."""

    body: Body
    row: BlockRow
    source: Body
    log: Log
    steps: DroppedSteps
    applied: Sequence[int]
    changes: _Changes
    own: _OwnMarks


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
    _in_force: dict[str, Log] = field(default_factory=dict)
    """The decisions in force at the last request that contained a place."""
    _last: dict[bytes, Log] = field(default_factory=dict)
    """The decisions of the last request with a prefix that the cache holds, by the digest of what
    the client sent."""
    _uncut: dict[bytes, tuple[Decision, Log]] = field(default_factory=dict)
    """By such a prefix that ends in a replaced step: the decision, and those of a request that had
    this step, as long as the cache holds it."""
    _recovered: Mapping[str, Log] = field(default_factory=dict)
    """The decisions of each request before a restart, by its end, while the cache may hold it."""
    _last_end: str = ""
    """The place of the end of the last request."""
    _anchors: list[tuple[int, str]] = field(default_factory=list)
    """Messages at whose end an earlier request had a mark, and the place of that end."""
    _step_mark: str = ""
    """Place of a step whose text had a mark in an earlier request, nothing before it changed."""
    _prepared: _Request | None = None
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

    def resume(
        self,
        credit: float,
        alive: Mapping[str, float],
        ends: Mapping[str, Log] = MappingProxyType({}),
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
        self._in_force.update(ends)
        self._recovered = ends

    def prepare(
        self, raw: bytes, policy: Policy = nothing, at: float = 0.0, indexed: Indexed | None = None
    ) -> Prepared | None:
        """The next request as sent upstream; None if the bytes are not a request.

        at: seconds; with a constant value no cache entry expires. indexed: its index, used if it
        was made with the last request. The request counts as sent when the next one is prepared,
        unless `void` is called before.
        """
        self.settle()
        before = self.before[0] if self.before else None
        is_known = indexed is not None and indexed.before is before
        body = indexed.body if indexed is not None and is_known else index(raw, before)
        if body is None:
            return None
        one = self._opened(body, at)
        base = self._form(one)
        if one.revived:
            self.account.revive_sent(base.row, at)
        new, made = self._accepted(one, base, policy)
        self.sent = one.made = made
        if new and made.own.wanted:
            self.marked[_end(one)] = made.own.wanted
        self._prepared, self._rates = one, one.rates
        is_tolerant = one.tolerance is not None
        marked = (_end(one), *made.own.wanted) if new and made.own.wanted else ()
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
        return _end(one), one.base if one.undo else one.inherited, one.inherited

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
        body = index(raw, self.before[0] if self.before else None)
        if body is None:
            return raw
        past = history(body, self.before)
        plain = row(body, self.plain, self.measure, self.assumed)
        log, _ = self._inherited(body, past, plain, self._known(past)[1])
        splices, _ = replaced(body, past, log, dropped(body, past, log))
        return splice(raw, splices)

    def forget_decisions(self) -> None:
        """From the next request on, everything is sent as the client makes it."""
        self.void()
        self.log.clear()
        self._in_force.clear()
        self._recovered = {}
        self._last.clear()
        self._uncut.clear()

    def void(self) -> None:
        """The prepared request does not go out as prepared, so its decisions do not hold."""
        for block, known in self._prepared.undo.items() if self._prepared else ():
            if known is None:
                self.log.pop(block, None)
            else:
                self.log[block] = known
        self._prepared = None

    def rest(self) -> None:
        """Drop parsed values that can be parsed again."""
        if self.before is None or self.sent is None:
            return
        body, one = self.before[0], self._prepared
        known = 0  # a cut reads what it replaces
        if one is not None and one.previous is not None and not one.undo:
            known = min(one.previous.reused, body.reused)  # what was new then was read behind it
        for kept in (body, self.sent.body):
            unread(kept, len(body.messages) - known)

    def _opened(self, body: Body, at: float) -> _Request:
        before = self.before
        past = history(body, before)
        plain = row(body, self.plain, self.measure, self.assumed)
        self.before, self.plain = (body, past), plain
        ttl = self.ttl or end_mark(body) or "5m"
        if self.account.expire(at):
            self._recovered = {}
            self._last.clear()
            self._uncut.clear()
        until = self._alive_until(body, plain.model, at, ttl)
        if until is not None:
            self.account.revive(plain, at, until)
        known = self.account.plain.known_to(plain)
        number, place = self._known(past)
        inherited, returned = self._inherited(body, past, plain, place)
        is_foreign = _is_foreign(body, number)
        # Before a restart, an answer to a request that is not on record may have been bound to a
        # form of this history in which thinking was dropped.
        is_tolerant = self.tolerant or (is_foreign and self._is_resumed)
        return _Request(
            body=body,
            previous=before[0] if before else None,
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

    def _inherited(
        self, body: Body, past: ConversationHistory, plain: BlockRow, known: str
    ) -> tuple[Log, tuple[Decision, ...]]:
        """The decisions of the last request with the longest shared beginning; of what the cache
        holds, those with which it holds that. If one is pending, those apply with which the cache
        holds its step or its thinking. If it holds neither, thinking stays away, and the pending
        step is sent: its decision is the second value.

        known: the last shared place, "" for none.
        """
        # If nothing is known of any request, `log` is all that is.
        unknown: Log = {} if self._in_force else dict(self.log)
        log = self._in_force[known] if known else unknown
        last = self.account.plain.known_to(plain)
        of_cache = self._last.get(plain.chain[last]) if last >= plain.head else None
        if of_cache is log and known == self._last_end:
            return log, ()  # it is the last request, or continues it
        digests = dict(zip(_sent_places(body, past), plain.chain[plain.head :], strict=True))
        is_recovered = log is self._recovered.get(known)
        if of_cache is not None and of_cache is not log and not is_recovered:
            log = _joined(of_cache, log, list(digests)[: last + 1 - plain.head])
        tried: list[Decision] = []
        while found := pending(body, past, log) or self._broken(log, digests, plain.chain, last):
            tried += [log[place] for place in found]
            uncut = (self._uncut.get(digests.get(p, plain.chain[last])) for p in found)
            logs = (before for _, before in filter(None, uncut))
            earlier = next((one for one in logs if not any(map(partial(_has, one), tried))), None)
            if earlier is None:
                gone = {place: log[place] for place in found if log[place].form == "step"}
                left = {place: one for place, one in log.items() if place not in gone}
                return left if gone else log, tuple(gone.values())
            log = earlier
        return log, ()

    def _broken(
        self, log: Log, digests: Mapping[str, bytes], chain: Sequence[bytes], last: int
    ) -> list[str]:
        """The replaced step of which the request has only the beginning, as after other results."""
        found = self._uncut.get(chain[last]) if last >= 0 else None
        is_cut = found is not None and found[0].block not in digests and _has(log, found[0])
        return [found[0].block] if found is not None and is_cut else []

    def _known(self, past: ConversationHistory) -> tuple[int, str]:
        """The last place that an earlier request contained, and the number of its message."""
        for number in range(len(past.places) - 1, -1, -1):
            for place in reversed(past.places[number]):
                if place in self._in_force:
                    return number, place
        return -1, ""

    def _accepted(
        self, one: _Request, base: SentRequest, policy: Policy
    ) -> tuple[tuple[Decision, ...], SentRequest]:
        """The policy's new decisions as far as credit permits them, and the request with them."""
        if policy is nothing:
            return (), base
        without = self.account.savings(one.plain, base.row, one.rates, one.at)
        moment = self._moment(one, base, self.account.after(without))
        new: dict[str, Decision] = {}
        # Another branch may have an answer to what was sent, also if the cache has forgotten it.
        unseen = {place for line in one.past.places[one.known_to + 1 :] for place in line}
        for decision in (*self._proposed(one), *policy(one.body, one.past, one.inherited, moment)):
            known = one.inherited.get(decision.block)
            is_late = 0 < decision.level <= FIRST_LEVELS and decision.block not in unseen
            may = decision.text and decision.block not in self.barred and not is_late
            # A decision is final, except for one that goes further.
            if may and (known is None or decision.level > known.level):
                new.setdefault(decision.block, decision)
        if not self.bounded:
            return tuple(new.values()), self._form(one, new)
        places = {p for line in one.past.places[moment.cached :] for p in line}
        fresh = {p: decision for p, decision in new.items() if p in places}
        added = {p: decision for p, decision in new.items() if decision.form == "passages"}
        partly = ({**fresh, **added},) if added else ()
        for accepted in (new, *partly, fresh):
            if accepted:
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

    def _proposed(self, one: _Request) -> list[Decision]:
        found = [new for new in self.proposed if _contains(one, new.block)]
        log = {**one.inherited, **{decision.block: decision for decision in found}}
        early = pending(one.body, one.past, log) if found else ()
        return [decision for decision in found if decision.block not in early]

    def _moment(self, one: _Request, base: SentRequest, credit: float) -> Moment:
        known = self.account.plain.known_to(one.plain)
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

    def _form(self, one: _Request, new: Log = _NO_DECISIONS) -> SentRequest:
        """The request with the inherited and these decisions. If they change what is cached, it
        gets marks of ours."""
        log = {**one.inherited, **new} if new else one.inherited
        known, same = self.sent, self._same(one, new)
        steps = known.steps if known and same else dropped(one.body, one.past, log)
        changes = _changes(one, log, steps, same)
        own = self._own_marks(one, changes, steps)
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

    def _same(self, one: _Request, new: Log) -> int:
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

    def _own_marks(self, one: _Request, changes: _Changes, steps: DroppedSteps) -> _OwnMarks:
        """Marks for a request whose new decisions change what is cached, and for the same request
        when it comes again."""
        found = _OwnMarks()
        is_cut = self.marks and changes.first <= one.cached_to
        found.wanted = self._wanted(one, changes) if is_cut else self.marked.get(_end(one), ())
        if not found.wanted:
            return found
        room = room_for(one.body)
        texts = {decision.block for listed in steps.texts.values() for decision in listed}
        ends = {places[-1]: number for number, places in enumerate(one.past.places) if places}
        room.keep([ends[place] for place in found.wanted if place in ends])
        for place in found.wanted:
            is_text = place in texts
            if not is_text and ends.get(place) in steps.messages:
                continue  # it was marked in an earlier request, and a step replaces it now
            made = [] if is_text else end_marked(one.body.messages[ends[place]], room.mark)
            if (is_text or made) and room.take(found.splices):
                found.splices += made
                if is_text:
                    found.texts[place] = room.mark
                else:
                    found.messages.append(ends[place])
        return found

    def _wanted(self, one: _Request, changes: _Changes) -> tuple[str, ...]:
        """Where marks help, the best first: where an earlier request had one before the changes,
        and where the next cut is likely to begin. A mark there finds the earlier one, too, if it
        is not far behind."""
        places, steps = one.past.places, changes.steps
        at = {place: number for number, place in enumerate(_order(one, steps))}
        texts = [decision.block for listed in steps.texts.values() for decision in listed]
        ends = {places[n][-1]: n for n in steps.anchors}
        known = [places[n][-1] for n in self._usable(one, changes.first)]
        # A step between others that is replaced later moves the texts of those behind it.
        if ends.get(self._step_mark, _NOWHERE) < changes.begin:
            known.append(self._step_mark)
        known = sorted((place for place in known if place in at), key=at.__getitem__)[-1:]
        following = [place for place in texts[-1:] if place not in known]
        if changes.last < len(places) - 1 and places[changes.last]:
            following.append(places[changes.last][-1])
        following.sort(key=at.__getitem__, reverse=True)
        if known and any(0 <= at[f] - at[known[0]] < LOOK_BACK_BLOCKS for f in following[:1]):
            return (*following, *known)
        return (*known, *following)

    def _usable(self, one: _Request, first: int) -> list[int]:
        """The messages before `first` with a mark of an earlier request at their end."""
        return [
            number
            for number, place in self._anchors
            if number < min(first, len(one.past.places))
            and one.past.places[number][-1:] == (place,)
        ]

    def settle(self) -> None:
        """The prepared request went out."""
        one, self._prepared = self._prepared, None
        if one is None or one.made is None:
            return
        self._before_restart = {}
        # A refused request is repeated, and another branch does not contain their blocks.
        self.proposed = tuple(new for new in self.proposed if not _contains(one, new.block))
        self._remember(one, one.made)
        self.account.take(one.plain, one.made.row, one.rates, one.at, one.ttl)
        self._take_over(one)
        self._last_end = _end(one)
        places = one.past.places
        made = one.made
        self._anchors = [(n, places[n][-1]) for n in self._usable(one, made.changes.first)]
        marked = {*made.own.messages, *client_marks(one.body, made.own.splices)}
        marked = {n for n in marked if n >= made.changes.first}
        if end_mark(one.body):
            marked.add(len(places) - 1)
        self._anchors += [(n, places[n][-1]) for n in sorted(marked)]
        if made.changes.first < _NOWHERE:
            self._step_mark = list(made.own.texts)[-1] if made.own.texts else ""

    def _remember(self, one: _Request, made: SentRequest) -> None:
        """How a return into a replaced step is sent: as before the cut if the cache holds that, or
        with this step behind what it holds. That may cost more than the client's own request, once,
        and is held back."""
        plain, known = one.plain, one.known_unit
        new = [one.inherited[p] for p in one.undo if one.inherited[p].form in NEED_MORE]
        if new or one.returned:
            places, units = _sent_places(one.body, one.past), plain.chain[plain.head :]
            digests = dict(zip(places, units, strict=True))
            cached = {place: digests[place] for place in places[: max(0, known + 1 - plain.head)]}
            logs = [(decision, cached, one.base) for decision in new]
            logs += [(decision, digests, one.inherited) for decision in one.returned]
            for decision, had, log in logs:
                for place in had.keys() & _step_of(one, decision.block):
                    self._uncut.setdefault(had[place], (decision, log))
        self.account.reserved += _at_risk(one, made)
        for digest in reversed(plain.chain[plain.head :]):
            if self._last.get(digest) is one.inherited:
                break
            self._last[digest] = one.inherited

    def _take_over(self, one: _Request) -> None:
        for places in reversed(one.past.places):
            for place in reversed(places):
                if self._in_force.get(place) is one.inherited:
                    return
                self._in_force[place] = one.inherited


def _sent_places(body: Body, past: ConversationHistory) -> list[str]:
    """The places of the blocks that are units of its row."""
    return [
        place
        for message, places in zip(body.messages, past.places, strict=True)
        for block, place in zip(message.blocks, places, strict=True)
        if not is_empty(block)
    ]


def _joined(of_cache: Log, log: Log, cached: Iterable[str]) -> Log:
    """The decisions `of_cache` on the cached places, and those of `log` on the others."""
    inside = {*cached}
    inside |= {behind(place) for place in inside}
    return {
        **{place: one for place, one in log.items() if place not in inside},
        **{place: one for place, one in of_cache.items() if place in inside},
    }


def _has(log: Log, decision: Decision) -> bool:
    return log.get(decision.block) is decision


def _step_of(one: _Request, block: str) -> Iterator[str]:
    """The places of the step that a decision on this block replaces, or its own."""
    for number, places in enumerate(one.past.places):
        if block in places:
            is_step = one.body.messages[number].role == "user"
            yield from (*one.past.places[number - 1], *places) if is_step else (block,)


def _at_risk(one: _Request, made: SentRequest) -> float:
    """What returns into replaced steps may cost more than the client's own requests, for steps that
    the cache did not hold: writing each again once, less what is removed before it."""
    first, log = one.cached_to + 1, one.inherited
    ends = (places[-1] for places in one.past.places[first:] if places)
    if not any(place in log and log[place].form == "step" for place in ends):
        return 0.0
    steps = dropped(one.body, one.past, log)
    plain, made_of = _by_message(one.plain), _by_message(made.row)
    risk, removed, sent = 0.0, 0, 0
    for number in range(len(one.body.messages)):
        if number in steps.messages:
            removed += plain[number]
        else:
            removed += plain[number] - made_of[sent]
            sent += 1
        if number in steps.anchors and number >= first:
            step = plain[number - 1] + plain[number]
            again = (one.rates.write - one.rates.read) * step
            risk += max(0.0, again - one.rates.read * (removed - step))
    return risk


def _by_message(found: BlockRow) -> Counter[int]:
    """The tokens of each message."""
    tokens = Counter[int]()
    for unit in found.units:
        tokens[unit.message] += unit.tokens
    return tokens


def _is_foreign(body: Body, known: int) -> bool:
    """known: number of the last message of which something was in an earlier request."""
    answers = sum(message.role == "assistant" for message in body.messages[known + 1 :])
    return answers > (known >= 0 and body.messages[known].role != "assistant")


def _contains(one: _Request, block: str) -> bool:
    return any(block in places for places in one.past.places)


def _end(one: _Request) -> str:
    """The place of the last block."""
    return next((line[-1] for line in reversed(one.past.places) if line), "")


def _order(one: _Request, steps: DroppedSteps) -> Iterator[str]:
    """The places of the blocks of the request as it is sent, in order."""
    for number, places in enumerate(one.past.places):
        if number not in steps.messages:
            yield from places
        yield from (decision.block for decision in steps.texts.get(number, ()))


def _changes(one: _Request, log: Log, steps: DroppedSteps, same: int) -> _Changes:
    if log is one.inherited:
        return _Changes()
    found = [
        (steps.anchors.get(number, number - 1) + 1, number)
        for number, places in enumerate(one.past.places[same:], start=same)
        if any(log.get(p) is not one.inherited.get(p) for p in places)
    ]
    if not found:
        return _Changes()
    last = max((number for _, number in found if number <= one.cached_to), default=_NOWHERE)
    while last in steps.messages:
        last += 1
    return _Changes(found[0][1], min(first for first, _ in found), last, steps)
