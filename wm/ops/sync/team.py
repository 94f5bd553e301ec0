"""Who shares in a project, and how to leave (SY-3)."""

from __future__ import annotations

import os
from collections import Counter

from wm.api.sync import ReplicaRequest, Team, TeamMember, TeamRequest
from wm.domain.counts import counted
from wm.domain.facts import Fact
from wm.domain.sync.portable import GONE
from wm.formats.sharing.sync import Replica, SharedRecord
from wm.formats.workspace_memory import TEAM, WorkspaceMemory
from wm.ops.learning.recaps import read_recaps, recaps_ref
from wm.ops.memory.documents import load_memory, read_memory, save_memory
from wm.ops.memory.entries import to_trash, trash_ref
from wm.ops.operation import LocatedWork, Operation, as_written, located
from wm.ops.sync.documents import read_sync, save_replica
from wm.ops.sync.exchange import Trees
from wm.ops.sync.sending import what_leaves
from wm.store.git.mirror import REF, Mirror


def _run(work: LocatedWork, request: TeamRequest) -> Team:
    if request.leave:
        return _left(work, keep=request.keep)
    memory = read_memory(work)
    replica = read_sync(work).team
    written, again = _unnoted(work, replica)
    out = what_leaves(work, ReplicaRequest(workspace=work.key, again=again))
    known = written.union(name for name, record in replica.records.items() if record.digest)
    return Team(
        place=work.place,
        remote=replica.remote,
        accept=work.settings.team.accept or "inbox",
        synced_at=replica.synced_at,
        trouble=replica.trouble,
        shared=sum(r.is_shared for r in replica.records.values()),
        recaps=replica.recaps,
        unsent=sum(bool(one.fields) or one.id in known for one in out.leaving),
        members=_members(memory),
    )


def _unnoted(work: LocatedWork, replica: Replica) -> tuple[frozenset[str], tuple[str, ...]]:
    """What a sync that died left in the mirror and did not note: the entries of which the tree says
    something else than noted, and those of them that have to be compared again."""
    mirror, applied = Mirror(work.store, work.key, quiet=True), replica.applied
    ours = mirror.refs().get(REF, "") if os.path.isdir(mirror.path) else ""
    if ours in ("", applied) or (applied and not mirror.has(applied)):
        return frozenset(), ()
    trees, node = Trees(mirror.path), read_sync(work).node
    written = frozenset(name for _space, name in trees.difference(applied, ours).files)
    place = (replica.space, replica.author, node)
    return written, tuple(trees.unnoted(applied, ours, place) if all(place) else ())


def _members(memory: WorkspaceMemory) -> tuple[TeamMember, ...]:
    counts = Counter(
        (entry.origin.removeprefix(TEAM), entry.status)
        for entry in memory.entries
        if entry.origin.startswith(TEAM)
    )
    names = sorted({name for name, _ in counts})
    return tuple(
        TeamMember(name=name, active=counts[name, "active"], waiting=counts[name, "inbox"])
        for name in names
    )


def _left(work: LocatedWork, *, keep: bool) -> Team:
    """Forget the remote and what was shared; what came goes to the trash unless it is kept."""
    memory, replica = load_memory(work), read_sync(work).team
    came = [entry for entry in memory.entries if entry.origin.startswith(TEAM)]
    gone = [e for e in came if not keep or e.status == "inbox"]
    work.lock(trash_ref(work.key, entry.id) for entry in gone)
    for entry in gone:
        to_trash(work, entry, reason="left the team", stone=False)
    names = {entry.id for entry in gone}
    kept = tuple(entry for entry in memory.entries if entry.id not in names)
    facts = [
        Fact("memory_trashed", "user", "trashed", e.id, (), {"text": e.text, "stone": False})
        for e in gone
    ]
    save_memory(work, memory.model_copy(update={"entries": kept}), facts)
    recaps = read_recaps(work)
    if recaps.others and not keep:
        work.put(recaps_ref(work.key), recaps.model_copy(update={"others": ()}))
    # What went now is entered again if the user comes back; what was forgotten before is not.
    records = {
        name: SharedRecord(author=replica.records[name].author, digest=GONE)
        for name in names & replica.records.keys()
    }
    save_replica(work, read_sync(work), Replica(records=records), mine=False)
    # Else the first push to another remote would send what these others share.
    Mirror(work.store, work.key, quiet=True).set_aside()
    moved = f"{counted(len(gone), 'entry', 'entries')} of others moved to the trash"
    stay = "; yours stay, and what others fetched of them stays with them"
    return Team(place=work.place, members=(), message=f"You left the team: {moved}{stay}.")


team = Operation("team", TeamRequest, Team, located(_run), as_written)
