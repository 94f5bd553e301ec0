"""Render the workspace block of a prompt, once per document generation and hour (WM-4).

Strengths change by far less within an hour than the differences between entries, so a view is
cached until the document, the branch or the hour changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.api.protocol import WorkspacePlace
from wm.domain.memory import render, retention, scope, select
from wm.domain.memory.select import Selection
from wm.formats.workspace_memory import Limits, MemoryEntry, WorkspaceMemory
from wm.ops.operation import LocatedWork, Work
from wm.ops.place import USER_PLACE, memory_ref


class View(Struct, frozen=True):
    """What a prompt shows of a memory: the selection and its text ("" if nothing is shown)."""

    selection: Selection
    text: str


def rendered(work: LocatedWork, memory: WorkspaceMemory) -> View:
    """The view of `memory` in this hour, cached.

    The cache is keyed by the document object: documents are frozen, and the store returns the same
    object until its bytes change.
    """
    hour = work.now.replace(minute=0, second=0, microsecond=0)
    settings = work.settings.memory
    of_user = _of_user(work, memory)

    def compute() -> View:
        selection = select.select(memory, branch=work.place.branch, now=hour, settings=settings)
        everywhere = select.NOTHING_SHOWN
        if of_user is not None:
            room = select.FRAME_CHARS + work.settings.memory.user_chars
            limits = Limits(max_rendered_chars=room, max_entries=settings.user_entries)
            limited = of_user.model_copy(update={"limits": limits})
            everywhere = select.select(limited, branch=None, now=hour, settings=settings)
        return View(selection, render.render(selection, settings, everywhere))

    made_of = (memory, of_user, hour)
    return work.runtime.caches.views.get((work.key, work.place.branch), made_of, compute)


def _of_user(work: LocatedWork, memory: WorkspaceMemory) -> WorkspaceMemory | None:
    """The memory of scope `user`, unless the workspace shows none of it."""
    if work.key == USER_PLACE.key or memory.without_user:
        return None
    if not work.settings.memory.user_entries:
        return None
    return work.store.read(memory_ref(USER_PLACE.key)).document


def strengths(work: Work, memory: WorkspaceMemory) -> dict[str, float]:
    """Retention strength of every entry, by id."""
    calendar = retention.ageing(memory, now=work.now, settings=work.settings.memory)
    return {entry.id: calendar.strength(entry) for entry in memory.entries}


def omissions(
    entries: Sequence[MemoryEntry], place: WorkspacePlace, selection: Selection
) -> dict[str, str]:
    """Why prompts omit these entries now: a reason code by id, "" for shown ones."""
    listed = {o.id: o.reason for o in selection.omitted}
    listed.update((entry.id, "") for entry in selection.shown)
    # Weaker than every individually listed entry, so it met the same limit.
    beyond = next(iter(selection.counts), "entry_cap")

    def reason(entry: MemoryEntry) -> str:
        if entry.status != "active":
            return "inactive"
        return "branch" if not scope.visible(entry.scope, place.branch) else beyond

    return {e.id: listed[e.id] if e.id in listed else reason(e) for e in entries}
