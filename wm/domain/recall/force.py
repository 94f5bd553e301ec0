"""Which hits hold here and now, and where the others stand (ID-3, WM-9).

A hit is doubted where the code that it speaks of changed, or where another branch than its own is
checked out. It is found all the same, because nobody else may know it, and steps behind those
that say nearly as much of what was asked. Says nothing of what was superseded or waits: that is
found only by who asks for it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from wm.domain.recall.documents import Hit
from wm.domain.workspace.scope import branch_of, visible
from wm.domain.workspace.select import SUSPECT
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import RecallSettings

Found = tuple[MemoryEntry, Hit]


def is_doubted(entry: MemoryEntry, branch: str | None) -> bool:
    return bool(entry.suspect) or not visible(entry.scope, branch)


def doubts(entry: MemoryEntry) -> tuple[str, ...]:
    """What a reader must know before they rely on the entry, in words."""
    found = []
    branch = branch_of(entry.scope)
    if branch is not None:
        found.append(f"only on branch {branch}")
    if entry.tainted:
        found.append("tainted: it leans on text from outside the conversation")
    if entry.suspect:
        found.append(SUSPECT.get(entry.suspect, "suspect"))
    return tuple(found)


def holds(entry: MemoryEntry, branch: str | None) -> bool:
    """May this entry answer by itself?"""
    in_force = entry.status == "active" and not entry.superseded_by
    return in_force and not entry.tainted and not is_doubted(entry, branch)


def support(hit: Hit) -> float:
    """What a hit has of the query: its share of the words' weight, and how near it is."""
    return hit.held + max(hit.near, 0.0)


def behind_rivals(
    found: Sequence[Found], branch: str | None, settings: RecallSettings
) -> tuple[Found, ...]:
    """The hits with each doubted one behind the last of its rivals that is not doubted; otherwise
    in their order."""
    doubted = [is_doubted(entry, branch) for entry, _ in found]
    if not any(doubted):
        return tuple(found)
    firm = [(at, hit) for at, (_, hit) in enumerate(found) if not doubted[at]]
    held = _Last((at, hit.held) for at, hit in reversed(firm))
    supported = _Last((at, support(hit)) for at, hit in reversed(firm))

    def place(at: int, hit: Hit) -> int:
        """Of the last rival: it holds as many of the query's words, or nearly as much with its
        likeness."""
        by_words = held.at_least(hit.held) if hit.held > 0 else -1
        return max(at, by_words, supported.above(support(hit) - settings.answer_margin))

    keys = (
        (place(at, hit) if doubted[at] else at, doubted[at], at)
        for at, (_, hit) in enumerate(found)
    )
    return tuple(found[at] for _, _, at in sorted(keys))


class _Last:
    """Where the last value of a size stands. Thousands may be asked for: none looks at all."""

    def __init__(self, from_the_end: Iterable[tuple[int, float]]) -> None:
        self._tops: list[float] = []
        self._places: list[int] = []
        for place, value in from_the_end:
            if not self._tops or value > self._tops[-1]:  # others are behind one as large
                self._tops.append(value)
                self._places.append(place)

    def at_least(self, value: float) -> int:
        """-1 for none."""
        return self._place(bisect_left(self._tops, value))

    def above(self, value: float) -> int:
        """-1 for none."""
        return self._place(bisect_right(self._tops, value))

    def _place(self, step: int) -> int:
        return self._places[step] if step < len(self._places) else -1
