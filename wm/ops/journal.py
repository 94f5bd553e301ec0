"""The pending journal: what could not be kept yet waits, is tried again, and is never dropped
(WM-6).

It fills where the memory cannot be written now: a newer wm wrote it, or no copy is readable.
Every start and end of a session is a try.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.domain.facts import Fact
from wm.domain.text import canonical
from wm.domain.workspace import promote, retention
from wm.errors import Corrupt, StoreError, TooNew
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.formats.protocol import Place, Remembered, RememberRequest
from wm.formats.workspace_memory import MemoryEntry
from wm.ops import anchors, branches
from wm.ops.base import Work
from wm.ops.memory import (
    load_memory,
    read_journal,
    read_memory,
    read_tombstones,
    save_journal,
    save_memory,
)
from wm.ops.remember import judged, learn, new_entry


def learn_or_wait(work: Work, place: Place, request: RememberRequest) -> Remembered:
    """Keep it, or let it wait in the journal where the memory cannot be written now."""
    try:
        return learn(work, place, request)
    except (Corrupt, TooNew) as error:
        return _wait(work, place, new_entry(work, place, request), error)


def _wait(work: Work, place: Place, entry: MemoryEntry, error: StoreError) -> Remembered:
    reasons = judged(work, entry)
    if reasons:
        entry = entry.model_copy(update={"status": "inbox", "reasons": reasons})
    journal = read_journal(work, place)
    twin = next((p.entry for p in journal.entries if _same(p.entry, entry)), None)
    if twin is None:
        _append(work, place, journal, entry, error)
    return Remembered(
        outcome="retryable",
        entry=twin or entry,
        reason_codes=(error.code,),
        message="It could not be kept yet and waits in the journal for the next session; "
        f"the memory is not writable: {error.message}",
    )


def _append(
    work: Work, place: Place, journal: PendingJournal, entry: MemoryEntry, error: StoreError
) -> None:
    pending = PendingMemory(entry=entry, owner_session=entry.session, last_failure=error.code)
    entries = (*journal.entries, pending)
    save_journal(work, place, journal.model_copy(update={"entries": entries}))
    details = {"source": entry.source, "origin": entry.origin, "text": entry.text}
    fact = Fact("memory_retryable", "journal", "retryable", entry.id, (error.code,), details)
    work.log(place.key, [fact], session=entry.session)


def _same(one: MemoryEntry, other: MemoryEntry) -> bool:
    return (one.type, canonical(one.text)) == (other.type, canonical(other.text))


def begin_visit(work: Work, place: Place) -> None:
    """Somebody starts to work here: record it, offer what branches left, promote what waits.

    A memory that cannot be written keeps nobody from working.
    """
    _promote(work, place, visit=True)


def promote_pending(work: Work, place: Place) -> None:
    """Give what waits in the journal its next try."""
    if read_journal(work, place).entries:
        _promote(work, place, visit=False)


def record_activity(work: Work, place: Place) -> None:
    """Somebody is still at work here: the pause begins anew after this (WM-2)."""
    try:
        memory = load_memory(work, place)
    except (Corrupt, TooNew):
        return
    settings = work.runtime.settings.memory
    save_memory(work, place, retention.visit(memory, now=work.now, settings=settings))


def activity_is_old(work: Work, place: Place) -> bool:
    """Whether the last recorded activity of a workspace is old enough to be written again."""
    try:
        memory = read_memory(work, place)
    except Corrupt:
        return False
    return retention.visit_is_due(memory, now=work.now)


def _promote(work: Work, place: Place, *, visit: bool) -> None:
    settings = work.runtime.settings.memory
    try:
        memory = load_memory(work, place)
        stones = read_tombstones(work, place).stones
        journal = read_journal(work, place)
    except (Corrupt, TooNew):
        return
    facts: Sequence[Fact] = ()
    if visit:
        memory = retention.visit(memory, now=work.now, settings=settings)
        memory, facts = branches.offer(work, place, memory)
        memory, marked = anchors.mark(work, place, memory)
        facts = (*facts, *marked)
    if journal.entries:
        promotion = promote.promote(
            memory,
            journal,
            now=work.now,
            settings=settings,
            stones=stones,
            digest=work.runtime.store.digest,
        )
        memory, facts = promotion.memory, (*facts, *promotion.facts)
        save_journal(work, place, promotion.journal)
    save_memory(work, place, memory, facts)
