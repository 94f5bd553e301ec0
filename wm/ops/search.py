"""Find entries. Lexical so far, behind the interface that other halves join (RC-1)."""

from __future__ import annotations

from threading import Lock

from wm.domain.recall.lexical import Document as Searchable
from wm.domain.recall.lexical import Filters, Hit, Index
from wm.errors import UserError
from wm.formats.protocol import SearchAnswer, SearchHit, SearchRequest
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.base import Operation, Work
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.settings import RecallSettings

ALL = "all"


class Searcher:
    """The index of one workspace, kept in step with the document it is asked about (RC-4).

    It holds every status: what was superseded lends its words to what replaced it.
    """

    def __init__(self, settings: RecallSettings) -> None:
        self._index = Index((), settings)
        self._memory: WorkspaceMemory | None = None
        self._lock = Lock()

    def search(
        self, memory: WorkspaceMemory, query: str, limit: int, filters: Filters
    ) -> tuple[Hit, ...]:
        with self._lock:
            if self._memory is not memory:
                self._index.refresh(map(_searchable, memory.entries))
                self._memory = memory
            return self._index.search(query, limit, filters)


def _run(work: Work, request: SearchRequest) -> SearchAnswer:
    if not request.query.strip():
        raise UserError("There is nothing to search for.", fix="Give some words.")
    settings = work.runtime.settings.recall
    limit = settings.max_hits if request.limit is None else request.limit
    if limit < 1:
        raise UserError(f"A limit of {limit} finds nothing.", fix="Give 1 or more.")
    place = locate(work.runtime, request)
    memory = read_memory(work, place)
    searcher: Searcher = work.runtime.indexes.get(place.key, (), lambda: Searcher(settings))
    wanted = _wanted(request)
    hits = searcher.search(memory, request.query, limit, Filters(metadata=wanted))
    entries = {entry.id: entry for entry in memory.entries}
    return SearchAnswer(
        hits=tuple(SearchHit(entry=entries[h.id], score=h.score, why=h.why) for h in hits),
        searched=sum(
            all(getattr(entry, name) == value for name, value in wanted.items())
            for entry in memory.entries
        ),
    )


def _wanted(request: SearchRequest) -> dict[str, str]:
    status = request.status or "active"
    asked = {"status": "" if status == ALL else status, "type": request.type}
    return {name: value for name, value in asked.items() if value}


def _searchable(entry: MemoryEntry) -> Searchable:
    text = f"{entry.text}\n{entry.rationale}\n{' '.join(entry.tags)}"
    return Searchable(
        id=entry.id,
        text=text,
        time=entry.created_at,
        metadata={
            "type": entry.type,
            "scope": entry.scope,
            "status": entry.status,
            "superseded_by": entry.superseded_by,
        },
    )


search = Operation("search", SearchRequest, SearchAnswer, _run)
