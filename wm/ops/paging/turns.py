"""One managed conversation: what a request removes, what must be on disk first, what became of it.

Pure over its own state; the caller sends what `plan` returns to the ledger, waits if it must, and
reports the answer (PX-2, PX-7). Rule: a decision applies only if it and what it removes were on
disk before the request left. One that is acknowledged too late is void, and the voiding is a
record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from wm.api.paging import LedgerAnswer
from wm.api.protocol import WorkspacePlace
from wm.domain.paging.ledger import LEAST_SCALE, MOST_SCALE, LedgerState
from wm.domain.paging.levels import LEVELS
from wm.formats.ledger import LedgerBill, LedgerDecision, LedgerMoment, LedgerRecord, Uncut
from wm.formats.paged_object import PagedObject
from wm.ops.paging.contents import added
from wm.ops.paging.faults import ANSWER_TOKENS, FaultCounter
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.phantoms import PhantomTools
from wm.ops.paging.policy import PagingPolicy, paging_policy
from wm.ops.paging.queues import MAX_UNREPORTED, ObjectQueue, RecordQueue
from wm.ops.paging.uncertainty import UncertaintySignal
from wm.settings import PruningSettings
from wm.wire.account import Bill, Forecast
from wm.wire.body import Body, Indexed
from wm.wire.conversation import Conversation
from wm.wire.history import ConversationHistory
from wm.wire.phantom_history import PhantomRound
from wm.wire.policy import Decision, Log, Moment, Policy, Prepared, nothing
from wm.wire.rows import estimate
from wm.wire.usage import Usage

OFF = "off"
_BACKLOG_TOKENS = 60_000
"""With so much that is not on disk yet, nothing new is decided: it would not be written in time."""
_MOST_SKIPPED = 16
"""Requests without new decisions after some that came too late, at most. A ledger on a slow disk
would make each request wait until the deadline."""
_LEAST_MISSED = 1_024
"""Tokens; estimates and marks explain fewer."""


_NO_ANSWER = LedgerAnswer.model_construct(place=WorkspacePlace.model_construct(key="", root=""))


class Recovered(Struct, frozen=True):
    """What the ledger knows of a conversation, with its decisions as requests apply them.

    log: the decisions of the last request. ends: those of each request, by the place of its end and
    of what it decided: after a rewind a request may end before all ends, and a kill may have lost
    its own. unseen, unproven: as in `answer`. lost: the ledger could not be read in time.
    """

    answer: LedgerAnswer = _NO_ANSWER
    log: Log = field(default_factory=dict)
    ends: Mapping[str, Log] = field(default_factory=dict)
    unseen: tuple[Decision, ...] = ()
    unproven: tuple[Decision, ...] = ()
    lost: bool = False

    @staticmethod
    def of(found: LedgerAnswer) -> Recovered:
        log: Log = {}
        ends: dict[str, Log] = {}
        for one in found.branches:
            known = {} if one.afresh else log
            log = {**known, **{new.block: decision_of(new) for new in one.decisions}}
            for new in one.decisions:
                ends.setdefault(new.block, log)
            ends.update(dict.fromkeys(one.ends, log))
        ends.pop("", None)  # recorded before ends were
        unseen, unproven = map(decision_of, found.unseen), map(decision_of, found.unproven)
        return Recovered(found, log, ends, tuple(unseen), tuple(unproven))


def decision_of(one: LedgerDecision) -> Decision:
    return Decision(one.block, one.text, one.reason, one.form, one.level)  # type: ignore[arg-type]


class PlannedTurn(Struct, frozen=True):
    """A request that is ready but for its ledger. must_wait: it leaves after objects and records
    are on disk, or at the deadline without new decisions; else they can be written behind it."""

    prepared: Prepared
    objects: Sequence[PagedObject] = ()
    records: Sequence[LedgerRecord] = ()
    must_wait: bool = False


class ManagedConversation:
    """The turns of one conversation, one at a time.

    conversation: the client's id of a subagent, "" for the main one. policies: by name; shared by
    all conversations of a process. bounded: as in `wm.wire.conversation.Conversation`. offers: our
    tools are offered to a client without them (PX-5).
    """

    def __init__(
        self,
        conversation: str,
        recovered: Recovered,
        policies: Callable[[str], Policy],
        *,
        bounded: bool = True,
        offers: bool = False,
    ) -> None:
        known = recovered.answer
        self._policies = policies
        self.policy = known.policy
        """The policy that the person chose for this session or workspace; "" for none."""
        self._phantoms = PhantomTools(recovered.unseen, is_offering=offers)
        self._records = RecordQueue(conversation, known.requests)
        self._wire = Conversation(
            dict(recovered.log),
            bounded=bounded,
            marks=True,
            tolerant=known.broken or bool(known.unproven) or recovered.lost,
            proposed=recovered.unproven,
            scale=known.scale,
        )
        """The requests as they are sent upstream. Once one of them asked to drop thinking of
        another prefix, all later ones do."""
        if not recovered.lost:
            # What an unproven request left in the cache of its model is not known.
            is_known = bool(known.alive) and not known.requests
            self._wire.resume(known.credit, known.alive, recovered.ends, is_known=is_known)
        self._is_recorded = bool(known.alive)
        """Then all later requests are recorded, also with `off`: they are in the cache, too."""
        self._wire.marked.update((marked[0], marked[1:]) for marked in known.marked)
        self._last_recorded = None if recovered.lost else recovered.log
        """The decisions of the last recorded request; None if not known."""
        self._is_lost = recovered.lost
        """Its ledger was not read: what was decided before this process is not known."""
        self._dropped: tuple[str, ...] = ()
        """The end of the last request whose decisions were lost."""
        self._objects = ObjectQueue(conversation, known.objects)
        self._has_unread = False
        """Whether steps of the last request may become objects."""
        self._faults = FaultCounter()
        self._uncertainty = UncertaintySignal(self._faults)
        self._seen_messages = 0
        self._turn = _Turn()
        self._lateness = _Lateness()
        self._missed = 0.0
        """What was taken from the credit since the last record."""
        self._came = b""
        """The last request as it came."""
        self._first_usage: dict[str, Usage] = {}
        """Of the first answer to a request, if the generation went on after it."""

    @property
    def totals(self) -> LedgerState:
        """What was removed, saved and needed again since this process took the conversation on."""
        totals = self._records.totals
        totals.credit = self._wire.account.credit
        return totals

    @property
    def before(self) -> Body | None:
        """The last request as it came."""
        return self._wire.body

    # -- before a request leaves ---------------------------------------------------------------

    def plan(
        self, raw: bytes, policy: str, request: str, at: float, indexed: Indexed | None = None
    ) -> PlannedTurn | None:
        """The next request; None if the bytes are not one. policy: its name; "" only applies what
        was decided. at: seconds since 1970. indexed: its index, if that was made already."""
        self._conclude(ok=True)  # it was answered, or this one would not follow
        self._drop_if_off(policy, request, at)
        is_behind = self._objects.tokens > _BACKLOG_TOKENS
        turn = _Turn(request, policy, at, uncut="late" if is_behind else None)
        chosen = self._policies(policy) if policy and not is_behind else nothing
        teaches = isinstance(chosen, PagingPolicy) and chosen.reads_tags and chosen.makes_cuts
        self._wire.tolerant |= policy in LEVELS and LEVELS[policy].stubs
        raw, names = self._restored(raw, may_offer=policy not in ("", OFF), may_teach=teaches)
        indexed = indexed if raw is self._came else None
        made = self._wire.prepare(raw, self._watched(chosen, turn), at, indexed)
        if made is None:
            return None
        made = self._begin(turn, made, names)
        if not made.decisions:
            # Also those of earlier requests that were not written behind their answers.
            waiting = self._records.take_all()
            return PlannedTurn(made, (), waiting, must_wait=bool(waiting))
        self._read_objects()
        records = (*self._records.take_all(), self._decided(made))
        return PlannedTurn(made, self._objects.all(), records, must_wait=True)

    def stored(self, turn: PlannedTurn) -> None:
        """The ledger acknowledged the turn's objects and records."""
        self._objects.stored(turn.objects)

    def unwritten(self, turn: PlannedTurn) -> None:
        """The ledger did not: the records wait again."""
        self._records.put_back(turn.records)

    def accept(self, turn: PlannedTurn, refused: Sequence[str]) -> Prepared:
        """The request as it may leave now. refused: places that the ledger did not take; they stay
        as they are from now on."""
        self.stored(turn)
        if turn.prepared.request != self._turn.request:
            return turn.prepared  # it left already, without what came too late
        if refused:
            self._wire.barred.update(refused)
            made = self.hold(replace(turn, records=()))
            self._lateness = _Lateness()  # the ledger answered in time
            return made
        if turn.prepared.decisions:
            self._lateness.in_a_row = 0
        self._wire.keep(turn.prepared.decisions)
        return turn.prepared

    def hold(self, turn: PlannedTurn) -> Prepared:
        """The planned request with the earlier decisions: the ledger did not take the new ones, so
        they are void."""
        self.unwritten(turn)
        if not turn.prepared.decisions:
            return turn.prepared
        return self.reuse_decisions(self._came, self._turn.request, self._turn.at)

    def reuse_decisions(
        self, raw: bytes, request: str, at: float, *, may_offer: bool = False
    ) -> Prepared:
        """A request with the decisions in force, and no new ones. may_offer: phantom tools, which
        need not wait for the ledger."""
        turn = _Turn(request, "", at, uncut="late" if self._turn.decided else None)
        if self._turn.decided:
            self._records.add("void", self._turn.request)
            self._lateness.came_late()
        self._wire.void()
        raw, names = self._restored(raw, may_offer=may_offer)
        made = self._wire.prepare(raw, nothing, at)
        return Prepared(raw) if made is None else self._begin(turn, made, names)

    def preview(self, raw: bytes) -> bytes:
        """A body as it would be sent now, to be counted."""
        return self._wire.preview(self._phantoms.upstream(raw, is_asked=False)[0])

    # -- after it left ---------------------------------------------------------------------------

    def answered(self, request: str, *, ok: bool) -> None:
        """The service answered, or did not. Without a good answer nothing was read or written, so
        its new decisions are void."""
        if request == self._turn.request:
            self._conclude(ok=ok)

    def exchanged(self, request: str, raw: bytes, rounds: tuple[PhantomRound, ...]) -> None:
        """Calls of phantom tools were carried out: `records` are to be on disk before the
        generation goes on, or the client gets its end. raw: the client's request that is being
        answered."""
        made = self._phantoms.noted(raw, rounds)
        if made is not None:
            # One without calls has tags only, and does not count as their use.
            request = request if rounds[-1].results else ""
            self._add_record("phantom", request, decisions=(_logged(made),))

    def take_records(self) -> PlannedTurn | None:
        """The records that are not written yet; None without any."""
        records = self._records.take_all()
        return PlannedTurn(Prepared(b""), (), records, must_wait=True) if records else None

    def continued(self, request: str, first: Usage) -> None:
        """The answer took more requests of ours. first: the usage of the first one."""
        self._first_usage[request] = first
        if len(self._first_usage) > MAX_UNREPORTED:
            del self._first_usage[next(iter(self._first_usage))]

    def used(self, request: str, usage: Usage | None) -> None:
        """The figures of an answered request, those of all requests for the answer together; None
        if there are none. Call it before the client can send its next request."""
        first = self._first_usage.pop(request, None)
        if usage is not None and first is not None:
            self._book_phantoms(request, usage, first)
            usage = first
        predicted = self._records.predicted(request)
        if usage is None or predicted is None:
            return
        bill = LedgerBill(read=usage.cache_read, written=usage.prompt - usage.cache_read)
        self._compare(predicted, usage)
        self._records.report(request, bill)

    def examine(self) -> None:
        """Read the new steps of the last request, and count what the answers before it needed of
        what was removed. Takes time, so call it behind an answer."""
        if self._has_unread:
            self._has_unread = False
            self._read_objects()
        self._count_faults()

    @property
    def has_due_records(self) -> bool:
        """Whether `take_due` has records."""
        return self._records.ready > 0

    @property
    def has_due(self) -> bool:
        return self.has_due_records or len(self._objects) > 0

    def take_due(self) -> PlannedTurn | None:
        """What can be written now, in pieces; None if nothing is left. Report it with `stored`.
        Records do not wait for many steps: a fork has those of its whole history. That of a request
        whose answer still comes waits for its figures, and those after it keep their order."""
        if not self.has_due:
            return None
        objects, records = self._objects.piece(), self._records.take_ready()
        if records and len(objects) < len(self._objects):
            objects = ()
        return PlannedTurn(Prepared(b""), objects, records)

    def drop_parsed(self) -> None:
        """Drop what can be parsed again."""
        self._wire.drop_parsed()

    # -- inside ----------------------------------------------------------------------------------

    def _restored(
        self, raw: bytes, *, may_offer: bool, may_teach: bool = False
    ) -> tuple[bytes, frozenset[str]]:
        """The client's request with what it does not see; the names of the phantom tools in it."""
        self._came = raw
        raw, names = self._phantoms.upstream(raw, may_offer=may_offer, may_teach=may_teach)
        fresh, self._phantoms.fresh = self._phantoms.fresh, []
        if fresh:
            self._add_record("phantom", decisions=tuple(map(_logged, fresh)))
        return raw, names

    def _watched(self, policy: Policy, turn: _Turn) -> Policy:
        """The policy; the turn gets what it was given, and why it cut nothing. After decisions that
        came too late it decides only in an emergency, as a request that is too long would be
        refused."""
        skips = self._lateness.skips()
        if isinstance(policy, PagingPolicy):
            policy = self._uncertainty.policy(policy)
        if policy is nothing:
            return nothing

        def watched(
            body: Body, past: ConversationHistory, log: Log, moment: Moment
        ) -> tuple[Decision, ...]:
            turn.moment = moment
            if skips and not moment.emergency:
                turn.uncut = "late"
                return ()
            made = policy(body, past, log, moment)
            turn.uncut = policy.uncut if isinstance(policy, PagingPolicy) else None
            sent = self._phantoms.sent_places(body, past)
            return tuple(one for one in made if one.block not in sent) if sent else made

        return watched

    def _begin(self, turn: _Turn, made: Prepared, phantoms: frozenset[str]) -> Prepared:
        """The request is prepared: its turn begins. Returns it with its name."""
        self._turn = turn
        self._wire.tolerant |= made.tolerant
        turn.model = str(self.before.value("model") or "") if self.before else ""
        turn.forecast = self._wire.forecast()
        if self._is_lost and self._wire.is_foreign():
            self._drop()
        return replace(made, request=turn.request, phantoms=phantoms)

    def _conclude(self, *, ok: bool) -> None:
        turn, self._turn = self._turn, _Turn()
        if not turn.request:
            return
        self._has_unread |= turn.policy not in ("", OFF)
        if not ok:
            self._wire.void()
            if turn.decided:
                self._records.add("void", turn.request)
            return
        end, inherited, in_force = self._wire.origin()
        self._wire.mark_sent()
        self._phantoms.recent.clear()
        if turn.policy == OFF and not self._wire.log and not self._is_recorded:
            return  # nothing is managed, and nothing was
        self._is_recorded = True
        found = turn.forecast
        # What is missed before any decision is not ours, and from a guess nothing can be missed.
        may_miss = self._wire.log and not found.is_guess
        self._records.expect(turn.request, found.sent if may_miss else Bill(0, found.sent.tokens))
        missed, self._missed = self._missed, 0.0
        own = added(self.before, found.plain.read) if self.before else Bill()
        is_afresh = bool(end) and inherited != self._last_recorded
        self._last_recorded = in_force if end else self._last_recorded
        self._add_record(
            "sent",
            turn.request,
            end=end,
            afresh=is_afresh,
            decisions=tuple(map(_logged, inherited.values())) if is_afresh else (),
            policy=turn.policy,
            model=turn.model,
            tolerant=self._wire.tolerant,
            uncut=turn.uncut,
            removed=max(0, found.plain.tokens - found.sent.tokens),
            added=own.tokens,
            added_cost=self._wire.cost(own),
            plain=None if found.is_guess else _ledger_bill(found.plain),
            predicted=None if found.is_guess else _ledger_bill(found.sent),
            saved=found.saved - missed,
            spent=found.spent,
        )

    def _add_record(self, kind: str, request: str = "", **fields: Any) -> None:
        """Queue a record with the figures as they are now."""
        account = self._wire.account
        figures = {"credit": account.credit, "alive_until": account.until}
        self._records.add(kind, request, **{**figures, **fields})

    def _drop_if_off(self, policy: str, request: str, at: float) -> None:
        """Switched off: what was decided is replayed until the cache is cold, then dropped."""
        is_managed = self._wire.log or self._phantoms.log
        if policy == OFF and is_managed and not self._wire.account.is_alive(at):
            self._wire.forget_decisions()
            self._phantoms.forget()
            self._wire.tolerant = True
            self._add_record("dropped", request)

    def _read_objects(self) -> None:
        """Read the steps of the last request that were not read before: ahead of a request that
        removes something, else behind it."""
        if self._wire.before is not None:
            self._objects.read(*self._wire.before)

    def _decided(self, made: Prepared) -> LedgerRecord:
        turn = self._turn
        turn.decided = True
        return self._records.decided(
            turn.request,
            policy=turn.policy,
            model=turn.model,
            decisions=tuple(map(_logged, made.decisions)),
            marked=made.marked,
            moment=LedgerMoment(**asdict(turn.moment)),
            tolerant=self._wire.tolerant,
            emergency=self._wire.is_emergency(),
        )

    def _drop(self) -> None:
        """Decisions of this branch were lost: the request leaves as the client made it, and the
        cache is written again. Booked like a cut of all that it contains, once."""
        end = self._wire.before[1].places[-1] if self._wire.before else ()
        if end == self._dropped:
            return  # the same request again
        self._dropped = end
        self._wire.tolerant = True
        self._wire.charge(0, self._turn.forecast.plain.tokens)
        in_force = tuple(map(_logged, (*self._wire.log.values(), *self._phantoms.log.values())))
        self._add_record("dropped", self._turn.request, decisions=in_force)

    def _count_faults(self) -> None:
        if self._wire.before is None:
            return
        body, past = self._wire.before
        faults = self._faults.answered(body, self._seen_messages)
        self._seen_messages = len(body.messages)
        self._faults.sent(body, past, self._wire.in_force(), estimate)
        if not faults:
            return
        prompt = self._wire.sent.row.prompt if self._wire.sent else 0
        before = self._wire.account.credit
        written = sum(fault.tokens for fault in faults) + ANSWER_TOKENS * len(faults)
        self._wire.charge(prompt * len(faults), written)
        self._add_record(
            "fault",
            objects=tuple(self._objects.id_of(fault.place) for fault in faults),
            saved=self._wire.account.credit - before,
        )

    def _compare(self, predicted: Bill, usage: Usage) -> None:
        """Learn from the service's figures. What it did not find in its cache, against the
        prediction, is taken from the credit: cuts must pay for themselves in its bill."""
        if not predicted.tokens:
            return
        ratio = usage.prompt / predicted.tokens
        if not LEAST_SCALE <= ratio <= MOST_SCALE:
            return
        self._wire.scale = ratio
        missed = round(predicted.read - usage.cache_read / ratio)
        if missed > _LEAST_MISSED:
            before = self._wire.account.credit
            self._wire.charge(-missed, missed)
            self._missed += before - self._wire.account.credit

    def _book_phantoms(self, request: str, usage: Usage, first: Usage) -> None:
        """What going on after phantom calls cost. It is neither saved nor spent: without paging the
        same calls would cost the same."""
        read = usage.cache_read - first.cache_read
        bill = Bill(read, usage.prompt - first.prompt - read)
        if bill.tokens > 0:
            saved = -self._wire.cost(bill)
            self._add_record("phantom", request, reported=_ledger_bill(bill), saved=saved)


def _logged(one: Decision) -> LedgerDecision:
    return LedgerDecision(**asdict(one))


def _ledger_bill(bill: Bill) -> LedgerBill:
    return LedgerBill(read=bill.read, written=bill.written)


class _Turn(Struct):
    """The request that was planned last. request: "" before the first."""

    request: str = ""
    policy: str = ""
    at: float = 0.0
    uncut: Uncut | None = None
    """Why it has no cut."""
    moment: Moment = Moment()
    """What the policy knew."""
    model: str = ""
    forecast: Forecast = Forecast()
    decided: bool = False
    """Whether it has new decisions."""


class _Lateness(Struct):
    """Decisions that came too late, and the requests that therefore decide nothing. in_a_row:
    requests in a row with late ones. to_skip: requests that are left to skip."""

    in_a_row: int = 0
    to_skip: int = 0

    def came_late(self) -> None:
        self.in_a_row += 1
        self.to_skip = min(2**self.in_a_row - 2, _MOST_SKIPPED)

    def skips(self) -> bool:
        """Whether the next request is one of those; counts it."""
        is_skipped = self.to_skip > 0
        self.to_skip -= is_skipped
        return is_skipped


class NamedPolicies(Struct):
    """The paging policies of a process, made when they are first used. passages: tokens that are
    appended at most when what was removed seems to be needed; 0: nothing. goals: finds returns to
    an earlier subject. pruning: the user's. reads_tags: as in `PagingPolicy`."""

    passages: int = 0
    goals: GoalModel | None = None
    pruning: PruningSettings = PruningSettings()
    reads_tags: bool = False
    _made: dict[str, Policy] = field(default_factory=dict)

    def __call__(self, name: str) -> Policy:
        if name not in LEVELS or name == OFF:
            return nothing
        if name not in self._made:
            self._made[name] = paging_policy(
                name, self.passages, self.goals, self.pruning, reads_tags=self.reads_tags
            )
        return self._made[name]
