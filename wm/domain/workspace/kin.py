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
    """folded: the text in lower case."""

    at: int
    folded: str
    chars: int


class _Block:
    """Some texts that lie side by side, and all of them as one."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._text = ""
        self._marks: list[int] = []

    @property
    def first(self) -> int:
        return self.rows[0].at

    def add(self, row: _Row) -> None:
        self._text = ""
        if self.rows and row.at < self.rows[-1].at:
            insort(self.rows, row)
            self._marks.clear()
        else:
            self.rows.append(row)

    def remove(self, at: int) -> None:
        del self.rows[bisect_left(self.rows, at, key=attrgetter("at"))]
        self._text = ""
        self._marks.clear()

    @property
    def text(self) -> str:
        """All of them, each behind a line feed."""
        if not self._text:
            self._text = "".join("\n" + row.folded for row in self.rows)
        return self._text

    @property
    def marks(self) -> list[int]:
        """Of each, a bit for each beginning of a word."""
        new = self.rows[len(self._marks) :]
        self._marks += (_marks(_beginnings(row.folded)) for row in new)
        return self._marks


class Kin:
    """Texts by the places of their entries, which only rise."""

    def __init__(self) -> None:
        self._letters: dict[str, list[int]] = {}
        self._blocks: list[_Block] = []
        self._waiting: dict[int, str] = {}
        """What has no block yet: many are asked once, and only for texts that are alike."""
        self._is_kept = False

    def add(self, at: int, text: str) -> None:
        self._letters.setdefault(_letters(text), []).append(at)
        self._waiting[at] = text

    def remove(self, at: int, text: str) -> None:
        letters = _letters(text)
        self._letters[letters].remove(at)
        if not self._letters[letters]:
            del self._letters[letters]
        if self._waiting.pop(at, None) is None:
            block = self._blocks[self._block_of(at)]
            block.remove(at)
            if not block.rows:
                self._blocks.remove(block)

    def alike(self, text: str) -> Collection[int]:
        """Where the letters are the same: all texts whose canonical ones are, and few others."""
        return self._letters.get(_letters(text), ())

    def naming(self, name: str) -> Iterator[int]:
        """Texts that hold this word, in lower case and without white space, in order."""
        for block in self._all_blocks():
            if name in block.text:
                yield from (row.at for row in block.rows if name in row.folded)

    def near(self, text: str, names: Collection[str]) -> Iterator[int]:
        """Texts that hold one of the names, or share most beginnings of words, in order: those
        that say the same, or the contrary."""
        here, chars = _beginnings(text.lower()), len(text)
        # Who asks once has none told by their marks: to make them costs more than to compare.
        marks, self._is_kept = _marks(here) if self._is_kept else 0, True
        for block in self._all_blocks():
            named = [name for name in names if name in block.text]
            likely = _likely(block, marks, len(here), chars, named) if marks else block.rows
            for row in likely:
                if _holds(row, named) or _is_near(row, chars, here):
                    yield row.at

    def _all_blocks(self) -> list[_Block]:
        for at, text in sorted(self._waiting.items()):
            self._place(_Row(at, text.lower(), len(text)))
        self._waiting.clear()
        return self._blocks

    def _place(self, row: _Row) -> None:
        blocks = self._blocks
        full = not blocks or (len(blocks[-1].rows) >= _AT_ONCE and row.at > blocks[-1].rows[-1].at)
        if full:
            blocks.append(_Block())
            blocks[-1].add(row)
        else:
            blocks[self._block_of(row.at)].add(row)

    def _block_of(self, at: int) -> int:
        return max(0, bisect_right(self._blocks, at, key=attrgetter("first")) - 1)


def _likely(
    block: _Block, marks: int, count: int, chars: int, named: Collection[str]
) -> list[_Row]:
    """At least those that are near, told by their marks: two beginnings of one bit count once."""
    least, hidden = 2 * count - 2, 3 * (count - marks.bit_count())
    return [
        row
        for row, other in zip(block.rows, block.marks, strict=True)
        if (
            3 * (other & marks).bit_count() + hidden >= least
            and -NEAR_CHARS <= row.chars - chars <= NEAR_CHARS
        )
        or (named and _holds(row, named))
    ]


def _holds(row: _Row, names: Collection[str]) -> bool:
    return any(name in row.folded for name in names)


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
