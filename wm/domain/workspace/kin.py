"""The texts of one type of entry, so that a newcomer finds those that may be about the same.

A newcomer is compared word by word with few others; which ones, is told here without a look at
each of thousands: by the letters of a text, by a name that it holds, by the beginnings of its
words. Knows texts and the places of their entries only; decides nothing. A working value that is
kept while entries come and go (WM-5, WM-8).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from wm.domain.text import composed, without_invisible

NEAR_CHARS = 40
"""Texts that differ in length by more are not compared word by word."""
_MARKS = 256
"""Beginnings of words are told by so many bits first."""
_AT_ONCE = 128
"""Texts that are searched as one."""
_WINDOW = 8 * _AT_ONCE
"""Texts whose beginnings are counted at once."""
_MOST_GONE = 4_000
"""So many texts that left are still told of by their words; then the index is made anew."""
_PART = 64 * 1024
"""Letters of words that are searched as one."""
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()}


class _Row(NamedTuple):
    """folded: the text in lower case."""

    folded: str
    chars: int


class _Block:
    """Texts of places that lie side by side, in their order, and all of them as one."""

    def __init__(self) -> None:
        self.rows: dict[int, _Row] = {}
        self._text = ""
        self._begins: list[int] = []

    def add(self, at: int, row: _Row) -> None:
        in_order = not self.rows or at > next(reversed(self.rows))
        self.rows[at] = row
        if not in_order:
            self.rows = dict(sorted(self.rows.items()))
        self._text = ""

    def remove(self, at: int) -> _Row:
        self._text = ""
        return self.rows.pop(at)

    def holding(self, names: Iterable[str]) -> set[int]:
        """The places of texts that hold one of the names."""
        if not self._text:
            self._text = "".join("\n" + row.folded for row in self.rows.values())
            sizes = (len(row.folded) + 1 for row in self.rows.values())
            self._begins = list(accumulate(sizes, initial=0))
        places, found = list(self.rows), set()
        for name in names:
            at = self._text.find(name)
            while at >= 0:
                row = bisect_right(self._begins, at)
                found.add(places[row - 1])
                at = self._text.find(name, self._begins[row])
        return found


class _Words:
    """Each word once, with a bit for every block that has or had it: a name is searched for in
    the words, of which thousands of texts have few."""

    def __init__(self) -> None:
        self._blocks: dict[str, int] = {}
        self._fresh: list[str] = []
        self._parts = [""]

    def add(self, folded: str, block: int) -> None:
        bit = 1 << block
        for word in folded.split():
            known = self._blocks.get(word)
            if known is None:
                self._fresh.append(word)
                self._blocks[word] = bit
            elif not known & bit:
                self._blocks[word] = known | bit

    def blocks(self, name: str) -> int:
        """At least the blocks with a text that holds the name."""
        if self._fresh:
            if len(self._parts[-1]) > _PART:
                self._parts.append("")
            self._parts[-1] += "".join(word + "\n" for word in self._fresh)
            self._fresh.clear()
        found = 0
        for part in self._parts:
            at = part.find(name)
            while at >= 0:
                end = part.index("\n", at)
                found |= self._blocks[part[part.rfind("\n", 0, at) + 1 : end]]
                at = part.find(name, end)
        return found


class _Marks:
    """For each of some bits the places of the texts that have it: how many of a newcomer's bits a
    text shares is counted for thousands of texts at once, as one adds numbers digit by digit."""

    def __init__(self) -> None:
        self._windows: dict[int, list[int]] = {}
        self._held: dict[int, int] = {}

    def add(self, at: int, folded: str) -> None:
        window, place = divmod(at, _WINDOW)
        of_bits = self._windows.setdefault(window, [0] * _MARKS)
        bit = 1 << place
        for mark in _marks(_beginnings(folded)):
            of_bits[mark] |= bit
        self._held[window] = self._held.get(window, 0) | bit

    def remove(self, at: int, folded: str) -> None:
        window, place = divmod(at, _WINDOW)
        for mark in _marks(_beginnings(folded)):
            self._windows[window][mark] ^= 1 << place
        self._held[window] ^= 1 << place
        if not self._held[window]:
            del self._windows[window], self._held[window]

    def sharing(self, marks: Collection[int], least: int) -> dict[int, int]:
        """The texts with at least so many of the marks: a bit for each place of a window."""
        return {
            window: _at_least([of_bits[mark] for mark in marks], least, self._held[window])
            for window, of_bits in self._windows.items()
        }


class _Index(NamedTuple):
    """What finds texts among many."""

    words: _Words
    marks: _Marks

    def add(self, at: int, folded: str) -> None:
        self.words.add(folded, at // _AT_ONCE)
        self.marks.add(at, folded)


class Kin:
    """Texts by the places of their entries."""

    def __init__(self) -> None:
        self._letters: dict[str, list[int]] = {}
        self._blocks: dict[int, _Block] = {}
        self._waiting: dict[int, str] = {}
        """What has no block yet: many are asked once, and only for texts that are alike."""
        self._index: _Index | None = None
        self._gone = 0
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
            block = self._blocks[at // _AT_ONCE]
            row = block.remove(at)
            if not block.rows:
                del self._blocks[at // _AT_ONCE]
            if self._index is not None:
                self._leave(self._index, at, row.folded)

    def _leave(self, index: _Index, at: int, folded: str) -> None:
        index.marks.remove(at, folded)
        self._gone += 1
        if self._gone > _MOST_GONE:
            self._index, self._gone = None, 0

    def alike(self, text: str) -> Collection[int]:
        """Where the letters are the same: all texts whose canonical ones are, and few others."""
        return self._letters.get(_letters(text), ())

    def naming(self, name: str) -> Iterator[int]:
        """Texts that hold this word, in lower case and without white space, in order."""
        blocks = self._all_blocks()
        index = self._index
        where = -1 if index is None else index.words.blocks(name)
        for number, block in blocks.items():
            if where >> number & 1:
                yield from sorted(block.holding((name,)))

    def near(self, text: str, names: Collection[str]) -> Iterator[int]:
        """Texts that hold one of the names, or share most beginnings of words, in order: those
        that say the same, or the contrary."""
        here, chars = _beginnings(text.lower()), len(text)
        blocks, index = self._all_blocks(), self._made_index()
        where = dict.fromkeys(names, -1)
        if index is not None:
            where = {name: index.words.blocks(name) for name in names}
            # Two beginnings of one bit count once.
            marks = _marks(here)
            hidden = 3 * (len(here) - len(marks))
            sharing = index.marks.sharing(marks, -(-(2 * len(here) - 2 - hidden) // 3))
        for number, block in blocks.items():
            named = block.holding(name for name, found in where.items() if found >> number & 1)
            if index is None:
                likely = list(block.rows)
            else:
                window, shift = divmod(number * _AT_ONCE, _WINDOW)
                bits = sharing[window] >> shift & (1 << _AT_ONCE) - 1
                likely = [number * _AT_ONCE + bit for bit in _ones(bits)]
            for at in sorted(named.union(likely)):
                if at in named or _is_near(block.rows[at], chars, here):
                    yield at

    def _made_index(self) -> _Index | None:
        """None where it is asked for the first time: who asks once is told by comparing, since to
        make an index costs more."""
        if self._is_kept and self._index is None:
            self._index = _Index(_Words(), _Marks())
            for block in self._blocks.values():
                for at, row in block.rows.items():
                    self._index.add(at, row.folded)
        self._is_kept = True
        return self._index

    def _all_blocks(self) -> dict[int, _Block]:
        for at, text in self._waiting.items():
            row = _Row(text.lower(), len(text))
            self._block_of(at).add(at, row)
            if self._index is not None:
                self._index.add(at, row.folded)
        self._waiting.clear()
        return self._blocks

    def _block_of(self, at: int) -> _Block:
        number = at // _AT_ONCE
        block = self._blocks.get(number)
        if block is None:
            in_order = not self._blocks or number > next(reversed(self._blocks))
            block = self._blocks[number] = _Block()
            if not in_order:
                self._blocks = dict(sorted(self._blocks.items()))
        return block


def _ones(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _at_least(summands: Collection[int], least: int, among: int) -> int:
    """The bits that at least so many of the summands have. digits: of each bit's count, the
    lowest first."""
    digits: list[int] = []
    for carry in summands:
        for place, digit in enumerate(digits):
            digits[place], carry = digit ^ carry, digit & carry
            if not carry:
                break
        else:
            digits.append(carry)
    found = among
    if least > 0:
        for place in range(max(len(digits), least.bit_length())):
            digit = digits[place] if place < len(digits) else 0
            found = digit & found if least >> place & 1 else digit | found
    return found


def _is_near(row: _Row, chars: int, here: set[str]) -> bool:
    if abs(row.chars - chars) > NEAR_CHARS:
        return False
    there = _beginnings(row.folded)
    return len(here & there) * 3 >= max(len(here), len(there)) * 2 - 2


def _beginnings(folded: str) -> set[str]:
    return {word[:3] for word in folded.split()}


def _marks(beginnings: Collection[str]) -> set[int]:
    return {hash(beginning) % _MARKS for beginning in beginnings}


def _letters(text: str) -> str:
    """Letters and digits of the canonical text: equal where canonical texts are, and cheap."""
    if text.isascii():
        return text.lower().translate(_NO_LETTERS)
    plain = composed(composed(without_invisible(text)).lower()).replace("\u03c2", "\u03c3")
    return "".join(filter(str.isalnum, plain))
