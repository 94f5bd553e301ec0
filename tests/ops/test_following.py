"""A search index that takes in changes answers like one that reads everything."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.search.index_keeper import Searcher
from wm.search.documents import Filters
from wm.settings import RecallSettings

WHEN = "2026-06-20T12:00:00.000Z"
WORDS = ("crane", "dock", "harbour", "manifest", "pilot", "quay", "tide", "walrus")
Entries = tuple[MemoryEntry, ...]


def entry(number: int, text: str) -> MemoryEntry:
    return MemoryEntry(
        id=f"m_{number}",
        type="project",
        text=text,
        source="explicit",
        created_at=WHEN,
        updated_at=WHEN,
    )


def memory(entries: Entries) -> WorkspaceMemory:
    return WorkspaceMemory(workspace=Workspace(root="/a", key="0" * 16), entries=entries)


def said(dice: random.Random) -> str:
    return f"The {' '.join(dice.choices(WORDS, k=4))} is open."


CHANGES: tuple[Callable[[Entries, random.Random, int], Entries], ...] = (
    lambda rows, dice, at: (*rows, entry(at, said(dice))),
    lambda rows, dice, at: (*rows[:-1], rows[-1].model_copy(update={"text": said(dice)})),
    lambda rows, dice, at: (rows[0].model_copy(update={"status": "superseded"}), *rows[1:]),
    lambda rows, dice, at: (*rows[:2], *rows[3:]),
    lambda rows, dice, at: rows[::-1],
    lambda rows, dice, at: (*rows, rows[1].model_copy(update={"text": said(dice)})),
    lambda rows, dice, at: tuple(MemoryEntry.model_validate(row.model_dump()) for row in rows),
    lambda rows, dice, at: rows,
)


def answers(index: Searcher, held: WorkspaceMemory) -> list[tuple[str, float]]:
    hits = [index.search(held, word, 20, Filters()) for word in WORDS]
    return [(hit.id, hit.score) for found in hits for hit in found]


@pytest.mark.parametrize("seed", range(6))
def test_an_incremental_index_answers_like_a_full_one(seed: int) -> None:
    dice = random.Random(seed)
    rows: Entries = tuple(entry(number, said(dice)) for number in range(8))
    follows, looks = Searcher(RecallSettings(), None), Searcher(RecallSettings(), None)
    for step in range(100, 120):
        rows = (
            dice.choice(CHANGES)(rows, dice, step) if len(rows) > 4 else (*rows, entry(step, "x"))
        )
        copied = memory(tuple(MemoryEntry.model_validate(row.model_dump()) for row in rows))
        assert answers(follows, memory(rows)) == answers(looks, copied)


def test_an_interrupted_update_is_repeated() -> None:
    rows = tuple(entry(number, f"Bay {number} is shut.") for number in range(300))
    index = Searcher(RecallSettings(), None)
    index.prepare(memory(rows))
    unfit = entry(301, "The tide is high.").model_copy(update={"anchors": None})
    with pytest.raises(TypeError):
        index.prepare(memory((*rows, entry(300, "The walrus is open."), unfit)))
    after = memory((*rows, entry(302, "The pilot is ill.")))
    assert [hit.id for hit in index.search(after, "walrus", 5, Filters())] == []
    assert [hit.id for hit in index.search(after, "pilot", 5, Filters())] == ["m_302"]
