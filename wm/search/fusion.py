"""Combine the coverage and the similarity of documents into one score (RC-1).

Both are standardised over the collection, so that the one which separates the documents more
clearly for this query has more effect. Neighbours in the same conversation add part of their score
to a document: an answer rarely repeats the words of its question.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wm.search.query import ParsedQuery
from wm.settings import RecallSettings

Floats = NDArray[np.float32]

_USUAL_SPREAD = 0.1
_SETTLING = 10.0
"""The deviation of a few values says little: this many values of the usual deviation are added."""


def standard(values: Floats) -> Floats:
    """Standard scores: deviations from the mean in standard deviations."""
    return scaled(values, *mean_and_deviation(values))


def mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Mean and deviation for `scaled`."""
    if not len(values):
        return 0.0, _USUAL_SPREAD
    # In single precision the result would depend on the order of the documents.
    mean, variance = values.mean(dtype=np.float64), values.var(dtype=np.float64)
    return float(mean), settled(float(variance), len(values))


def settled(variance: float, count: int) -> float:
    """The deviation of this many values."""
    added = _SETTLING * _USUAL_SPREAD**2
    return math.sqrt((count * variance + added) / (count + _SETTLING))


def scaled(values: Floats, mean: float, spread: float) -> Floats:
    """Standard scores for a known mean and deviation."""
    return (values - np.float32(mean)) / np.float32(spread)


def above_chance(standard: Floats, count: int) -> Floats:
    """Standard scores less the highest that chance gives among so many. Of a few, one is always
    the lowest: there a low score says less."""
    above = standard - np.float32(math.sqrt(2 * math.log(max(1, count))))
    return np.where(above < 0, above * np.float32(count / (count + _SETTLING)), above)


def share(asked: ParsedQuery, without_names: float, settings: RecallSettings) -> float:
    """The weight of the vectors for a query, 0 to 1. without_names: the weight for a query
    without names, which a model seldom knows."""
    named = len(asked.names) / max(1, len(asked.words))
    return max(0.0, without_names - settings.name_share * named)


Around = tuple[tuple[int, Floats], ...]
"""For each distance: how much a document and the one that far after it add to each other."""


def neighbours(threads: NDArray[np.int64], settings: RecallSettings) -> Around:
    """threads: the conversation number of each document, in order, -1 for none."""
    found = []
    for distance in (1, 2):
        if len(threads) > distance:
            same = (threads[distance:] == threads[:-distance]) & (threads[distance:] >= 0)
            if same.any():
                found.append((distance, same * np.float32(settings.neighbour**distance)))
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
