"""Keep forgotten texts forgotten (WM-7).

A tombstone keeps the keyed digest of a canonical text: it recognises the text but does not reveal
it. The caller decides whether a forgotten text may return; a person's explicit request may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wm.domain.sync.portable import forgotten_digest
from wm.formats.tombstones import Tombstone
from wm.formats.workspace_memory import MemoryEntry
from wm.text.letters import canonical


def tombstone(
    entry: MemoryEntry, digest: Callable[[str], str], *, at: str, reason: str = ""
) -> Tombstone:
    """The tombstone of an entry that was forgotten at `at` (ISO 8601)."""
    return Tombstone(
        id=entry.id,
        digest=digest(canonical(entry.text)),
        type=entry.type,
        forgotten_at=at,
        reason=reason,
    )


def named(entries: Iterable[MemoryEntry], text: str) -> tuple[MemoryEntry, ...]:
    """The active entries that a person means by `text`: those with equal text, else those where one
    text contains the other. A part of fewer than two words names no entry."""
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
    """Whether this text was forgotten, in any spelling and under any type."""
    stones = tuple(stones)
    if not stones:
        return False
    wanted = digest(canonical(text))
    shared = forgotten_digest(text) if any(stone.shared_digest for stone in stones) else ""
    return any(
        stone.digest == wanted or (shared and stone.shared_digest == shared) for stone in stones
    )
