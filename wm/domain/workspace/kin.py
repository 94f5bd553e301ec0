"""The texts of one type of entry, so that a newcomer finds those that may be about the same.

A newcomer is compared word by word with few others; which ones, is told here without a look at
each of thousands: by the letters of a text, by a name that it holds, by the beginnings of its
words. Knows texts and the places of their entries only; decides nothing. A working value that is
kept while entries come and go (WM-5, WM-8).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterator
from operator import attrgetter
from typing import NamedTuple

from wm.domain.text import composed, without_invisible

NEAR_CHARS = 40
"""Texts that differ in length by more are not compared word by word."""
_MARKS = 256
"""Beginnings of words are told by so many bits first."""
_AT_ONCE = 128
"""Texts that are searched as one."""
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()}


class _Row(NamedTuple):
    """folded: the text in lower case. marks: a bit or more per beginning of a word, of which
    there are `beginnings`."""

    at: int
    folded: str
    chars: int
    marks: int
    beginnings: int


class _Block:
    """Some texts that lie side by side, and all of them as one."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self.text = ""

    @property
    def first(self) -> int:
        return self.rows[0].at

    def add(self, row: _Row) -> None:
        if self.rows and row.at < self.rows[-1].at:
            insort(self.rows, row)
            self._join()
        else:
            self.rows.append(row)
            self.text += "\n" + row.folded

    def remove(self, at: int) -> None:
        del self.rows[bisect_left(self.rows, at, key=attrgetter("at"))]
        self._join()

    def _join(self) -> None:
        self.text = "".join("\n" + row.folded for row in self.rows)


class Kin:
    """Texts by the places of their entries, which only rise."""

    def __init__(self) -> None:
        self._letters: dict[str, list[int]] = {}
        self._blocks: list[_Block] = []

    def add(self, at: int, text: str) -> None:
        self._letters.setdefault(_letters(text), []).append(at)
        folded = text.lower()
        found = _beginnings(folded)
        block = self._block_of(at)
        if block is None or (len(block.rows) >= _AT_ONCE and at > self._blocks[-1].rows[-1].at):
            block = _Block()
            self._blocks.append(block)
        block.add(_Row(at, folded, len(text), _marks(found), len(found)))

    def remove(self, at: int, text: str) -> None:
        letters = _letters(text)
        self._letters[letters].remove(at)
        if not self._letters[letters]:
            del self._letters[letters]
        block = self._block_of(at)
        assert block is not None
        block.remove(at)
        if not block.rows:
            self._blocks.remove(block)

    def alike(self, text: str) -> Collection[int]:
        """Where the letters are the same: all texts whose canonical ones are, and few others."""
        return self._letters.get(_letters(text), ())

    def naming(self, name: str) -> Iterator[int]:
        """Texts that hold this word, in lower case and without white space, in order."""
        for block in self._blocks:
            if name in block.text:
                yield from (row.at for row in block.rows if name in row.folded)

    def near(self, text: str, names: Collection[str]) -> Iterator[int]:
        """Texts that hold one of the names, or share most beginnings of words, in order: those
        that say the same, or the contrary."""
        here = _beginnings(text.lower())
        chars, marks, count = len(text), _marks(here), len(here)
        # Two beginnings of one bit are counted once.
        least, hidden = 2 * count - 2, 3 * (count - marks.bit_count())
        for block in self._blocks:
            named = [name for name in names if name in block.text]
            likely = [
                row
                for row in block.rows
                if named
                or (
                    -NEAR_CHARS <= row.chars - chars <= NEAR_CHARS
                    and 3 * (row.marks & marks).bit_count() + hidden >= least
                )
            ]
            for row in likely:
                if any(name in row.folded for name in named) or (
                    3 * (row.marks & marks).bit_count() + hidden >= least
                    and _is_near(row, chars, here)
                ):
                    yield row.at

    def _block_of(self, at: int) -> _Block | None:
        place = bisect_right(self._blocks, at, key=attrgetter("first"))
        return self._blocks[max(0, place - 1)] if self._blocks else None


def _is_near(row: _Row, chars: int, here: set[str]) -> bool:
    if abs(row.chars - chars) > NEAR_CHARS:
        return False
    there = _beginnings(row.folded)
    return len(here & there) * 3 >= max(len(here), len(there)) * 2 - 2


def _beginnings(folded: str) -> set[str]:
    return {word[:3] for word in folded.split()}


def _marks(beginnings: Collection[str]) -> int:
    found = 0
    for beginning in beginnings:
        found |= 1 << hash(beginning) % _MARKS
    return found


def _letters(text: str) -> str:
    """Letters and digits of the canonical text: equal where canonical texts are, and cheap."""
    if text.isascii():
        return text.lower().translate(_NO_LETTERS)
    plain = composed(composed(without_invisible(text)).lower()).replace("\u03c2", "\u03c3")
    return "".join(filter(str.isalnum, plain))
