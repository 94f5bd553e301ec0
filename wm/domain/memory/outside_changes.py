"""Outside changes wait for a person's acceptance (ST-4).

Every entry that was changed, added or deleted outside `wm` becomes an inbox entry; the old text
stays in force until a person accepts. An agent's tool can write to the file as well as a person
can, so an outside change never counts at once. Reformatting changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from wm.domain.facts import Detail, Fact
from wm.domain.learning.entry_type import infer_type
from wm.domain.memory import entry_list
from wm.domain.memory.retention import clock_of
from wm.domain.times import iso
from wm.formats.base import dump
from wm.formats.evidence import Outcome
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.text.letters import canonical

CHANGED, ADDED, DELETED = "changed", "added", "deleted"
PROPOSED_BY_OTHERS = frozenset({"team_changed", "team_deleted"})
"""Reasons of a change that another author shared (SY-3)."""
VALUES = (str, bool, int, float)
"""Types that a record's details can hold unchanged."""
_STATUS = "status:"
"""The reason `status:superseded` holds the status that the outside change set, if not active."""
_PROPOSAL_FIELDS = ("id", "status", "outside", "supersedes")


def absorb(
    in_force: WorkspaceMemory, edited: WorkspaceMemory, *, now: datetime, new_id: Callable[[], str]
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """The memory in force with every outside change in its inbox, and the facts.

    An entry without id, type or dates gets them. One without text is reported and left out. Limits
    of the workspace are taken over; its identity and its times of use cannot be edited.
    """
    known = {entry.id: entry for entry in in_force.entries}
    proposals: list[MemoryEntry] = []
    facts: list[Fact] = []
    seen: set[str] = set()
    for entry in edited.entries:
        old = known.get(entry.id) if entry.id not in seen else None
        seen.add(entry.id)
        undated = not (entry.created_at and entry.updated_at)
        entry = _completed(entry, old, now)
        if old == entry:
            continue
        if not canonical(entry.text):
            facts.append(_noticed(entry.id, "outside_invalid", "empty"))
            continue
        taken = {*known, *(p.id for p in proposals)}
        proposal = _proposal(entry, old, taken, new_id)
        if not _waits_already(proposal, in_force.entries, dated=not undated):
            proposals.append(proposal)
    gone = (_deleted(known[i], new_id) for i in known if i not in seen)
    fresh = [*proposals, *(p for p in gone if not _waits_already(p, in_force.entries))]
    facts += [_found(p) for p in fresh]
    if edited.limits != in_force.limits:
        facts.append(_noticed("", "outside_limits"))
    if not fresh and edited.limits == in_force.limits:
        return in_force, tuple(facts)
    update = {
        "entries": (*in_force.entries, *fresh),
        "limits": edited.limits,
        "updated_at": iso(now),
    }
    return in_force.model_copy(update=update), tuple(facts)


def accept_outside(
    memory: WorkspaceMemory, *, now: datetime
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """Apply every waiting change that was made by hand, in the order of arrival; not those that
    other authors propose."""
    facts: list[Fact] = []
    for proposal in memory.entries:
        by_hand = proposal.outside and PROPOSED_BY_OTHERS.isdisjoint(proposal.reasons)
        if proposal.status == "inbox" and by_hand:
            memory, done = accept_one(memory, proposal, now=now)
            facts += done
    return memory, tuple(facts)


def accept_one(
    memory: WorkspaceMemory, proposal: MemoryEntry, *, now: datetime
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """Apply one change. A deleted entry stays in the document as trashed, so it can be restored; a
    change of an entry that is gone meanwhile becomes an entry of its own."""
    rest = entry_list.removed(memory, proposal)
    target = _target(proposal, rest)
    if proposal.outside == DELETED:
        if target is not None:
            rest = entry_list.replaced(rest, _trashed(target, now))
        return rest, (_carried_out(proposal, target, "trashed"),)
    if target is not None:
        done = _applied(proposal, target, now)
        fact = _carried_out(proposal, target, "changed", done)
        return entry_list.replaced(rest, done), (fact,)
    done = _entered(proposal, now)
    return entry_list.added(rest, done), (_carried_out(proposal, done, "accepted"),)


def _completed(entry: MemoryEntry, old: MemoryEntry | None, now: datetime) -> MemoryEntry:
    """Fill in what a person left out; dates come from the edited entry, or are now."""
    created, updated = (old.created_at, old.updated_at) if old is not None else (iso(now), iso(now))
    return entry.model_copy(
        update={
            "type": entry.type or (infer_type(entry.text) if old is None else old.type),
            "created_at": entry.created_at or created,
            "updated_at": entry.updated_at or updated,
        }
    )


def _proposal(
    entry: MemoryEntry, old: MemoryEntry | None, taken: set[str], new_id: Callable[[], str]
) -> MemoryEntry:
    keeps_id = old is None and entry.id and entry.id not in taken
    kind = ADDED if old is None else CHANGED
    asked = () if entry.status == "active" else (f"{_STATUS}{entry.status}",)
    return entry.model_copy(
        update={
            "id": entry.id if keeps_id else new_id(),
            "status": "inbox",
            "outside": kind,
            "supersedes": () if old is None else (old.id,),
            "reasons": (f"outside_{kind}", *asked),
        }
    )


def _deleted(old: MemoryEntry, new_id: Callable[[], str]) -> MemoryEntry:
    return old.model_copy(
        update={
            "id": new_id(),
            "status": "inbox",
            "outside": DELETED,
            "supersedes": (old.id,),
            "reasons": ("outside_deleted",),
        }
    )


def _waits_already(
    proposal: MemoryEntry, known: Iterable[MemoryEntry], *, dated: bool = True
) -> bool:
    """Whether the same change of the same entry is in the inbox: a file may be read twice. dated:
    the file had its dates."""
    asked = _content(proposal, dated)
    return any(
        e.status == "inbox"
        and e.outside == proposal.outside
        and e.supersedes == proposal.supersedes
        and _content(e, dated) == asked
        for e in known
        if e.outside
    )


def _content(entry: MemoryEntry, dated: bool) -> dict[str, object]:
    left_out = _PROPOSAL_FIELDS if dated else (*_PROPOSAL_FIELDS, "createdAt", "updatedAt")
    return {k: v for k, v in dump(entry).items() if k not in left_out}


def _target(proposal: MemoryEntry, memory: WorkspaceMemory) -> MemoryEntry | None:
    return entry_list.find(memory, proposal.supersedes[0]) if proposal.supersedes else None


def _asked_status(proposal: MemoryEntry) -> str:
    asked = (r.removeprefix(_STATUS) for r in proposal.reasons if r.startswith(_STATUS))
    return next(asked, "active")


def _applied(proposal: MemoryEntry, target: MemoryEntry, now: datetime) -> MemoryEntry:
    """The proposal under the target's id. What the target gained meanwhile stays."""
    status = _asked_status(proposal)
    update: dict[str, object] = {
        "id": target.id,
        "status": status,
        "outside": "",
        "supersedes": target.supersedes,
        "superseded_by": "" if status == "active" else target.superseded_by,
        "reasons": target.reasons if status == "inbox" else (),
        "tainted": proposal.tainted or target.tainted,
        "updated_at": iso(now),
    }
    if proposal.text != target.text:
        update["retention_clock"] = iso(now)
    return proposal.model_copy(update=update)


def _entered(proposal: MemoryEntry, now: datetime) -> MemoryEntry:
    return proposal.model_copy(
        update={
            "status": _asked_status(proposal),
            "outside": "",
            "supersedes": (),
            "reasons": (),
            "updated_at": iso(now),
        }
    )


def _trashed(target: MemoryEntry, now: datetime) -> MemoryEntry:
    return target.model_copy(update={"status": "trashed", "updated_at": iso(now)})


def _found(proposal: MemoryEntry) -> Fact:
    details = {"target": proposal.supersedes[0]} if proposal.supersedes else {}
    return Fact("outside_change", "store", "inbox", proposal.id, proposal.reasons, details)


def _carried_out(
    proposal: MemoryEntry,
    target: MemoryEntry | None,
    outcome: Outcome,
    done: MemoryEntry | None = None,
) -> Fact:
    """The fact of an applied change. `entry` is the changed entry; "unchanged" if it was already
    gone. Records values before and after, so that undo can restore them."""
    entry_id = target.id if target is not None else proposal.id
    outcome = outcome if target is not None else "unchanged"
    reason = f"outside_{proposal.outside}"
    details: dict[str, Detail] = {"proposal": proposal.id}
    if target is not None and done is not None:
        details |= _differing(target, done)
    return Fact("outside_accepted", "user", outcome, entry_id, (reason,), details)


def _differing(target: MemoryEntry, done: MemoryEntry) -> dict[str, Detail]:
    """Each changed field before and after; `further` names fields that are not simple values."""
    old = dict(target) | {"retention_clock": clock_of(target)}
    new = dict(done)
    changed = [n for n in new if new[n] != old.get(n) and n not in ("updated_at", "id")]
    flat = [n for n in changed if isinstance(new[n], VALUES) and isinstance(old.get(n), VALUES)]
    details: dict[str, Detail] = {name: new[name] for name in flat}
    details |= {f"{name}Before": old[name] for name in flat}
    further = tuple(name for name in changed if name not in flat)
    return details | ({"further": further} if further else {})


def _noticed(entry_id: str, *codes: str) -> Fact:
    return Fact("outside_noticed", "store", "noticed", entry_id, codes)
