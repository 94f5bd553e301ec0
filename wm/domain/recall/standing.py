"""Standing instructions: found by pinning, never by likeness (RC-1).

They come with every reply, in a part of their own with limits of its own, so that no hit is
crowded out. An entry that is among the hits is not said a second time; there it is marked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from wm.domain.workspace.scope import visible
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import RecallSettings

_WEIGHT = {"high": 0, "normal": 1, "low": 2}


class Standing(Struct, frozen=True):
    """shown: what fits, the weightiest first, then the newest. omitted: how many do not."""

    shown: tuple[MemoryEntry, ...] = ()
    omitted: int = 0


def standing(
    entries: Iterable[MemoryEntry],
    branch: str | None,
    settings: RecallSettings,
    *,
    without: Collection[str] = (),
) -> Standing:
    """The pinned entries in force on this branch. without: ids that the reply holds already."""
    pinned = [e for e in entries if is_standing(e, branch) and e.id not in without]
    pinned.sort(key=lambda e: e.id)
    pinned.sort(key=lambda e: e.created_at, reverse=True)
    pinned.sort(key=lambda e: _WEIGHT.get(e.user_importance, 1))
    shown: list[MemoryEntry] = []
    room = settings.standing_chars
    for entry in pinned:
        if len(shown) < settings.standing_entries and len(entry.text) <= room:
            shown.append(entry)
            room -= len(entry.text)
    return Standing(tuple(shown), len(pinned) - len(shown))


def is_standing(entry: MemoryEntry, branch: str | None) -> bool:
    return entry.pinned and entry.status == "active" and visible(entry.scope, branch)
