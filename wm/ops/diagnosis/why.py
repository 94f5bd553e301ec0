"""Why an entry exists, why it is shown or not, and why a text was not kept (EV-2).

Answers from the records of the entry or text, with the present selection. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from wm.api.protocol import WhyAnswer, WhyRequest
from wm.errors import NotFound, UserError
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.explanations import came_from, happened
from wm.ops.memory.documents import read_memory
from wm.ops.memory.entries import find_entry_or_trash, trashed_entries
from wm.ops.memory.render import omissions, rendered, strengths
from wm.ops.operation import LocatedWork, Operation, located
from wm.ops.session import tool_outputs
from wm.ops.storage.evidence import names, quotes, read_log
from wm.text.letters import canonical

QUOTED_CHARS = 60
"""Characters of the question that are repeated if nothing is known: it may be a long paste."""


def _run(work: LocatedWork, request: WhyRequest) -> WhyAnswer:
    # Evidence holds labels instead of secrets, so the question must too.
    subject = work.redact(request.subject)
    if not subject.strip():
        raise UserError.of("why.nothing_named")
    if subject.startswith("t_"):
        return _of_output(work, subject)
    entry = find_entry_or_text(work, subject)
    records = _records(work, subject, entry)
    if entry is None:
        if not records:
            raise NotFound.of(
                "why.unknown", subject=request.subject[:QUOTED_CHARS], root=work.place.root
            )
        return WhyAnswer(
            subject=request.subject, records=records, sentences=tuple(map(happened, records))
        )
    memory = read_memory(work)
    view = rendered(work, memory).selection
    return WhyAnswer(
        subject=request.subject,
        entry=entry,
        strength=round(strengths(work, memory).get(entry.id, 0.0), 4),
        shown=any(e.id == entry.id for e in view.shown),
        omitted=omissions((entry,), work.place, view)[entry.id],
        records=records,
        sentences=(
            _origin(entry),
            *_changes(memory, entry),
            *(happened(r, of=entry.id) for r in records),
        ),
    )


def _of_output(work: LocatedWork, subject: str) -> WhyAnswer:
    """Why a tool output was cut, even if the output itself is gone."""
    log = read_log(work).records
    handle = tool_outputs.full_handle(subject, (r.entry for r in log if r.type == "output_pruned"))
    records = tuple(record for record in log if handle and record.entry == handle)
    if not records:
        raise NotFound.of(
            "why.unknown_output", subject=subject[:QUOTED_CHARS], place=work.place.root or work.key
        )
    return WhyAnswer(subject=subject, records=records, sentences=tuple(map(happened, records)))


def find_entry_or_text(work: LocatedWork, subject: str) -> MemoryEntry | None:
    """The entry by id, else one with exactly this text; trashed ones last."""
    try:
        return find_entry_or_trash(work, subject)
    except NotFound:
        wanted = canonical(subject)
        trash = (trashed.entry for trashed in trashed_entries(work))
        known = chain(read_memory(work).entries, trash)
        return next((entry for entry in known if canonical(entry.text) == wanted), None)


def _records(
    work: LocatedWork, subject: str, entry: MemoryEntry | None
) -> tuple[EvidenceRecord, ...]:
    """Records that name the entry (even if it was purged) or quote the text."""
    wanted = canonical(subject)
    return tuple(
        record
        for record in read_log(work).records
        if (
            names(record, entry.id)
            if entry is not None
            else quotes(record, wanted) or names(record, subject)
        )
    )


def _origin(entry: MemoryEntry) -> str:
    how = came_from(entry)
    taint = ", and it rests on text from tools, files or the web" if entry.tainted else ""
    return f"{how[0].upper()}{how[1:]} on {entry.created_at[:10]}{taint}."


def _changes(memory: WorkspaceMemory, entry: MemoryEntry) -> Iterator[str]:
    """What replaced the entry, and what it replaced, or would once accepted (WM-8)."""
    texts = {e.id: e.text for e in memory.entries}
    heir = texts.get(entry.superseded_by, "") if entry.status == "superseded" else ""
    if heir and canonical(heir) == canonical(entry.text):
        yield f"{entry.superseded_by} says the same, and is kept in its place."
        return
    if heir:
        yield f"No longer true since {entry.updated_at[:10]}: “{heir}”"
    for old in filter(texts.get, entry.supersedes):
        yield f"It {'would replace' if entry.status == 'inbox' else 'replaced'} “{texts[old]}”"


why = Operation("why", WhyRequest, WhyAnswer, located(_run))
