"""What the records of a ledger add up to: decisions in force, credit, bill (PX-2). Pure.

A decision holds once a later record proves that its request left with it. One without proof is
returned apart: it is never replayed silently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from wm.formats.ledger import UNSEEN_FORMS, LedgerBill, LedgerDecision, LedgerRecord, Uncut
from wm.text.patterns import Lazy

_HANDLE = Lazy(r"\b(o_[0-9a-f]{12})`?\]")
"""At the end of a note; a label or a name before it may be a handle, too."""
MISS_SHARE = 0.9
"""A request that reads less than this share of what was predicted missed the cache."""
LEAST_SCALE, MOST_SCALE = 0.5, 3.0
"""Bounds of reported to estimated tokens; beyond them the report says nothing about length."""


class Branch(Struct):
    """What requests were sent with: these decisions, and those of the branch before unless it
    begins afresh. ends: the places of their ends, which later requests of the branch contain."""

    afresh: bool = False
    decisions: tuple[LedgerDecision, ...] = ()
    ends: list[str] = field(default_factory=list)


class LedgerState(Struct):
    """One conversation, or all of a session together.

    The figures are those of `wm.api.protocol.PagingTotals`. in_force: of the last request, by
    place. branches: of all requests. unproven: by request. objects: handle -> number of faults.
    needed: object -> how often it was needed or brought back. unseen: what the client does not see,
    the offer of phantom tools and their exchanges (PX-5). pinned: objects that were restored and
    not released. chosen: the policy that the person chose for the session. purged: when a person
    deleted its stored steps last, "" for never; gone: the ids of what was deleted. broken: thinking
    may be bound to a prefix that is not sent any more. alive: until when its cache entries live, by
    model, in seconds since 1970. scale: tokens by the service's last count for each estimated one.
    last: the last request that was sent.
    """

    in_force: dict[str, LedgerDecision] = field(default_factory=dict)
    branches: list[Branch] = field(default_factory=list)
    unseen: dict[str, LedgerDecision] = field(default_factory=dict)
    unproven: dict[str, tuple[LedgerDecision, ...]] = field(default_factory=dict)
    void: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    policy: str = ""
    chosen: str = ""
    purged: str = ""
    broken: bool = False
    credit: float = 0.0
    alive: dict[str, float] = field(default_factory=dict)
    requests: int = 0
    cuts: int = 0
    removed: int = 0
    uncut: Uncut | None = None
    faults: int = 0
    restored: int = 0
    misses: int = 0
    emergencies: int = 0
    dropped: int = 0
    passages: int = 0
    phantoms: int = 0
    saved: float = 0.0
    spent: float = 0.0
    fault_cost: float = 0.0
    phantom_cost: float = 0.0
    added: int = 0
    added_cost: float = 0.0
    scale: float = 1.0
    last: LedgerRecord | None = None
    marked: list[tuple[str, ...]] = field(default_factory=list)
    objects: dict[str, int] = field(default_factory=dict)
    needed: Counter[str] = field(default_factory=Counter)
    pinned: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)


class SessionLedger(Struct):
    """All of a session: whole, and each conversation by its name, "" for the main one."""

    whole: LedgerState = field(default_factory=LedgerState)
    conversations: dict[str, LedgerState] = field(default_factory=dict)

    def add(self, records: Iterable[LedgerRecord]) -> SessionLedger:
        """Add later records; returns itself."""
        for record in records:
            take(self.whole, record)
            if record.kind != "policy":  # that is of the session
                known = self.conversations.setdefault(record.conversation, LedgerState())
                take(known, record)
        return self

    def of(self, conversation: str) -> LedgerState:
        """A conversation's own; empty if nothing is known of it."""
        return self.conversations.get(conversation) or LedgerState()


def handles_in(one: LedgerDecision) -> frozenset[str]:
    """The handles of the stored texts that a decision removes."""
    removes = one.form not in UNSEEN_FORMS and one.form != "passages"
    return frozenset(found[1] for found in _HANDLE.finditer(one.text) if removes)


def folded(records: Iterable[LedgerRecord]) -> SessionLedger:
    """What these records of a session add up to, oldest first."""
    return SessionLedger().add(records)


def take(state: LedgerState, record: LedgerRecord) -> None:
    """Add one record to the state."""
    match record.kind:
        case "decided":
            _take_decided(state, record)
        case "void":
            state.void.add(record.request)  # it may come before what it voids
            state.unproven.pop(record.request, None)
        case "dropped" if record.request not in state.sent:  # once, as with "sent"
            unseen = [one for one in record.decisions if one.form in UNSEEN_FORMS]
            seen = tuple(one for one in record.decisions if one.form not in UNSEEN_FORMS)
            _take_branch(state, Branch(afresh=True, decisions=seen))
            state.unseen = {one.block: one for one in unseen}
            state.unproven.clear()
            state.dropped += 1
            state.broken = True
            state.credit = record.credit
        case "sent" if record.request not in state.sent:  # a late write may come twice
            state.sent.add(record.request)
            decisions = state.unproven.pop(record.request, ())
            branch = Branch(record.afresh, (*record.decisions, *decisions), [record.end])
            _take_branch(state, branch)
            state.cuts += any(one.reason == "cut" for one in decisions)
            state.passages += sum(one.form == "passages" for one in decisions)
            state.broken |= record.tolerant
            _take_figures(state, record)
            # At a cut the marks that are left decide what is read; the block model knows none.
            state.misses += not decisions and is_miss(record)
        case "phantom":
            state.unseen.update((one.block, one) for one in record.decisions)
            # Only an exchange names its request; the offer and what was given up do not.
            state.phantoms += len(record.decisions) if record.request else 0
            state.phantom_cost -= record.saved
        case "fault":
            state.faults += len(record.objects)
            state.fault_cost -= record.saved
            state.credit = record.credit
            state.needed.update(record.objects)
            for name in record.objects:
                state.objects[name] = state.objects.get(name, 0) + 1
        case "restored":
            state.restored += 1
            state.needed.update(record.objects)
            state.pinned.update(record.objects)
        case "released":
            state.pinned.difference_update(record.objects)
        case "policy":
            state.chosen = record.policy
        case "purged":
            state.purged = record.at
            state.gone.update(record.objects)


def _take_decided(state: LedgerState, record: LedgerRecord) -> None:
    if record.request in state.void:
        return
    state.unproven[record.request] = record.decisions
    state.policy = record.policy or state.policy
    state.marked += [record.marked] if record.marked else []
    state.emergencies += record.emergency
    state.broken |= record.tolerant


def _take_branch(state: LedgerState, branch: Branch) -> None:
    """What the next requests are sent with."""
    if not (branch.afresh or branch.decisions) and state.branches:
        state.branches[-1].ends += branch.ends
        return
    state.branches.append(branch)
    known = {} if branch.afresh else state.in_force
    state.in_force = {**known, **{one.block: one for one in branch.decisions}}


def _take_figures(state: LedgerState, record: LedgerRecord) -> None:
    state.requests += 1
    state.last = record
    state.scale = scale_of(record) or state.scale
    state.removed = record.removed
    state.uncut = record.uncut
    state.added = record.added
    state.added_cost += record.added_cost
    state.policy = record.policy or state.policy
    state.credit = record.credit
    state.alive[record.model] = record.alive_until
    before = record.saved + record.spent  # its cut
    state.saved += max(0.0, before)
    state.spent += record.spent - min(0.0, before)


def scale_of(record: LedgerRecord) -> float:
    """Tokens by the service's count for each estimated one; 0 if that is not known."""
    made, found = record.predicted, record.reported
    if made is None or found is None or not made.tokens:
        return 0.0
    ratio = found.tokens / made.tokens
    return ratio if LEAST_SCALE <= ratio <= MOST_SCALE else 0.0


def is_miss(record: LedgerRecord) -> bool:
    """Whether the service read clearly less of the request from its cache than was predicted."""
    if record.predicted is None or record.reported is None:
        return False
    return _read_share(record.reported) < MISS_SHARE * _read_share(record.predicted)


def _read_share(bill: LedgerBill) -> float:
    return bill.read / max(1, bill.tokens)
