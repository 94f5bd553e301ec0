"""Decide which hits apply here and now, and rank the others lower (ID-3, WM-9).

A hit is doubted if the code it describes changed, or if it belongs to a branch that is not
checked out. It is still shown, because it may be the only source, but after the hits that match
nearly as well. Does not handle superseded or waiting entries: a search returns them
only on request.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from wm.domain.memory.scope import branch_of, visible
from wm.domain.memory.select import SUSPECT
from wm.formats.workspace_memory import TEAM, MemoryEntry
from wm.search.documents import Hit
from wm.settings import RecallSettings

SHORT_ID = 14
"""Length of an id as shown to a model: `m_` and twelve hex digits. Tools accept this form."""

Found = tuple[MemoryEntry, Hit]


def is_doubted(entry: MemoryEntry, branch: str | None) -> bool:
    return bool(entry.suspect) or not visible(entry.scope, branch)


def doubts(entry: MemoryEntry) -> tuple[str, ...]:
    """Warnings about the entry that a reader must know, as text."""
    branch = branch_of(entry.scope)
    author = entry.origin.removeprefix(TEAM)
    by = f" by {entry.superseded_by[:SHORT_ID]}" if entry.superseded_by else ""
    replaced = f"no longer true, replaced{by} on {entry.updated_at[:10]}"
    differs = entry.conflicts and entry.status == "active"
    found = (
        f"only on branch {branch}" if branch is not None else "",
        f"shared by {author}, another author" if author != entry.origin else "",
        "tainted: it rests on text from tools, files or the web" if entry.tainted else "",
        SUSPECT.get(entry.suspect, "suspect") if entry.suspect else "",
        replaced if entry.status == "superseded" else "",
        f"true since {entry.since[:10]}" if entry.since else "",
        "another entry differs, not decided yet" if differs else "",
    )
    return tuple(filter(None, found))


def may_answer(entry: MemoryEntry, branch: str | None) -> bool:
    """Return whether this entry may be quoted as an answer."""
    in_force = entry.status == "active" and not entry.superseded_by
    return in_force and not entry.tainted and not is_doubted(entry, branch)


def relevant(hits: Sequence[Hit], least: float) -> tuple[Hit, ...]:
    """All hits, or none if no hit has at least this confidence: behind a hit that fits, a weak one
    may be the answer."""
    return tuple(hits) if any(hit.confidence >= least for hit in hits) else ()


def behind_rivals(
    found: Sequence[Found], branch: str | None, settings: RecallSettings
) -> tuple[Found, ...]:
    """Move each doubted hit behind the last undoubted one that matches nearly as well; otherwise
    keep the order."""
    doubted = [is_doubted(entry, branch) for entry, _ in found]
    if not any(doubted):
        return tuple(found)
    firm = [(at, hit) for at, (_, hit) in enumerate(found) if not doubted[at]]
    rivals = _Last((at, hit.confidence) for at, hit in reversed(firm))
    keys = []
    for at, (_, hit) in enumerate(found):
        rival = rivals.above(hit.confidence - settings.clear_lead) if doubted[at] else -1
        keys.append((max(at, rival), doubted[at], at))
    return tuple(found[at] for _, _, at in sorted(keys))


class _Last:
    """Finds the last position with at least a given value by bisection: thousands of hits may be
    requested, and a scan for each would be quadratic."""

    def __init__(self, from_the_end: Iterable[tuple[int, float]]) -> None:
        self._tops: list[float] = []
        self._places: list[int] = []
        for place, value in from_the_end:
            # Otherwise a later position already has a value as large.
            if not self._tops or value > self._tops[-1]:
                self._tops.append(value)
                self._places.append(place)

    def above(self, value: float) -> int:
        """-1 for none."""
        step = bisect_right(self._tops, value)
        return self._places[step] if step < len(self._places) else -1
