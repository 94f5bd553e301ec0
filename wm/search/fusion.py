"""Fuse word scores and vector scores into one ranking (RC-1).

Both scores are standardised over the collection, so that the one which separates the documents
more clearly for this query has more effect. The weight of the vectors also depends on the query.
Neighbours in the same conversation add part of their score to a document: an answer rarely
repeats the words of its question.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wm.settings import RecallSettings

Floats = NDArray[np.float32]

EVEN = 0.5
_SAME = 1e-9
"""Standard deviation below which all values count as equal."""


def standard(values: Floats) -> Floats:
    """Standard scores (deviation from the mean in standard deviations); zeros if all are equal."""
    if not len(values):
        return values
    apart: Floats = values - values.sum() / np.float32(len(values))
    spread = math.sqrt(float(apart @ apart) / len(values))
    apart *= np.float32(1 / spread if spread > _SAME else 0.0)
    return apart


def usual(values: Floats) -> tuple[float, float]:
    """Mean and standard deviation; zeros for an empty array."""
    if not len(values):
        return 0.0, 0.0
    mean = values.sum() / np.float32(len(values))
    apart = values - mean
    return float(mean), math.sqrt(float(apart @ apart) / len(values))


def scaled(values: Floats, mean: float, spread: float) -> Floats:
    """Standard scores for a known mean and deviation."""
    found: Floats = values - np.float32(mean)
    found *= np.float32(1 / spread if spread > _SAME else 0.0)
    return found


def share(
    names: float, whole: float, settings: RecallSettings, *, words: int, proper: bool
) -> float:
    """The weight of the vectors for a query, 0 to 1. names: share of its words that are identifiers
    or paths. whole: the weight for a query without names. words: its length; a single word
    probably occurs in the wanted text. proper: it contains a proper name, which a model seldom
    knows, so both halves get a more equal weight."""
    whole *= min(1.0, words / settings.sentence_words)
    if proper:
        whole += settings.proper_even * (EVEN - whole)
    return max(0.0, min(1.0, whole - settings.name_lexical * names))


Around = tuple[tuple[int, Floats], ...]
"""For each distance: how much a document and the one that far after it add to each other."""


def neighbours(threads: NDArray[np.int64], settings: RecallSettings) -> Around:
    """threads: the conversation number of each document, in order, -1 for none."""
    found = []
    for distance, part in ((1, settings.neighbour), (2, settings.next_neighbour)):
        if len(threads) <= distance or not part:
            break
        same = (threads[distance:] == threads[:-distance]) & (threads[distance:] >= 0)
        if same.any():
            found.append((distance, same * np.float32(part)))
    return tuple(found)


def around(scores: Floats, lending: Around) -> Floats:
    """Scores including the contribution of neighbours in the same conversation."""
    if not lending:
        return scores
    lent, positive = scores.copy(), np.maximum(scores, 0)
    for distance, parts in lending:
        lent[:-distance] += parts * positive[distance:]
        lent[distance:] += parts * positive[:-distance]
    return lent
