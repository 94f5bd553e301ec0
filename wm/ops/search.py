"""Find entries. Lexical so far, behind the interface that other halves join (RC-1)."""

from __future__ import annotations

from wm.domain.recall.lexical import Document as Searchable
from wm.domain.recall.lexical import Filters, Index
from wm.errors import UserError
from wm.formats.protocol import SearchAnswer, SearchHit, SearchRequest
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.base import Operation, Work
from wm.ops.memory import read_memory
from wm.ops.place import locate


def _run(work: Work, request: SearchRequest) -> SearchAnswer:
    if not request.query.strip():
        raise UserError("There is nothing to search for.", fix="Give some words.")
    if request.limit < 1:
        raise UserError(f"A limit of {request.limit} finds nothing.", fix="Give 1 or more.")
    place = locate(work.runtime, request)
    memory = read_memory(work, place)
    entries = {e.id: e for e in memory.entries if _wanted(e, request)}
    index: Index = work.runtime.indexes.get(
        (place.key, request.status, request.type),
        (memory,),
        lambda: Index(tuple(map(_searchable, entries.values())), work.runtime.settings.recall),
    )
    hits = index.search(request.query, request.limit, Filters())
    return SearchAnswer(
        hits=tuple(SearchHit(entry=entries[h.id], score=h.score, why=h.why) for h in hits),
        searched=len(entries),
    )


def _wanted(entry: MemoryEntry, request: SearchRequest) -> bool:
    status = request.status or "active"
    return status in ("all", entry.status) and request.type in ("", entry.type)


def _searchable(entry: MemoryEntry) -> Searchable:
    text = f"{entry.text}\n{entry.rationale}\n{' '.join(entry.tags)}"
    return Searchable(
        id=entry.id,
        text=text,
        time=entry.created_at,
        metadata={"type": entry.type, "scope": entry.scope},
    )


search = Operation("search", SearchRequest, SearchAnswer, _run)
