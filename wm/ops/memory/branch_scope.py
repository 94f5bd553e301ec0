"""Offer branch entries to the whole workspace once their branch is merged or deleted (ID-3).

Queries git before any lock is taken, at most once a minute, and only for branches with entries
that were not offered yet. If git does not answer in time, the query is repeated later.
"""

from __future__ import annotations

import time

from wm.api.protocol import WorkspacePlace
from wm.domain.facts import Fact
from wm.domain.memory import scope
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.operation import LocatedWork
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.store import identity

DEADLINE_S = 1.0
"""Timeout shared by all queries of one session."""

LABEL = "[secret:"
"""Marks a stored branch name whose real name contained a token."""

Answers = tuple[frozenset[str], frozenset[str]]
"""Merged branches, and deleted branches."""

NO_ANSWERS: Answers = (frozenset(), frozenset())


def ask(runtime: Runtime, place: WorkspacePlace) -> Answers:
    """Query git for the branches that entries are bound to. Call without a lock."""
    memory = runtime.store.read(memory_ref(place.key)).document
    if memory is None or not _waiting_for_answer(runtime, place, memory):
        return NO_ANSWERS
    names = scope.branches(memory.entries)
    return runtime.of_git(("branches", place.key), (names,), lambda: _ask_git(place.root, names))


def offer(
    work: LocatedWork, memory: WorkspaceMemory, answers: Answers
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """The memory with an inbox offer for every entry whose branch is merged or deleted."""
    waiting = _waiting_for_answer(work.runtime, work.place, memory)
    if not waiting:
        return memory, ()
    merged, gone = answers
    offers = {o.id: o for o in scope.offer_for_promotion(waiting, merged=merged, gone=gone)}
    fresh = tuple(scope.offered(e, offers[e.id], now=work.now) for e in waiting if e.id in offers)
    facts = tuple(
        Fact("branch_offered", "promotion", "inbox", e.id, e.reasons, {"of": e.supersedes[0]})
        for e in fresh
    )
    return memory.model_copy(update={"entries": (*memory.entries, *fresh)}), facts


def _waiting_for_answer(
    runtime: Runtime, place: WorkspacePlace, memory: WorkspaceMemory
) -> tuple[MemoryEntry, ...]:
    if not scope.branches(memory.entries):
        return ()
    trashed = runtime.store.names(TrashedEntry, place.key)
    return scope.unoffered(memory.entries, {*trashed, *(e.id for e in memory.entries)})


def _ask_git(root: str, names: tuple[str, ...]) -> Answers:
    merged, gone = set(), set()
    end = time.monotonic() + DEADLINE_S
    for name in names:
        if LABEL in name:
            continue  # the real name, which git needs, is not stored
        if identity.branch_gone(root, name, deadline_s=end - time.monotonic()):
            gone.add(name)
        elif identity.merged(root, name, deadline_s=end - time.monotonic()):
            merged.add(name)
    return frozenset(merged), frozenset(gone)
