"""The entry operations of a person, but for `edit_entry`: show, forget, restore, accept, reject.

Every change is staged with its evidence. Forgetting moves an entry to the trash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from wm.api.protocol import (
    Accepted,
    AcceptOutsideRequest,
    Decided,
    DecideRequest,
    EntryAnswer,
    EntryRequest,
    ForgetRequest,
    Noticed,
    Scoped,
)
from wm.domain.facts import Detail, Fact, Refusal, parts_of
from wm.domain.memory import edits, entry_list, outside_changes
from wm.domain.memory.acts import DECIDED
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.entry_list import find, get
from wm.domain.memory.tombstones import tombstone
from wm.errors import NotFound, UserError
from wm.formats.base import Document
from wm.formats.evidence import Outcome
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import explanations
from wm.ops.memory.documents import (
    find_entry,
    full_id,
    lift_tombstones,
    load_memory,
    memory_editor,
    memory_refs,
    read_memory,
    read_tombstones,
    save_memory,
    tombstones_ref,
)
from wm.ops.operation import LocatedWork, Operation, granted, located
from wm.ops.place import locate, memory_ref, workspace_of
from wm.ops.runtime import Runtime
from wm.store.base import Health, Ref

Edit = Callable[[WorkspaceMemory, str], tuple[WorkspaceMemory, Sequence[Fact]] | Refusal]
"""A pure edit of the entry with this id."""


def _show(work: LocatedWork, request: EntryRequest) -> EntryAnswer:
    entry = find_entry_or_trash(work, request.id)
    forgotten = entry.status == "trashed"
    return EntryAnswer(
        entry=entry,
        message=f"It is in the trash; `wm undo {entry.id}` brings it back." if forgotten else "",
    )


def find_entry_or_trash(work: LocatedWork, wanted: str) -> MemoryEntry:
    """The entry; one from the trash has the status `trashed`. Raises NotFound."""
    try:
        return find_entry(read_memory(work), wanted)
    except NotFound:
        trashed = _find_trashed(work, wanted)
        if trashed is None:
            raise
        return trashed.model_copy(update={"status": "trashed"})


def _find_trashed(work: LocatedWork, wanted: str) -> MemoryEntry | None:
    """The entry in the trash with this id or unambiguous id prefix, as it was."""
    return in_trash(work, full_id(wanted, work.store.names(TrashedEntry, work.key)))


def load_to_change(work: LocatedWork, wanted: str) -> tuple[WorkspaceMemory, MemoryEntry]:
    """The memory and the entry to change. Raises NotFound, which says so if the entry was
    forgotten."""
    memory = load_memory(work)
    try:
        return memory, find_entry(memory, wanted)
    except NotFound:
        trashed = _find_trashed(work, wanted)
        if trashed is None:
            raise
        name = trashed.id
        raise NotFound.of("entry.forgotten", entry=name) from None


def change_entry(work: LocatedWork, wanted: str, edit: Edit, command: str = "") -> EntryAnswer:
    """Apply an edit to the entry; stage it with its evidence. command: the act it is a part of."""
    memory, entry = load_to_change(work, wanted)
    changed, facts = granted(edit(memory, entry.id))
    save_memory(work, changed, parts_of(command, facts))
    # Accepting an outside edit changes another entry than the accepted one.
    return EntryAnswer(entry=find(changed, facts[0].entry) or entry)


def _accept(work: LocatedWork, wanted: str, command: str = "") -> EntryAnswer:
    def accept(memory: WorkspaceMemory, entry_id: str) -> edits.Outcome | Refusal:
        with memory_editor(work, memory, MemoryEditor) as editor:
            return edits.accept(editor, entry_id, now=work.now, settings=work.settings.memory)

    answer = change_entry(work, wanted, accept, command)
    entry, memory = answer.entry, read_memory(work)
    # The words of an accepted question are in force already, in the entry that it is about.
    heir = find(memory, entry.superseded_by) if entry.status == "superseded" else entry
    if heir is None or heir.status != "active":
        return answer
    now = work.moment
    retired = (e for e in memory.entries if e.superseded_by == heir.id and e.updated_at == now)
    texts = ", ".join(f"“{old.text}”" for old in retired if old.id != entry.id)
    return EntryAnswer(entry=heir, message=f"It replaces {texts}." if texts else "")


def _reject(work: LocatedWork, wanted: str, command: str = "") -> EntryAnswer:
    """Move a rejected inbox entry to the trash, so that it can be restored. An outside edit gets
    no tombstone."""
    memory, entry = load_to_change(work, wanted)
    changed, entry, fact = granted(edits.reject(memory, entry.id))
    stone = not (entry.outside or entry_list.is_in_force(changed, entry.text))
    to_trash(work, entry, reason="rejected", stone=stone)
    save_memory(work, changed, parts_of(command, [fact]))
    return EntryAnswer(entry=entry, message=f"Rejected {entry.id}; `wm undo {entry.id}` undoes it.")


def _accept_one(work: LocatedWork, request: EntryRequest) -> EntryAnswer:
    return _accept(work, request.id)


def _reject_one(work: LocatedWork, request: EntryRequest) -> EntryAnswer:
    return _reject(work, request.id)


def _decide(work: LocatedWork, request: DecideRequest) -> Decided:
    """Accept or reject several entries, as one act. One that cannot be does not stop the others."""
    decide = _accept if request.accept else _reject
    command = work.new_id("e_")
    done: list[EntryAnswer] = []
    left: list[str] = []
    for wanted in dict.fromkeys(request.ids):
        try:
            done.append(decide(work, wanted, command))
        except UserError:
            left.append(wanted)
    if not done:
        return Decided(left=tuple(left))
    outcome: Outcome = "accepted" if request.accept else "trashed"
    work.log_as(command, Fact(DECIDED, "user", outcome, details={"entry": len(done)}))
    return Decided(done=tuple(done), left=tuple(left), event=command)


def _decide_refs(runtime: Runtime, request: DecideRequest) -> Sequence[Ref[Document]]:
    refs = memory_refs(runtime, request)
    key = locate(runtime, request).key
    return refs if request.accept else (*refs, *(trash_ref(key, name) for name in request.ids))


def _notice_outside(work: LocatedWork, _request: Scoped) -> Noticed:
    """Put every entry that was changed, added or deleted outside wm into the inbox; the old text
    stays active. An untouched file is not written (ST-4)."""
    if work.read(memory_ref(work.key)).health is not Health.OUTSIDE:
        return Noticed()
    memory = load_memory(work)  # stages the outside changes it finds
    return Noticed(waiting=sum(bool(e.outside) for e in memory.entries))


def _accept_outside(work: LocatedWork, _request: AcceptOutsideRequest) -> Accepted:
    memory, facts = outside_changes.accept_outside(load_memory(work), now=work.now)
    save_memory(work, memory, facts)
    return Accepted(accepted=tuple(fact.entry for fact in facts))


def _forget(work: LocatedWork, request: ForgetRequest) -> EntryAnswer:
    memory, entry = load_to_change(work, request.id)
    return forget_one(work, memory, entry.id, reason=request.reason)


def forget_one(
    work: LocatedWork,
    memory: WorkspaceMemory,
    entry_id: str,
    *,
    reason: str = "",
    session: str = "",
) -> EntryAnswer:
    """Move an entry to the trash. session: the `<sid>` in which the user asked for it, if any."""
    changed, entry = edits.trash(memory, entry_id)
    codes = ("asked_in_session",) if session else ()
    redacted = work.redact(reason)
    stone = not entry_list.is_in_force(changed, entry.text)
    to_trash(work, entry, reason=redacted or " ".join(codes), stone=stone)
    details: dict[str, Detail] = {"text": entry.text, **({"reason": redacted} if redacted else {})}
    fact = Fact("memory_trashed", "user", "trashed", entry.id, codes, details)
    save_memory(work, changed, [fact], session=session)
    said = f"Forgot {explanations.quoted([entry])}; `wm undo {entry.id}` undoes it."
    return EntryAnswer(entry=entry, message=said)


def to_trash(work: LocatedWork, entry: MemoryEntry, *, reason: str, stone: bool) -> None:
    """Put the entry into the trash; with `stone`, record its digest so that it is not learned
    again."""
    moment = work.moment
    reason = work.redact(reason)
    work.put(
        trash_ref(work.key, entry.id),
        TrashedEntry(
            workspace=workspace_of(work.place), entry=entry, trashed_at=moment, trashed_by=reason
        ),
    )
    if not stone:
        return
    stones = read_tombstones(work)
    kept = tuple(s for s in stones.stones if s.id != entry.id)
    new = tombstone(entry, work.store.digest, at=moment, reason=reason)
    work.put(tombstones_ref(work.key), stones.model_copy(update={"stones": (*kept, new)}))


def _restore(work: LocatedWork, request: EntryRequest) -> EntryAnswer:
    memory = load_memory(work)
    entry = _trashed(work, memory, request.id)
    memory, facts = edits.restore(
        memory, entry, trashed=lambda name: in_trash(work, name), now=work.now
    )
    # Undoing the restore must know whether there was a tombstone.
    stone = bool(lift_tombstones(work, entry))
    facts = tuple(replace(fact, details={**fact.details, "stone": stone}) for fact in facts)
    save_memory(work, memory, facts)
    work.delete(trash_ref(work.key, entry.id))
    # If its id is in use by now, the entry returned under another one.
    back = get(memory, facts[0].entry)
    said = f"Restored as {back.id}{replacing(facts)}.{contradicted(work, memory, back)}"
    return EntryAnswer(entry=back, message=said)


def contradicted(work: LocatedWork, memory: WorkspaceMemory, back: MemoryEntry) -> str:
    """A sentence about later entries that contradict a restored one; "" without any. Both stay: the
    person asked for the one, and said the other."""
    with memory_editor(work, memory, MemoryEditor) as editor:
        later = [e for e in editor.retired_by(back) if e.created_at > back.created_at]
    return f" It may contradict {explanations.quoted(later)}, which is newer." if later else ""


def replacing(facts: Sequence[Fact]) -> str:
    """What a restored entry replaces, as the end of a sentence."""
    retired = next((f.details["retired"] for f in facts if "retired" in f.details), ())
    return (
        f"; it replaces {', '.join(map(str, retired))}"
        if isinstance(retired, tuple) and retired
        else ""
    )


def _trashed(work: LocatedWork, memory: WorkspaceMemory, wanted: str) -> MemoryEntry:
    """The entry to restore: from the trash, or an accepted deletion (still in the document)."""
    found = _find_trashed(work, wanted)
    if found is not None:
        return found
    deleted = [e for e in memory.entries if e.status == "trashed"]
    entry_id = full_id(wanted, (e.id for e in deleted))
    if not entry_id:
        raise NotFound.of("trash.unknown", wanted=wanted, place=work.place.root or work.key)
    return next(e for e in deleted if e.id == entry_id)


def trashed_entries(work: LocatedWork) -> Iterator[TrashedEntry]:
    """The trash of a workspace; each entry has the status `trashed`."""
    for name in work.store.names(TrashedEntry, work.key):
        trashed = work.read(trash_ref(work.key, name)).document
        if trashed is not None:
            entry = trashed.entry.model_copy(update={"status": "trashed"})
            yield trashed.model_copy(update={"entry": entry})


def in_trash(work: LocatedWork, entry_id: str) -> MemoryEntry | None:
    """The entry with this id in the trash, as it was."""
    trashed = work.read(trash_ref(work.key, entry_id)).document if entry_id else None
    return trashed.entry if trashed is not None else None


def trash_ref(key: str, entry_id: str) -> Ref[TrashedEntry]:
    return Ref(TrashedEntry, key, entry_id)


show_entry = Operation("show_entry", EntryRequest, EntryAnswer, located(_show))
accept_entry = Operation(
    "accept_entry", EntryRequest, EntryAnswer, located(_accept_one), memory_refs
)
reject_entry = Operation(
    "reject_entry", EntryRequest, EntryAnswer, located(_reject_one), memory_refs
)
decide_entries = Operation("decide_entries", DecideRequest, Decided, located(_decide), _decide_refs)
forget_entry = Operation("forget_entry", ForgetRequest, EntryAnswer, located(_forget), memory_refs)
restore_entry = Operation(
    "restore_entry", EntryRequest, EntryAnswer, located(_restore), memory_refs
)
notice_outside = Operation("notice_outside", Scoped, Noticed, located(_notice_outside), memory_refs)
accept_outside = Operation(
    "accept_outside", AcceptOutsideRequest, Accepted, located(_accept_outside), memory_refs
)
