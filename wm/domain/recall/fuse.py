"""One order out of two: how words and vectors share a query (RC-1).

Each half is standardised over the collection, so that a half which tells documents apart
clearly for this query counts by itself for more than one that finds them all alike. On top of
that the vectors' share depends on the query. What stands around a document in its conversation
lends it some of its score: an answer rarely repeats the words of its question.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wm.settings import RecallSettings

Floats = NDArray[np.float32]

EVEN = 0.5


def standard(values: Floats) -> Floats:
    """Deviations from the mean, in standard deviations; zeros where all are the same."""
    return scaled(values, float(values.mean()), float(values.std())) if len(values) else values


def scaled(values: Floats, mean: float, spread: float) -> Floats:
    """The same, where mean and deviation are known."""
    return (values - np.float32(mean)) / np.float32(spread) if spread > 1e-9 else values * 0


def share(names: float, whole: float, settings: RecallSettings, *, proper: bool) -> float:
    """What the vectors get of this query, 0 to 1. names: share of its words that are identifiers
    or paths. whole: what they get of one without any. proper: it names somebody or something,
    which a model has seldom learned: then both halves are heard more evenly."""
    if proper:
        whole += settings.proper_even * (EVEN - whole)
    return max(0.0, min(1.0, whole - settings.name_lexical * names))


def around(scores: Floats, threads: NDArray[np.int64], settings: RecallSettings) -> Floats:
    """Scores with what the neighbours in the same conversation lend. threads: -1 for none."""
    lent = scores.copy()
    for distance, part in ((1, settings.neighbour), (2, settings.next_neighbour)):
        if len(scores) <= distance or not part:
            break
        same = (threads[distance:] == threads[:-distance]) & (threads[distance:] >= 0)
        if not same.any():
            continue
        lent[:-distance] += part * same * np.maximum(scores[distance:], 0)
        lent[distance:] += part * same * np.maximum(scores[:-distance], 0)
    return lent
