"""Keep the questions of the inbox in step with the entries that they are about (WM-8).

A question asks a person which of two active entries is right. Either may be forgotten, replaced,
undone or restored at any time; after each change of a memory `in_step` removes the questions and
marks that are moot, and asks again where both are active once more. Pure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.text.letters import canonical

MAY_REPLACE = "may_replace"
"""The reason of a question in the inbox: whether one entry replaces another (WM-8)."""


def pair_id(asked: str, text: str, other: str) -> str:
    """The id of what is asked of a person about two texts: the same for the same texts, so that it
    is asked once."""
    pair = "\0".join((asked, canonical(text), canonical(other)))
    return "m_" + hashlib.sha256(pair.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def question(newer: MemoryEntry, older: MemoryEntry, created_at: str) -> MemoryEntry:
    """The question whether `newer` replaces `older`."""
    update = {
        "id": pair_id("replaces", newer.text, older.text),
        "status": "inbox",
        "reasons": (MAY_REPLACE,),
        "supersedes": (older.id,),
        "conflicts": (newer.id,),
        "created_at": created_at,
    }
    return newer.model_copy(update=update)


def in_step(memory: WorkspaceMemory) -> WorkspaceMemory:
    """The memory with exactly the questions and marks whose entries are both active."""
    active = {e.id: e for e in memory.entries if e.status == "active"}
    moot, asked = set(), []
    for entry in memory.entries:
        if entry.status == "inbox" and MAY_REPLACE in entry.reasons:
            pairs = list(_pairs(entry.conflicts, entry.supersedes))
            if all(name in active for name in (*entry.conflicts, *entry.supersedes)):
                asked += pairs
            else:
                moot.add(entry.id)
    marked = [p for e in active.values() for p in _pairs((e.id,), e.conflicts) if p[1] in active]
    against: dict[str, dict[str, None]] = {}
    for one, other in (*marked, *asked):
        against.setdefault(one, {})[other] = against.setdefault(other, {})[one] = None
    kept = (_marked(e, tuple(against.get(e.id, ()))) for e in memory.entries if e.id not in moot)
    entries = (*kept, *_missing(marked, asked, active, {e.id for e in memory.entries} - moot))
    return memory.model_copy(update={"entries": entries})


def _missing(
    marked: Iterable[tuple[str, str]],
    asked: Iterable[tuple[str, str]],
    active: dict[str, MemoryEntry],
    taken: set[str],
) -> Iterator[MemoryEntry]:
    """A question for each marked pair of entries that none asks about."""
    known = {frozenset(pair) for pair in asked}
    for pair in marked:
        if frozenset(pair) not in known:
            known.add(frozenset(pair))
            older, newer = sorted(map(active.__getitem__, pair), key=lambda e: e.created_at)
            again = question(newer, older, newer.created_at)
            if again.id not in taken:
                taken.add(again.id)
                yield again


def _pairs(some: Iterable[str], others: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((one, other) for one in some for other in others)


def _marked(entry: MemoryEntry, against: tuple[str, ...]) -> MemoryEntry:
    """The active entry with these marks; others keep theirs for the day that they are restored."""
    if entry.status != "active" or set(entry.conflicts) == set(against):
        return entry
    return entry.model_copy(update={"conflicts": against})
