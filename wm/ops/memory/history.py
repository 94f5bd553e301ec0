"""The history of an entry or a workspace, newest first, in pages (WM-7, EV-2).

Built from the evidence, which outlives the entries. Damaged records are counted, not hidden.
"""

from __future__ import annotations

from wm.api.diagnosis import Happening, HistoryPage, HistoryRequest, Trash, TrashRequest, TrashView
from wm.domain.memory.acts import acts
from wm.errors import NotFound, UserError
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.explanations import sentence_of, text_of
from wm.ops.memory.documents import read_memory, read_tombstones
from wm.ops.memory.entries import find_entry_or_trash, trashed_entries
from wm.ops.operation import LocatedWork, Operation, located
from wm.ops.storage.evidence import names, read_log
from wm.text.letters import canonical

MOST = 1000
"""Most records on one page."""


def _history(work: LocatedWork, request: HistoryRequest) -> HistoryPage:
    log = read_log(work)
    entry, entry_id = _subject(work, request.id)
    if not 1 <= request.limit <= MOST:
        raise UserError.of("history.page_size", most=MOST, limit=request.limit)
    found = [r for r in reversed(log.records) if not entry_id or names(r, entry_id)]
    if request.id and entry is None and not found:
        raise NotFound.of("history.unknown", wanted=request.id, place=work.place.root or work.key)
    page = found[_begin([r.event_id for r in found], request.before) :]
    shown = page[: request.limit]
    undone = {a.record.event_id: a.undone_by for a in acts(log.records)}
    return HistoryPage(
        place=work.place,
        entry=entry,
        happenings=tuple(
            happening(r, of=entry_id, undone_by=undone.get(r.event_id, "")) for r in shown
        ),
        total=len(found),
        next=shown[-1].event_id if len(page) > len(shown) else "",
        damaged=log.damaged,
    )


def happening(record: EvidenceRecord, *, of: str = "", undone_by: str = "") -> Happening:
    """The record with what it says, for an answer. of: the entry that the answer is about."""
    sentence = sentence_of(record, of=of)
    return Happening(record=record, sentence=sentence, text=text_of(record), undone_by=undone_by)


def _subject(work: LocatedWork, wanted: str) -> tuple[MemoryEntry | None, str]:
    """The entry that `wanted` names, and its full id. The log may know entries that are gone."""
    if not wanted:
        return None, ""
    try:
        entry = find_entry_or_trash(work, wanted)
    except NotFound:
        return None, wanted
    return entry, entry.id


def _begin(events: list[str], before: str) -> int:
    if not before:
        return 0
    if before not in events:
        raise UserError.of("history.no_record", before=before)
    return events.index(before) + 1


def _trash(work: LocatedWork, _request: TrashRequest) -> Trash:
    stones = read_tombstones(work).stones
    blocked = {stone.digest for stone in stones}
    found = [
        TrashView(
            entry=trashed.entry,
            trashed_at=trashed.trashed_at,
            reason=trashed.trashed_by,
            blocked=bool(blocked) and work.store.digest(canonical(trashed.entry.text)) in blocked,
        )
        for trashed in trashed_entries(work)
    ]
    # An accepted deletion from outside stays in the document (ST-4).
    found += [
        TrashView(entry=entry, trashed_at=entry.updated_at, reason="deleted by hand")
        for entry in read_memory(work).entries
        if entry.status == "trashed"
    ]
    found.sort(key=lambda view: (view.trashed_at, view.entry.id), reverse=True)
    return Trash(place=work.place, entries=tuple(found), stones=len(stones))


history = Operation("history", HistoryRequest, HistoryPage, located(_history))
list_trash = Operation("list_trash", TrashRequest, Trash, located(_trash))
