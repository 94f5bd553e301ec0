"""Forgotten texts stay forgotten (WM-7).

A tombstone keeps the keyed digest of a canonical text: it recognises the text and does not tell
it. Whether a forgotten text may come back is the caller's rule; a person's own request may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wm.domain.text import canonical
from wm.formats.tombstones import Tombstone
from wm.formats.workspace_memory import MemoryEntry


def tombstone(
    entry: MemoryEntry, digest: Callable[[str], str], *, at: str, reason: str = ""
) -> Tombstone:
    """The stone of an entry that is forgotten at `at` (ISO 8601)."""
    return Tombstone(
        id=entry.id,
        digest=digest(canonical(entry.text)),
        type=entry.type,
        forgotten_at=at,
        reason=reason,
    )


def is_forgotten(text: str, stones: Iterable[Tombstone], digest: Callable[[str], str]) -> bool:
    """Was this text forgotten, in whatever spelling and under whatever type?"""
    stones = tuple(stones)
    if not stones:
        return False
    wanted = digest(canonical(text))
    return any(stone.digest == wanted for stone in stones)
