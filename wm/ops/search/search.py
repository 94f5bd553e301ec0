"""Find entries by words and by meaning, within filters, and quote an answer if one is clear (RC-1).

Loads and asks; `wm.search` scores and ranks. Without vectors in time it uses words only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from wm.api.models import UsedModel
from wm.api.protocol import SINCE, Passage, SearchAnswer, SearchHit, SearchRequest, WorkspacePlace
from wm.domain.memory.scope import WORKSPACE, branch_of
from wm.domain.since import moment
from wm.domain.times import iso
from wm.errors import UserError
from wm.formats.workspace_memory import ORIGINS, STATUSES, WorkspaceMemory
from wm.models.worker import EmbedWorker
from wm.ops.background import Pace
from wm.ops.learning import recaps
from wm.ops.memory import anchors
from wm.ops.memory.documents import read_memory
from wm.ops.operation import Operation, Work
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.search.model_choice import TROUBLE, chosen, without
from wm.search.answer import passage
from wm.search.applicability import behind_rivals, relevant
from wm.search.documents import Filters
from wm.search.pinned import standing
from wm.search.query import parse
from wm.settings import one_numeric_thread
from wm.store.paths import sid

if TYPE_CHECKING:
    from wm.ops.search.index_keeper import Searcher

ALL = "all"
RIVALS = 5
"""Number of hits the best one is compared with before it may answer."""


def _search(work: Work, request: SearchRequest) -> SearchAnswer:
    if not request.query.strip():
        raise UserError.of("search.nothing_asked")
    limit = request.limit
    if limit is None:
        limit = work.settings.recall.max_hits
    if limit < 1:
        raise UserError.of("search.no_limit", limit=limit)
    work = work.at(locate(work.runtime, request))
    memory = read_memory(work)
    filters = _filters(work, request, work.place, memory)
    found = searcher(work.runtime, work.key)
    # Whether the best hit answers must not depend on the requested limit.
    recall = work.settings.recall
    hits = found.search(memory, request.query, max(limit, RIVALS), filters)
    hits = relevant(hits, recall.search_confidence)
    known = found.known(memory)
    if _asks_past(request):  # it is answered by what was replaced, never by what waits
        hits = tuple(hit for hit in hits if known.entries[hit.id].status != "inbox")
    entries = anchors.seen_now(
        work.place, [known.entries[hit.id] for hit in hits], request.directory
    )
    pairs = behind_rivals(tuple(zip(entries, hits, strict=True)), work.place.branch, recall)
    quoted = passage(request.query, pairs, work.place.branch, recall)
    shown = {entry.id for entry, _ in pairs[:limit]}
    pinned = standing(known.pinned, work.place.branch, recall, without=shown)
    always = anchors.seen_now(work.place, pinned.shown, request.directory)
    card = found.card
    answer = SearchAnswer(
        hits=tuple(
            SearchHit(entry=e, score=h.score, why=h.why, confidence=h.confidence)
            for e, h in pairs[:limit]
        ),
        answer=Passage(entry=quoted.entry, text=quoted.text) if quoted is not None else None,
        standing=tuple(always),
        standing_omitted=pinned.omitted,
        searched=found.count(filters),
        model=UsedModel(**asdict(card)) if card is not None else None,
        recaps=() if _is_narrowed(request) else recaps.matching(work, request.query),
    )
    found.queue_missing()
    return answer


def _is_narrowed(request: SearchRequest) -> bool:
    """Whether filters of entries exclude sessions."""
    return bool(request.status or request.type or request.tag or request.path or request.scope)


def _asks_past(request: SearchRequest) -> bool:
    return not request.status and parse(request.query).history


def _time(asked: str, name: str, now: datetime) -> str:
    if not asked:
        return ""
    found = moment(asked, now)
    if found is None:
        raise UserError.of("search.no_time", name=name, asked=asked[:40], since=SINCE)
    return iso(found)


def searcher(runtime: Runtime, key: str) -> Searcher:
    """The index of a workspace, created at the first search because it loads numpy."""
    worker = embedding(runtime)
    from wm.ops.search.index_keeper import saved_searcher

    def make() -> Searcher:
        recall, later = runtime.settings.recall, runtime.later()
        return saved_searcher(runtime.store, key, recall, worker, later)

    found = runtime.caches.indexes.get(key, (), make)
    found.use(worker)
    return found


def embedding(runtime: Runtime) -> EmbedWorker:
    """The embedding thread of this process; a new one after another model is chosen.

    Imports numpy here, before any computation, because its first import fixes the number of
    threads.
    """
    if "numpy" not in sys.modules:
        with one_numeric_thread():
            import_module("numpy")
    now = chosen(runtime)

    def unloaded() -> None:
        for index in runtime.caches.indexes.values():
            index.save()

    def troubled(why: str) -> None:
        runtime.signals.troubles.report(TROUBLE, without(why))

    def make() -> EmbedWorker:
        return EmbedWorker(now.location, runtime.settings.recall, unloaded, troubled, Pace())

    return runtime.caches.models.get("embed", (now.location, now.at), make)


def _filters(
    work: Work, request: SearchRequest, place: WorkspacePlace, memory: WorkspaceMemory
) -> Filters:
    """The filters of the request. Raises UserError for a value that no entry can have, so that a
    typo does not look like "nothing is known"."""
    status = request.status or (ALL if _asks_past(request) else "active")
    types = work.settings.memory.types
    if request.type and request.type not in types:
        others = {entry.type for entry in memory.entries}.difference(types)
        _check_choice("type", request.type, (*types, *sorted(others)))
    _check_choice("origin", request.origin, ORIGINS)
    _check_choice("status", status, (*STATUSES, ALL))
    if request.scope not in ("", WORKSPACE) and branch_of(request.scope) is None:
        raise UserError.of("search.unknown_scope", scope=request.scope[:40])
    since = _time(request.since, "since", work.now)
    until = _time(request.until, "until", work.now)
    if since and until and since >= until:
        raise UserError.of("search.empty_period", since=since, until=until)
    asked = {
        "status": "" if status == ALL else status,
        "type": request.type,
        "scope": request.scope,
        "origin": request.origin,
        "session": sid(request.session) if request.session else "",
    }
    return Filters(
        metadata={name: value for name, value in asked.items() if value},
        since=since,
        until=until,
        tags=(request.tag,) if request.tag else (),
        path=anchors.from_root(place, request, request.path) if request.path else "",
    )


def _check_choice(name: str, asked: str, known: Sequence[str]) -> None:
    if asked and asked not in known:
        raise UserError.of(
            "search.unknown_value",
            name=name,
            asked=asked[:40],
            names=", ".join(known[:-1]),
            known=known[-1],
        )


search = Operation("search", SearchRequest, SearchAnswer, _search)
