"""Purge a workspace's evidence within its limits (GV-3), off the hot path.

Takes no document lock and may run beside anything. What must stay is computed first, so an entry
admitted meanwhile has records too new to be purged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wm.domain.evidence_retention import EvidenceLimits, purgeable
from wm.domain.times import iso
from wm.errors import StoreError
from wm.formats.pending_journal import PendingJournal
from wm.formats.sweep_log import PurgedEvidence
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.store.base import D, Health, Pause, Ref, no_pause
from wm.store.evidence import rotate as store_rotate


def rotate(
    runtime: Runtime, key: str, *, dry_run: bool = False, pause: Pause = no_pause
) -> PurgedEvidence:
    """Purge what may go, if that is worth the rewrite. Raises StoreError."""
    existing, admissions = _needed(runtime, key)
    limits = EvidenceLimits(
        max_age_days=runtime.settings.store.evidence_max_age_days,
        max_events=runtime.settings.store.evidence_max_events,
    )
    now = runtime.now()

    def may_go(records: Iterable[dict[str, Any]]) -> frozenset[int]:
        return purgeable(records, existing=existing, admissions=admissions, limits=limits, now=now)

    done = store_rotate.rotate(
        runtime.store.core,
        key,
        may_go,
        at_least=runtime.settings.store.evidence_purge_at_least,
        dry_run=dry_run,
        pause=pause,
    )
    return done.model_copy(update={"at": iso(runtime.now())})


def _needed(runtime: Runtime, key: str) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of existing entries, and of the records they name."""
    store = runtime.store
    memory = _read_intact(runtime, memory_ref(key))
    journal = _read_intact(runtime, Ref(PendingJournal, key))
    stones = _read_intact(runtime, Ref(Tombstones, key))
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


def _read_intact(runtime: Runtime, ref: Ref[D]) -> D | None:
    """The document, None if there is none. Raises if it is unreadable: nothing may be purged."""
    reading = runtime.store.read(ref)
    if reading.health in (Health.LOST, Health.TOO_NEW):
        name = ref.slug.replace("_", " ")
        raise StoreError.of("evidence.unreadable_document", name=name, workspace=ref.workspace)
    return reading.document
