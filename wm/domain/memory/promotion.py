"""Promote waiting memories from the journal into the memory (WM-6).

Every waiting memory is tried, whichever session it belongs to, so that an explicit request
reaches the next session although its own never compacts. A memory that cannot be promoted stays,
and after the third try goes to the inbox with the reason: nothing is dropped. A crash between the
writes of memory and journal only repeats the promotion, which changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.facts import Detail, Fact
from wm.domain.memory.consolidate import Admission, MemoryEditor, fresh_id
from wm.domain.memory.tombstones import is_forgotten
from wm.domain.times import iso
from wm.formats.evidence import Outcome
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.formats.tombstones import Tombstone
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings
from wm.text.letters import canonical


class Promotion(Struct, frozen=True):
    """The memory to write first, the journal to write after it, and the outcome of each entry."""

    memory: WorkspaceMemory
    journal: PendingJournal
    facts: tuple[Fact, ...]


def promote(
    memory: WorkspaceMemory,
    journal: PendingJournal,
    *,
    now: datetime,
    settings: MemorySettings,
    stones: Sequence[Tombstone] = (),
    digest: Callable[[str], str],
) -> Promotion:
    """Try every waiting memory once. `stones` keep forgotten texts from being learned again; a
    person's explicit request overrides them."""
    editor = MemoryEditor(memory)
    kept: list[PendingMemory] = []
    facts: list[Fact] = []
    for pending in journal.entries:
        entry = pending.entry
        if entry.source == "compaction" and is_forgotten(entry.text, stones, digest):
            facts.append(_fact("rejected", entry.id, ("forgotten",), pending))
            continue
        admission = editor.admit(entry, now=now, settings=settings)
        if admission.outcome in ("retryable", "rejected"):
            still, fact = _failed(editor, pending, admission, now=now, settings=settings)
            kept += [still] if still is not None else []
            facts.append(fact)
        else:
            facts.append(_promoted(admission, pending))
    changed = tuple(kept) != journal.entries
    left = journal.model_copy(update={"entries": tuple(kept)}) if changed else journal
    return Promotion(editor.memory if changed else memory, left, tuple(facts))


def _failed(
    editor: MemoryEditor,
    pending: PendingMemory,
    admission: Admission,
    *,
    now: datetime,
    settings: MemorySettings,
) -> tuple[PendingMemory | None, Fact]:
    """Count a failed try; after the last one the entry waits in the inbox instead."""
    codes = admission.reason_codes
    attempts = pending.attempts + 1
    if not canonical(pending.entry.text):
        return None, _fact("rejected", pending.entry.id, codes, pending)
    if admission.outcome == "retryable" and attempts < settings.promotion_attempts:
        update = {
            "attempts": attempts,
            "last_attempt_at": iso(now),
            "last_failure": ",".join(codes),
        }
        still = pending.model_copy(update=update)
        return still, _fact("retryable", pending.entry.id, codes, still)
    filed = editor.admit(_for_inbox(pending.entry, codes), now=now, settings=settings)
    tried = pending.model_copy(update={"attempts": attempts})
    return None, _fact("inbox", filed.entry_id, filed.reason_codes, tried)


def _for_inbox(entry: MemoryEntry, codes: tuple[str, ...]) -> MemoryEntry:
    reasons = tuple(dict.fromkeys((*entry.reasons, "promotion_failed", *codes)))
    entry_id = entry.id or fresh_id(entry)
    return entry.model_copy(update={"id": entry_id, "status": "inbox", "reasons": reasons})


def _promoted(admission: Admission, pending: PendingMemory) -> Fact:
    fact = _fact(admission.outcome, admission.entry_id, admission.reason_codes, pending)
    return replace(fact, details={**fact.details, **admission.details})


def _fact(outcome: Outcome, entry_id: str, codes: tuple[str, ...], pending: PendingMemory) -> Fact:
    details: dict[str, Detail] = {
        "pending": pending.entry.id,
        "attempts": pending.attempts,
        "source": pending.entry.source,
        "text": pending.entry.text,
    }
    if pending.owner_session:
        details["ownerSession"] = pending.owner_session
    return Fact(f"memory_{outcome}", "promotion", outcome, entry_id, codes, details)
