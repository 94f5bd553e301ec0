"""A person's acts on entries: edit, pin, weigh, forget, restore, accept, reject (WM-7).

Each act returns a new memory and the facts for the evidence log, or a refusal with the figures.
Text is never cut to fit (WM-1). Nothing is lost: the caller receives each removed entry and keeps
it in the trash.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from wm.domain.facts import Detail, Fact, Refusal
from wm.domain.memory import entry_list, outside_changes
from wm.domain.memory.consolidate import MemoryEditor, fresh_id
from wm.domain.memory.questions import MAY_REPLACE
from wm.domain.memory.retention import clock_of, touched
from wm.domain.times import iso
from wm.formats.workspace_memory import (
    CONFIDENCE,
    IMPORTANCES,
    Anchor,
    MemoryEntry,
    WorkspaceMemory,
)
from wm.settings import MemorySettings
from wm.text.letters import canonical

Outcome = tuple[WorkspaceMemory, tuple[Fact, ...]]


def edit(
    memory: WorkspaceMemory,
    entry_id: str,
    *,
    text: str | None = None,
    rationale: str | None = None,
    type: str | None = None,
    importance: str | None = None,
    pinned: bool | None = None,
    anchors: tuple[Anchor, ...] | None = None,
    now: datetime,
    settings: MemorySettings,
) -> Outcome | Refusal:
    """Change the given fields (None: keep). Refusals: see `_unfit`, and not_found, not_editable.

    A text that a person rewrote is the person's: it counts as manual, so that no model may replace
    it, and its age restarts. Taint stays: a new wording does not show where a claim came from.
    """
    entry = _find(memory, entry_id)
    if isinstance(entry, Refusal):
        return entry
    if entry.status not in ("active", "inbox"):
        return Refusal.of("edit.not_editable", entry=entry_id, status=entry.status)
    asked = {
        "text": text,
        "rationale": rationale,
        "type": type,
        "user_importance": importance,
        "pinned": pinned,
        "anchors": anchors,
    }
    changes = {k: v for k, v in asked.items() if v is not None and v != getattr(entry, k)}
    refusal = _unfit(memory, entry, changes, settings)
    if refusal is not None:
        return refusal
    if not changes:
        return memory, (Fact("memory_edited", "user", "unchanged", entry_id),)
    changed = _edited(entry, changes, now=now)
    details = changed_fields(entry, changes) | _along(entry, changed)
    fact = Fact("memory_edited", "user", "changed", entry_id, tuple(sorted(changes)), details)
    return entry_list.replaced(memory, changed), (fact,)


def propose(
    memory: WorkspaceMemory,
    changed: MemoryEntry,
    reasons: tuple[str, ...],
    *,
    new_id: str,
    now: datetime,
    replaces: tuple[str, ...] = (),
) -> tuple[WorkspaceMemory, MemoryEntry, Fact]:
    """Put an edit into the inbox: once accepted, it supersedes the entry that it changes, or those
    that it `replaces`."""
    waiting = changed.model_copy(
        update={
            "id": new_id,
            "status": "inbox",
            "reasons": reasons,
            "supersedes": replaces or (changed.id,),
            "confidence": CONFIDENCE["manual"],
            "created_at": iso(now),
            "updated_at": iso(now),
        }
    )
    details: dict[str, Detail] = {"of": changed.id, "text": changed.text}
    fact = Fact("memory_inbox", "gate", "inbox", new_id, reasons, details)
    return entry_list.added(memory, waiting), waiting, fact


def trash(memory: WorkspaceMemory, entry_id: str) -> tuple[WorkspaceMemory, MemoryEntry]:
    """Remove an entry; the caller keeps it in the trash. Raises KeyError for an unknown id.

    A second entry with this id stays, since only one is returned.
    """
    gone = entry_list.get(memory, entry_id)
    return entry_list.removed(memory, gone), gone


def restore(
    memory: WorkspaceMemory,
    entry: MemoryEntry,
    *,
    now: datetime,
    trashed: Callable[[str], MemoryEntry | None] = lambda _id: None,
) -> Outcome:
    """Restore an entry from the trash unchanged. A second restore changes nothing.

    If another entry took its id meanwhile, the restored entry gets a new id. It replaces again
    what it had replaced, and what carries those facts by now (WM-8). trashed: the entry with this
    id in the trash.
    """
    present = entry_list.find(memory, entry.id)
    status = "active" if entry.status == "trashed" else entry.status
    back = touched(entry, now, status=status)
    if present is not None and present.status == "trashed":
        memory = entry_list.replaced(memory, back)
        return _replacing_again(memory, back, back.id, trashed, now)
    if present is not None and canonical(present.text) == canonical(entry.text):
        return memory, (Fact("memory_restored", "user", "unchanged", entry.id),)
    if present is not None:
        back = back.model_copy(update={"id": fresh_id(entry)})
    return _replacing_again(entry_list.added(memory, back), back, entry.id, trashed, now)


def _replacing_again(
    memory: WorkspaceMemory,
    back: MemoryEntry,
    from_id: str,
    trashed: Callable[[str], MemoryEntry | None],
    now: datetime,
) -> Outcome:
    """The memory in which a restored entry replaces what it replaced, with the restoration's fact.
    from_id: its id in the trash."""
    carriers = _carriers(memory, back, trashed) if back.status == "active" else []
    for old in carriers:
        memory = entry_list.replaced(memory, _retired(old, by=back.id, now=now))
    details: dict[str, Detail] = {"from": from_id} if from_id != back.id else {}
    if retired := tuple(old.id for old in carriers):
        supersedes = tuple(dict.fromkeys((*back.supersedes, *retired)))
        back = back.model_copy(update={"supersedes": supersedes})
        memory, details = entry_list.replaced(memory, back), {**details, "retired": retired}
    return memory, (Fact("memory_restored", "user", "restored", back.id, (), details),)


def _carriers(
    memory: WorkspaceMemory, heir: MemoryEntry, trashed: Callable[[str], MemoryEntry | None]
) -> list[MemoryEntry]:
    """The entries, active or waiting, that carry the facts which this one replaced: the replaced
    entry itself, the one that replaced it since, or, if it was taken back, what it had replaced."""
    found: list[MemoryEntry] = []
    seen, left = {heir.id}, [*heir.supersedes]
    while left:
        entry_id = left.pop()
        if entry_id in seen:
            continue
        seen.add(entry_id)
        entry = entry_list.find(memory, entry_id)
        if entry is None:
            gone = trashed(entry_id)
            left += gone.supersedes if gone is not None else ()
        elif entry.status == "superseded":
            left.append(entry.superseded_by)
        elif entry.status in ("active", "inbox"):
            found.append(entry)
    return found


def accept(
    editor: MemoryEditor, entry_id: str, *, now: datetime, settings: MemorySettings
) -> Outcome | Refusal:
    """Admit an inbox entry because a person accepted it; taint stays as a label.

    A waiting replacement now replaces; a waiting outside change is applied. Does not change the
    editor's memory.
    """
    memory = editor.memory
    entry = _waiting(memory, entry_id)
    if isinstance(entry, Refusal):
        return entry
    refusal = None if entry.outside == outside_changes.DELETED else _too_long(entry, settings)
    if refusal is not None:
        return refusal
    if entry.outside:
        return outside_changes.accept_one(memory, entry, now=now)
    twins = [t for t in editor.twins(entry) if t.status == "active"]
    if twins:
        known = _retired(entry, by=twins[0].id, now=now)
        details: dict[str, Detail] = {"carriedBy": twins[0].id}
        fact = Fact("memory_accepted", "user", "absorbed", entry.id, ("known",), details)
        memory = entry_list.replaced(memory, known)
        if not entry.supersedes:
            return memory, (fact,)
        memory, more = _answered(memory, entry, twins[0].id, now=now)
        return memory, (fact, *more)
    memory, more = _retire(memory, entry.supersedes, by=entry.id, now=now)
    active = entry.model_copy(
        update={
            "status": "active",
            "reasons": (),
            "retention_clock": iso(now),
            "updated_at": iso(now),
            "since": iso(now) if more else entry.since,
        }
    )
    fact = Fact("memory_accepted", "user", "accepted", entry.id, entry.reasons)
    return entry_list.replaced(memory, active), (fact, *more)


def reject(
    memory: WorkspaceMemory, entry_id: str
) -> tuple[WorkspaceMemory, MemoryEntry, Fact] | Refusal:
    """Remove a waiting entry from the inbox; the caller keeps it in the trash.

    A rejected outside change must not get a tombstone: its text may be the one in force.
    """
    entry = _waiting(memory, entry_id)
    if isinstance(entry, Refusal):
        return entry
    memory, gone = trash(memory, entry_id)
    if MAY_REPLACE in gone.reasons:
        memory = _settled(memory, gone)
    return memory, gone, Fact("memory_rejected", "user", "trashed", entry_id, entry.reasons)


def _answered(
    memory: WorkspaceMemory, question: MemoryEntry, heir_id: str, *, now: datetime
) -> Outcome:
    """The entry with the text of the proposal replaces those that it was to replace (WM-8)."""
    memory = _settled(memory, question)
    memory, facts = _retire(memory, {*question.supersedes} - {heir_id}, by=heir_id, now=now)
    heir = entry_list.get(memory, heir_id)
    replaced = tuple(dict.fromkeys((*heir.supersedes, *(fact.entry for fact in facts))))
    update = {"supersedes": replaced, "since": iso(now) if facts else heir.since}
    return entry_list.replaced(memory, heir.model_copy(update=update)), facts


def _retire(
    memory: WorkspaceMemory, entry_ids: Collection[str], *, by: str, now: datetime
) -> Outcome:
    """The active entries with these ids are superseded."""
    retired = [e for e in memory.entries if e.id in entry_ids and e.status == "active"]
    for old in retired:
        memory = entry_list.replaced(memory, _retired(old, by=by, now=now))
    facts = (
        Fact("memory_superseded", "user", "superseded", old.id, (), {"by": by}) for old in retired
    )
    return memory, tuple(facts)


def _settled(memory: WorkspaceMemory, question: MemoryEntry) -> WorkspaceMemory:
    """The memory without the marks of an answered question."""
    pair = {*question.supersedes, *question.conflicts}
    for entry in memory.entries:
        if entry.id in pair and pair.intersection(entry.conflicts):
            left = tuple(name for name in entry.conflicts if name not in pair)
            memory = entry_list.replaced(memory, entry.model_copy(update={"conflicts": left}))
    return memory


def _find(memory: WorkspaceMemory, entry_id: str) -> MemoryEntry | Refusal:
    return entry_list.find(memory, entry_id) or Refusal.of("edit.not_found", entry=entry_id)


def _waiting(memory: WorkspaceMemory, entry_id: str) -> MemoryEntry | Refusal:
    entry = _find(memory, entry_id)
    if isinstance(entry, Refusal) or entry.status == "inbox":
        return entry
    return Refusal.of("edit.not_waiting", entry=entry_id, status=entry.status)


def _unfit(
    memory: WorkspaceMemory,
    entry: MemoryEntry,
    changes: Mapping[str, object],
    settings: MemorySettings,
) -> Refusal | None:
    """Why the changes are refused: empty, too_long, rationale_too_long, unknown_type,
    unknown_importance, duplicate."""
    if "user_importance" in changes and changes["user_importance"] not in IMPORTANCES:
        asked, known = changes["user_importance"], ", ".join(IMPORTANCES)
        return Refusal.of("edit.unknown_importance", importance=asked, known=known)
    if changes.keys().isdisjoint(("text", "rationale", "type")):
        return None
    changed = entry.model_copy(update=changes)
    if "text" in changes and not canonical(changed.text):
        return Refusal.of("edit.empty", entry=entry.id)
    if "type" in changes and changed.type not in settings.types:
        known = ", ".join(settings.types)
        return Refusal.of("edit.unknown_type", type=changed.type, known=known)
    if "text" in changes or "rationale" in changes:
        return _too_long(changed, settings) or duplicate(memory, changed)
    return None


def _too_long(entry: MemoryEntry, settings: MemorySettings) -> Refusal | None:
    for code, what, count, limit in (
        ("too_long", "text", len(entry.text), settings.max_text_chars),
        ("rationale_too_long", "rationale", len(entry.rationale), settings.max_rationale_chars),
    ):
        if count > limit:
            message = f"The {what} has {count} characters; an entry holds {limit}."
            fix = f'`wm edit {entry.id} "shorter text"`.' if what == "text" else "Shorten it."
            return Refusal(code, message, fix=fix)
    return None


def duplicate(memory: WorkspaceMemory, entry: MemoryEntry) -> Refusal | None:
    """Refuse a text that another active entry in the scope of `entry` already states."""
    text = canonical(entry.text)
    for other in memory.entries:
        if other.id == entry.id or other.status != "active" or other.type != entry.type:
            continue
        if other.scope == entry.scope and canonical(other.text) == text:
            return Refusal.of("edit.duplicate", other=other.id)
    return None


def _edited(entry: MemoryEntry, changes: Mapping[str, object], *, now: datetime) -> MemoryEntry:
    update = dict(changes)
    if "anchors" in changes:
        update["suspect"] = ""
    if "text" in changes:
        update["retention_clock"] = iso(now)
        if entry.source == "compaction":
            update |= {"source": "manual", "confidence": CONFIDENCE["manual"]}
    return touched(entry, now, **update)


def changed_fields(entry: MemoryEntry, changes: Mapping[str, object]) -> dict[str, Detail]:
    """Old and new value of each change: history shows them and undo restores them."""
    details: dict[str, Detail] = {}
    for name, value in changes.items():
        if name == "anchors":
            # Anchors name code of this moment, which cannot be recovered: recorded, but not undone.
            details[name] = tuple(a.path for a in value) if isinstance(value, tuple) else ()
            continue
        details[name] = value if isinstance(value, bool | str | float) else str(value)
        details[f"{name}Before"] = getattr(entry, name)
    return details


def _along(entry: MemoryEntry, changed: MemoryEntry) -> dict[str, Detail]:
    """Further fields that a new text changed: its source, and the start of its age."""
    if entry.text == changed.text:
        return {}
    entry = entry.model_copy(update={"retention_clock": clock_of(entry)})
    fields = ("source", "confidence", "retention_clock")
    return changed_fields(
        entry, {n: getattr(changed, n) for n in fields if getattr(changed, n) != getattr(entry, n)}
    )


def _retired(entry: MemoryEntry, *, by: str, now: datetime) -> MemoryEntry:
    return touched(entry, now, status="superseded", superseded_by=by)
