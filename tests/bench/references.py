"""The rows that recall is measured against: plain BM25 with stems, an embedder's exact order,
equal reciprocal ranks, an even blend of scores. Made anew in each run, on the same data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wm.text.terms import query_words, raw_words, terms_of

Scores = Any
K1, B = 1.2, 0.75


class Bm25:
    """BM25 over stems of a fixed collection."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(_terms(text)) for text in texts]
        self._lengths = np.array([c.total() for c in counted], np.float32)
        self._mean = max(1.0, float(self._lengths.mean())) if texts else 1.0
        places: dict[str, list[tuple[int, int]]] = {}
        for at, counts in enumerate(counted):
            for term, count in counts.items():
                places.setdefault(term, []).append((at, count))
        self._places = {term: np.array(found).T for term, found in places.items()}

    def scores(self, query: str) -> Scores:
        scores = np.zeros(len(self._lengths), np.float32)
        asked = Counter(t for word in query_words(query) for t in terms_of(word))
        for term, times in asked.items():
            if term not in self._places:
                continue
            where, counts = self._places[term]
            rest = len(scores) - len(where)
            rarity = math.log(1 + (rest + 0.5) / (len(where) + 0.5))
            norm = K1 * (1 - B + B * self._lengths[where] / self._mean)
            scores[where] += times * rarity * counts * (K1 + 1) / (counts + norm)
        return scores


def _terms(text: str) -> list[str]:
    return [term for raw in raw_words(text) for term in terms_of(raw)]


def orders(words: Scores, near: Scores | None) -> Mapping[str, list[int]]:
    """Positions best first, for each reference. near: None without an embedder."""
    found = {"bm25": words}
    if near is not None:
        ranks = 1 / (61 + _ranks(words)) + 1 / (61 + _ranks(near))
        found |= {"exact": near, "rrf": ranks, "blend": _spread(words) + _spread(near)}
    return {name: np.argsort(-s, kind="stable")[:10].tolist() for name, s in found.items()}


def _ranks(scores: Scores) -> Scores:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks


def _spread(scores: Scores) -> Scores:
    """From 0 to 1."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else scores * 0
