"""Standing instructions: selected because they are pinned, never by similarity (RC-1).

Every reply includes them in a section with limits of its own, so that they displace no hit. An
entry that is also a hit is not repeated; the hit is marked as pinned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from wm.domain.memory.scope import visible
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import RecallSettings
from wm.text.fitting import those_that_fit

_WEIGHT = {"high": 0, "normal": 1, "low": 2}


class Standing(Struct, frozen=True):
    """shown: entries that fit, highest weight first, then newest. omitted: number of the others."""

    shown: tuple[MemoryEntry, ...] = ()
    omitted: int = 0


def standing(
    entries: Iterable[MemoryEntry],
    branch: str | None,
    settings: RecallSettings,
    *,
    without: Collection[str] = (),
) -> Standing:
    """The pinned active entries of this branch. without: ids that the reply already contains."""
    pinned = [e for e in entries if is_standing(e, branch) and e.id not in without]
    pinned.sort(key=lambda e: e.id)
    pinned.sort(key=lambda e: e.created_at, reverse=True)
    pinned.sort(key=lambda e: _WEIGHT.get(e.user_importance, 1))
    fitting = those_that_fit(pinned, lambda e: len(e.text), settings.standing_chars)
    shown = fitting[: settings.standing_entries]
    return Standing(tuple(shown), len(pinned) - len(shown))


def is_standing(entry: MemoryEntry, branch: str | None) -> bool:
    return entry.pinned and entry.status == "active" and visible(entry.scope, branch)
