"""Why an entry is there, why it is shown or not, and why a text was not kept (EV-2)."""

from __future__ import annotations

from wm.domain.text import canonical
from wm.errors import NotFound, UserError
from wm.formats.evidence import EvidenceRecord
from wm.formats.protocol import Place, WhyAnswer, WhyRequest
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.base import Operation, Work
from wm.ops.entries import find_entry_or_trash
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.render import rendered, strengths
from wm.ops.words import happened


def _run(work: Work, request: WhyRequest) -> WhyAnswer:
    place = locate(work.runtime, request)
    entry = _find(work, place, request.subject)
    records = _records(work, place, request.subject, entry)
    if entry is None:
        if not records:
            raise NotFound(
                f"Nothing is known about {request.subject!r} in {place.root}.",
                fix="`wm search` finds entries by their words.",
            )
        return WhyAnswer(
            subject=request.subject,
            records=records,
            sentences=tuple(map(happened, records)),
        )
    memory = read_memory(work, place)
    view = rendered(work, place, memory).selection
    omitted = next((o.reason for o in view.omitted if o.id == entry.id), "")
    return WhyAnswer(
        subject=request.subject,
        entry=entry,
        strength=round(strengths(work, memory).get(entry.id, 0.0), 4),
        shown=any(e.id == entry.id for e in view.shown),
        omitted=omitted,
        records=records,
        sentences=(_origin(entry), *map(happened, records)),
    )


def _find(work: Work, place: Place, subject: str) -> MemoryEntry | None:
    """The entry by id, else the one whose text says just this."""
    try:
        return find_entry_or_trash(work, place, subject)
    except UserError:
        wanted = canonical(subject)
        fits = [e for e in read_memory(work, place).entries if canonical(e.text) == wanted]
        return fits[0] if fits else None


def _records(
    work: Work, place: Place, subject: str, entry: MemoryEntry | None
) -> tuple[EvidenceRecord, ...]:
    """Evidence that names the entry, or quotes the text."""
    wanted = canonical(subject)
    found = []
    for record in work.runtime.store.evidence(place.key).records:
        quoted = str(record.details.get("text") or record.details.get("preview") or "")
        shown_in = record.details.get("included") or ()
        if (entry is not None and (record.entry == entry.id or entry.id in shown_in)) or (
            quoted and entry is None and wanted in canonical(quoted)
        ):
            found.append(record)
    return tuple(found)


def _origin(entry: MemoryEntry) -> str:
    how = {
        "explicit": "The user asked to remember it",
        "manual": "It was added by hand",
        "compaction": "A session's compaction proposed it",
    }.get(entry.source, f"It came from {entry.source}")
    taint = ", and it leans on text from outside the conversation" if entry.tainted else ""
    return f"{how} on {entry.created_at[:10]}{taint}."


why = Operation("why", WhyRequest, WhyAnswer, _run)
