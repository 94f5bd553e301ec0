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


def named(entries: Iterable[MemoryEntry], text: str) -> tuple[MemoryEntry, ...]:
    """The active entries that a person means by `text`: those that say just that, else those
    of which one contains the other. Nothing shorter than two words names an entry by a part."""
    wanted = canonical(text)
    active = [entry for entry in entries if entry.status == "active"]
    exact = tuple(entry for entry in active if canonical(entry.text) == wanted)
    if exact or len(wanted.split()) < 2:
        return exact
    return tuple(
        entry
        for entry in active
        if f" {wanted} " in f" {canonical(entry.text)} "
        or f" {canonical(entry.text)} " in f" {wanted} "
    )


def is_forgotten(text: str, stones: Iterable[Tombstone], digest: Callable[[str], str]) -> bool:
    """Was this text forgotten, in whatever spelling and under whatever type?"""
    stones = tuple(stones)
    if not stones:
        return False
    wanted = digest(canonical(text))
    return any(stone.digest == wanted for stone in stones)
