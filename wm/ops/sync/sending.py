"""Mark entries as shared, and say what changed since the last sync (SY-3).

Only entries marked here leave for the project's repository. What leaves for the user's own
repository is every own entry. An entry that is missing here counts as forgotten only with
evidence of it: a restored backup must not delete what others see.
"""

from __future__ import annotations

from collections.abc import Iterator

from wm.api.protocol import WorkspacePlace
from wm.api.sync import Leaving, Outgoing, ReplicaRequest, SharedEntries, ShareProblem, ShareRequest
from wm.domain.facts import Fact
from wm.domain.sync.portable import GONE, digest, fields_of, forgotten_digest, leaving, may_leave
from wm.domain.sync.recaps import is_recap, recap_fields, recap_id
from wm.errors import NotFound, UserError
from wm.formats.sharing.sync import Replica, SharedRecord
from wm.formats.workspace_memory import TEAM, MemoryEntry, WorkspaceMemory
from wm.ops import explanations
from wm.ops.learning.recaps import recaps_ref, without_forgotten
from wm.ops.memory.documents import read_memory, read_tombstones
from wm.ops.memory.entries import find_entry_or_trash, trash_ref
from wm.ops.operation import LocatedWork, Operation, Work, as_written, located
from wm.ops.place import USER_PLACE
from wm.ops.sync.documents import NODE_DIGITS, read_sync, replica_of, save_replica
from wm.store.base import Health

# --- what is shared ---------------------------------------------------------------------------


def _share(work: LocatedWork, request: ShareRequest) -> SharedEntries:
    if work.key == USER_PLACE.key:
        raise UserError.of("share.own_memory")
    document = read_sync(work)
    memory = read_memory(work)
    if not (request.ids or request.type or request.recaps):
        return _listed(work.place, memory, document.team)
    records = dict(document.team.records)
    chosen, problems = [], []
    for entry in _chosen(work, memory, records, request):
        is_free = request.end or entry.status == "trashed"  # ends it, or proposes to forget it
        why = "" if is_free else may_leave(entry, own_repository=False)
        if why:
            message = f"{entry.id} may not be shared, because {explanations.reason(why)}."
            problems.append(ShareProblem(id=entry.id, reason=why, message=message))
            continue
        known = records.get(entry.id) or SharedRecord(author="")
        records[entry.id] = known.model_copy(update={"shared": True, "withdrawn": request.end})
        chosen.append(entry)
    kind = "memory_unshared" if request.end else "memory_shared"
    work.log([Fact(kind, "user", "changed", e.id, (), {"text": e.text}) for e in chosen])
    recaps = not request.end if request.recaps else document.team.recaps
    replica = document.team.model_copy(update={"records": records, "recaps": recaps})
    save_replica(work, document, replica, mine=False)
    return SharedEntries(
        place=work.place,
        entries=tuple(chosen),
        problems=tuple(problems),
        recaps=recaps,
        remote=replica.remote,
    )


def _listed(place: WorkspacePlace, memory: WorkspaceMemory, replica: Replica) -> SharedEntries:
    names = {name for name, record in replica.records.items() if record.is_shared}
    shared = tuple(entry for entry in memory.entries if entry.id in names)
    heirs = {e.superseded_by for e in shared if e.status == "superseded"}
    active = {e.id for e in memory.entries if e.status == "active"}
    return SharedEntries(
        place=place,
        entries=shared,
        replaced=tuple(sorted((heirs & active) - names)),
        recaps=replica.recaps,
        remote=replica.remote,
    )


def _chosen(
    work: LocatedWork,
    memory: WorkspaceMemory,
    records: dict[str, SharedRecord],
    request: ShareRequest,
) -> Iterator[MemoryEntry]:
    """The entries that the request means; a forgotten one only to end its sharing, or to propose
    that others forget it too. Raises NotFound."""
    for wanted in request.ids:
        entry = find_entry_or_trash(work, wanted)
        is_known = entry.id in records
        if request.end and not is_known:
            raise NotFound.of("share.not_shared", entry=entry.id)
        if entry.status == "trashed" and not is_known:
            raise NotFound.of("entry.forgotten", entry=entry.id)
        yield entry
    shared = {name for name, record in records.items() if record.shared}
    for entry in memory.entries:
        is_own = entry.status == "active" and not entry.origin.startswith(TEAM)
        if is_own and entry.type == request.type and request.end == (entry.id in shared):
            yield entry


# --- what leaves ------------------------------------------------------------------------------


def what_leaves(work: LocatedWork, request: ReplicaRequest) -> Outgoing:
    """What changed in the shared part of this memory since it was last sent. Sends nothing."""
    document = read_sync(work)
    replica = _as_noted(replica_of(document, request.mine), request)
    entries = {entry.id: entry for entry in read_memory(work).entries}
    found, lost = [], []
    for name, record in _candidates(replica, entries, request.mine):
        entry = entries.get(name)
        if entry is None or _is_over(entry, record, request.mine):
            if record.digest == GONE:
                continue
            # Without a digest: a sync may have sent it and died before it noted that.
            evidence = _gone(work, name, record, entry)
            if evidence is None:
                lost.append(name)
            else:
                found.append(_withdrawn(name, record, *evidence))
        elif not may_leave(entry, own_repository=request.mine):
            change = _changed(work, entry, record)
            found += [change] if change is not None else []
    if not request.mine:
        found += _recaps(work, replica)
    return Outgoing(
        place=work.place,
        node=document.node or work.new_id("")[:NODE_DIGITS],
        applied=replica.applied,
        leaving=tuple(found),
        lost=tuple(lost),
    )


def _as_noted(replica: Replica, request: ReplicaRequest) -> Replica:
    """The replica, without the digests of what the request asks for in any case."""
    again, fresh = frozenset(request.again), {}
    for name, record in replica.records.items():
        if name in again or (request.everything and record.digest != GONE):
            fresh[name] = record.model_copy(update={"digest": ""})
        elif request.everything and record.author == replica.author:
            # The user forgot it, or unshared it: then it is not marked as shared.
            is_unshared = not (record.shared or request.mine)
            update = {"digest": "", "shared": True, "withdrawn": is_unshared}
            fresh[name] = record.model_copy(update=update)
    return replica.model_copy(update={"records": {**replica.records, **fresh}})


def _candidates(
    replica: Replica, entries: dict[str, MemoryEntry], mine: bool
) -> Iterator[tuple[str, SharedRecord]]:
    """The entries that may have changed, with what was known of them."""
    for name, record in replica.records.items():
        if (mine or record.shared) and not is_recap(name):
            yield name, record
    if mine:
        for name in entries:
            if name not in replica.records:
                yield name, SharedRecord(author="")


def _is_over(entry: MemoryEntry, record: SharedRecord, mine: bool) -> bool:
    """Whether an entry that is here must no longer be in the tree."""
    moved = not mine and entry.scope == "user"
    return record.withdrawn or entry.status == "trashed" or moved


def _changed(work: Work, entry: MemoryEntry, record: SharedRecord) -> Leaving | None:
    fields = fields_of(entry)
    if digest(fields) == record.digest:
        return None
    return Leaving(
        id=entry.id,
        fields=leaving(fields, work.redact),
        created_at=entry.created_at,
        updated_at=entry.updated_at,
        author=record.author,
        digest=digest(fields),
    )


def _recaps(work: LocatedWork, replica: Replica) -> Iterator[Leaving]:
    """The recaps of sessions that changed, and those that are not shared any more."""
    found = work.read(recaps_ref(work.key))
    if found.health is Health.LOST:
        return  # what cannot be read is not gone
    recaps = found.document.recaps if found.document is not None and replica.recaps else ()
    shared: set[str] = set()
    for recap in without_forgotten(work, recaps):
        fields = recap_fields(recap, work.runtime.redactor.value)
        name, said = recap_id(recap), digest(fields)
        shared |= {name} if fields else set()
        known = replica.records.get(name)
        if fields and (known is None or known.digest != said):
            yield Leaving(
                id=name,
                fields=fields,
                created_at=recap.started_at,
                updated_at=recap.at,
                digest=said,
            )
    for name, record in replica.records.items():
        if is_recap(name) and name not in shared and record.digest != GONE:
            yield _withdrawn(name, record)


def _withdrawn(name: str, record: SharedRecord, text: str = "", at: str = "") -> Leaving:
    """text: what a person forgot, and when."""
    cleared = forgotten_digest(text) if text else ""
    return Leaving(id=name, cleared=cleared, updated_at=at, author=record.author, digest=GONE)


def _gone(
    work: LocatedWork, entry_id: str, record: SharedRecord, entry: MemoryEntry | None
) -> tuple[str, str] | None:
    """The text that a person forgot with this entry ("": it is over for another reason), and when
    ("": unknown); None without evidence that it went."""
    if entry is not None:
        return (entry.text, entry.updated_at) if entry.status == "trashed" else ("", "")
    stone = next((one for one in read_tombstones(work).stones if one.id == entry_id), None)
    trashed = work.read(trash_ref(work.key, entry_id)).document
    if trashed is not None:
        is_forgotten = stone is not None and not record.withdrawn
        return trashed.entry.text if is_forgotten else "", trashed.trashed_at
    if stone is not None:
        return "", stone.forgotten_at
    elsewhere = read_memory(work.at(USER_PLACE)).entries if work.key != USER_PLACE.key else ()
    is_over = record.withdrawn or any(entry.id == entry_id for entry in elsewhere)
    return ("", "") if is_over else None


share_entries = Operation("share_entries", ShareRequest, SharedEntries, located(_share), as_written)
outgoing = Operation("outgoing", ReplicaRequest, Outgoing, located(what_leaves))
