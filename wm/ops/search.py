"""Find entries by words and by meaning (RC-1)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from wm.domain.recall.answer import passage
from wm.domain.recall.documents import Filters
from wm.domain.recall.force import behind_rivals
from wm.domain.recall.standing import standing
from wm.domain.since import moment
from wm.domain.times import iso
from wm.domain.workspace.scope import WORKSPACE, branch_of
from wm.errors import UserError
from wm.formats.models import UsedModel
from wm.formats.protocol import (
    SINCE,
    Passage,
    Place,
    SearchAnswer,
    SearchHit,
    SearchRequest,
)
from wm.formats.workspace_memory import ORIGINS, STATUSES, TYPES, WorkspaceMemory
from wm.ops import anchors
from wm.ops.background import Pace, beside_others, resting_imports, short_turns
from wm.ops.base import Operation, Work
from wm.ops.chosen_model import TROUBLE, chosen, without
from wm.ops.heap import give_back, none_collected
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.settings import one_numeric_thread
from wm.store.paths import sid
from wm.store.rest import reading_with

if TYPE_CHECKING:
    from wm.models.worker import EmbedWorker
    from wm.ops.searcher import Searcher

ALL = "all"
RIVALS = 5
"""Hits that the best one is compared with before it is said to answer."""


def _run(work: Work, request: SearchRequest) -> SearchAnswer:
    rest = Pace(work.runtime.answering, awaited=True)
    with short_turns(work.runtime.answering), reading_with(rest):
        return _search(work, request)


def _search(work: Work, request: SearchRequest) -> SearchAnswer:
    if not request.query.strip():
        raise UserError("There is nothing to search for.", fix="Give some words.")
    limit = request.limit
    if limit is None:
        limit = work.runtime.settings.recall.max_hits
    if limit < 1:
        raise UserError(f"A limit of {limit} finds nothing.", fix="Give 1 or more.")
    place = locate(work.runtime, request)
    known_index: Searcher | None = work.runtime.indexes.peek(place.key)
    is_cold = work.runtime.serves and (known_index is None or not known_index.is_ready)
    with making_ready(work.runtime) if is_cold else nullcontext():
        memory = read_memory(work, place)
        filters = _filters(work, request, place, memory)
        found = searcher(work.runtime, place.key)
        # Whether the first stands clear does not hang on how many were asked for.
        hits = found.search(memory, request.query, max(limit, RIVALS), filters)
    known = found.known(memory)
    settings = work.runtime.settings.recall
    entries = anchors.seen_now(place, [known.entries[hit.id] for hit in hits], request.directory)
    pairs = behind_rivals(tuple(zip(entries, hits, strict=True)), place.branch, settings)
    said = passage(request.query, pairs, place.branch, settings)
    shown = {entry.id for entry, _ in pairs[:limit]}
    pinned = standing(known.pinned, place.branch, settings, without=shown)
    always = anchors.seen_now(place, pinned.shown, request.directory)
    card = found.card
    answer = SearchAnswer(
        hits=tuple(SearchHit(entry=e, score=h.score, why=h.why) for e, h in pairs[:limit]),
        answer=Passage(entry=said.entry, text=said.text) if said is not None else None,
        standing=tuple(always),
        standing_omitted=pinned.omitted,
        searched=found.count(filters),
        model=UsedModel(**asdict(card)) if card is not None else None,
    )
    found.go_on()
    return answer


def _time(asked: str, name: str, now: datetime) -> str:
    if not asked:
        return ""
    found = moment(asked, now)
    if found is None:
        raise UserError(
            f"`{name}` is {asked[:40]!r}, which names no time.",
            fix=f"Give one of: {SINCE}.",
        )
    return iso(found)


@contextmanager
def making_ready(runtime: Runtime) -> Iterator[None]:
    """While a memory is read and its index made for the first time: others are answered
    meanwhile."""
    rest = Pace(runtime.answering, awaited=True)
    with none_collected(), reading_with(rest), resting_imports(rest):
        yield


def searcher(runtime: Runtime, key: str) -> Searcher:
    """The index of a workspace, made at the first search: it loads numpy."""
    worker = embedding(runtime)
    from wm.ops.searcher import Searcher
    from wm.ops.shelf import Shelf

    def make() -> Searcher:
        answering = runtime.answering
        shelf = Shelf(runtime.store, key, answering)
        return Searcher(runtime.settings.recall, worker, shelf, runtime.later(), answering)

    found: Searcher = runtime.indexes.get(key, (), make)
    found.use(worker)
    return found


def embedding(runtime: Runtime) -> EmbedWorker:
    """The one embedder of this process: another one as soon as another model is chosen.

    Whoever asks for it computes, here or in its thread, and the first import of numpy decides on
    how many threads: so that is here.
    """
    if "numpy" not in sys.modules:
        with one_numeric_thread():
            import_module("numpy")
    from wm.models.worker import EmbedWorker

    now = chosen(runtime)

    def unloaded() -> None:
        for index in runtime.indexes.values():
            index.save()
        give_back()

    def troubled(why: str) -> None:
        runtime.troubles.tell(TROUBLE, without(why))

    def make() -> EmbedWorker:
        recall = runtime.settings.recall
        rest = Pace(runtime.answering)
        return EmbedWorker(
            now.location,
            recall,
            unloaded,
            troubled,
            rest,
            partial(beside_others, runtime.answering, rest),
        )

    made: EmbedWorker = runtime.models.get("embed", (now.location, now.at), make)
    return made


def _filters(work: Work, request: SearchRequest, place: Place, memory: WorkspaceMemory) -> Filters:
    """What narrows the search. Raises UserError for what no entry can be, so that a slip is not
    taken for "nothing is known"."""
    status = request.status or "active"
    if request.type and request.type not in TYPES:
        own = {entry.type for entry in memory.entries}.difference(TYPES)
        _one_of("type", request.type, (*TYPES, *sorted(own)))
    _one_of("origin", request.origin, ORIGINS)
    _one_of("status", status, (*STATUSES, ALL))
    if request.scope not in ("", WORKSPACE) and branch_of(request.scope) is None:
        raise UserError(
            f"`scope` is {request.scope[:40]!r}, which is no scope.",
            fix="Give workspace, or branch:NAME.",
        )
    since = _time(request.since, "since", work.now)
    until = _time(request.until, "until", work.now)
    if since and until and since >= until:
        raise UserError(
            f"Nothing lies between `since` ({since}) and `until` ({until}).",
            fix="Give a `since` that is earlier than `until`.",
        )
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


def _one_of(name: str, asked: str, known: Sequence[str]) -> None:
    if asked and asked not in known:
        raise UserError(
            f"`{name}` is {asked[:40]!r}, which no entry has.",
            fix=f"Give {', '.join(known[:-1])} or {known[-1]}.",
        )


search = Operation("search", SearchRequest, SearchAnswer, _run)
