"""One order out of two: how words and vectors share a query (RC-1).

Each half is standardised over the collection, so that a half which tells documents apart
clearly for this query counts by itself for more than one that finds them all alike. On top of
that the vectors' share depends on the query. What stands around a document in its conversation
lends it some of its score: an answer rarely repeats the words of its question.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wm.settings import RecallSettings

Floats = NDArray[np.float32]

EVEN = 0.5
_SAME = 1e-9
"""A spread up to which all values are one."""


def standard(values: Floats) -> Floats:
    """Deviations from the mean, in standard deviations; zeros where all are the same."""
    if not len(values):
        return values
    apart: Floats = values - values.sum() / np.float32(len(values))
    spread = math.sqrt(float(apart @ apart) / len(values))
    apart *= np.float32(1 / spread if spread > _SAME else 0.0)
    return apart


def usual(values: Floats) -> tuple[float, float]:
    """Mean and standard deviation, zeros of nothing."""
    if not len(values):
        return 0.0, 0.0
    mean = values.sum() / np.float32(len(values))
    apart = values - mean
    return float(mean), math.sqrt(float(apart @ apart) / len(values))


def scaled(values: Floats, mean: float, spread: float) -> Floats:
    """The same, where mean and deviation are known."""
    found: Floats = values - np.float32(mean)
    found *= np.float32(1 / spread if spread > _SAME else 0.0)
    return found


def share(
    names: float, whole: float, settings: RecallSettings, *, words: int, proper: bool
) -> float:
    """What the vectors get of this query, 0 to 1. names: share of its words that are identifiers
    or paths. whole: what they get of one without any. words: how many it has: a single
    one is likely to stand in what is meant. proper: it names somebody or something,
    which a model has seldom learned: then both halves are heard more evenly."""
    whole *= min(1.0, words / settings.sentence_words)
    if proper:
        whole += settings.proper_even * (EVEN - whole)
    return max(0.0, min(1.0, whole - settings.name_lexical * names))


Around = tuple[tuple[int, Floats], ...]
"""For some distances: what each document, and the one so far behind it, lend each other."""


def neighbours(threads: NDArray[np.int64], settings: RecallSettings) -> Around:
    """threads: the conversation of each document, in order, -1 for none."""
    found = []
    for distance, part in ((1, settings.neighbour), (2, settings.next_neighbour)):
        if len(threads) <= distance or not part:
            break
        same = (threads[distance:] == threads[:-distance]) & (threads[distance:] >= 0)
        if same.any():
            found.append((distance, same * np.float32(part)))
    return tuple(found)


def around(scores: Floats, lending: Around) -> Floats:
    """Scores with what the neighbours in the same conversation lend."""
    if not lending:
        return scores
    lent, positive = scores.copy(), np.maximum(scores, 0)
    for distance, parts in lending:
        lent[:-distance] += parts * positive[distance:]
        lent[distance:] += parts * positive[:-distance]
    return lent
