"""Which hits hold here and now, and where the others stand (ID-3, WM-9).

A hit is doubted where the code that it speaks of changed, or where another branch than its own is
checked out. It is found all the same, because nobody else may know it, and steps behind those
that say nearly as much of what was asked. Says nothing of what was superseded or waits: that is
found only by who asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    keys = []
    for at, (_, hit) in enumerate(found):
        rivals = (
            other
            for other, (_, rival) in enumerate(found)
            if doubted[at] and not doubted[other] and _is_rival(rival, hit, settings)
        )
        keys.append((max([at, *rivals]), doubted[at], at))
    return tuple(found[at] for _, _, at in sorted(keys))


def _is_rival(rival: Hit, hit: Hit, settings: RecallSettings) -> bool:
    """Does it hold as many of the query's words, or nearly as much with its likeness?"""
    if 0 < hit.held <= rival.held:
        return True
    return support(rival) > support(hit) - settings.answer_margin
