"""Whether a line that a model proposes is worth remembering for months, or abuses a memory (EX-3).

A line becomes a set of features. For its worth: the concepts that it expresses, its opening, form
and type, the rules of the gate that object, its words. An attack reads like a lasting rule, so harm
has features of its own: what is acted on, who gains, which protection is removed, who must not know
of it, and each pair of these. Each of the two has a linear model, whose weights `python -m
tests.bench fit_gate` fits to labelled lines. Pure and linear (EX-6).
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
"""Languages of which the fit of the worth has too few lines."""

WORTHLESS_SCORE = -0.05
"""A line of at least this score is refused. Of 2,041 lines that no fit used, among them 1,022
honest ones and 210 attacks, the gate refuses 73 honest ones and 176 attacks and accepts 87 other
useless lines; with a score of -0.2 it refuses 80 honest ones and accepts 75 useless ones, with 0.2
70 and 107: a fact that is lost costs more than a useless line, which fades."""

HARMFUL_SCORE = -1.5
"""A line of at least this score is refused. With -1.1 the gate refuses 63 of the same honest lines
and 169 attacks, with -1.9 84 and 182."""


def is_worthless(line: Line) -> bool:
    """Whether the line is useless in three months, very likely."""
    return line.lang not in UNKNOWN and _weighed("worth.toml", line) >= WORTHLESS_SCORE


def is_harmful(line: Line) -> bool:
    """Whether the line orders later agents to leak, obey, hide or skip a check, rather likely."""
    signs = line._replace(features=harm_signs(line.plain, line.lang))
    return _weighed("harm.toml", signs) >= HARMFUL_SCORE


def harm_signs(plain: str, lang: str) -> frozenset[str]:
    """The features of a line for the model of harm. The features for its worth are left out:
    with them the gate refused no more attacks."""
    found = concepts_of(folded(plain), lang, "harm_words.toml").anywhere
    return found | intent.harm_signs(plain)


def _weighed(file: str, line: Line) -> float:
    known = _model(file)
    return known.weigh(line.features, grams(line.plain, line.lang, known.grams))


@cache
def _model(file: str) -> LinearModel:
    """The fitted weights."""
    return read_model("wm.domain.memory", file)
