"""WM-1: an entry is found by its id, and a changed one takes its place and no other."""

from __future__ import annotations

import pytest

from tests.domain.workspace.memories import entry, memory
from wm.domain.workspace import edits, entries

HERE = memory(entry("m_a"), entry("m_b"), entry("m_c"))


@pytest.mark.parametrize(("wanted", "found"), [("m_a", 0), ("m_b", 1), ("m_c", 2)])
def test_an_entry_is_found_by_its_id(wanted: str, found: int) -> None:
    assert entries.find(HERE, wanted) is HERE.entries[found]
    assert entries.get(HERE, wanted) is HERE.entries[found]


def test_what_is_not_there_is_none_or_an_error() -> None:
    assert entries.find(HERE, "m_") is None
    with pytest.raises(KeyError, match="m_d"):
        entries.get(HERE, "m_d")
    with pytest.raises(KeyError, match="m_d"):
        entries.replaced(HERE, entry("m_d"))


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_changed_entry_takes_the_place_of_the_old_one(at: int) -> None:
    changed = HERE.entries[at].model_copy(update={"text": "Use yarn."})
    after = entries.replaced(HERE, changed).entries
    assert after[at] is changed
    assert [e.id for e in after] == ["m_a", "m_b", "m_c"]
    assert all(after[n] is HERE.entries[n] for n in range(3) if n != at)


def test_of_two_with_one_id_the_second_stays_as_it_is() -> None:
    twins = memory(entry("m_a", text="First."), entry("m_a", text="Second."))
    changed = entries.get(twins, "m_a").model_copy(update={"text": "Changed."})
    assert [e.text for e in entries.replaced(twins, changed).entries] == ["Changed.", "Second."]


def test_of_two_with_one_id_one_goes_to_the_trash_and_the_other_is_not_lost() -> None:
    twins = memory(entry("m_a", text="First."), entry("m_a", text="Second."))
    left, gone = edits.trash(twins, "m_a")
    assert (gone.text, [e.text for e in left.entries]) == ("First.", ["Second."])
    left, gone = edits.trash(left, "m_a")
    assert (gone.text, left.entries) == ("Second.", ())
