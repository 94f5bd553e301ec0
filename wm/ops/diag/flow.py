"""What one session set off, how far the evidence reaches, and what went where (EV-3)."""

from __future__ import annotations

from wm.domain.workspace.keeping import ADMITTING
from wm.errors import NotFound
from wm.formats.diag import (
    Coverage,
    CoverageRow,
    DiagRequest,
    Disappearance,
    Disappearances,
    Trace,
    TraceRequest,
)
from wm.formats.evidence import EvidenceRecord
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.base import Operation, Work
from wm.ops.diag.ground import Ground, ground, happening
from wm.ops.evidence import last_texts
from wm.ops.words import reason
from wm.store.base import Ref
from wm.store.paths import sid

# --- trace ------------------------------------------------------------------------------------


def _trace(work: Work, request: TraceRequest) -> Trace:
    found = ground(work, request)
    session = _session(work, found, request.subject)
    state = work.read(Ref(SessionState, found.place.key, session)).document
    return Trace(
        place=found.place,
        session=session,
        session_id=state.session_id if state else "",
        agent=state.agent if state else "",
        happenings=tuple(happening(r) for r in found.records if r.session == session),
    )


def _session(work: Work, found: Ground, subject: str) -> str:
    """The `<sid>` of the session that is meant. Raises NotFound.

    The files of a session may be gone while the evidence still names it: its whole id is then
    needed, as only its digest was kept.
    """
    told = [r.session for r in found.records if r.session]
    if not subject:
        return told[-1] if told else _newest(work, found)
    by_event = [r.session for r in found.records if r.event_id == subject and r.session]
    if by_event:
        return by_event[0]
    for name, state in _states(work, found):
        if subject == name or state.session_id.startswith(subject):
            return name
    for known in (subject, sid(subject)):
        if known in told:
            return known
    raise NotFound(
        f"No session {subject!r} is known here.", fix="`wm session list` shows the sessions."
    )


def _newest(work: Work, found: Ground) -> str:
    states = _states(work, found)
    if not states:
        raise NotFound("No agent had a session here yet.")
    return max(states, key=lambda named: (named[1].updated_at, named[0]))[0]


def _states(work: Work, found: Ground) -> list[tuple[str, SessionState]]:
    names = work.runtime.store.names(SessionState, found.place.key)
    read = ((n, work.read(Ref(SessionState, found.place.key, n)).document) for n in names)
    return [(name, state) for name, state in read if state is not None]


# --- coverage ---------------------------------------------------------------------------------


def _coverage(work: Work, request: DiagRequest) -> Coverage:
    found = ground(work, request)
    admissions, prompted = found.admissions(), found.prompted()
    shown = {entry.id for entry in found.shown()}
    kinds = dict.fromkeys(entry.type for entry in found.active)
    rows = [
        _covered(kind, [e for e in found.active if e.type == kind], admissions, prompted, shown)
        for kind in sorted(kinds)
    ]
    return Coverage(
        place=found.place,
        rows=tuple(rows),
        unanswerable=tuple(e.id for e in found.active if e.id not in admissions),
        never_prompted=tuple(e.id for e in found.active if e.id not in prompted),
        records=len(found.records),
        oldest_at=found.records[0].created_at if found.records else "",
        newest_at=found.records[-1].created_at if found.records else "",
    )


def _covered(
    kind: str,
    entries: list[MemoryEntry],
    admissions: dict[str, EvidenceRecord],
    prompted: dict[str, list[str]],
    shown: set[str],
) -> CoverageRow:
    return CoverageRow(
        type=kind,
        active=len(entries),
        answerable=sum(e.id in admissions for e in entries),
        shown=sum(e.id in shown for e in entries),
        prompted=sum(e.id in prompted for e in entries),
    )


# --- disappearances ---------------------------------------------------------------------------

ENTERING = ADMITTING - {"outside_change"}
"""What only waits for a yes, as a change made by hand does, is not in yet."""

_LEFT = {
    ("memory_trashed", "trashed"): "forgotten",
    ("memory_rejected", "trashed"): "rejected",
    ("outside_accepted", "trashed"): "forgotten",
}
"""(type, outcome) of the records after which an entry is not in the memory any more."""


def _disappearances(work: Work, request: DiagRequest) -> Disappearances:
    found = ground(work, request)
    gone = tuple(_gone(found))
    return Disappearances(
        place=found.place,
        from_memory=gone,
        from_prompts=tuple(_hidden(found)),
        unexplained=sum(one.how == "unexplained" for one in gone),
    )


def _gone(found: Ground) -> list[Disappearance]:
    """Every entry that the evidence let in and that is not active or waiting now."""
    there = {entry.id: entry for entry in found.memory.entries}
    trash = set(found.trashed())
    texts = last_texts(found.records)
    admitted: dict[str, EvidenceRecord] = {}
    left: dict[str, EvidenceRecord] = {}
    for record in found.records:
        if record.entry and record.type in ENTERING and record.outcome != "trashed":
            admitted[record.entry] = record
            left.pop(record.entry, None)
        if (record.type, record.outcome) in _LEFT:
            left[record.entry] = record
    rows = []
    for entry_id in admitted:
        entry = there.get(entry_id)
        if entry is not None and entry.status in ("active", "inbox"):
            continue
        row = _where(entry_id, entry, left.get(entry_id), in_trash=entry_id in trash)
        text = entry.text if entry else texts.get(entry_id, "")
        rows.append(row.model_copy(update={"text": text}))
    return sorted(rows, key=lambda row: (row.how != "unexplained", row.at, row.entry))


def _where(
    entry_id: str, entry: MemoryEntry | None, left: EvidenceRecord | None, *, in_trash: bool
) -> Disappearance:
    if entry is not None and entry.status == "superseded":
        by = entry.superseded_by or "another entry"
        said = f"{by} took its place; it stays as history."
        return Disappearance(entry=entry_id, how="replaced", at=entry.updated_at, sentence=said)
    if left is not None:
        how = _LEFT[left.type, left.outcome]
        if in_trash or entry is not None:
            said = f"It lies in the trash; `wm restore {entry_id}` brings it back."
            return Disappearance(entry=entry_id, how=how, at=left.created_at, sentence=said)
        said = f"It was {how}, and the trash does not hold it any more."
        return Disappearance(entry=entry_id, how="purged", at=left.created_at, sentence=said)
    said = "No record tells where it went: the file was changed, restored or lost."
    return Disappearance(entry=entry_id, how="unexplained", sentence=said)


def _hidden(found: Ground) -> list[Disappearance]:
    """Active entries that the newest prompt showed, and that one which began now would not."""
    newest = next((r for r in reversed(found.records) if r.type == "epoch_opened"), None)
    if newest is None:
        return []
    included = set(map(str, newest.details.get("included") or ()))
    omitted = found.omitted(e for e in found.active if e.id in included)
    return [
        Disappearance(
            entry=entry.id,
            text=entry.text,
            how="hidden",
            at=newest.created_at,
            sentence=f"A prompt that begins now leaves it out: {reason(omitted[entry.id])}.",
        )
        for entry in found.active
        if omitted.get(entry.id)
    ]


diag_trace = Operation("diag_trace", TraceRequest, Trace, _trace)
diag_coverage = Operation("diag_coverage", DiagRequest, Coverage, _coverage)
diag_disappearances = Operation("diag_disappearances", DiagRequest, Disappearances, _disappearances)
