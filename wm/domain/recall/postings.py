"""Which document holds which term how often, and BM25 over it (RC-1).

Documents are numbered by the caller, upwards. Adding and removing cost as much as the document
is long; a query costs as much as its terms are common, in numpy. Knows no text and no ranking.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

MIN_PREFIX = 5
_MOST = 65_535

Floats = NDArray[np.float32]


class Postings:
    """Terms of numbered documents."""

    def __init__(self, k1: float, b: float) -> None:
        self._k1, self._b = k1, b
        self._slots: dict[str, array[int]] = {}
        self._counts: dict[str, array[int]] = {}
        self._found: dict[str, int] = {}
        self._lengths = np.zeros(64, np.float32)
        self._alive = np.zeros(64, np.float32)
        self._end = 0
        self._documents = 0
        self._total = 0
        self._beginnings: dict[str, set[str]] = {}

    @property
    def end(self) -> int:
        """One more than the highest number."""
        return self._end

    def add(self, number: int, terms: Iterable[str]) -> None:
        """number: higher than all before it."""
        counted = Counter(terms)
        self._grow(number + 1)
        length = counted.total()
        self._lengths[number], self._alive[number] = length, 1.0
        self._end, self._documents, self._total = (
            number + 1,
            self._documents + 1,
            self._total + length,
        )
        for term, count in counted.items():
            slots = self._slots.get(term)
            if slots is None:
                slots = self._slots[term] = array("I")
                self._counts[term] = array("H")
            slots.append(number)
            self._counts[term].append(min(count, _MOST))
            known = self._found.get(term, 0)
            self._found[term] = known + 1
            if not known and len(term) >= MIN_PREFIX:
                self._beginnings.setdefault(term[:MIN_PREFIX], set()).add(term)

    def remove(self, number: int, terms: Iterable[str]) -> None:
        """Forget a document, given the terms it was added with."""
        self._alive[number] = 0.0
        self._documents -= 1
        self._total -= int(self._lengths[number])
        for term in set(terms):
            left = self._found[term] - 1
            if left:
                self._found[term] = left
                continue
            del self._found[term], self._slots[term], self._counts[term]
            self._beginnings.get(term[:MIN_PREFIX], set()).discard(term)

    def _grow(self, size: int) -> None:
        if size > len(self._lengths):
            more = np.zeros(max(size, len(self._lengths)), np.float32)
            self._lengths = np.concatenate([self._lengths, more])
            self._alive = np.concatenate([self._alive, more])

    def __contains__(self, term: str) -> bool:
        return term in self._found

    def beginning(self, prefix: str) -> list[str]:
        """Known terms that begin so; prefix: at least MIN_PREFIX letters."""
        near = self._beginnings.get(prefix[:MIN_PREFIX], set())
        return sorted(term for term in near if term.startswith(prefix))

    def rarity(self, term: str, more: int = 0) -> float:
        """more: documents without the term that are thought to be there as well."""
        found = self._found.get(term, 0)
        return math.log(1 + (self._documents + more - found + 0.5) / (found + 0.5))

    def holds(self, number: int, term: str) -> bool:
        slots = self._slots.get(term)
        if slots is None:
            return False
        known = np.frombuffer(slots, np.uint32)
        at = int(np.searchsorted(known, number))
        return at < len(known) and int(known[at]) == number

    def holding(self, wanted: Mapping[str, float]) -> Floats:
        """The weight of the best of these terms in each document."""
        best = np.zeros(self._end, np.float32)
        for term, weight in wanted.items():
            slots = self._slots.get(term)
            if slots is not None:
                where = np.frombuffer(slots, np.uint32)
                best[where] = np.maximum(best[where], np.float32(weight))
        return best * self._alive[: self._end]

    def word(self, wanted: Mapping[str, float], scores: Floats) -> Floats:
        """Add one word's BM25 to `scores`; the weight of its best term in each document."""
        best = np.zeros(self._end, np.float32)
        mean = max(1.0, self._total / max(1, self._documents))
        for term, weight in wanted.items():
            slots = self._slots.get(term)
            if slots is None:
                continue
            where = np.frombuffer(slots, np.uint32)
            count = np.frombuffer(self._counts[term], np.uint16).astype(np.float32)
            rarity = self.rarity(term) * weight
            norm = self._k1 * (1 - self._b + self._b * self._lengths[where] / mean)
            gain = rarity * count * (self._k1 + 1) / (count + norm) * self._alive[where]
            scores[where] += gain
            best[where] = np.maximum(best[where], rarity * self._alive[where])
        return best
