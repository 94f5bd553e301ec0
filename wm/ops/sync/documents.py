"""Load and save `sync.json`, the record of what a workspace shares (SY-1, SY-3)."""

from __future__ import annotations

from collections.abc import Collection

from wm.formats.sharing.sync import Replica, Sync
from wm.ops.operation import LocatedWork
from wm.ops.place import workspace_of
from wm.store.base import Ref

NODE_DIGITS = 8


def sync_ref(key: str) -> Ref[Sync]:
    return Ref(Sync, key)


def read_sync(work: LocatedWork) -> Sync:
    """The record in force; an empty one if there is none. Writes nothing."""
    found = work.read(sync_ref(work.key)).document
    return found if found is not None else Sync(workspace=workspace_of(work.place))


def replica_of(document: Sync, mine: bool) -> Replica:
    return document.mine if mine else document.team


def save_replica(work: LocatedWork, document: Sync, replica: Replica, *, mine: bool) -> Sync:
    """Stage the record with this replica. A node that it does not have yet is drawn."""
    node = document.node or work.new_id("")[:NODE_DIGITS]
    update = {"mine" if mine else "team": replica, "node": node}
    changed = document.model_copy(update=update)
    if changed != document:
        work.put(sync_ref(work.key), changed)
    return changed


def end_sharing(work: LocatedWork, entry_ids: Collection[str]) -> None:
    """Entries that leave the project are not shared with it any more, also if they come back."""
    document = read_sync(work)
    records = document.team.records
    ended = {
        name: records[name].model_copy(update={"withdrawn": True})
        for name in entry_ids
        if name in records and records[name].shared
    }
    if ended:
        replica = document.team.model_copy(update={"records": {**records, **ended}})
        save_replica(work, document, replica, mine=False)
