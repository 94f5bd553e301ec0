"""Three reports on the flow of memory: one session's effects, how complete the evidence is, and why
entries disappeared (EV-3)."""

from __future__ import annotations

from wm.api import diag
from wm.domain.evidence_retention import ADMITTING
from wm.errors import NotFound
from wm.formats.evidence import EvidenceRecord
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.diagnosis.basis import DiagnosisBasis, from_basis
from wm.ops.explanations import reason
from wm.ops.memory.history import happening
from wm.ops.operation import Operation
from wm.ops.session.hot_state import latest, readable_sessions
from wm.ops.storage.evidence import last_texts
from wm.store.base import Ref
from wm.store.paths import sid

# --- trace ------------------------------------------------------------------------------------


def _trace(found: DiagnosisBasis, request: diag.TraceRequest) -> diag.Trace:
    session = _session(found, request.subject)
    state = found.work.read(Ref(SessionState, found.work.key, session)).document
    return diag.Trace(
        place=found.place,
        session=session,
        session_id=state.session_id if state else "",
        agent=state.agent if state else "",
        happenings=tuple(happening(r) for r in found.records if r.session == session),
    )


def _session(found: DiagnosisBasis, subject: str) -> str:
    """The `<sid>` of the session that `subject` names. Raises NotFound.

    If the session's files are gone, the full session id is needed, because the evidence keeps only
    its digest.
    """
    sessions = [r.session for r in found.records if r.session]
    if not subject:
        return sessions[-1] if sessions else _newest(found)
    by_event = [r.session for r in found.records if r.event_id == subject and r.session]
    if by_event:
        return by_event[0]
    for state in readable_sessions(found.work):
        name = sid(state.session_id)
        if subject == name or state.session_id.startswith(subject):
            return name
    for known in (subject, sid(subject)):
        if known in sessions:
            return known
    raise NotFound.of("trace.no_session", subject=subject)


def _newest(found: DiagnosisBasis) -> str:
    newest = latest(found.work)
    if newest is None:
        raise NotFound.of("trace.no_sessions")
    return sid(newest.session_id)


# --- coverage ---------------------------------------------------------------------------------


def _coverage(found: DiagnosisBasis, _request: diag.DiagRequest) -> diag.Coverage:
    admissions, prompted = found.admissions(), found.prompted()
    shown = {entry.id for entry in found.shown()}
    rows = []
    for kind in sorted({entry.type for entry in found.active}):
        entries = [e for e in found.active if e.type == kind]
        rows.append(
            diag.CoverageRow(
                type=kind,
                active=len(entries),
                answerable=sum(e.id in admissions for e in entries),
                shown=sum(e.id in shown for e in entries),
                prompted=sum(e.id in prompted for e in entries),
            )
        )
    return diag.Coverage(
        place=found.place,
        rows=tuple(rows),
        unanswerable=tuple(e.id for e in found.active if e.id not in admissions),
        never_prompted=tuple(e.id for e in found.active if e.id not in prompted),
        records=len(found.records),
        oldest_at=found.records[0].created_at if found.records else "",
        newest_at=found.records[-1].created_at if found.records else "",
    )


# --- disappearances ---------------------------------------------------------------------------

ENTERING = ADMITTING - {"outside_change"}
"""Record types that admit an entry. An outside change does not count before a person accepts it."""

_LEFT = {
    ("memory_trashed", "trashed"): "forgotten",
    ("memory_rejected", "trashed"): "rejected",
    ("outside_accepted", "trashed"): "forgotten",
}
"""(type, outcome) of records after which an entry is no longer in the memory."""


def disappearances(found: DiagnosisBasis) -> diag.Disappearances:
    """What became of entries that were active, or in prompts, before."""
    missing = tuple(_missing_entries(found))
    return diag.Disappearances(
        place=found.place,
        from_memory=missing,
        from_prompts=tuple(_hidden(found)),
        unexplained=sum(one.how == "unexplained" for one in missing),
    )


def _missing_entries(found: DiagnosisBasis) -> list[diag.Disappearance]:
    """Entries that the evidence admitted and that are neither active nor in the inbox now."""
    present = {entry.id: entry for entry in found.memory.entries}
    trash = set(found.trashed())
    texts = last_texts(found.records)
    admitted: dict[str, EvidenceRecord] = {}
    last_trashed: dict[str, EvidenceRecord] = {}
    for record in found.records:
        if record.entry and record.type in ENTERING and record.outcome != "trashed":
            admitted[record.entry] = record
            last_trashed.pop(record.entry, None)
        if (record.type, record.outcome) in _LEFT:
            last_trashed[record.entry] = record
    rows = []
    for entry_id in admitted:
        entry = present.get(entry_id)
        if entry is not None and entry.status in ("active", "inbox"):
            continue
        trashed = last_trashed.get(entry_id)
        how, at, sentence = _where(entry_id, entry, trashed, in_trash=entry_id in trash)
        text = entry.text if entry else texts.get(entry_id, "")
        rows.append(
            diag.Disappearance(entry=entry_id, text=text, how=how, at=at, sentence=sentence)
        )
    return sorted(rows, key=lambda row: (row.how != "unexplained", row.at, row.entry))


def _where(
    entry_id: str, entry: MemoryEntry | None, record: EvidenceRecord | None, *, in_trash: bool
) -> tuple[str, str, str]:
    """How an entry left, when, and the sentence about it."""
    if entry is not None and entry.status == "superseded":
        by = entry.superseded_by or "another entry"
        return "replaced", entry.updated_at, f"It was replaced by {by} and is kept as history."
    if record is None:
        return "unexplained", "", "No record says why: the file was edited, restored or lost."
    how = _LEFT[record.type, record.outcome]
    if in_trash or entry is not None:
        back = f"It is in the trash; `wm undo {entry_id}` brings it back."
        return how, record.created_at, back
    return "purged", record.created_at, f"It was {how}, and it is no longer in the trash."


def _hidden(found: DiagnosisBasis) -> list[diag.Disappearance]:
    """Active entries that the newest prompt showed and a prompt rendered now would omit."""
    newest = next((r for r in reversed(found.records) if r.type == "epoch_opened"), None)
    if newest is None:
        return []
    included = set(map(str, newest.details.get("included") or ()))
    omitted = found.omitted(e for e in found.active if e.id in included)
    return [
        diag.Disappearance(
            entry=entry.id,
            text=entry.text,
            how="hidden",
            at=newest.created_at,
            sentence=f"A new prompt does not show it: {reason(omitted[entry.id])}.",
        )
        for entry in found.active
        if omitted.get(entry.id)
    ]


diag_trace = Operation("diag_trace", diag.TraceRequest, diag.Trace, from_basis(_trace))
diag_coverage = Operation("diag_coverage", diag.DiagRequest, diag.Coverage, from_basis(_coverage))
diag_disappearances = Operation(
    "diag_disappearances",
    diag.DiagRequest,
    diag.Disappearances,
    from_basis(lambda found, _request: disappearances(found)),
)
