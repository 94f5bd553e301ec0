"""The entries of a memory by id and by what their texts contain.

A working value: it follows the memory from version to version, so that a new entry costs no scan
of thousands. Two entries may have one id, if a person wrote them so by hand: the index finds the
last of them and keeps both. Decides nothing; `consolidate` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from operator import is_not

from wm.domain.memory.near_duplicates import NearDuplicates
from wm.formats.workspace_memory import MemoryEntry


class EntryIndex:
    """entries: by position, in the order of the memory. texts: their texts, by position."""

    def __init__(self, entries: Iterable[MemoryEntry]) -> None:
        self.entries: dict[int, MemoryEntry] = {}
        self.texts = NearDuplicates()
        self._places: dict[str, int] = {}
        self._positions = count()
        for entry in entries:
            self.add(entry)

    def get(self, entry_id: str) -> MemoryEntry | None:
        return self[entry_id] if entry_id in self._places else None

    def __getitem__(self, entry_id: str) -> MemoryEntry:
        return self.entries[self._places[entry_id]]

    def add(self, entry: MemoryEntry) -> None:
        at = next(self._positions)
        self.entries[at] = entry
        self._places[entry.id] = at
        self.texts.add(at, entry.text)

    def put(self, entry: MemoryEntry) -> None:
        """Replace an entry by a new version of itself."""
        at = self._places[entry.id]
        before, self.entries[at] = self.entries[at], entry
        if before.text != entry.text:
            self.texts.remove(at, before.text)
            self.texts.add(at, entry.text)

    def follow(self, entries: tuple[MemoryEntry, ...]) -> bool:
        """Continue with another version of the memory. False if that takes a new index: its order
        is another, or an id occurs twice."""
        wanted = {entry.id: entry for entry in entries}
        for at, entry in list(self.entries.items()):
            new = wanted.get(entry.id)
            if new is None:
                self.texts.remove(at, entry.text)
                self._places.pop(entry.id, None)
                del self.entries[at]
            elif new is not entry:
                self.put(new)
        known = len(self.entries)
        if known > len(entries) or any(map(is_not, self.entries.values(), entries)):
            return False
        for entry in entries[known:]:
            self.add(entry)
        return True
