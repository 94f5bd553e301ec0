"""Undo one act: the memory as if it had not happened, or the reason why that is not possible.

Judges by the entry's present state, not by later acts: an act can be undone while its effect is
still present. Nothing is lost: a removed entry goes to the trash, and the reversal is a fact like
any other act's, so it can be undone in turn (WM-7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.facts import Detail, Fact, Refusal
from wm.domain.memory import edits, entry_list
from wm.domain.memory.acts import Act
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.retention import touched
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings

_FIELDS = ("text", "rationale", "type", "user_importance", "pinned")
_ALONG = ("source", "confidence", "retention_clock")
"""Fields that a text edit changes as well; old evidence does not contain them."""
_CUT = "…"


class UndoResult(Struct, frozen=True):
    """The result of an undo. entry: its state afterwards.

    trashes: the entry goes to the trash, with a tombstone if `stone`. untrashes: it leaves the
    trash, and its tombstone is removed.
    """

    memory: WorkspaceMemory
    entry: MemoryEntry
    facts: tuple[Fact, ...]
    trashes: bool = False
    stone: bool = False
    untrashes: bool = False


class UndoContext(Struct, frozen=True):
    """Input of an undo: the memory, the entry of an id in the trash, and the ids that have a
    tombstone."""

    memory: WorkspaceMemory
    trashed: Callable[[str], MemoryEntry | None]
    stones: frozenset[str]
    now: datetime
    settings: MemorySettings

    def entry(self, entry_id: str) -> MemoryEntry | None:
        return entry_list.find(self.memory, entry_id)


def reverse(act: Act, context: UndoContext) -> UndoResult | Refusal:
    """Undo one act. Refusals: already, not_reversible, gone, changed_since, replaced, and those of
    `edits.accept`."""
    if act.undone_by:
        return Refusal.of("undo.already", act=act.record.event_id, by=act.undone_by)
    step = _STEPS.get(act.record.type)
    if step is None:
        return _final(act)
    done = step(act.record, context)
    if isinstance(done, Refusal):
        return done
    first, *more = done.facts
    marked = replace(first, details={**first.details, "undoes": act.record.event_id})
    return replace(done, facts=(marked, *more))


def _final(act: Act) -> Refusal:
    messages = {
        "move": "To undo a move, move the workspace again: `wm workspace mv`.",
        "reinforce": "A recurrence cannot be undone; it only makes the entry fade more slowly.",
    }
    return Refusal("not_reversible", messages.get(act.word, f"A {act.word} cannot be undone."))


# --- steps ------------------------------------------------------------------------------------


def _untrash(record: EvidenceRecord, context: UndoContext) -> UndoResult | Refusal:
    """Undo a forget, a reject, or the undo of a remember: the entry returns."""
    trashed = context.trashed(record.entry)
    if trashed is None:
        there = context.entry(record.entry)
        code = "gone" if there is None else "changed_since"
        message = f"{record.entry} is no longer in the trash, so it cannot be restored."
        return Refusal(code, message)
    memory, (fact,) = edits.restore(
        context.memory, trashed, trashed=context.trashed, now=context.now
    )
    fact = replace(fact, details={**fact.details, "stone": trashed.id in context.stones})
    return UndoResult(memory, entry_list.get(memory, fact.entry), (fact,), untrashes=True)


def _trash_again(record: EvidenceRecord, context: UndoContext) -> UndoResult | Refusal:
    """Undo a restore: the entry goes to the trash again, with its tombstone if it had one."""
    entry = context.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, context)
    back = _ids(record, "retired")
    if entry.status == "superseded" and back:
        return _replaced_since(entry)
    return _trashed(entry, context, stone=bool(record.details.get("stone", True)), back=back)


def _unlearn(record: EvidenceRecord, context: UndoContext) -> UndoResult | Refusal:
    """Undo a remember or an import: the entry goes to the trash, and the entries that it replaced
    are active again. No tombstone: the request counts as never made."""
    entry = context.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, context)
    if record.event_id != entry.admitted_by and record.created_at != entry.created_at:
        return Refusal.of("undo.older_entry", entry=entry.id)
    if entry.status == "superseded" and not record.details.get("history"):
        return _replaced_since(entry)
    if record.type == "memory_inbox" and entry.status != "inbox":
        return Refusal.of("undo.left_inbox", entry=entry.id, status=entry.status)
    active = entry.status == "active"
    back = _replaced_by(context.memory, entry, entry.id) if active else ()
    stone = bool(_ids(record, "lifted"))
    return _trashed(entry, context, stone=stone, back=back)


def _trashed(
    entry: MemoryEntry, context: UndoContext, *, stone: bool, back: tuple[str, ...]
) -> UndoResult:
    memory, gone = edits.trash(context.memory, entry.id)
    memory = _reactivate(memory, back, by=entry.id, now=context.now)
    details: dict[str, Detail] = {"text": gone.text, **_listed("reactivated", back)}
    if not stone:
        details["stone"] = False
    fact = Fact("memory_trashed", "user", "trashed", gone.id, (), details)
    return UndoResult(memory, gone, (fact,), trashes=True, stone=stone)


def _before(recorded: Mapping[str, object]) -> tuple[str, ...]:
    """Fields whose value before the act is in the record."""
    names = (name.removesuffix("Before") for name in recorded if name.endswith("Before"))
    return tuple(n for n in names if n in recorded and n in MemoryEntry.model_fields)


def _unedit(
    record: EvidenceRecord, context: UndoContext, *, fields: tuple[str, ...] = _FIELDS
) -> UndoResult | Refusal:
    """Undo an edit, pin or importance: restore each field that still has the value of the edit."""
    entry = context.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, context)
    if entry.status not in ("active", "inbox"):
        return Refusal.of("undo.history_only", entry=entry.id, status=entry.status)
    recorded = record.details
    fields = tuple(name for name in fields if f"{name}Before" in recorded)
    if not fields:
        return Refusal.of("undo.no_earlier_anchor", entry=entry.id)
    for name in (n for n in fields if n not in _ALONG):
        if recorded.get(name) != getattr(entry, name):
            field = name.replace("_", " ")
            return Refusal.of("undo.changed_again", field=field, entry=entry.id)
    changes = {name: recorded[f"{name}Before"] for name in fields}
    text = str(changes.get("text", ""))
    if text.endswith(_CUT) and len(text) > context.settings.max_text_chars:
        return Refusal.of("undo.cut_text")
    changes |= {name: recorded[f"{name}Before"] for name in _ALONG if f"{name}Before" in recorded}
    again = touched(entry, context.now, **changes)
    twin = edits.duplicate(context.memory, again) if "text" in changes else None
    if twin is not None:
        return twin
    details = edits.changed_fields(entry, changes)
    fact = Fact("memory_edited", "user", "changed", entry.id, tuple(sorted(fields)), details)
    return UndoResult(entry_list.replaced(context.memory, again), again, (fact,))


def _return(record: EvidenceRecord, context: UndoContext) -> UndoResult | Refusal:
    """Undo an accept: the entry waits again, and the entries that it replaced are active again."""
    entry = context.entry(record.entry)
    if entry is None or entry.status == "trashed":
        return _not_there(record.entry, context)
    absorbed = record.outcome == "absorbed"
    if entry.status != ("superseded" if absorbed else "active"):
        return Refusal.of("undo.no_effect_left", entry=entry.id, status=entry.status)
    carrier = entry.superseded_by if absorbed else entry.id
    back = _replaced_by(context.memory, entry, carrier)
    memory = _reactivate(context.memory, back, by=carrier, now=context.now)
    reasons = entry.reasons if absorbed else record.reason_codes
    again = touched(entry, context.now, status="inbox", reasons=reasons, superseded_by="")
    if back and not absorbed:
        again = again.model_copy(update={"since": ""})  # It has replaced nothing.
    details = _listed("reactivated", back)
    fact = Fact("memory_returned", "user", "inbox", entry.id, reasons, details)
    return UndoResult(entry_list.replaced(memory, again), again, (fact,))


def _accept_again(record: EvidenceRecord, context: UndoContext) -> UndoResult | Refusal:
    if context.entry(record.entry) is None:
        return _not_there(record.entry, context)
    editor = MemoryEditor(context.memory)
    done = edits.accept(editor, record.entry, now=context.now, settings=context.settings)
    if isinstance(done, Refusal):
        return done
    memory, facts = done
    return UndoResult(memory, entry_list.get(memory, record.entry), facts)


def _unaccept_outside(record: EvidenceRecord, context: UndoContext) -> UndoResult | Refusal:
    """Undo an accepted outside change: restore a deleted entry, move an added one to the trash."""
    entry = context.entry(record.entry)
    if entry is None:
        return _not_there(record.entry, context)
    if record.outcome == "trashed" and entry.status == "trashed":
        memory, facts = edits.restore(
            context.memory, entry, trashed=context.trashed, now=context.now
        )
        fact = Fact("memory_restored", "user", "restored", entry.id, (), {"stone": False})
        return UndoResult(memory, entry_list.get(memory, facts[0].entry), (fact,))
    if record.outcome == "accepted" and entry.status != "trashed":
        return _trashed(entry, context, stone=False, back=())
    recorded = record.details
    if record.outcome == "changed" and not recorded.get("further") and _before(recorded):
        return _unedit(record, context, fields=_before(recorded))
    return Refusal.of("undo.no_earlier_text", entry=entry.id)


def _counted(record: EvidenceRecord, _context: UndoContext) -> Refusal:
    return Refusal.of("undo.recurrence", entry=record.entry)


_STEPS: Mapping[str, Callable[[EvidenceRecord, UndoContext], UndoResult | Refusal]] = {
    "memory_promoted": _unlearn,
    "memory_superseded": _unlearn,
    "memory_inbox": _unlearn,
    "memory_imported": _unlearn,
    "memory_received": _unlearn,
    "memory_absorbed": _counted,
    "memory_edited": _unedit,
    "memory_trashed": _untrash,
    "memory_rejected": _untrash,
    "memory_restored": _trash_again,
    "memory_accepted": _return,
    "memory_returned": _accept_again,
    "outside_accepted": _unaccept_outside,
}
"""Type of an act's record -> the function that undoes it."""


# --- parts ------------------------------------------------------------------------------------


def _replaced_since(entry: MemoryEntry) -> Refusal:
    return Refusal.of("undo.replaced_since", entry=entry.id, by=entry.superseded_by)


def _not_there(entry_id: str, context: UndoContext) -> Refusal:
    present = context.trashed(entry_id) is not None or context.entry(entry_id) is not None
    if present:
        return Refusal.of("undo.in_trash", entry=entry_id)
    return Refusal.of("undo.gone", entry=entry_id)


def _replaced_by(memory: WorkspaceMemory, entry: MemoryEntry, carrier: str) -> tuple[str, ...]:
    """The entries that this one replaced and that no later entry replaced again. carrier: the id
    that carries its fact."""
    replaced = (e for e in memory.entries if e.id in entry.supersedes)
    return tuple(e.id for e in replaced if e.superseded_by == carrier)


def _reactivate(
    memory: WorkspaceMemory, ids: Iterable[str], *, by: str, now: datetime
) -> WorkspaceMemory:
    """Restore entries that `by` replaced: active, or in the inbox if they have reasons."""
    for entry_id in ids:
        entry = entry_list.find(memory, entry_id)
        if entry is None or entry.status != "superseded" or entry.superseded_by != by:
            continue
        status = "inbox" if entry.reasons else "active"
        memory = entry_list.replaced(memory, touched(entry, now, status=status, superseded_by=""))
    return memory


def _ids(record: EvidenceRecord, name: str) -> tuple[str, ...]:
    value = record.details.get(name) or ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


def _listed(name: str, ids: tuple[str, ...]) -> dict[str, Detail]:
    return {name: ids} if ids else {}
