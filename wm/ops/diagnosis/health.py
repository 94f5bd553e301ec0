"""Three reports on health: a summary, the files, and whether memory and evidence agree (EV-3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from wm.api.diag import Audit, DiagHealth, DiagRequest, DiagStatus, DocumentHealth, Remark
from wm.formats.pending_journal import PendingJournal
from wm.formats.session_state import SessionState
from wm.formats.tombstones import Tombstones
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.diagnosis.basis import DiagnosisBasis, ground, happening, is_after
from wm.ops.diagnosis.refusals import refuses
from wm.ops.diagnosis.session_flow import diag_disappearances
from wm.ops.memory.documents import read_journal, read_tombstones
from wm.ops.operation import Operation, Work
from wm.ops.storage.check import check_store
from wm.store.base import Health, Ref
from wm.text.letters import canonical

RECENT = timedelta(days=7)
NEWEST = 5
"""Number of newest records in the status report."""

DOCUMENTS = (WorkspaceMemory, PendingJournal, Tombstones)
WELL = (Health.OK.value, Health.MISSING.value)
ACCEPTING = ("memory_accepted", "outside_accepted", "memory_restored")
QUOTING = ("memory_promoted", "memory_edited", "memory_inbox")
LONGEST_QUOTED = 4000
"""The evidence truncates longer texts, so they cannot be compared."""


# --- status -----------------------------------------------------------------------------------


def _status(work: Work, request: DiagRequest) -> DiagStatus:
    found = ground(work, request)
    key = found.place.key
    remarks = tuple(_attention(work, request, found))
    counts = {
        status: sum(e.status == status for e in found.memory.entries)
        for status in ("active", "inbox", "superseded")
    }
    counts |= {
        "shown": len(found.shown()),
        "pending": len(read_journal(work, found.place).entries),
        "trash": len(found.trashed()),
        "stones": len(read_tombstones(work, found.place).stones),
        "sessions": len(work.runtime.store.names(SessionState, key)),
    }
    moment = work.now - RECENT
    return DiagStatus(
        place=found.place,
        verdict=_verdict(remarks),
        counts=counts,
        rejected=sum(refuses(r) and is_after(r, moment) for r in found.records),
        evidence=len(found.records),
        last_kept_at=_last(found, "memory_promoted", "memory_superseded", "memory_accepted"),
        last_prompt_at=_last(found, "epoch_opened"),
        remarks=remarks,
        newest=tuple(happening(r) for r in reversed(found.records[-NEWEST:])),
    )


def _last(found: DiagnosisBasis, *types: str) -> str:
    return next((r.created_at for r in reversed(found.records) if r.type in types), "")


def _verdict(remarks: Iterable[Remark]) -> str:
    severities = {remark.severity for remark in remarks}
    if "error" in severities:
        return "degraded"
    return "warning" if "warning" in severities else "ok"


def _attention(work: Work, request: DiagRequest, found: DiagnosisBasis) -> Iterator[Remark]:
    """What needs attention, most serious first."""
    unreadable = False
    for document in _documents(work, found.place.key):
        if document.health not in WELL:
            lost = document.health in (Health.LOST.value, Health.TOO_NEW.value)
            said = f"{document.document} is {document.health.replace('_', ' ')}: {document.detail}."
            severity = "error" if lost else "warning"
            unreadable |= lost
            yield Remark(code=document.health, severity=severity, sentence=said, fix="wm fsck")
    pending = len(read_journal(work, found.place).entries)
    if pending:
        said = f"Memories in the journal, to be stored later: {pending}."
        yield Remark(code="pending", severity="error", sentence=said, fix="wm diag health")
    if found.log.damaged:
        said = f"Unreadable records in the evidence log: {found.log.damaged}."
        yield Remark(code="damaged_evidence", severity="warning", sentence=said, fix="wm fsck")
    # An unreadable entry must not be reported as gone.
    gone = 0 if unreadable else diag_disappearances.run(work, request).unexplained
    if gone:
        said = f"Entries that disappeared without a record: {gone}."
        yield Remark(
            code="disappeared", severity="warning", sentence=said, fix="wm diag disappearances"
        )
    waiting = sum(e.status == "inbox" for e in found.memory.entries)
    if waiting:
        said = f"Entries that wait for your approval: {waiting}."
        yield Remark(code="inbox", severity="note", sentence=said, fix="wm inbox")
    hidden = len(found.active) - len(found.shown())
    if hidden > 0:
        said = f"Active entries that prompts do not show: {hidden}."
        yield Remark(code="missing", severity="note", sentence=said, fix="wm diag missing")


# --- health -----------------------------------------------------------------------------------


def _health(work: Work, request: DiagRequest) -> DiagHealth:
    found = ground(work, request)
    mine = f"workspaces/{found.place.key}"
    remarks = tuple(
        Remark(
            code=finding.code,
            severity=finding.severity,
            sentence=f"{finding.path}: {finding.message}",
            fix="wm fsck repair" if finding.repairable else "",
        )
        for finding in check_store(work.runtime, deep=False)
        if finding.path.startswith(mine) or not finding.path.startswith("workspaces/")
    )
    return DiagHealth(
        place=found.place,
        sound=not found.log.damaged and all(r.severity == "note" for r in remarks),
        documents=tuple(_documents(work, found.place.key)),
        records=len(found.records),
        damaged=found.log.damaged,
        torn_bytes=found.log.torn_bytes,
        remarks=remarks,
    )


def _documents(work: Work, key: str) -> Iterator[DocumentHealth]:
    for model in DOCUMENTS:
        reading = work.read(Ref(model, key))
        name = model.slug.replace("_", "-")
        yield DocumentHealth(document=name, health=reading.health.value, detail=reading.detail)


# --- audit ------------------------------------------------------------------------------------


def _audit(work: Work, request: DiagRequest) -> Audit:
    found = ground(work, request)
    lost = diag_disappearances.run(work, request)
    told = _Told(found)
    remarks = [
        *(r for entry in found.memory.entries for r in told.remarks(entry)),
        *_tombs(work, found),
    ]
    remarks += [
        Remark(code="disappeared", severity="error", sentence=one.sentence, entry=one.entry)
        for one in lost.from_memory
        if one.how == "unexplained"
    ]
    return Audit(
        place=found.place,
        sound=not any(r.severity in ("error", "warning") for r in remarks),
        entries=len(found.memory.entries),
        records=len(found.records),
        remarks=tuple(remarks),
    )


class _Told:
    """What the evidence says about each entry, collected once."""

    def __init__(self, found: DiagnosisBasis) -> None:
        self._known = {*(e.id for e in found.memory.entries), *found.trashed()}
        self._admitted = found.admissions()
        self._accepted = {r.entry for r in found.records if r.type in ACCEPTING}
        self._texts = {
            r.entry: str(r.details["text"])
            for r in found.records
            if r.type in QUOTING and r.details.get("text")
        }
        # An accepted outside edit is not quoted in the evidence.
        for record in found.records:
            if record.type == "outside_accepted":
                self._texts.pop(record.entry, None)

    def remarks(self, entry: MemoryEntry) -> Iterator[Remark]:
        """Where the entry and its evidence disagree."""
        if entry.status == "active" and entry.id not in self._admitted:
            yield _noticed(entry, "unanswerable", "note", "No record says how it was admitted.")
        if entry.status == "active" and entry.tainted and entry.id not in self._accepted:
            said = "It rests on text from tools, files or the web, and no person accepted it."
            yield _noticed(entry, "tainted_active", "error", said)
        if entry.status == "inbox" and not entry.reasons:
            said = "It waits in the inbox, and no reason is recorded."
            yield _noticed(entry, "no_reason", "note", said)
        if entry.status == "superseded" and entry.superseded_by not in self._known:
            said = f"{entry.superseded_by or 'The entry that'} replaced it and no longer exists."
            yield _noticed(entry, "dangling", "warning", said)
        told = self._texts.get(entry.id, "")
        if told and len(told) <= LONGEST_QUOTED and canonical(told) != canonical(entry.text):
            said = "Its text differs from the last one in the evidence log."
            yield _noticed(entry, "text_differs", "warning", said)


def _noticed(entry: MemoryEntry, code: str, severity: str, said: str) -> Remark:
    return Remark(code=code, severity=severity, sentence=said, entry=entry.id)


def _tombs(work: Work, found: DiagnosisBasis) -> Iterator[Remark]:
    trash = set(found.trashed())
    in_force = {e.id for e in found.memory.entries if e.status != "trashed"}
    for entry_id in sorted(trash & in_force):
        said = "It is both in the memory and in the trash."
        yield Remark(code="twice", severity="warning", sentence=said, entry=entry_id)
    left = {r.entry for r in found.records if r.outcome == "trashed"}
    for stone in read_tombstones(work, found.place).stones:
        if stone.id not in left:
            said = "Its text is blocked as forgotten (tombstone), but no record says by whom."
            yield Remark(code="unanswerable_stone", severity="note", sentence=said, entry=stone.id)


diag_status = Operation("diag_status", DiagRequest, DiagStatus, _status)
diag_health = Operation("diag_health", DiagRequest, DiagHealth, _health)
diag_audit = Operation("diag_audit", DiagRequest, Audit, _audit)
