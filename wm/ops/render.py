"""The workspace block of a prompt, computed once per document generation and hour (WM-4).

Strength changes with time, but by far less than what separates entries within an hour; so a
view is kept until the document, the branch or the hour changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from wm.domain.workspace import render, retention, select
from wm.domain.workspace.select import Selection
from wm.formats.protocol import Place
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.base import Work


@dataclass(frozen=True)
class View:
    """What a prompt shows of a memory: the selection and its text ("" when nothing is shown)."""

    selection: Selection
    text: str


def rendered(work: Work, place: Place, memory: WorkspaceMemory) -> View:
    """The view of `memory` at this hour, from the runtime's cache where it is the same document.

    The cache is keyed by the document object itself: documents are frozen, and the store hands
    out the same one until its bytes change.
    """
    hour = work.now.replace(minute=0, second=0, microsecond=0)
    settings = work.runtime.settings.memory

    def compute() -> View:
        selection = select.select(memory, branch=place.branch, now=hour, settings=settings)
        return View(selection, render.render(selection, settings))

    view: View = work.runtime.views.get((place.key, place.branch), (memory, hour), compute)
    return view


def strengths(work: Work, memory: WorkspaceMemory) -> dict[str, float]:
    """Retention strength of every entry, by id."""
    settings = work.runtime.settings.memory
    return {
        entry.id: retention.strength(entry, memory, now=work.now, settings=settings)
        for entry in memory.entries
    }
