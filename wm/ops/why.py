"""Why an entry is there, why it is shown or not, and why a text was not kept (EV-2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from wm.domain.text import canonical
from wm.errors import NotFound, UserError
from wm.formats.evidence import EvidenceRecord
from wm.formats.protocol import Place, WhyAnswer, WhyRequest
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry
from wm.ops import outputs
from wm.ops.base import Operation, Work
from wm.ops.entries import find_entry_or_trash, trash_ref
from wm.ops.evidence import names, quotes, read_log
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.render import omissions, rendered, strengths
from wm.ops.words import happened

TOLD_CHARS = 60
"""So much of what was asked is said again where nothing is known: it may be a whole paste."""


def _run(work: Work, request: WhyRequest) -> WhyAnswer:
    place = locate(work.runtime, request)
    # Evidence holds labels instead of secrets, so the question must too.
    subject = work.runtime.redactor.text(request.subject)
    if not subject.strip():
        raise UserError(
            "There is nothing to ask about.", fix='`wm why ID`, or `wm why "the text"`.'
        )
    if subject.startswith("t_"):
        return _of_output(work, place, subject)
    entry = find_entry_or_text(work, place, subject)
    records = _records(work, place, subject, entry)
    if entry is None:
        if not records:
            raise NotFound(
                f"Nothing is known about {request.subject[:TOLD_CHARS]!r} in {place.root}.",
                fix="`wm search` finds entries by their words.",
            )
        return WhyAnswer(
            subject=request.subject,
            records=records,
            sentences=tuple(map(happened, records)),
        )
    memory = read_memory(work, place)
    view = rendered(work, place, memory).selection
    return WhyAnswer(
        subject=request.subject,
        entry=entry,
        strength=round(strengths(work, memory).get(entry.id, 0.0), 4),
        shown=any(e.id == entry.id for e in view.shown),
        omitted=omissions((entry,), place, view)[entry.id],
        records=records,
        sentences=(_origin(entry), *(happened(r, of=entry.id) for r in records)),
    )


def _of_output(work: Work, place: Place, subject: str) -> WhyAnswer:
    """What cut a tool's output, also when the output itself is gone since."""
    log = read_log(work, place).records
    handle = outputs.full_handle(subject, (r.entry for r in log if r.type == "output_pruned"))
    records = tuple(record for record in log if handle and record.entry == handle)
    if not records:
        raise NotFound(
            f"Nothing is known about the tool output {subject[:TOLD_CHARS]!r} in "
            f"{place.root or place.key}.",
            fix="Handles stand in the marks of cut outputs.",
        )
    return WhyAnswer(subject=subject, records=records, sentences=tuple(map(happened, records)))


def find_entry_or_text(work: Work, place: Place, subject: str) -> MemoryEntry | None:
    """The entry by id, else the one whose text says just this; those in the trash last."""
    try:
        return find_entry_or_trash(work, place, subject)
    except NotFound:
        wanted = canonical(subject)
        kept = (e for e in read_memory(work, place).entries if canonical(e.text) == wanted)
        return next(chain(kept, _in_trash(work, place, wanted)), None)


def _in_trash(work: Work, place: Place, wanted: str) -> Iterator[MemoryEntry]:
    for name in work.runtime.store.names(TrashedEntry, place.key):
        trashed = work.read(trash_ref(place.key, name)).document
        if trashed is not None and canonical(trashed.entry.text) == wanted:
            yield trashed.entry.model_copy(update={"status": "trashed"})


def _records(
    work: Work, place: Place, subject: str, entry: MemoryEntry | None
) -> tuple[EvidenceRecord, ...]:
    """Evidence that names the entry, also one that is gone for good, or quotes the text."""
    wanted = canonical(subject)
    return tuple(
        record
        for record in read_log(work, place).records
        if (
            names(record, entry.id)
            if entry is not None
            else quotes(record, wanted) or names(record, subject)
        )
    )


def _origin(entry: MemoryEntry) -> str:
    how = {
        "explicit": "The user asked to remember it",
        "manual": "It was added by hand",
        "compaction": "A session's compaction proposed it",
    }.get(entry.source, f"It came from {entry.source}")
    taint = ", and it leans on text from outside the conversation" if entry.tainted else ""
    return f"{how} on {entry.created_at[:10]}{taint}."


why = Operation("why", WhyRequest, WhyAnswer, _run)
