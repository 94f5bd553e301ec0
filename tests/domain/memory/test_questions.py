"""WM-8: what is asked about two entries holds only while both are active."""

from __future__ import annotations

import pytest

from tests.domain.memory.memories import ago, entry, memory
from wm.domain.memory.questions import in_step, question
from wm.formats.workspace_memory import MemoryEntry

OLD = entry("m_old", "Prices include tax.", created_at=ago(days=2))
NEW = entry("m_new", "Prices do not include tax.", created_at=ago(days=1))
ASKED = question(NEW, OLD, NEW.created_at)
MARKED = (
    OLD.model_copy(update={"conflicts": ("m_new",)}),
    NEW.model_copy(update={"conflicts": ("m_old",)}),
)


def after(*entries: MemoryEntry) -> tuple[MemoryEntry, ...]:
    return in_step(memory(*entries)).entries


def test_what_is_in_step_stays() -> None:
    assert after(*MARKED, ASKED) == (*MARKED, ASKED)
    assert after(OLD, NEW) == (OLD, NEW)


@pytest.mark.parametrize("left", MARKED, ids=["the older is gone", "the newer is gone"])
def test_a_question_ends_with_one_of_its_entries(left: MemoryEntry) -> None:
    assert after(left, ASKED) == (left.model_copy(update={"conflicts": ()}),)


def test_a_replaced_entry_keeps_its_mark_for_the_day_it_is_restored() -> None:
    gone = MARKED[0].model_copy(update={"status": "superseded"})
    assert after(gone, MARKED[1], ASKED) == (gone, NEW)
    assert after(MARKED[0], NEW) == (*MARKED, ASKED)


def test_the_marks_of_a_question_that_waits_again_return() -> None:
    assert after(OLD, NEW, ASKED) == (*MARKED, ASKED)
