"""A linear model of a text: weights of named features, of pairs of them and of `word_grams`.

The weights are data beside a module, which a fit of `tests.bench` makes. The score is the log odds
that the text is what the model looks for. Pure and linear (EX-6).
"""

from __future__ import annotations

import math
from itertools import chain, combinations, repeat
from typing import NamedTuple

from wm.text.tables import Tables


class LinearModel(NamedTuple):
    """weights: of features and their pairs. paired: the features whose pairs have weights. grams:
    weights of `word_grams`."""

    weights: dict[str, float]
    paired: frozenset[str]
    grams: dict[str, float]

    def weigh(self, features: frozenset[str], grams: frozenset[str]) -> float:
        """The score of a text.

        Rounded once, at the end: the order of a set differs between processes, and with it the
        last digit of an ordinary sum, which decides at a threshold.
        """
        names = ("bias", *features, *self.pairs(features))
        of_features = map(self.weights.get, names, repeat(0.0))
        return math.fsum(chain(of_features, map(self.grams.get, grams, repeat(0.0))))

    def pairs(self, features: frozenset[str]) -> tuple[str, ...]:
        """The names of the pairs of features that may have a weight of their own."""
        paired = sorted(features & self.paired)
        return tuple(f"{one}&{other}" for one, other in combinations(paired, 2))


def read_model(package: str, file: str) -> LinearModel:
    """The weights that a fit wrote."""
    tables = Tables(package, file)
    weights = {name: float(value) for name, value in tables.rows("weights")}
    grams = {gram: float(value) for value, gram in tables.rows("grams", columns=2)}
    return LinearModel(weights, frozenset(tables.words("paired")), grams)
