"""Guess the type of a memory from its wording (EX-1, EX-7). The user can change it.

A linear model weighs the form and the words of the text's first sentence for each type; `python -m
tests.bench fit_type` writes the weights. It needs none of the tables of the other rules, so a
daemon that only stores what is typed does without those. A wrong guess affects the group, the
half-life and what may merge (WM-5), never whether the text is kept. Pure and linear (EX-6).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from wm.text.scripts import is_cjk
from wm.text.sentence_forms import forms_of
from wm.text.sentences import sentences
from wm.text.tables import Tables
from wm.text.word_grams import grams

FALLBACK = "project"
"""The type of a text for which no other type scores above 0."""

TYPES = ("feedback", "decision", "reference")
"""The types with weights."""

MAX_CHARS = 600
"""Beginning of a text that is read."""


class _Model(NamedTuple):
    """words: those that are features as they are."""

    weights: Mapping[str, Mapping[str, float]]
    words: frozenset[str]


def infer_type(text: str) -> str:
    """Return reference, decision, project or feedback. A single word says nothing of its type."""
    first = first_sentence(text)
    if len(first.split()) < 2 and not any(map(is_cjk, first)):
        return FALLBACK
    return _best(names_of(text, _model().words))


def names_of(text: str, words: Collection[str]) -> frozenset[str]:
    """The names that have weights: forms, and words behind "="."""
    first = first_sentence(text)
    lang = "ja" if any(map(is_cjk, first)) else ""
    found = grams(first, lang, words)
    return frozenset(("bias", *forms_of(first), *(f"={gram}" for gram in found)))


def first_sentence(text: str) -> str:
    return next(iter(sentences(text[:MAX_CHARS])), "")


def _best(names: Iterable[str]) -> str:
    scores = {FALLBACK: 0.0}
    for name, weights in _model().weights.items():
        scores[name] = math.fsum(weights.get(each, 0.0) for each in names)
    return max(scores, key=lambda name: scores[name])


@cache
def _model() -> _Model:
    tables = Tables("wm.domain.learning", "entry_type.toml")
    rows = {name: tables.rows(name, columns=2) for name in TYPES}
    weights = {name: {each: float(weight) for weight, each in own} for name, own in rows.items()}
    return _Model(weights, frozenset(tables.words("words")))
