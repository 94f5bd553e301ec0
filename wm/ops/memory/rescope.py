"""Move an entry between a workspace and the memory of the user, and back (ID-3, WM-7).

The receiving document is written first, in a transaction of its own: a crash in between leaves the
entry twice, never nowhere, and the same request then finishes the move. An error in between is the
error of the request. What the entry replaced moves with it. Both logs record the move; undoing it
in either log moves the entry back.
"""

from __future__ import annotations

from wm.api.protocol import EntryAnswer, Scoped, ScopeRequest, WorkspacePlace
from wm.domain.facts import Detail, Fact
from wm.domain.memory.acts import RESCOPED, acts, named
from wm.domain.memory.entry_list import find, replaced
from wm.domain.memory.scope import USER, WORKSPACE
from wm.errors import NotFound, UserError
from wm.formats.base import Record
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.memory.documents import find_entry, load_memory, memory_refs, read_memory, save_memory
from wm.ops.operation import LocatedWork, Operation, Work, as_written, located
from wm.ops.place import USER_PLACE, locate
from wm.ops.storage.evidence import read_log
from wm.ops.sync.documents import end_sharing
from wm.text.letters import canonical


class MovedRequest(Scoped):
    """Take entries out of the workspace that they left. undoes: the record that this reverses."""

    ids: tuple[str, ...]
    to: str
    undoes: str = ""


def _run(work: Work, request: ScopeRequest) -> EntryAnswer:
    here = locate(work.runtime, request)
    if request.scope not in (USER, WORKSPACE):
        raise UserError.of("scope.unknown", scope=request.scope[:40])
    if here.key == USER_PLACE.key:
        raise UserError.of("scope.of_no_workspace")
    source, target = (here, USER_PLACE) if request.scope == USER else (USER_PLACE, here)
    if request.scope == WORKSPACE and (ours := _bound_to_branch(work.at(here), request.id)):
        return _widened(work.at(here), ours)
    work = work.at(source)
    return moved(work, target, _found(work, target, request))


def moved(
    work: LocatedWork, target: WorkspacePlace, entry: MemoryEntry, undoes: str = ""
) -> EntryAnswer:
    """Move an entry with what it replaced. undoes: the record of `source` that this reverses."""
    memory, into = read_memory(work), load_memory(work.at(target))
    chain = _chain(memory, entry)
    _refuse_twin(into, entry)
    scope = USER if target.key == USER else WORKSPACE
    update = {"scope": scope, "updated_at": work.moment, "conflicts": (), "anchors": ()}
    known = {e.id for e in into.entries}
    arriving = tuple(e.model_copy(update=update) for e in chain if e.id not in known)
    reversed_there = _act(work.at(target), entry.id) if undoes else ""
    fact = _fact(entry, work.place, target, reversed_there)
    into = into.model_copy(update={"entries": (*into.entries, *arriving)})
    save_memory(work.at(target), into, [fact])
    leaving = MovedRequest(
        workspace=work.key, ids=tuple(e.id for e in chain), to=target.key, undoes=undoes
    )
    work.effects.later.append((take_out, leaving))
    where = "all your projects" if scope == USER else target.root or target.key
    return EntryAnswer(
        entry=find(into, entry.id) or entry,
        message=f"{entry.id} belongs to {where} now; `wm undo {entry.id}` moves it back.",
    )


def move_back(work: LocatedWork, entry_id: str, record: str) -> EntryAnswer:
    """Undo the newest move of an entry, from either of the two logs. Raises UserError."""
    act = next(a for a in acts(read_log(work).records) if a.record.event_id == record)
    ends = [str(act.record.details.get(name) or "") for name in ("from", "to")]
    if not all(ends) or entry_id == "":
        raise UserError.of("scope.unknown_origin")
    before, now = (_place(work, key, work.place) for key in ends)
    entry = find(read_memory(work.at(now)), entry_id)
    if entry is None:
        raise UserError.of("scope.moved_on", entry_id=entry_id)
    own = act.record.event_id if work.key == now.key else _act(work.at(now), entry_id)
    return moved(work.at(now), before, entry, own or record)


def _place(work: Work, key: str, here: WorkspacePlace) -> WorkspacePlace:
    return here if key == here.key else locate(work.runtime, Scoped(workspace=key))


def _act(work: LocatedWork, entry_id: str) -> str:
    """The record of the newest move of an entry that is still in effect; "" for none."""
    found = named(acts(read_log(work).records), entry_id)
    moves = [a.record.event_id for a in found if a.record.type == RESCOPED]
    return next(iter(moves), "")


def _fact(entry: MemoryEntry, source: WorkspacePlace, target: WorkspacePlace, undoes: str) -> Fact:
    details: dict[str, Detail] = {"from": source.key, "to": target.key, "text": entry.text}
    details |= {"undoes": undoes} if undoes else {}
    return Fact(RESCOPED, "user", "changed", entry.id, (), details)


def _found(work: LocatedWork, target: WorkspacePlace, request: ScopeRequest) -> MemoryEntry:
    """The entry to move. Raises UserError if it is there already, or only history."""
    try:
        entry = find_entry(read_memory(work), request.id)
    except NotFound:
        there = find_entry(read_memory(work.at(target)), request.id)  # raises NotFound
        raise UserError.of("scope.has_it_already", there=there.id, scope=request.scope) from None
    if entry.status not in ("active", "inbox"):
        raise UserError.of("scope.history_only", entry=entry.id, status=entry.status)
    return entry


def _refuse_twin(memory: WorkspaceMemory, entry: MemoryEntry) -> None:
    same = canonical(entry.text)
    live = (e for e in memory.entries if e.status in ("active", "inbox") and e.id != entry.id)
    twin = next((e for e in live if canonical(e.text) == same), None)
    if twin is not None:
        raise UserError.of("scope.twin", twin=twin.id, entry=entry.id)


def _chain(memory: WorkspaceMemory, entry: MemoryEntry) -> tuple[MemoryEntry, ...]:
    """The entry, and what it replaced, directly or through others."""
    names, found = {entry.id}, [entry]
    for _ in memory.entries:
        older = [e for e in memory.entries if e.superseded_by in names and e.id not in names]
        if not older:
            break
        names |= {e.id for e in older}
        found += older
    return tuple(found)


def _bound_to_branch(work: LocatedWork, wanted: str) -> MemoryEntry | None:
    try:
        entry = find_entry(read_memory(work), wanted)
    except NotFound:
        return None
    return entry if entry.scope.startswith("branch:") else None


def _widened(work: LocatedWork, entry: MemoryEntry) -> EntryAnswer:
    """A branch entry becomes one of the workspace; the document stays the same."""
    memory = load_memory(work)
    wide = entry.model_copy(update={"scope": WORKSPACE, "updated_at": work.moment})
    details: dict[str, Detail] = {"scopeBefore": entry.scope, "scope": WORKSPACE}
    fact = Fact("memory_edited", "user", "changed", entry.id, ("scope",), details)
    save_memory(work, replaced(memory, wide), [fact])
    return EntryAnswer(entry=wide, message=f"{entry.id} is shown on every branch now.")


def _take_out(work: LocatedWork, request: MovedRequest) -> Record:
    memory = load_memory(work)
    gone = [e for e in memory.entries if e.id in request.ids]
    kept = tuple(e for e in memory.entries if e.id not in request.ids)
    if gone:
        target = WorkspacePlace(key=request.to, root="")
        fact = _fact(gone[0], work.place, target, request.undoes)
        save_memory(work, memory.model_copy(update={"entries": kept}), [fact])
        end_sharing(work, request.ids)
    return Record()


take_out = Operation(
    "take_out", MovedRequest, Record, located(_take_out), as_written, completes=True
)
rescope_entry = Operation("rescope_entry", ScopeRequest, EntryAnswer, _run, memory_refs)
