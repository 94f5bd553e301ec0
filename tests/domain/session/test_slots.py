"""Slots: the newest of each kind, and nothing twice (CB-2)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from wm.domain.session import slots
from wm.formats.working_memory import SlotItem
from wm.settings import WorkingSettings

SETTINGS = WorkingSettings()


def filled(slot: str, *texts: str, settings: WorkingSettings = SETTINGS) -> slots.Slots:
    held: slots.Slots = {}
    for text in texts:
        held = slots.add(held, slot, SlotItem(text=text), settings)
    return held


def texts(held: slots.Slots, slot: str) -> list[str]:
    return [item.text for item in held.get(slot, ())]


@pytest.mark.parametrize(
    ("slot", "room"), [("error", 3), ("decision", 5), ("todo", 3), ("dependency", 3)]
)
def test_a_full_slot_drops_the_oldest_item(slot: str, room: int) -> None:
    held = filled(slot, *(f"item {number}" for number in range(8)))
    assert texts(held, slot) == [f"item {number}" for number in range(8 - room, 8)]


def test_a_repeated_item_is_the_newest_and_unique() -> None:
    assert texts(filled("todo", "Write the tests.", "B", "write the tests"), "todo") == [
        "B",
        "write the tests",
    ]


def test_an_item_replaces_the_one_with_its_key() -> None:
    held: slots.Slots = {}
    for key, text in (("go.mod", "go.mod: a v1"), ("web", "web: b"), ("go.mod", "go.mod: a v2")):
        held = slots.add(held, "dependency", SlotItem(text=text, key=key), SETTINGS)
    assert texts(held, "dependency") == ["web: b", "go.mod: a v2"]
    assert texts(slots.drop(held, "dependency", ["web"]), "dependency") == ["go.mod: a v2"]


def test_a_slot_exists_only_by_configuration() -> None:
    assert filled("question", "Which port?") == {}
    more = replace(SETTINGS, slots={**SETTINGS.slots, "question": 1})
    held = filled("question", "Which port?", "Which host?", settings=more)
    assert texts(held, "question") == ["Which host?"]


def test_removing_and_clearing_keep_other_slots() -> None:
    held = slots.add(filled("error", "E1", "E2"), "todo", SlotItem(text="e1"), SETTINGS)
    assert slots.without(held, "E1") == {"error": held["error"][1:]}
    assert set(slots.clear(held, "error")) == {"todo"}
    assert slots.clear(held, "decision") is held
