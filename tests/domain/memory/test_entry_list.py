"""WM-1: an id finds its entry, and a changed entry replaces only itself."""

from __future__ import annotations

import pytest

from tests.domain.memory.memories import entry, memory
from wm.domain.memory import edits, entry_list

HERE = memory(entry("m_a"), entry("m_b"), entry("m_c"))


@pytest.mark.parametrize(("wanted", "found"), [("m_a", 0), ("m_b", 1), ("m_c", 2)])
def test_an_entry_is_found_by_its_id(wanted: str, found: int) -> None:
    assert entry_list.find(HERE, wanted) is HERE.entries[found]
    assert entry_list.get(HERE, wanted) is HERE.entries[found]


def test_an_unknown_id_gives_none_or_an_error() -> None:
    assert entry_list.find(HERE, "m_") is None
    with pytest.raises(KeyError, match="m_d"):
        entry_list.get(HERE, "m_d")
    with pytest.raises(KeyError, match="m_d"):
        entry_list.replaced(HERE, entry("m_d"))


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_changed_entry_replaces_the_old_one_in_place(at: int) -> None:
    changed = HERE.entries[at].model_copy(update={"text": "Use yarn."})
    after = entry_list.replaced(HERE, changed).entries
    assert after[at] is changed
    assert [e.id for e in after] == ["m_a", "m_b", "m_c"]
    assert all(after[n] is HERE.entries[n] for n in range(3) if n != at)


def test_a_second_entry_with_the_same_id_stays_unchanged() -> None:
    twins = memory(entry("m_a", text="First."), entry("m_a", text="Second."))
    changed = entry_list.get(twins, "m_a").model_copy(update={"text": "Changed."})
    assert [e.text for e in entry_list.replaced(twins, changed).entries] == ["Changed.", "Second."]


def test_trashing_one_of_two_entries_with_one_id_keeps_the_other() -> None:
    twins = memory(entry("m_a", text="First."), entry("m_a", text="Second."))
    left, gone = edits.trash(twins, "m_a")
    assert (gone.text, [e.text for e in left.entries]) == ("First.", ["Second."])
    left, gone = edits.trash(left, "m_a")
    assert (gone.text, left.entries) == ("Second.", ())
