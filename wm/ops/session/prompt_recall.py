"""Append memories that match a user message, each once per epoch (RC-1, EP-1).

The lookup runs before any lock, and only in a daemon with a ready index: the index is built during
the session start, and an earlier message does not wait for it. If the prompt shows the complete
memory, nothing is looked up, so small memories cost nothing. Subagents, titles and summaries send
no user messages (EP-2).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from wm.api.protocol import WorkspacePlace
from wm.domain.facts import Fact
from wm.domain.session import state as transitions
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.memory import anchors
from wm.ops.memory.render import rendered
from wm.ops.operation import LocatedWork, Work
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.ops.search.search import searcher
from wm.ops.session import epochs
from wm.ops.session.hot_state import session_ref
from wm.search import prompt_recall
from wm.search.documents import Filters, Hit
from wm.settings import RecallSettings
from wm.store.paths import sid

if TYPE_CHECKING:
    from wm.ops.search.index_keeper import Searcher

Found = tuple[tuple[MemoryEntry, Hit], ...]


def warm(runtime: Runtime, place: WorkspacePlace) -> None:
    """Prepare the index for the next message if the prompt cannot show all entries. Call without a
    lock."""
    memory = _memory(runtime, place)
    if memory is None:
        return
    if len(memory.entries) <= runtime.settings.memory.rendered_entries:
        view = rendered(Work(runtime, runtime.now()).at(place), memory)
        if not view.selection.counts:  # counts by type and by characters, too
            return

    runtime.later().submit(_Prepare(place.key, runtime, place))


class _Prepare(Struct, frozen=True):
    """Job: prepare the index of a workspace. Two queued jobs of one workspace are equal, so the
    second is dropped: a job reads the memory when it runs."""

    key: str
    runtime: Runtime
    place: WorkspacePlace

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Prepare) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __call__(self) -> None:
        # The memory may have changed since, and its newer index may have been requested.
        newest = _memory(self.runtime, self.place)
        if newest is not None:
            searcher(self.runtime, self.key).prepare(newest)


class Lookup(Struct, frozen=True):
    """The entries that a message matches in one generation of the memory."""

    memory: WorkspaceMemory
    found: Found


def look_up(
    runtime: Runtime, place: WorkspacePlace, session_id: str, message: str, folder: str
) -> Lookup | None:
    """Look up a message, and check the anchored code of its hits in the worktree of `folder`. Call
    without a lock. None if no lookup is done."""
    settings = runtime.settings.recall
    memory = _memory(runtime, place)
    if memory is None:
        return None
    state = runtime.store.read(session_ref(place.key, session_id)).document
    if state is None or state.subagent:
        return None
    if not _untold(Work(runtime, runtime.now()).at(place), state, memory):
        return None
    index: Searcher | None = runtime.caches.indexes.peek(place.key)
    if index is None or not index.is_ready:
        warm(runtime, place)
        return None
    pairs = _found(index, memory, message, settings)
    entries = anchors.seen_now(place, [entry for entry, _ in pairs], folder)
    pairs_seen = tuple((entry, hit) for entry, (_, hit) in zip(entries, pairs, strict=True))
    return Lookup(memory, pairs_seen)


def _found(
    index: Searcher, memory: WorkspaceMemory, message: str, settings: RecallSettings
) -> Found:
    entries = index.known(memory).entries
    filters = Filters({"status": "active"})
    found: list[tuple[str, list[prompt_recall.Match]]] = []
    for question in prompt_recall.questions(message, settings):
        hits = index.search(memory, question, max(2, settings.prompt_entries), filters)
        found.append((question, [(entries[hit.id], hit) for hit in hits]))
    chosen = prompt_recall.chosen(found, settings)
    by_id = {entry.id: hit for _, pairs in reversed(found) for entry, hit in reversed(pairs)}
    return tuple((entry, by_id[entry.id]) for entry in chosen)


def notices(
    work: LocatedWork, state: SessionState, looked_up: Lookup | None
) -> tuple[SessionState, tuple[str, ...]]:
    """The updated session and the sentences for the model; none if nothing is new."""
    runtime = work.runtime
    memory = _memory(runtime, work.place)
    fresh = _untold(work, state, memory) if memory is not None else ()
    if not fresh:
        return state, ()
    names = {entry.id for entry in fresh}
    # A hit from an older generation of the memory may be gone.
    is_newest = looked_up is not None and looked_up.memory is memory
    found = looked_up.found if looked_up is not None and is_newest else ()
    text, ids = prompt_recall.notice(
        prompt_recall.pinned(fresh, work.place.branch),
        [entry for entry, _ in found if entry.id in names],
        runtime.settings.recall,
        runtime.settings.memory,
    )
    if not ids:
        return state, ()
    number = _number(state)
    pins = {entry.id for entry in fresh if entry.pinned}
    facts = [
        Fact(
            "memory_recalled",
            "render",
            "selected",
            name,
            ("pinned_since",) if name in pins else ("asked_about",),
            {"epoch": state.epoch, "number": number},
        )
        for name in ids
    ]
    work.log(facts, session=sid(state.session_id))
    return transitions.note_recalled(state, ids, epoch=number), (text,)


def _untold(
    work: LocatedWork, state: SessionState, memory: WorkspaceMemory
) -> tuple[MemoryEntry, ...]:
    own = sid(state.session_id)
    entries = (e for e in memory.entries if e.session != own or e.pinned)
    return prompt_recall.untold(entries, work.place.branch, _visible_ids(work, state, memory))


def _visible_ids(
    work: LocatedWork, state: SessionState, memory: WorkspaceMemory
) -> Collection[str]:
    """Ids of entries that the session's prompt shows or will show, and of those recalled since."""
    recalled_ids = {note.id for note in state.recalled if note.epoch == _number(state)}
    epoch = epochs.epoch_of(work, state.epoch)
    if epoch is not None:
        return recalled_ids | epochs.shown(epoch, memory.entries)
    # OpenCode sends the first message before it requests the prompt.
    return recalled_ids | {entry.id for entry in rendered(work, memory).selection.shown}


def _number(state: SessionState) -> int:
    """Number of the epoch that a message belongs to: the open one, or the one that it starts."""
    return state.epoch_number if state.epoch else state.epoch_number + 1


def _memory(runtime: Runtime, place: WorkspacePlace) -> WorkspaceMemory | None:
    """The memory to search; None if no lookup is done."""
    if not runtime.process.serves or not runtime.settings.recall.prompts:
        return None
    return runtime.store.read(memory_ref(place.key)).document
