"""Which document holds which term how often, in which order, and BM25 over it (RC-1).

Documents are numbered by the caller, upwards; terms get numbers here. What is kept of a document
is the row of its terms' numbers, so that adding costs no more than to append them. From these rows
comes, for each term, where it stands: sorted out at once for all documents when enough of them
are new, and looked for in the rows that came since. Knows no text and no ranking.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

MIN_PREFIX = 5
_MOST = 65_535
_UNSORTED = 8192
_UNSORTED_SHARE = 0.0625
"""So many terms may be unsorted, and this share of all: they are looked through by each query."""
_SHORTEST_SLIP, _LONGEST_SLIP = 7, 24
_BEGUN = 3
"""Letters by which terms are looked for that begin alike."""
_KEPT = 4096
"""Terms whose places are kept until something changes."""

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


class _Places(Struct, frozen=True):
    """Where a term stands. where: documents, ascending; some may be gone. found: how many are
    not."""

    where: NDArray[np.uint32]
    counts: NDArray[np.uint16]
    found: int


_NOWHERE = _Places(np.zeros(0, np.uint32), np.zeros(0, np.uint16), 0)


class Postings:
    """Terms of numbered documents."""

    def __init__(self, k1: float, b: float) -> None:
        self._k1, self._b = k1, b
        self._ids: dict[str, int] = {}
        self._rows = np.zeros(1024, np.uint32)
        self._starts = np.zeros(64, np.int64)
        """Of each document's row; that of the next ends it."""
        self._lengths = np.zeros(64, np.float32)
        self._alive = np.zeros(64, np.float32)
        self._end = 0
        self._documents = 0
        self._total = 0
        self._sorted_documents = self._sorted_terms = 0
        self._offsets = np.zeros(1, np.int64)
        self._where = np.zeros(0, np.uint32)
        self._counts = np.zeros(0, np.uint16)
        self._places: dict[str, _Places] = {}
        self._norms: Floats | None = None
        """What the length of each document makes of its counts; None until it is asked for."""
        self._beginnings: dict[str, list[str]] = {}
        self._begun = 0

    @property
    def end(self) -> int:
        """One more than the highest number."""
        return self._end

    def id_of(self, term: str) -> int:
        """The number of a term, which it has from now on."""
        return self._ids.setdefault(term, len(self._ids))

    def add(self, ids: Numbers, lengths: Numbers) -> None:
        """Documents behind all others. ids: of their terms, in order; lengths: how many each of
        them has."""
        first, begin = self._end, int(self._starts[self._end])
        last, end = first + len(lengths), begin + len(ids)
        if last >= len(self._starts):
            size = max(last + 1, 2 * len(self._starts))
            self._starts = _wider(self._starts, size)
            self._lengths = _wider(self._lengths, size)
            self._alive = _wider(self._alive, size)
        if end > len(self._rows):
            self._rows = _wider(self._rows, max(end, 2 * len(self._rows)))
        self._rows[begin:end] = ids
        self._starts[first + 1 : last + 1] = begin + np.cumsum(lengths)
        self._lengths[first:last] = lengths
        self._alive[first:last] = 1.0
        self._end, self._documents = last, self._documents + len(lengths)
        self._total += len(ids)
        self._forget()

    def remove(self, number: int) -> None:
        """Forget a document that is there."""
        self._alive[number] = 0.0
        self._documents -= 1
        self._total -= int(self._lengths[number])
        self._forget()

    def _forget(self) -> None:
        self._places.clear()
        self._norms = None

    def alive(self) -> Numbers:
        """The documents that are there, ascending."""
        return np.flatnonzero(self._alive[: self._end])

    def __contains__(self, term: str) -> bool:
        return self._of(term).found > 0

    def beginning(self, prefix: str) -> list[str]:
        """Known terms that begin so; prefix: at least MIN_PREFIX letters."""
        near = self._beginning(prefix[:_BEGUN])
        return sorted(term for term in near if term.startswith(prefix) and term in self)

    def _beginning(self, letters: str) -> Sequence[str]:
        """Terms that were ever there and begin with these letters, _BEGUN of them."""
        if self._begun < len(self._ids):
            for term in list(self._ids)[self._begun :]:
                if len(term) >= MIN_PREFIX:
                    self._beginnings.setdefault(term[:_BEGUN], []).append(term)
            self._begun = len(self._ids)
        return self._beginnings.get(letters, ())

    def one_slip_off(self, term: str) -> list[str]:
        """Known terms that this one becomes with one letter more, less or other, or two changed
        round, behind its beginning. A short word is like too many, and a number means itself."""
        if not (_SHORTEST_SLIP <= len(term) <= _LONGEST_SLIP and term.isascii() and term.isalpha()):
            return []
        near = self._beginning(term[:_BEGUN])
        return sorted(other for other in near if _is_one_slip(term, other) and other in self)

    def rarity(self, term: str, more: int = 0) -> float:
        """more: documents without the term that are thought to be there as well."""
        found = self._of(term).found
        return math.log(1 + (self._documents + more - found + 0.5) / (found + 0.5))

    def some(self, numbers: Numbers) -> Some:
        """These documents, to be asked what they hold."""
        return Some(self, numbers)

    def where(self, term: str) -> NDArray[np.uint32]:
        """The documents that hold the term, ascending; some may be gone."""
        return self._of(term).where

    def together(self, numbers: Numbers, pairs: Collection[tuple[str, str]]) -> Numbers:
        """How many of these pairs of terms each of the documents has one behind the other."""
        ids = self._ids
        width = len(ids)
        known = sorted({ids[a] * width + ids[b] for a, b in pairs if a in ids and b in ids})
        counts = np.zeros(len(numbers), np.int64)
        if known:
            terms, owners = self._terms_of(numbers)
            begins = np.zeros(width, np.bool_)
            begins[[pair // width for pair in known]] = True
            at = begins[terms[:-1]].nonzero()[0]
            asked = np.array(known)
            found = terms[at] * np.int64(width) + terms[at + 1]
            place = np.minimum(asked.searchsorted(found), len(asked) - 1)
            owner = owners[at]
            there = (asked[place] == found) & (owner == owners[at + 1])
            has = np.zeros((len(numbers), len(asked)), np.bool_)
            has[owner[there], place[there]] = True
            counts += has.sum(axis=1)
        return counts

    def _terms_of(self, numbers: Numbers) -> tuple[NDArray[np.uint32], Numbers]:
        """The rows of these documents one behind the other, and the place in `numbers` of each
        term's document."""
        starts = self._starts[numbers]
        sizes = self._starts[numbers + 1] - starts
        owners = np.arange(len(numbers)).repeat(sizes)
        skipped = starts - sizes.cumsum() + sizes
        return self._rows[skipped[owners] + np.arange(len(owners))], owners

    def word(self, wanted: Mapping[str, float], scores: Floats) -> Floats:
        """Add one word's BM25 to `scores`; the weight of its best term in each document."""
        best = np.zeros(self._end, np.float32)
        norms = self._norms_now()
        for term, weight in wanted.items():
            places = self._of(term)
            where = places.where
            if not len(where):
                continue
            rarity = np.float32(self.rarity(term) * weight)
            count = places.counts.astype(np.float32)
            share = count / (count + norms[where])
            if places.found < len(where):
                there = self._alive[where] > 0
                where, share = where[there], share[there]
            scores[where] += share * (rarity * np.float32(self._k1 + 1))
            best[where] = rarity if len(wanted) == 1 else np.maximum(best[where], rarity)
        return best

    def _norms_now(self) -> Floats:
        if self._norms is None:
            mean = max(1.0, self._total / max(1, self._documents))
            lengths = self._lengths[: self._end]
            self._norms = self._k1 * (1 - self._b + self._b / mean * lengths)
        return self._norms

    # --- where a term stands ---------------------------------------------------------------

    def _of(self, term: str) -> _Places:
        places = self._places.get(term)
        if places is None:
            if len(self._places) >= _KEPT:
                self._places.clear()
            number = self._ids.get(term)
            places = _NOWHERE if number is None else self._look(number)
            self._places[term] = places
        return places

    def _look(self, number: int) -> _Places:
        terms = int(self._starts[self._end])
        if terms - self._sorted_terms > max(_UNSORTED, _UNSORTED_SHARE * terms):
            self._sort()
            terms = int(self._starts[self._end])
        where, counts = _NOWHERE.where, _NOWHERE.counts
        if number + 1 < len(self._offsets):
            part = slice(self._offsets[number], self._offsets[number + 1])
            where, counts = self._where[part], self._counts[part]
        at = np.flatnonzero(self._rows[self._sorted_terms : terms] == number)
        if len(at):
            starts = self._starts[self._sorted_documents : self._end + 1]
            owners = np.searchsorted(starts, at + self._sorted_terms, "right") - 1
            late, times = np.unique(owners + self._sorted_documents, return_counts=True)
            where = np.concatenate([where, late.astype(np.uint32)])
            counts = np.concatenate([counts, np.minimum(times, _MOST).astype(np.uint16)])
        return _Places(where, counts, int(np.count_nonzero(self._alive[where])))

    def _sort(self) -> None:
        """Where each term stands, for all documents; the rows of those that are gone go."""
        end = self._end
        sizes = np.diff(self._starts[: end + 1])
        owners = np.repeat(np.arange(end), sizes)
        live = self._alive[owners] > 0
        rows = self._rows[: len(owners)][live]
        self._rows[: len(rows)] = rows
        sizes[self._alive[:end] == 0] = 0
        np.cumsum(sizes, out=self._starts[1 : end + 1])
        keys = rows.astype(np.int64) * end + owners[live]
        keys.sort()
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        times = np.diff(first, append=len(keys))
        terms, where = np.divmod(keys[first], max(1, end))
        self._offsets = np.searchsorted(terms, np.arange(len(self._ids) + 1))
        self._where = where.astype(np.uint32)
        self._counts = np.minimum(times, _MOST).astype(np.uint16)
        self._sorted_documents, self._sorted_terms = end, len(rows)


class Some:
    """Some documents, and which of them hold a term: each term is looked for once."""

    def __init__(self, postings: Postings, numbers: Numbers) -> None:
        self._postings = postings
        self._numbers = numbers.astype(np.uint32)
        self._held: dict[str, NDArray[np.bool_]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def hold(self, term: str) -> NDArray[np.bool_]:
        held = self._held.get(term)
        if held is None:
            held = self._held[term] = self._look(term)
        return held

    def _look(self, term: str) -> NDArray[np.bool_]:
        where = self._postings.where(term)
        if not len(where):
            return np.zeros(len(self._numbers), np.bool_)
        # Of one type, or the long one is copied to be searched.
        at = where.searchsorted(self._numbers)
        held: NDArray[np.bool_] = where.take(at, mode="clip") == self._numbers
        return held

    def hold_one(self, terms: Collection[str]) -> NDArray[np.bool_]:
        """Which of them hold any of these terms. Not to be changed."""
        held = [self.hold(term) for term in terms]
        if not held:
            return np.zeros(len(self._numbers), np.bool_)
        found = held[0]
        for other in held[1:]:
            found = found | other
        return found

    def best(self, own: Collection[str], kin: Collection[str], weight: float) -> Floats:
        """1 for each document that holds one of its own terms, `weight` if only one of its kin."""
        best: Floats = self.hold_one(own).astype(np.float32)
        if kin:
            np.maximum(best, self.hold_one(kin) * np.float32(weight), out=best)
        return best


def _is_one_slip(one: str, other: str) -> bool:
    """Do these differ in one letter more, less or other, or in two changed round?"""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    left, right = one[at:], other[at:]
    if left[1:] == right or left == right[1:] or left[1:] == right[1:]:
        return True
    return left[:2] == right[1::-1] and left[2:] == right[2:]


def _wider(old: NDArray[Any], size: int) -> NDArray[Any]:
    """The same array with room behind it, of zeros."""
    new = np.zeros(size, old.dtype)
    new[: len(old)] = old
    return new
