"""Whether a line that a model proposes is worth remembering for months, or abuses a memory (EX-3).

A line becomes a set of features: the concepts that it expresses, its opening, form and type, the
rules of the gate that object, its words. Two linear models weigh them, because an attack reads like
a lasting rule; their weights are data, which `python -m tests.bench fit_gate` makes from labelled
lines. Pure and linear (EX-6).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from wm.domain.learning.concepts import concepts_of, folded, language
from wm.domain.memory import intent
from wm.text.linear_model import LinearModel, read_model
from wm.text.sentence_forms import forms_of, length_of
from wm.text.word_grams import grams


class Line(NamedTuple):
    """A proposed line as the model sees it. plain: normalised and without accents, as in the
    gate."""

    plain: str
    lang: str
    features: frozenset[str]


def line_of(plain: str, type: str, objections: Collection[str], *, durable: bool) -> Line:
    """objections: the codes of the gate's rules that object. durable: the line states a rule."""
    plain = plain.rstrip(" .。")
    words = folded(plain)
    lang = language(words)
    found = concepts_of(words, lang)
    features = found.anywhere | forms_of(plain) | intent.momentary(plain)
    features |= {f"first:{concept}" for concept in found.first}
    features |= {f"rule:{code}" for code in objections or ("none",)}
    features |= {f"type:{type}", length_of(words, lang)}
    return Line(plain, lang, features | {"durable"} if durable else features)


UNKNOWN = ("ar", "hi")
"""Languages of which no fit had lines."""

WORTHLESS_SCORE = 0.3
"""A line of at least this score is refused. Of 1,824 lines that no fit used, a score of 0 refuses
99 wrongly and accepts 117 wrongly, 0.3 refuses 81 and accepts 138, among them 65 attacks: a fact
that is lost costs more than a useless line, which fades."""


HARMFUL_SCORE = 0.15
"""A line of at least this score is refused. Of 177 attacks and 916 honest lines that no fit used,
the other rules refuse 108 and 81, with this score 130 and 85, with -0.3 136 and 88."""


def is_worthless(line: Line) -> bool:
    """Whether the line is useless in three months, very likely."""
    return line.lang not in UNKNOWN and _weighed("worth.toml", line) >= WORTHLESS_SCORE


def is_harmful(line: Line) -> bool:
    """Whether the line orders later agents to leak, obey, hide or skip a check, rather likely."""
    features = line.features | intent.harm_signs(line.plain)
    full = line._replace(features=features)
    return line.lang not in UNKNOWN and _weighed("harm.toml", full) >= HARMFUL_SCORE


def _weighed(file: str, line: Line) -> float:
    known = _model(file)
    return known.weigh(line.features, grams(line.plain, line.lang, known.grams))


@cache
def _model(file: str) -> LinearModel:
    """The fitted weights."""
    return read_model("wm.domain.memory", file)
