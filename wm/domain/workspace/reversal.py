"""Take one act back: the memory as if it had not happened, or the reason why that cannot be.

Judged by what the entry is now, not by what came after: an act is taken back while its effect
still stands. Nothing is lost on the way: what leaves the memory goes to the trash, and what the
reversal did is a fact like any other act's, so that it can be taken back in turn (WM-7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct

from wm.domain.facts import Detail, Fact, Refusal
from wm.domain.times import iso
from wm.domain.workspace import edits, entries
from wm.domain.workspace.acts import Act
from wm.domain.workspace.consolidate import Ledger
from wm.domain.workspace.retention import clock_of
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings

_FIELDS = ("text", "rationale", "type", "user_importance", "pinned")
_ALONG = ("source", "confidence", "retention_clock")
"""Fields that an edit of the text changes along with it; old evidence does not tell them."""
_CUT = "…"


class Reversal(Struct, frozen=True):
    """What taking an act back does. entry: as it is afterwards.

    trashes: to the trash, with a tombstone where `stone`. untrashes: leaves the trash, and its
    tombstone goes.
    """

    memory: WorkspaceMemory
    entry: MemoryEntry
    facts: tuple[Fact, ...]
    trashes: bool = False
    stone: bool = False
    untrashes: bool = False


class Ground(Struct, frozen=True):
    """What a reversal looks at: the memory, the entry of the act there and in the trash, and
    the ids that have a tombstone."""

    memory: WorkspaceMemory
    trashed: MemoryEntry | None
    stones: frozenset[str]
    now: datetime
    settings: MemorySettings

    def entry(self, entry_id: str) -> MemoryEntry | None:
        return entries.find(self.memory, entry_id)


def reverse(act: Act, ground: Ground) -> Reversal | Refusal:
    """Take one act back. Refusals: already, not_reversible, gone, changed_since, replaced, and
    what `edits.accept` refuses."""
    if act.undone_by:
        message = f"{act.record.event_id} was taken back already, by {act.undone_by}."
        fix = f"`wm undo {act.undone_by}` does it again."
        return Refusal("already", message, fix=fix)
    step = _STEPS.get(act.record.type)
    if step is None:
        return _final(act)
    done = step(act.record, ground)
    if isinstance(done, Refusal):
        return done
    first, *more = done.facts
    return Reversal(
        done.memory,
        done.entry,
        (_marked(first, act.record), *more),
        done.trashes,
        done.stone,
        done.untrashes,
    )


def _marked(fact: Fact, record: EvidenceRecord) -> Fact:
    details: dict[str, Detail] = {**fact.details, "undoes": record.event_id}
    return Fact(fact.type, fact.phase, fact.outcome, fact.entry, fact.reason_codes, details)


def _final(act: Act) -> Refusal:
    told = {
        "move": "Moving a workspace is taken back by moving it again: `wm workspace mv`.",
        "reinforce": "That a fact was seen again cannot be taken back; it only fades more slowly.",
    }
    return Refusal("not_reversible", told.get(act.word, f"A {act.word} cannot be taken back."))


# --- steps ------------------------------------------------------------------------------------


def _untrash(record: EvidenceRecord, ground: Ground) -> Reversal | Refusal:
    """Of a forget, a reject, a remember that was taken back: the entry comes back."""
    if ground.trashed is None:
        there = ground.entry(record.entry)
        code = "gone" if there is None else "changed_since"
        told = "is no longer in the trash" if there is None else "is not in the trash any more"
        return Refusal(code, f"{record.entry} {told}, so there is nothing to bring back.")
    memory, facts = edits.restore(ground.memory, ground.trashed, now=ground.now)
    entry_id = facts[0].entry
    retired = _ids(record, "reactivated")
    memory = _retire(memory, retired, by=entry_id, now=ground.now)
    stone = ground.trashed.id in ground.stones
    details = {**facts[0].details, **_listed("retired", retired), "stone": stone}
    fact = Fact("memory_restored", "user", facts[0].outcome, entry_id, (), details)
    return Reversal(memory, entries.get(memory, entry_id), (fact,), untrashes=True)


def _trash_again(record: EvidenceRecord, ground: Ground) -> Reversal | Refusal:
    """Of a restore: the entry goes to the trash again, with its tombstone if it had one."""
    entry = ground.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, ground)
    stone = bool(record.details.get("stone", True))
    return _trashed(entry, ground, stone=stone, back=_ids(record, "retired"))


def _unlearn(record: EvidenceRecord, ground: Ground) -> Reversal | Refusal:
    """Of a remember or an import: the entry that it made goes to the trash, and what it replaced
    is active again. No tombstone: it is as if nobody had asked."""
    entry = ground.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, ground)
    if record.event_id != entry.admitted_by and record.created_at != entry.created_at:
        message = f"{entry.id} was there before; this changed nothing that could be taken back."
        return Refusal("not_reversible", message)
    if entry.status == "superseded":
        message = f"{entry.id} was replaced since, by {entry.superseded_by}."
        return Refusal("replaced", message, fix="Take that back first, or leave both.")
    if record.type == "memory_inbox" and entry.status != "inbox":
        message = f"{entry.id} does not wait in the inbox any more: it is {entry.status}."
        return Refusal("changed_since", message, fix=f"`wm forget {entry.id}` removes it.")
    back = tuple(e.id for e in _replaced_by(ground.memory, entry)) if entry.supersedes else ()
    back = back if entry.status == "active" else ()
    stone = bool(_ids(record, "lifted"))
    return _trashed(entry, ground, stone=stone, back=back)


def _trashed(
    entry: MemoryEntry,
    ground: Ground,
    *,
    stone: bool,
    back: tuple[str, ...],
) -> Reversal:
    memory, gone = edits.trash(ground.memory, entry.id)
    memory = _reactivate(memory, back, by=entry.id, now=ground.now)
    details: dict[str, Detail] = {"text": gone.text, **_listed("reactivated", back)}
    if not stone:
        details["stone"] = False
    fact = Fact("memory_trashed", "user", "trashed", gone.id, (), details)
    return Reversal(memory, gone, (fact,), trashes=True, stone=stone)


def _before(told: Mapping[str, object]) -> tuple[str, ...]:
    """Fields that the record tells before and after."""
    names = (name.removesuffix("Before") for name in told if name.endswith("Before"))
    return tuple(n for n in names if n in told and n in MemoryEntry.model_fields)


def _unedit(
    record: EvidenceRecord, ground: Ground, *, fields: tuple[str, ...] = _FIELDS
) -> Reversal | Refusal:
    """Of an edit, pin or importance: each field as it was, if it still is what the edit made."""
    entry = ground.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, ground)
    if entry.status not in ("active", "inbox"):
        return Refusal("replaced", f"{entry.id} is {entry.status} and kept as history only.")
    told = record.details
    fields = tuple(name for name in fields if f"{name}Before" in told)
    if not fields:
        message = f"The code that {entry.id} was tied to before is not kept in the evidence."
        fix = f"`wm edit {entry.id} --anchor PATH:SYMBOL` ties it anew."
        return Refusal("not_reversible", message, fix=fix)
    for name in (n for n in fields if n not in _ALONG):
        if told.get(name) != getattr(entry, name):
            message = f"The {name.replace('_', ' ')} of {entry.id} was changed again since."
            return Refusal("changed_since", message, fix="Take the later change back first.")
    changes = {name: told[f"{name}Before"] for name in fields}
    if str(changes.get("text", "")).endswith(_CUT) and len(str(changes["text"])) > _longest(ground):
        return Refusal("not_reversible", "The text before was too long to be kept in the evidence.")
    changes |= {name: told[f"{name}Before"] for name in _ALONG if f"{name}Before" in told}
    again = _touched(entry, ground.now, **changes)
    twin = edits.duplicate(ground.memory, again) if "text" in changes else None
    if twin is not None:
        return twin
    details = edits.told(entry, changes)
    fact = Fact("memory_edited", "user", "changed", entry.id, tuple(sorted(fields)), details)
    return Reversal(entries.replaced(ground.memory, again), again, (fact,))


def _return(record: EvidenceRecord, ground: Ground) -> Reversal | Refusal:
    """Of an accept: the entry waits again, and what it replaced is active again."""
    entry = ground.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, ground)
    absorbed = record.outcome == "absorbed"
    if entry.status != ("superseded" if absorbed else "active"):
        message = f"{entry.id} is {entry.status} now; accepting it has no effect left."
        return Refusal("changed_since", message)
    back = () if absorbed else tuple(e.id for e in _replaced_by(ground.memory, entry))
    memory = _reactivate(ground.memory, back, by=entry.id, now=ground.now)
    reasons = entry.reasons if absorbed else record.reason_codes
    again = _touched(entry, ground.now, status="inbox", reasons=reasons, superseded_by="")
    details = _listed("reactivated", back)
    fact = Fact("memory_returned", "user", "inbox", entry.id, reasons, details)
    return Reversal(entries.replaced(memory, again), again, (fact,))


def _accept_again(record: EvidenceRecord, ground: Ground) -> Reversal | Refusal:
    ledger = Ledger(ground.memory)
    done = edits.accept(ledger, record.entry, now=ground.now, settings=ground.settings)
    if isinstance(done, Refusal):
        return done
    memory, facts = done
    return Reversal(memory, entries.get(memory, record.entry), facts)


def _unaccept_outside(record: EvidenceRecord, ground: Ground) -> Reversal | Refusal:
    """Of an accepted edit by hand: a deletion is brought back, an addition goes to the trash."""
    entry = ground.entry(record.entry)
    if entry is None:
        return _not_there(record.entry, ground)
    if record.outcome == "trashed" and entry.status == "trashed":
        memory, facts = edits.restore(ground.memory, entry, now=ground.now)
        fact = Fact("memory_restored", "user", "restored", entry.id, (), {"stone": False})
        return Reversal(memory, entries.get(memory, facts[0].entry), (fact,))
    if record.outcome == "accepted" and entry.status != "trashed":
        return _trashed(entry, ground, stone=False, back=())
    told = record.details
    if record.outcome == "changed" and not told.get("further") and _before(told):
        return _unedit(record, ground, fields=_before(told))
    message = f"What {entry.id} said before the edit by hand is not kept in the evidence."
    return Refusal("not_reversible", message, fix=f"`wm edit {entry.id}` sets it right.")


def _counted(record: EvidenceRecord, _ground: Ground) -> Refusal:
    message = f"{record.entry} said so already; being seen again only makes it fade more slowly."
    return Refusal("not_reversible", message, fix=f"`wm forget {record.entry}` removes it.")


_STEPS: Mapping[str, Callable[[EvidenceRecord, Ground], Reversal | Refusal]] = MappingProxyType(
    {
        "memory_promoted": _unlearn,
        "memory_superseded": _unlearn,
        "memory_inbox": _unlearn,
        "memory_imported": _unlearn,
        "memory_absorbed": _counted,
        "memory_edited": _unedit,
        "memory_trashed": _untrash,
        "memory_rejected": _untrash,
        "memory_restored": _trash_again,
        "memory_accepted": _return,
        "memory_returned": _accept_again,
        "outside_accepted": _unaccept_outside,
    }
)
"""Type of an act's record -> how it is taken back."""


# --- parts ------------------------------------------------------------------------------------


def _not_there(entry_id: str, ground: Ground) -> Refusal:
    present = ground.trashed is not None or ground.entry(entry_id) is not None
    if present:
        message = f"{entry_id} is in the trash."
        return Refusal("gone", message, fix=f"`wm restore {entry_id}` brings it back.")
    return Refusal("gone", f"{entry_id} is gone, so there is nothing to take back.")


def _longest(ground: Ground) -> int:
    return ground.settings.max_text_chars


def _replaced_by(memory: WorkspaceMemory, entry: MemoryEntry) -> tuple[MemoryEntry, ...]:
    """What this entry took the place of, as far as nothing else did since."""
    return tuple(
        e
        for e in memory.entries
        if e.id in entry.supersedes and e.status == "superseded" and e.superseded_by == entry.id
    )


def _reactivate(
    memory: WorkspaceMemory, ids: Iterable[str], *, by: str, now: datetime
) -> WorkspaceMemory:
    """Entries that `by` took the place of are what they were: active, or waiting with reasons."""
    for entry_id in ids:
        entry = entries.find(memory, entry_id)
        if entry is None or entry.status != "superseded" or entry.superseded_by != by:
            continue
        status = "inbox" if entry.reasons else "active"
        memory = entries.replaced(memory, _touched(entry, now, status=status, superseded_by=""))
    return memory


def _retire(
    memory: WorkspaceMemory, ids: Iterable[str], *, by: str, now: datetime
) -> WorkspaceMemory:
    for entry_id in ids:
        entry = entries.find(memory, entry_id)
        if entry is None or entry.status not in ("active", "inbox") or entry_id == by:
            continue
        memory = entries.replaced(
            memory, _touched(entry, now, status="superseded", superseded_by=by)
        )
    return memory


def _touched(entry: MemoryEntry, now: datetime, **changes: object) -> MemoryEntry:
    """The entry changed at `now`; its age is not."""
    update = {"retention_clock": clock_of(entry), "updated_at": iso(now), **changes}
    return entry.model_copy(update=update)


def _ids(record: EvidenceRecord, name: str) -> tuple[str, ...]:
    value = record.details.get(name) or ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


def _listed(name: str, ids: tuple[str, ...]) -> dict[str, Detail]:
    return {name: ids} if ids else {}
