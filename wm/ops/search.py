"""Find entries by words and by meaning (RC-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wm.domain.recall.documents import Filters
from wm.errors import UserError
from wm.formats.protocol import SearchAnswer, SearchHit, SearchRequest
from wm.ops.base import Operation, Work
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.runtime import Runtime

if TYPE_CHECKING:
    from wm.models.worker import EmbedWorker
    from wm.ops.searcher import Searcher

ALL = "all"


def _run(work: Work, request: SearchRequest) -> SearchAnswer:
    if not request.query.strip():
        raise UserError("There is nothing to search for.", fix="Give some words.")
    limit = request.limit
    if limit is None:
        limit = work.runtime.settings.recall.max_hits
    if limit < 1:
        raise UserError(f"A limit of {limit} finds nothing.", fix="Give 1 or more.")
    place = locate(work.runtime, request)
    memory = read_memory(work, place)
    wanted = _wanted(request)
    hits = searcher(work.runtime, place.key).search(
        memory, request.query, limit, Filters(metadata=wanted)
    )
    entries = {entry.id: entry for entry in memory.entries}
    return SearchAnswer(
        hits=tuple(SearchHit(entry=entries[h.id], score=h.score, why=h.why) for h in hits),
        searched=sum(
            all(getattr(entry, name) == value for name, value in wanted.items())
            for entry in memory.entries
        ),
    )


def searcher(runtime: Runtime, key: str) -> Searcher:
    """The index of a workspace, made at the first search: it loads numpy."""
    from wm.ops.searcher import Searcher

    settings = runtime.settings.recall
    found: Searcher = runtime.indexes.get(key, (), lambda: Searcher(settings, embedding(runtime)))
    return found


def embedding(runtime: Runtime) -> EmbedWorker:
    """The one embedder of this process."""
    from wm.models.embed import EMBEDDED
    from wm.models.worker import EmbedWorker
    from wm.ops.heap import give_back

    models = runtime.settings.paths.cache / "models"
    settings = runtime.settings.recall
    made: EmbedWorker = runtime.models.get(
        "embed", (), lambda: EmbedWorker(EMBEDDED, models, settings, give_back)
    )
    return made


def _wanted(request: SearchRequest) -> dict[str, str]:
    status = request.status or "active"
    asked = {"status": "" if status == ALL else status, "type": request.type}
    return {name: value for name, value in asked.items() if value}


search = Operation("search", SearchRequest, SearchAnswer, _run)
