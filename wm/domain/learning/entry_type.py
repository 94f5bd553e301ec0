"""Guess the type of a memory from its wording (EX-1, EX-7). The user can change it.

A linear model weighs the features and words of the text's first sentence for each type; `python -m
tests.bench fit_type` writes the weights. A wrong guess affects the group, the half-life and what
may merge (WM-5), never whether the text is kept. Pure and linear (EX-6).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from wm.domain.learning.concepts import concepts_in
from wm.domain.learning.sentence_features import Sentence, sentences
from wm.text.tables import Tables

FALLBACK = "project"
"""The type of a text for which no other type scores above 0."""

TYPES = ("feedback", "decision", "reference")
"""The types with weights."""

_LASTING = frozenset({"always", "since_now", "ban"})
"""What the words before a text say of it: "from now on, …"."""


def infer_type(text: str, trigger: str = "") -> str:
    """Return reference, decision, project or feedback. trigger: the words before the text with
    which the user asked to keep it."""
    found = next(iter(sentences(text)), None)
    said = concepts_in(trigger).anywhere & _LASTING if trigger else ()
    return FALLBACK if found is None else _best(names_of(found, said))


def type_of(sentence: Sentence) -> str:
    """The type of a statement that was found in a message."""
    return _best(names_of(sentence))


def names_of(sentence: Sentence, said: Iterable[str] = ()) -> frozenset[str]:
    """The names that have weights: features, and words behind "="."""
    return frozenset((*sentence.features, *said, *(f"={gram}" for gram in sentence.grams)))


def _best(names: Iterable[str]) -> str:
    scores = {FALLBACK: 0.0}
    for name, weights in _weights().items():
        scores[name] = math.fsum(weights.get(each, 0.0) for each in ("bias", *names))
    return max(scores, key=lambda name: scores[name])


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    tables = Tables("wm.domain.learning", "entry_type.toml")
    rows = {name: tables.rows(name, columns=2) for name in TYPES}
    return {name: {feature: float(weight) for weight, feature in own} for name, own in rows.items()}
