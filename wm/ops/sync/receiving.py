"""Take in files of a fetched tree, and note what was sent (SY-2, SY-3).

Everything is changed in one transaction, the memory before the record of the sync: after a crash in
between the same files are taken in again, which changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from wm.api.sync import Arrived, ArriveRequest
from wm.domain.memory import gate, tombstones
from wm.domain.sync.arrivals import Reception, Rules
from wm.domain.sync.portable import creator_of, name_of, stated
from wm.domain.sync.recaps import PREFIX, is_recap, merged, recap_id, recap_of
from wm.formats.base import Document
from wm.formats.recaps import Recaps
from wm.formats.sharing.shared_entry import SharedEntry
from wm.formats.sharing.sync import Replica, SharedRecord, Sync
from wm.formats.tombstones import Tombstone, TrashedEntry
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.learning.recaps import read_recaps, recaps_ref
from wm.ops.learning.remember import judge
from wm.ops.memory import documents
from wm.ops.memory.entries import to_trash, trash_ref
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.sync.documents import read_sync, replica_of, save_replica, sync_ref
from wm.store.base import Ref


def _run(work: LocatedWork, request: ArriveRequest) -> Arrived:
    document = read_sync(work)
    replica = _noted(work, replica_of(document, request.mine), request)
    records = _with_sent(replica, request)
    found = [one.entry for one in request.entries]
    reception = Reception(documents.load_memory(work), records, _rules(work, request.mine))
    for one in request.entries:
        if not is_recap(one.entry.id):
            reception.take(one.entry, one.signed)
    _save(work, reception)
    came = _take_recaps(work, [shared for shared in found if is_recap(shared.id)])
    update: dict[str, object] = {"records": reception.records}
    if request.applied and not reception.unsent:
        update["applied"] = request.applied
    noted = {"authors": _authors(work, document, found), "node": document.node or request.node}
    document = document.model_copy(update=noted)
    save_replica(work, document, replica.model_copy(update=update), mine=request.mine)
    counts: dict[str, int] = {**Counter(fact.outcome for fact in reception.facts)}
    counts |= {"recap": came} if came else {}
    return Arrived(counts=counts, unsent=tuple(reception.unsent))


def _noted(work: Work, replica: Replica, request: ArriveRequest) -> Replica:
    redact = work.redact
    remote = request.remote
    if remote is not None:
        texts = ("name", "shown", "digest", "approved_at")
        remote = remote.model_copy(update={name: redact(getattr(remote, name)) for name in texts})
    update = {
        "author": replica.author or request.author,
        "space": replica.space or request.space,
        "remote": remote or replica.remote,
        "trouble": redact(request.trouble),
        "synced_at": replica.synced_at if request.trouble else work.moment,
    }
    return replica.model_copy(update=update)


def _with_sent(replica: Replica, request: ArriveRequest) -> dict[str, SharedRecord]:
    """The records, with what was written to the tree."""
    records = dict(replica.records)
    for name, sent in request.sent.items():
        known = records.get(name) or SharedRecord(author="")
        seen = {replica.author: sent.version} if sent.version else {}
        records[name] = known.model_copy(
            update={
                "author": known.author or replica.author,
                "digest": sent.digest,
                "seen": {**known.seen, **seen},
                "shared": known.is_shared,
                "withdrawn": False,
            }
        )
    return records


def _rules(work: LocatedWork, mine: bool) -> Rules:
    runtime = work.runtime
    stones = documents.read_tombstones(work).stones
    gone = {stone.id for stone in stones} | set(runtime.store.names(TrashedEntry, work.key))
    return Rules(
        accept=runtime.settings.team.accept,
        own_repository=mine,
        redact=runtime.redactor.text,
        judge=_judged_own if mine else partial(_judged, runtime),
        is_gone=gone.__contains__,
        is_forgotten=lambda text: tombstones.is_forgotten(text, stones, runtime.store.digest),
        now=work.now,
    )


def _judged(runtime: Runtime, entry: MemoryEntry) -> tuple[str, ...]:
    """The gate's reasons against a redacted entry (EX-3)."""
    return judge(runtime, entry.text, type=entry.type, source=entry.source, redacted=True).reasons


def _judged_own(entry: MemoryEntry) -> tuple[str, ...]:
    """The gate has judged it on the machine that it comes from; the repository may still have been
    changed by others."""
    return ("prompt_injection",) if gate.reads_as_instruction(entry.text) else ()


def _save(work: LocatedWork, reception: Reception) -> None:
    memory = reception.finished()
    if not reception.facts and not reception.forgotten:
        return
    names = work.store.names(TrashedEntry, work.key)
    back = {f.entry for f in reception.facts if f.type == "memory_received"}.intersection(names)
    gone = [entry.id for entry, _ in reception.trashed]
    work.lock(trash_ref(work.key, name) for name in (*gone, *back))
    for entry, is_forgotten in reception.trashed:
        to_trash(work, entry, reason="withdrawn by its author", stone=is_forgotten)
    if reception.forgotten:
        stones = documents.read_tombstones(work)
        known = {stone.id for stone in stones.stones}
        fresh = tuple(
            Tombstone(id=name, digest="", shared_digest=stone, forgotten_at=work.moment)
            for name, stone in reception.forgotten
            if name not in known
        )
        kept = (*stones.stones, *fresh)
        work.put(documents.tombstones_ref(work.key), stones.model_copy(update={"stones": kept}))
    events = zip(reception.facts, work.log(reception.facts), strict=True)
    brought = {fact.entry: event for fact, event in events if fact.type == "memory_received"}
    for name in back:
        work.delete(trash_ref(work.key, name))  # its author brought it back
    entries = tuple(
        entry.model_copy(update={"admitted_by": brought[entry.id]})
        if entry.id in brought and not entry.outside
        else entry
        for entry in memory.entries
    )
    documents.save_memory(work, memory.model_copy(update={"entries": entries}))


def _take_recaps(work: LocatedWork, found: Sequence[SharedEntry]) -> int:
    """Keep what others share of their sessions; the number of new recaps."""
    known = read_recaps(work) if found else Recaps()
    own = {recap_id(one) for one in known.recaps}
    redactor, arrived = work.runtime.redactor, {}
    for shared in found:
        if shared.id not in own:
            version = shared.authors[creator_of(shared)]
            name = name_of(version, redactor.text)
            recap = recap_of(shared.id, stated(version), name, redactor.value, work.now)
            arrived[shared.id.removeprefix(PREFIX)] = recap
    others = merged(known.others, arrived)
    if others == known.others:
        return 0
    work.put(recaps_ref(work.key), known.model_copy(update={"others": others}))
    work.notify(Recaps.slug)
    return len(set(others) - set(known.others))


def _authors(work: Work, document: Sync, found: Iterable[SharedEntry]) -> dict[str, str]:
    names = {
        author: name_of(version, work.redact)
        for shared in found
        for author, version in shared.authors.items()
    }
    return {**document.authors, **names}


def _refs(runtime: Runtime, request: ArriveRequest) -> Sequence[Ref[Document]]:
    return (*documents.memory_refs(runtime, request), sync_ref(locate(runtime, request).key))


arrive = Operation("arrive", ArriveRequest, Arrived, located(_run), _refs)
