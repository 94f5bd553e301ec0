"""An inverted index with BM25: which document contains which term, how often, in which order
(RC-1).

The caller numbers the documents in increasing order; terms get numbers here. A document is stored
as the row of its term numbers, so that adding one only appends. Postings per term are derived
from these rows: sorted for all documents when enough new ones have arrived, and found by a scan
in the rows added since. Knows neither texts nor ranking.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

MIN_PREFIX = 5
_MOST = 65_535
_UNSORTED = 8192
_UNSORTED_SHARE = 0.0625
"""Maximum number of unsorted terms, and as a share of all terms: each query scans them."""
_SHORTEST_SLIP, _LONGEST_SLIP = 7, 24
_BEGUN = 3
"""Length of the prefix by which terms are grouped for prefix and typo lookups."""
_KEPT = 4096
"""Size of the cache of postings per term; any change clears it."""

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

NO_PLACES: Mapping[int, NDArray[np.bool_]] = MappingProxyType({})


class _Places(Struct, frozen=True):
    """The postings of a term. where: the documents, ascending. scores: the BM25 factor of each
    document for term frequency and length, without the term's rarity."""

    where: NDArray[np.uint32]
    scores: Floats


_NOWHERE = _Places(np.zeros(0, np.uint32), np.zeros(0, np.float32))


class Postings:
    """The terms of numbered documents."""

    def __init__(self, k1: float, b: float) -> None:
        self._k1, self._b = k1, b
        self._ids: dict[str, int] = {}
        self._rows = np.zeros(1024, np.uint32)
        self._starts = np.zeros(64, np.int64)
        """Start of each document's row; it ends at the start of the next."""
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
        """The BM25 length norm of each document; None until it is needed."""
        self._beginnings: dict[str, list[str]] = {}
        self._begun = 0

    @property
    def end(self) -> int:
        """One more than the highest document number."""
        return self._end

    def id_of(self, term: str) -> int:
        """The number of a term; a new term gets one."""
        return self._ids.setdefault(term, len(self._ids))

    def add(self, ids: Numbers, lengths: Numbers) -> None:
        """Append documents. ids: their term numbers, in order; lengths: number of terms of each."""
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
        """Remove a document, which must be live."""
        self._alive[number] = 0.0
        self._documents -= 1
        self._total -= int(self._lengths[number])
        self._forget()

    def _forget(self) -> None:
        self._places.clear()
        self._norms = None

    def alive(self) -> Numbers:
        """The live documents, ascending."""
        return np.flatnonzero(self._alive[: self._end])

    def __contains__(self, term: str) -> bool:
        return len(self._of(term).where) > 0

    def beginning(self, prefix: str) -> list[str]:
        """Known terms with this prefix of at least MIN_PREFIX letters."""
        near = self._beginning(prefix[:_BEGUN])
        return sorted(term for term in near if term.startswith(prefix) and term in self)

    def _beginning(self, letters: str) -> Sequence[str]:
        """Terms ever added that begin with these _BEGUN letters."""
        if self._begun < len(self._ids):
            for term in list(self._ids)[self._begun :]:
                if len(term) >= MIN_PREFIX:
                    self._beginnings.setdefault(term[:_BEGUN], []).append(term)
            self._begun = len(self._ids)
        return self._beginnings.get(letters, ())

    def pairs_with(self, letter: str) -> list[str]:
        """Known terms of two letters, one of which is this one."""
        return sorted(t for t in self._ids if len(t) == 2 and letter in t and t in self)

    def one_slip_off(self, term: str) -> list[str]:
        """Known terms at edit distance one (insertion, deletion, substitution, transposition) with
        the same first letters. Skips short words, which have too many, and terms with digits."""
        if not (_SHORTEST_SLIP <= len(term) <= _LONGEST_SLIP and term.isascii() and term.isalpha()):
            return []
        near = self._beginning(term[:_BEGUN])
        return sorted(other for other in near if _is_one_slip(term, other) and other in self)

    def rarity(self, term: str, more: int = 0) -> float:
        """The inverse document frequency of a term. more: virtual documents without the term."""
        found = len(self._of(term).where)
        return math.log(1 + (self._documents + more - found + 0.5) / (found + 0.5))

    def some(self, numbers: Numbers, terms: Iterable[str]) -> Some:
        """A lookup of these terms in these documents."""
        return Some(self, numbers, terms)

    def number(self, term: str) -> int:
        """The term number used in `rows_of`, -1 for an unknown term."""
        return self._ids.get(term, -1)

    @property
    def terms(self) -> int:
        """One more than the highest term number."""
        return len(self._ids)

    def rows_of(self, numbers: Numbers) -> tuple[NDArray[np.uint32], Numbers]:
        """The concatenated term numbers of these documents, and the end of each document."""
        starts = self._starts[numbers]
        sizes = self._starts[numbers + 1] - starts
        ends = sizes.cumsum()
        skipped = (starts - ends + sizes).repeat(sizes)
        skipped += np.arange(len(skipped))
        return self._rows[skipped], ends

    def bm25(
        self,
        words: Sequence[Mapping[str, float]],
        elsewhere: Mapping[int, NDArray[np.bool_]] = NO_PLACES,
    ) -> tuple[Floats, Floats, float]:
        """Per document: the BM25 score of all words together, and the matched weight. A word adds
        the weight of its best matching term, at most that of its own terms. Third: the total
        weight.

        words: for each word its terms with their weights; the word's own terms have weight 1.
        elsewhere: by index in `words`, documents that count as matching although the term is not in
        their text.
        """
        places, scores = [_NOWHERE.where], [_NOWHERE.scores]
        held = np.zeros(self._end, np.float32)
        whole = 0.0
        for at, wanted in enumerate(words):
            most = max((self.rarity(t) for t, weight in wanted.items() if weight == 1.0), default=0)
            whole += most
            found: list[tuple[float, NDArray[np.uint32]]] = []
            for term, weight in wanted.items():
                there = self._of(term)
                if len(there.where):
                    worth = self.rarity(term) * weight
                    places.append(there.where)
                    scores.append(there.scores * np.float32(worth))
                    found.append((min(worth, most), there.where))
            _add_best(held, found, most, elsewhere.get(at))
        summed = np.bincount(np.concatenate(places), np.concatenate(scores), self._end)
        return summed.astype(np.float32), held, whole

    def _norms_now(self) -> Floats:
        if self._norms is None:
            mean = max(1.0, self._total / max(1, self._documents))
            lengths = self._lengths[: self._end]
            self._norms = self._k1 * (1 - self._b + self._b / mean * lengths)
        return self._norms

    # --- postings of one term --------------------------------------------------------------

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
        where, counts = _NOWHERE.where, self._counts[:0]
        if number + 1 < len(self._offsets):
            part = slice(self._offsets[number], self._offsets[number + 1])
            where, counts = self._where[part], self._counts[part]
        if terms > self._sorted_terms:
            late, times = self._look_late(number, terms)
            where, counts = np.concatenate([where, late]), np.concatenate([counts, times])
        if self._documents < self._end:
            there = self._alive[where] > 0
            where, counts = where[there], counts[there]
        norms = self._norms_now()[where]
        norms += counts
        return _Places(where, counts * np.float32(self._k1 + 1) / norms)

    def _look_late(self, number: int, end: int) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        """Documents and counts of a term in the unsorted rows, up to the offset `end`."""
        at = np.flatnonzero(self._rows[self._sorted_terms : end] == number)
        starts = self._starts[self._sorted_documents : self._end + 1]
        owners = np.searchsorted(starts, at + self._sorted_terms, "right") - 1
        late, times = np.unique(owners + self._sorted_documents, return_counts=True)
        return late.astype(np.uint32), np.minimum(times, _MOST).astype(np.uint16)

    def _sort(self) -> None:
        """Sort the postings of all documents; drop the rows of removed ones."""
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
    """Some documents, with a table of which terms they contain, built in one pass."""

    def __init__(self, postings: Postings, numbers: Numbers, terms: Iterable[str]) -> None:
        """terms: all terms that will be looked up."""
        self._count = len(numbers)
        self._at: dict[str, int] = {}
        codes = np.zeros(postings.terms, np.int32)
        for term in terms:
            number = postings.number(term)
            if number >= 0 and term not in self._at:
                self._at[term] = codes[number] = len(self._at) + 1
        rows, ends = postings.rows_of(numbers)
        found = codes[rows]
        self._where = found.nonzero()[0]
        self._codes = found[self._where]
        self._owners = ends.searchsorted(self._where, "right")
        self._held = np.zeros((len(self._at) + 1, self._count), np.bool_)
        """By term and document. Row 0 is for terms that no document contains."""
        self._held[self._codes, self._owners] = True

    def __len__(self) -> int:
        return self._count

    def hold(self, groups: Sequence[Collection[str]]) -> NDArray[np.bool_]:
        """By group and document: whether the document contains any term of the group."""
        at = self._at.get
        rows = [[at(term, 0) for term in group] or [0] for group in groups]
        # Most groups have one term.
        held: NDArray[np.bool_] = self._held[[row[0] for row in rows]]
        for group, row in enumerate(rows):
            for other in row[1:]:
                if other:
                    held[group] |= self._held[other]
        return held

    def together(self, pairs: Collection[tuple[str, str]]) -> list[int]:
        """Per document, how many of these pairs of terms occur next to each other."""
        width = len(self._held)
        known = {(self._at.get(a, 0), self._at.get(b, 0)) for a, b in pairs}
        asked = {a * width + b for a, b in known if a and b}
        counts = [0] * self._count
        if asked:
            beside = (self._where[1:] - self._where[:-1] == 1).nonzero()[0]
            owners = self._owners[beside]
            codes = self._codes.astype(np.int64)
            found = codes[beside] * width + codes[beside + 1]
            found[owners != self._owners[beside + 1]] = -1
            for pair, owner in set(zip(found.tolist(), owners.tolist(), strict=True)):
                counts[owner] += pair in asked
        return counts


def _add_best(
    held: Floats,
    found: list[tuple[float, NDArray[np.uint32]]],
    most: float,
    elsewhere: NDArray[np.bool_] | None,
) -> None:
    """Add to `held`, for each document, the highest weight of the terms it contains. found: the
    weight of each term and the documents that contain it."""
    if elsewhere is None and len(found) < 2:
        for worth, where in found:
            held[where] += np.float32(worth)
        return
    best = np.zeros(len(held), np.float32)
    for worth, where in sorted(found, key=itemgetter(0)):
        best[where] = worth
    if elsewhere is not None:
        best[elsewhere] = most
    held += best


def _is_one_slip(one: str, other: str) -> bool:
    """Return whether two words differ by one insertion, deletion, substitution or transposition."""
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
    """A copy of the array, extended with zeros."""
    new = np.zeros(size, old.dtype)
    new[: len(old)] = old
    return new
