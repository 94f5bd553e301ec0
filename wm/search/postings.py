"""An inverted index with BM25: which document contains which term, how often, in which order
(RC-1).

The caller numbers the documents in increasing order; terms get numbers here. A document is stored
as the row of its term numbers, so that adding one only appends. Postings per term are derived
from these rows: sorted for all documents when enough new ones have arrived, and found by a scan
in the rows added since. Knows neither texts nor ranking.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

MIN_PREFIX = 5
_LENGTH = 0.75
"""Length normalisation of BM25, the usual value."""
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

NO_PLACES: Mapping[str, NDArray[np.bool_]] = {}


class QueryTerm(Struct, frozen=True):
    """One term of a query. typed: the word it comes from. matches: the terms of texts that match
    it, with weights up to 1. is_name: it is a complete name."""

    typed: str
    term: str
    matches: Mapping[str, float]
    is_name: bool = False


class _Places(Struct, frozen=True):
    """The postings of a term. where: the documents, ascending. scores: the BM25 factor of each
    document for term frequency and length, without the term's rarity."""

    where: NDArray[np.uint32]
    scores: Floats


_NOWHERE = _Places(np.zeros(0, np.uint32), np.zeros(0, np.float32))


class Postings:
    """The terms of numbered documents."""

    def __init__(self, k1: float) -> None:
        self._k1 = k1
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

    def rarity(self, term: str, background: int) -> float:
        """The inverse document frequency of a term among these and additional documents without
        it."""
        found = len(self._of(term).where)
        return math.log(1 + (self._documents + background - found + 0.5) / (found + 0.5))

    def coverage(
        self,
        terms: Sequence[QueryTerm],
        background: int,
        elsewhere: Mapping[str, NDArray[np.bool_]] = NO_PLACES,
    ) -> Floats:
        """Per document: the BM25 score of these terms as a share of their weight, 1 for a text of
        usual length that contains each once. A term adds the score of its best match. A full name
        adds to its parts, which are terms, too; it is not expected.

        background: additional documents without the terms. Otherwise every term would be common
        in a memory of three texts, and one that occurs nowhere would outweigh all others.
        elsewhere: by typed word, documents that match although the word is not in their text.
        """
        scores = np.zeros(self._end, np.float32)
        highest = 0.0
        for term in terms:
            most = self.rarity(term.term, background)
            highest += 0.0 if term.is_name else most
            found = [
                (min(self.rarity(match, background), most) * weight, self._of(match))
                for match, weight in term.matches.items()
            ]
            dated = elsewhere.get(term.typed)
            if len(found) == 1 and dated is None:
                worth, places = found[0]
                scores[places.where] += places.scores * np.float32(worth)
                continue
            best = np.zeros(self._end, np.float32)
            for worth, places in found:
                values = places.scores * np.float32(worth)
                best[places.where] = np.maximum(best[places.where], values)
            if dated is not None:
                best[dated] = most
            scores += best
        return scores / np.float32(highest or 1.0)

    def contain(self, term: str, numbers: Numbers) -> NDArray[np.bool_]:
        """Whether each of these documents contains the term."""
        where = self._of(term).where
        if not len(where):
            return np.zeros(len(numbers), np.bool_)
        places = np.minimum(where.searchsorted(numbers), len(where) - 1)
        found: NDArray[np.bool_] = where[places] == numbers
        return found

    def _norms_now(self) -> Floats:
        if self._norms is None:
            mean = max(1.0, self._total / max(1, self._documents))
            lengths = self._lengths[: self._end]
            self._norms = self._k1 * (1 - _LENGTH + _LENGTH / mean * lengths)
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
