"""Three reports on entries: what prompts omit, the arithmetic of one entry's rank, and which
entries deserve a second look (EV-3)."""

from __future__ import annotations

from collections.abc import Iterator

from wm.api import diag
from wm.domain.memory import retention, scope, select
from wm.domain.memory.entry_list import find
from wm.domain.memory.retention import clock_of
from wm.domain.times import days_between, iso, parse
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.diagnosis.basis import DiagnosisBasis, from_basis, remark
from wm.ops.diagnosis.refusals import counted
from wm.ops.explanations import happened, reason, reasons
from wm.ops.learning.remember import judge
from wm.ops.memory import anchors
from wm.ops.memory.documents import read_journal
from wm.ops.memory.entries import find_entry_or_trash
from wm.ops.memory.render import strengths
from wm.ops.operation import Operation, Work

# --- missing ----------------------------------------------------------------------------------


def _missing(found: DiagnosisBasis, _request: diag.DiagRequest) -> diag.Missing:
    strength = strengths(found.work, found.memory)
    ranks = _ranks(found)
    hidden = [e for e in found.memory.entries if e.status in ("active", "inbox")]
    omitted = found.omitted(hidden)
    rows = []
    for entry in hidden:
        code = omitted[entry.id]
        if not code:
            continue
        sentence = reason(code)
        if entry.status == "inbox":
            why = reasons(entry.reasons) or "no reason was kept"
            code, sentence = "inbox", f"it waits for your approval: {why}"
        rank, value = ranks.get(entry.id, 0), round(strength[entry.id], 4)
        rows.append(
            diag.MissingRow(entry=entry, strength=value, rank=rank, reason=code, sentence=sentence)
        )
    rows.sort(key=lambda row: (row.rank == 0, row.rank, row.entry.id))
    return diag.Missing(
        place=found.place,
        shown=len(found.shown()),
        rows=tuple(rows),
        by_reason=counted((row.reason,) for row in rows),
        pending=len(read_journal(found.work).entries),
    )


def _ranks(found: DiagnosisBasis) -> dict[str, int]:
    """Rank of each active entry of this branch, as prompts order them."""
    settings = found.work.settings.memory
    order = select.rank(found.memory, now=found.work.now, settings=settings)
    seen = (e for e in order if scope.visible(e.scope, found.place.branch))
    return {entry.id: at for at, entry in enumerate(seen, start=1)}


# --- explain ----------------------------------------------------------------------------------

AHEAD_DAYS = 90
"""Days ahead for which an explanation shows the strength."""


def _explain(found: DiagnosisBasis, request: diag.ExplainRequest) -> diag.Explanation:
    entry = find_entry_or_trash(found.work, request.id)
    # The entry as it is now, with the state of its code anchors.
    entry = find(found.memory, entry.id) or entry
    settings = found.work.settings.memory
    calendar = retention.ageing(found.memory, now=found.work.now, settings=settings)
    begin = parse(clock_of(entry))
    prompts = found.prompted().get(entry.id, [])
    ranks = _ranks(found)
    omitted = found.omitted((entry,))[entry.id]
    admitted = found.admissions().get(entry.id)
    return diag.Explanation(
        place=found.place,
        entry=entry,
        type_weight=retention.weight(settings.type_weights, entry.type),
        source_weight=retention.weight(settings.source_weights, entry.source),
        importance_weight=settings.importance_weights.get(entry.user_importance, 1.0),
        age_days=round(days_between(begin, found.work.now), 2) if begin else 0.0,
        effective_age_days=round(calendar.days(entry), 2),
        half_life_days=round(retention.half_life_days(entry, settings), 2),
        suspect_rate=retention.suspect_rate(entry, settings),
        strength=round(calendar.strength(entry), 4),
        rank=ranks.get(entry.id, 0),
        of=len(ranks),
        shown=not omitted,
        omitted=omitted,
        prompts=len(prompts),
        first_prompt_at=prompts[0] if prompts else "",
        last_prompt_at=prompts[-1] if prompts else "",
        admitted=admitted,
        anchors=tuple(
            diag.AnchorView(path=anchor.path, symbol=anchor.symbol, state=state)
            for anchor, state in anchors.states(found.place, entry, request.directory)
        ),
        sentences=(happened(admitted, of=entry.id),) if admitted else (),
        course=tuple(
            diag.StrengthPoint(at=iso(at), strength=round(value, 4))
            for at, value in retention.course(
                entry, found.memory, now=found.work.now, settings=settings, ahead_days=AHEAD_DAYS
            )
        ),
    )


# --- quality ----------------------------------------------------------------------------------


def _quality(found: DiagnosisBasis, _request: diag.DiagRequest) -> diag.Quality:
    admissions = found.admissions()
    against = _contradictions(found)
    rows = []
    for entry in found.active:
        remarks = (
            *_gate(found.work, entry),
            *_looks(found.work, entry),
            *([] if entry.id in admissions else [remark("quality.unanswerable", entry.id)]),
            *against.get(entry.id, ()),
        )
        if remarks:
            rows.append(diag.QualityRow(entry=entry, remarks=remarks))
    return diag.Quality(
        place=found.place,
        active=len(found.active),
        sound=len(found.active) - len(rows),
        by_code=counted((each.code,) for row in rows for each in row.remarks),
        rows=tuple(rows),
    )


def _gate(work: Work, entry: MemoryEntry) -> Iterator[diag.Remark]:
    """Judge a stored text by today's gate, whose rules may be newer than the entry."""
    verdict = judge(work.runtime, entry.text, type=entry.type, source=entry.source)
    fix = f"wm edit {entry.id}, or wm forget {entry.id}"
    for code in verdict.reasons:
        severity = "note" if code in verdict.soft else "warning"
        message = f"Today's rules for memory (the gate) would refuse it: {reason(code)}."
        yield diag.Remark(code=code, severity=severity, sentence=message, entry=entry.id, fix=fix)


def _looks(work: Work, entry: MemoryEntry) -> Iterator[diag.Remark]:
    if len(entry.text) > work.settings.memory.shown_text_chars:
        yield remark("quality.shown_in_part", entry.id, chars=len(entry.text))
    if entry.suspect:
        yield remark("quality.suspect", entry.id, why=reason(f"anchor_{entry.suspect}"))
    if entry.tainted:
        yield remark("quality.tainted", entry.id)


def _contradictions(found: DiagnosisBasis) -> dict[str, list[diag.Remark]]:
    """Pairs that were flagged when the newer entry was admitted, while both are active."""
    active = {entry.id for entry in found.active}
    remarks: dict[str, list[diag.Remark]] = {}
    for record in found.records:
        for other in record.details.get("contradicts") or ():
            if record.entry in active and str(other) in active:
                found_one = remark("quality.may_contradict", record.entry, other=other)
                remarks.setdefault(record.entry, []).append(found_one)
    return remarks


diag_missing = Operation("diag_missing", diag.DiagRequest, diag.Missing, from_basis(_missing))
diag_explain = Operation(
    "diag_explain", diag.ExplainRequest, diag.Explanation, from_basis(_explain)
)
diag_quality = Operation("diag_quality", diag.DiagRequest, diag.Quality, from_basis(_quality))
