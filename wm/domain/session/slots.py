"""Slots: short lists of what a session must not lose, one list per kind (CB-2).

A slot keeps its newest items. A repeated item becomes the newest; an item with the key of
another replaces it. Chooses no text and reads no clock; `slot_filling` fills the slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wm.formats.working_memory import SlotItem
from wm.settings import WorkingSettings
from wm.text.letters import canonical

Slots = Mapping[str, tuple[SlotItem, ...]]

ERROR, DECISION, TODO, DEPENDENCY = "error", "decision", "todo", "dependency"


def add(slots: Slots, slot: str, item: SlotItem, settings: WorkingSettings) -> Slots:
    """Return the slots with the item as the newest of `slot`; the oldest are dropped. A slot that
    is not configured accepts nothing."""
    room = settings.slots.get(slot, 0)
    kept = tuple(old for old in slots.get(slot, ()) if not _is_same_item(old, item))
    return _with(slots, slot, (*kept, item)[-room:] if room else slots.get(slot, ()))


def drop(slots: Slots, slot: str, keys: Iterable[str]) -> Slots:
    """Return the slots without the items of these keys."""
    gone = frozenset(keys)
    return _with(slots, slot, tuple(i for i in slots.get(slot, ()) if i.key not in gone))


def without(slots: Slots, text: str) -> Slots:
    """Return the slots without the items of this text, in any slot."""
    same = canonical(text)
    for slot in tuple(slots):
        slots = _with(slots, slot, tuple(i for i in slots[slot] if canonical(i.text) != same))
    return slots


def clear(slots: Slots, slot: str) -> Slots:
    """Return the slots with this one empty."""
    return _with(slots, slot, ())


def _is_same_item(old: SlotItem, new: SlotItem) -> bool:
    if old.key and new.key:
        return old.key == new.key
    return canonical(old.text) == canonical(new.text)


def _with(slots: Slots, slot: str, items: tuple[SlotItem, ...]) -> Slots:
    if slots.get(slot, ()) == items:
        return slots
    return {name: kept for name, kept in {**slots, slot: items}.items() if kept}
