"""Offer what was kept for one branch to the whole workspace, once the branch is merged or gone
(ID-3).

Git is asked before the locks are taken, once a minute at most, and only where entries are bound
to branches of which no offer was made. What git does not answer in time is asked another time.
"""

from __future__ import annotations

import time

from wm.domain.facts import Fact
from wm.domain.workspace import scope
from wm.formats.protocol import Place
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.base import Work
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.store import identity

DEADLINE_S = 1.0
"""All questions of one session start together."""
ASKED_AGAIN_S = 60.0

LABEL = "[secret:"
"""What a branch's name holds whose own held a token."""

Answers = tuple[frozenset[str], frozenset[str]]
"""Branches that were merged, and branches that are gone."""

NO_ANSWERS: Answers = (frozenset(), frozenset())


def ask(runtime: Runtime, place: Place) -> None:
    """Find out about the branches that entries are bound to. Call it without a lock."""
    memory = runtime.store.read(memory_ref(place.key)).document
    if memory is not None and _waiting_for_answer(runtime, place, memory):
        _known(runtime, place, memory, asks=True)


def offer(
    work: Work, place: Place, memory: WorkspaceMemory
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """The memory with an offer in its inbox for every entry whose branch `ask` found done."""
    waiting = _waiting_for_answer(work.runtime, place, memory)
    if not waiting:
        return memory, ()
    merged, gone = _known(work.runtime, place, memory, asks=False)
    offers = {o.id: o for o in scope.offer_for_promotion(waiting, merged=merged, gone=gone)}
    fresh = tuple(scope.offered(e, offers[e.id], now=work.now) for e in waiting if e.id in offers)
    facts = tuple(
        Fact("branch_offered", "promotion", "inbox", e.id, e.reasons, {"of": e.supersedes[0]})
        for e in fresh
    )
    return memory.model_copy(update={"entries": (*memory.entries, *fresh)}), facts


def _waiting_for_answer(
    runtime: Runtime, place: Place, memory: WorkspaceMemory
) -> tuple[MemoryEntry, ...]:
    if not scope.branches(memory.entries):
        return ()
    trashed = runtime.store.names(TrashedEntry, place.key)
    return scope.unoffered(memory.entries, {*trashed, *(e.id for e in memory.entries)})


def _known(runtime: Runtime, place: Place, memory: WorkspaceMemory, *, asks: bool) -> Answers:
    names = scope.branches(memory.entries)
    minute = runtime.now().timestamp() // ASKED_AGAIN_S
    answers: Answers = runtime.branches.get(
        place.key, (names, minute), lambda: _ask_git(place.root, names) if asks else NO_ANSWERS
    )
    return answers


def _ask_git(root: str, names: tuple[str, ...]) -> Answers:
    merged, gone = set(), set()
    end = time.monotonic() + DEADLINE_S
    for name in names:
        if LABEL in name:
            continue  # git knows it by another name, which is kept nowhere
        if identity.branch_gone(root, name, deadline_s=end - time.monotonic()):
            gone.add(name)
        elif identity.merged(root, name, deadline_s=end - time.monotonic()):
            merged.add(name)
    return frozenset(merged), frozenset(gone)
