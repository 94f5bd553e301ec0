"""The entries of a memory by id and by what their texts contain.

A working value: it follows the memory from version to version, so that a new entry costs no scan
of thousands. Two entries may have one id, if a person wrote them so by hand: the index finds the
last of them and keeps both. Decides nothing; `consolidate` does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import count
from operator import is_not

from msgspec import Struct

from wm.formats.workspace_memory import MemoryEntry
from wm.text.letters import composed, without_invisible
from wm.text.terms import folded

NEAR_CHARS = 40
"""Texts whose lengths differ by more are not compared word by word."""
_PREFIX_CHARS = 3
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()}


class NearDuplicates(Struct, eq=False):
    """Texts by the positions of their entries. A new text is compared word by word with few others
    (WM-5, WM-8): texts of the same letters, texts that contain a name, and texts that share most
    word prefixes."""

    _texts: dict[int, str] = {}
    _by_letters: dict[str, list[int]] = {}
    # Both are built by the first query that needs them: an import uses only `alike`.
    _folded: dict[int, str] = {}
    _by_prefix: dict[str, list[int]] = {}

    def add(self, at: int, text: str) -> None:
        self._texts[at] = text
        self._by_letters.setdefault(_letters(text), []).append(at)
        if self._folded:
            self._index(at, text)

    def remove(self, at: int, text: str) -> None:
        del self._texts[at]
        _drop(self._by_letters, _letters(text), at)
        for prefix in _prefixes(self._folded.pop(at, "")):
            _drop(self._by_prefix, prefix, at)

    def alike(self, text: str) -> Collection[int]:
        """Positions of texts with the same letters: all of equal canonical text, few others."""
        return self._by_letters.get(_letters(text), ())

    def naming(self, name: str) -> list[int]:
        """Texts that contain this word, whatever its case and accents, in order."""
        self._index_all()
        name = folded(name)
        return sorted([at for at, text in self._folded.items() if name in text])

    def near(self, text: str, names: Collection[str]) -> list[int]:
        """Texts that contain one of the names, or share most word prefixes, in order: those that
        may state the same or the opposite."""
        self._index_all()
        here = _prefixes(folded(text))
        found = {at for at in self._sharing(here, len(text)) if self._is_near(at, len(text), here)}
        return sorted(found.union(*map(self.naming, names)))

    def _sharing(self, here: Collection[str], chars: int) -> Collection[int]:
        """A superset of the positions of texts with the shared prefixes that `_is_near` demands."""
        least = -(-(2 * len(here) - 2) // 3)
        if least <= 0:
            return self._folded
        shared = Counter[int]()
        for prefix in here:
            shared.update(self._by_prefix.get(prefix, ()))
        texts = self._texts
        return [
            at
            for at, count in shared.items()
            if count >= least and abs(len(texts[at]) - chars) <= NEAR_CHARS
        ]

    def _is_near(self, at: int, chars: int, here: set[str]) -> bool:
        if abs(len(self._texts[at]) - chars) > NEAR_CHARS:
            return False
        there = _prefixes(self._folded[at])
        return len(here & there) * 3 >= max(len(here), len(there)) * 2 - 2

    def _index_all(self) -> None:
        if not self._folded:
            for at, text in self._texts.items():
                self._index(at, text)

    def _index(self, at: int, text: str) -> None:
        self._folded[at] = folded(text)
        for prefix in _prefixes(self._folded[at]):
            self._by_prefix.setdefault(prefix, []).append(at)


def _drop(places: dict[str, list[int]], key: str, at: int) -> None:
    places[key].remove(at)
    if not places[key]:
        del places[key]


def _prefixes(text: str) -> set[str]:
    return {word[:_PREFIX_CHARS] for word in text.split()}


def _letters(text: str) -> str:
    """Letters and digits of the canonical text: equal for equal canonical texts, and cheap."""
    if text.isascii():
        return text.lower().translate(_NO_LETTERS)
    plain = composed(composed(without_invisible(text)).lower()).replace("\u03c2", "\u03c3")
    return "".join(filter(str.isalnum, plain))


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
