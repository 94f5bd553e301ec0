"""Purge the evidence of a workspace within its limits (GV-3), off the hot path.

Takes no document's lock: it may run beside everything. What must stay is worked out before
anything is looked at, so an entry that comes in meanwhile has records that are too new to go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from wm.domain.workspace.keeping import Limits, purgeable
from wm.errors import StoreError
from wm.formats.base import Document
from wm.formats.pending_journal import PendingJournal
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.store import rotate as store_rotate
from wm.store.base import Health, Ref
from wm.store.files import FileStore
from wm.store.rest import Rest, at_once
from wm.store.rotate import Rotation

D = TypeVar("D", bound=Document)


def rotate(runtime: Runtime, key: str, *, dry_run: bool = False, rest: Rest = at_once) -> Rotation:
    """Purge what may go, if it is worth the rewriting. Raises StoreError."""
    store = runtime.store
    if not isinstance(store, FileStore):
        return Rotation()
    existing, admissions = _needed(runtime, key)
    limits = Limits(
        max_age_days=runtime.settings.store.evidence_max_age_days,
        max_events=runtime.settings.store.evidence_max_events,
    )
    now = runtime.now()

    def may_go(records: Iterable[dict[str, Any]]) -> frozenset[int]:
        return purgeable(records, existing=existing, admissions=admissions, limits=limits, now=now)

    return store_rotate.rotate(
        store.core,
        key,
        may_go,
        at_least=runtime.settings.store.evidence_purge_at_least,
        dry_run=dry_run,
        rest=rest,
    )


def _needed(runtime: Runtime, key: str) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of the entries that exist, and of the records that they name."""
    store = runtime.store
    memory = _whole(runtime, memory_ref(key))
    journal = _whole(runtime, Ref(PendingJournal, key))
    stones = _whole(runtime, Ref(Tombstones, key))
    existing = set(store.names(TrashedEntry, key))
    admissions: set[str] = set()
    if memory is not None:
        existing.update(entry.id for entry in memory.entries)
        admissions.update(entry.admitted_by for entry in memory.entries)
    if journal is not None:
        existing.update(pending.entry.id for pending in journal.entries)
    if stones is not None:
        existing.update(stone.id for stone in stones.stones)
    return frozenset(existing - {""}), frozenset(admissions - {""})


def _whole(runtime: Runtime, ref: Ref[D]) -> D | None:
    """The document, None where there is none. Where it cannot be read nothing may be purged."""
    reading = runtime.store.read(ref)
    if reading.health in (Health.LOST, Health.TOO_NEW):
        name = ref.slug.replace("_", " ")
        raise StoreError(
            f"The {name} of the workspace {ref.workspace} cannot be read, so nothing is purged.",
            fix="`wm fsck` shows what is wrong.",
        )
    return reading.document
