"""What a message of the user recalls is told behind it, once an epoch (RC-1, EP-1).

Looked up before anything is locked, and only by a daemon whose index is there: it is made while
the session starts, and a message that comes before is not kept waiting for it. Nothing is looked
up where the prompt shows all there is, so that small memories cost nothing. Subagents, titles and
summaries send no message of a user (EP-2).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from wm.domain.facts import Fact
from wm.domain.recall import prompted
from wm.domain.recall.documents import Filters, Hit
from wm.formats.protocol import Place
from wm.formats.session_state import RecalledNote, SessionState
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import anchors, known
from wm.ops.base import Work
from wm.ops.place import memory_ref
from wm.ops.render import rendered
from wm.ops.runtime import Runtime
from wm.ops.sessions import session_ref
from wm.settings import RecallSettings
from wm.store.paths import sid

if TYPE_CHECKING:
    from wm.ops.searcher import Searcher

KEPT_NOTES = 200

Found = tuple[tuple[MemoryEntry, Hit], ...]


def warm(runtime: Runtime, place: Place) -> None:
    """Where the prompt cannot show all, have the index ready for the next message. Call it
    without a lock."""
    memory = _memory(runtime, place)
    if not runtime.serves or not runtime.settings.recall.prompts or memory is None:
        return
    if len(memory.entries) <= runtime.settings.memory.rendered_entries:
        view = rendered(Work(runtime, runtime.now()), place, memory)
        if not view.selection.counts:  # by type and by characters, too
            return

    runtime.later().submit(_Prepare(place.key, runtime, place))


class _Prepare(Struct, frozen=True):
    """Have the index of a workspace ready. Of two that wait for one workspace the second is the
    first, whoever asked: it reads the memory when its turn comes."""

    key: str
    runtime: Runtime
    place: Place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Prepare) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __call__(self) -> None:
        from wm.ops.search import making_ready, searcher  # what they load, an idle one does without

        # Others may have changed it since, and asked the index of what it is now.
        with making_ready(self.runtime):
            newest = _memory(self.runtime, self.place)
            if newest is not None:
                searcher(self.runtime, self.key).prepare(newest)


def ask(runtime: Runtime, place: Place, session_id: str, message: str, folder: str = "") -> None:
    """Look up a message, and the code that its hits speak of in the worktree of `folder`, so that
    `tell` need not wait under a lock."""
    settings = runtime.settings.recall
    memory = _memory(runtime, place)
    if not runtime.serves or not settings.prompts or memory is None:
        return
    state = runtime.store.read(session_ref(place.key, session_id)).document
    if state is None or state.subagent:
        return
    work = Work(runtime, runtime.now())
    if not _untold(work, place, state, memory):
        return
    index: Searcher | None = runtime.indexes.peek(place.key)
    if index is None or not index.is_ready:
        warm(runtime, place)
        return

    def found() -> Found:
        pairs = _found(index, memory, message, runtime.settings.recall)
        entries = anchors.seen_now(place, [entry for entry, _ in pairs], folder)
        return tuple((seen, hit) for seen, (_, hit) in zip(entries, pairs, strict=True))

    runtime.recalled.get((place.key, session_id), (memory, message), found)


def _found(
    index: Searcher, memory: WorkspaceMemory, message: str, settings: RecallSettings
) -> Found:
    entries = index.known(memory).entries
    filters = Filters({"status": "active"})
    pairs: list[tuple[MemoryEntry, Hit]] = []
    for question in prompted.questions(message, settings):
        hits = index.search(memory, question, settings.prompt_entries, filters)
        pairs += [(entries[hit.id], hit) for hit in hits]
    chosen = prompted.chosen(pairs, len(entries), settings)
    by_id = {entry.id: hit for entry, hit in reversed(pairs)}
    return tuple((entry, by_id[entry.id]) for entry in chosen)


def tell(
    work: Work, place: Place, state: SessionState, message: str
) -> tuple[SessionState, tuple[str, ...]]:
    """The session that was told, and the sentences for the model; none where nothing is new."""
    runtime = work.runtime
    memory = _memory(runtime, place)
    if not runtime.serves or not runtime.settings.recall.prompts or memory is None:
        return state, ()
    fresh = _untold(work, place, state, memory)
    if not fresh:
        return state, ()
    names = {entry.id for entry in fresh}
    nothing: Found = ()
    found: Found = runtime.recalled.get(
        (place.key, state.session_id), (memory, message), lambda: nothing
    )
    text, ids = prompted.notice(
        prompted.pinned(fresh, place.branch),
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
    work.log(place.key, facts, session=sid(state.session_id))
    notes = (*state.recalled, *(RecalledNote(id=name, epoch=number) for name in ids))
    return state.model_copy(update={"recalled": notes[-KEPT_NOTES:]}), (text,)


def _untold(
    work: Work, place: Place, state: SessionState, memory: WorkspaceMemory
) -> tuple[MemoryEntry, ...]:
    own = sid(state.session_id)
    entries = (e for e in memory.entries if e.session != own or e.pinned)
    return prompted.untold(entries, place.branch, _known(work, place, state, memory))


def _known(
    work: Work, place: Place, state: SessionState, memory: WorkspaceMemory
) -> Collection[str]:
    """Ids of what the session's prompt shows, or will show, and of what it was told since."""
    told = {note.id for note in state.recalled if note.epoch == _number(state)}
    epoch = known.epoch_of(work, place, state)
    if epoch is not None:
        return told | known.shown(epoch, memory.entries)
    # OpenCode sends the first message before it asks for the prompt.
    return told | {entry.id for entry in rendered(work, place, memory).selection.shown}


def _number(state: SessionState) -> int:
    """Of the epoch that a message belongs to: the open one, or the one that it begins."""
    return state.epoch_number if state.epoch else state.epoch_number + 1


def _memory(runtime: Runtime, place: Place) -> WorkspaceMemory | None:
    return runtime.store.read(memory_ref(place.key)).document
