"""Three reports on health: a summary, the files, and whether memory and evidence agree (EV-3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from wm.api.diag import Audit, DiagHealth, DiagRequest, DiagStatus, DocumentHealth, Remark
from wm.formats.pending_journal import PendingJournal
from wm.formats.session_state import SessionState
from wm.formats.tombstones import Tombstones
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.diagnosis.basis import DiagnosisBasis, from_basis, is_after, remark
from wm.ops.diagnosis.refusals import refuses
from wm.ops.diagnosis.session_flow import disappearances
from wm.ops.memory.documents import read_journal, read_tombstones
from wm.ops.memory.history import happening
from wm.ops.operation import LocatedWork, Operation
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


def _status(found: DiagnosisBasis, _request: DiagRequest) -> DiagStatus:
    key = found.work.key
    remarks = tuple(_attention(found))
    counts = {
        status: sum(e.status == status for e in found.memory.entries)
        for status in ("active", "inbox", "superseded")
    }
    counts |= {
        "shown": len(found.shown()),
        "pending": len(read_journal(found.work).entries),
        "trash": len(found.trashed()),
        "stones": len(read_tombstones(found.work).stones),
        "sessions": len(found.work.store.names(SessionState, key)),
    }
    moment = found.work.now - RECENT
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
    severities = {each.severity for each in remarks}
    if "error" in severities:
        return "degraded"
    return "warning" if "warning" in severities else "ok"


def _attention(found: DiagnosisBasis) -> Iterator[Remark]:
    """What needs attention, most serious first."""
    unreadable = False
    for document in _documents(found.work):
        if document.health not in WELL:
            lost = document.health in (Health.LOST.value, Health.TOO_NEW.value)
            health = document.health.replace("_", " ")
            message = f"{document.document} is {health}: {document.detail}."
            severity = "error" if lost else "warning"
            unreadable |= lost
            yield Remark(code=document.health, severity=severity, sentence=message, fix="wm fsck")
    # An unreadable entry must not be reported as gone.
    gone = 0 if unreadable else disappearances(found).unexplained
    counts = {
        "pending": len(read_journal(found.work).entries),
        "damaged_evidence": found.log.damaged,
        "disappeared": gone,
        "inbox": sum(e.status == "inbox" for e in found.memory.entries),
        "missing": len(found.active) - len(found.shown()),
    }
    for code, count in counts.items():
        if count > 0:
            yield remark(f"status.{code}", count=count)


# --- health -----------------------------------------------------------------------------------


def _health(found: DiagnosisBasis, _request: DiagRequest) -> DiagHealth:
    folder = f"workspaces/{found.work.key}"
    remarks = tuple(
        Remark(
            code=finding.code,
            severity=finding.severity,
            sentence=f"{finding.path}: {finding.message}",
            fix="wm down && wm fsck repair" if finding.repairable else "",
        )
        for finding in check_store(found.work.runtime, deep=False)
        if finding.path.startswith(folder) or not finding.path.startswith("workspaces/")
    )
    return DiagHealth(
        place=found.place,
        sound=not found.log.damaged and all(r.severity == "note" for r in remarks),
        documents=tuple(_documents(found.work)),
        records=len(found.records),
        damaged=found.log.damaged,
        torn_bytes=found.log.torn_bytes,
        remarks=remarks,
    )


def _documents(work: LocatedWork) -> Iterator[DocumentHealth]:
    for model in DOCUMENTS:
        reading = work.read(Ref(model, work.key))
        name = model.slug.replace("_", "-")
        yield DocumentHealth(document=name, health=reading.health.value, detail=reading.detail)


# --- audit ------------------------------------------------------------------------------------


def _audit(found: DiagnosisBasis, _request: DiagRequest) -> Audit:
    lost = disappearances(found)
    remarks = [*_disagreements(found), *_tombstones(found)]
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


def _disagreements(found: DiagnosisBasis) -> Iterator[Remark]:
    """Where an entry and its evidence disagree."""
    known = {*(e.id for e in found.memory.entries), *found.trashed()}
    admitted = found.admissions()
    accepted = {r.entry for r in found.records if r.type in ACCEPTING}
    texts = _last_quotes(found)
    for entry in found.memory.entries:
        active = entry.status == "active"
        if active and entry.id not in admitted:
            yield remark("audit.unanswerable", entry.id)
        if active and entry.tainted and entry.id not in accepted:
            yield remark("audit.tainted_active", entry.id)
        if entry.status == "inbox" and not entry.reasons:
            yield remark("audit.no_reason", entry.id)
        if entry.status == "superseded" and entry.superseded_by not in known:
            yield remark("audit.dangling", entry.id, by=entry.superseded_by or "no id")
        quoted = texts.get(entry.id, "")
        if quoted and canonical(quoted) != canonical(entry.text):
            yield remark("audit.text_differs", entry.id)


def _last_quotes(found: DiagnosisBasis) -> dict[str, str]:
    """The last text of each entry in the evidence, unless the evidence truncates such texts."""
    texts: dict[str, str] = {}
    for record in found.records:
        if record.type in QUOTING and record.details.get("text"):
            texts[record.entry] = str(record.details["text"])
    # An accepted outside edit is not quoted in the evidence.
    edited = {r.entry for r in found.records if r.type == "outside_accepted"}
    return {
        name: text
        for name, text in texts.items()
        if name not in edited and len(text) <= LONGEST_QUOTED
    }


def _tombstones(found: DiagnosisBasis) -> Iterator[Remark]:
    trash = set(found.trashed())
    in_force = {e.id for e in found.memory.entries if e.status != "trashed"}
    for entry_id in sorted(trash & in_force):
        yield remark("audit.twice", entry_id)
    left = {r.entry for r in found.records if r.outcome == "trashed"}
    for stone in read_tombstones(found.work).stones:
        if stone.id not in left:
            yield remark("audit.unanswerable_stone", stone.id)


diag_status = Operation("diag_status", DiagRequest, DiagStatus, from_basis(_status))
diag_health = Operation("diag_health", DiagRequest, DiagHealth, from_basis(_health))
diag_audit = Operation("diag_audit", DiagRequest, Audit, from_basis(_audit))
