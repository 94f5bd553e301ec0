"""Finds passages in stored steps: a short piece of text that answers a query by its words. Pure.

Scores by BM25 over passages of a few lines. Of the best, those come first that hold words of the
query in one line, and side by side as in the query.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from wm.text.terms import STOP_WORDS, raw_words, terms_of

PASSAGE_LINES = 8
PASSAGE_CHARS = 700
_STEP_LINES = 4
"""Passages overlap, so that a fact on a border is whole in one of them."""
_K, _B = 1.2, 0.6
_CLOSELY_READ = 200
"""Passages whose lines are compared with the query."""


class TextSource(Struct, frozen=True):
    """A text to look into. name: its handle. about: what it is, part of what is searched."""

    name: str
    text: str
    about: str = ""


class TextPassage(Struct, frozen=True):
    """first, last: line numbers in the source, counted from 1."""

    name: str
    text: str
    first: int
    last: int
    score: float


def best(query: str, sources: Iterable[TextSource], count: int) -> list[TextPassage]:
    """The best passages, at most one for each place; the best first."""
    wanted = _query_terms(query)
    if not wanted:
        return []
    found = [
        (source, first, lines, terms)
        for source in sources
        if _may_hold(source, wanted)
        for first, lines in _pieces(source.text)
        if (terms := _counts(lines, source.about)).keys() & wanted
    ]
    if not found:
        return []
    length = sum(sum(terms.values()) for *_, terms in found) / len(found)
    holding = Counter(term for *_, terms in found for term in terms.keys() & wanted)
    rarity = {term: _rarity(holding[term], len(found)) for term in holding}
    scored = [
        TextPassage(
            source.name,
            "\n".join(lines)[:PASSAGE_CHARS],
            first + 1,
            first + len(lines),
            _score(terms, rarity, length),
        )
        for source, first, lines, terms in found
    ]
    likely = sorted(scored, key=_order)[:_CLOSELY_READ]
    pairs = _pairs(query)
    close = [replace(one, score=one.score + _closeness(one.text, rarity, pairs)) for one in likely]
    return _apart(sorted(close, key=_order), count)


def _order(one: TextPassage) -> tuple[float, str, int]:
    return -one.score, one.name, one.first


def _closeness(text: str, rarity: Mapping[str, float], pairs: frozenset[tuple[str, str]]) -> float:
    """How many terms of the query the best line holds, and neighbours of the query side by side;
    by rarity."""
    best_line = 0.0
    for line in text.split("\n"):
        terms = {term for word in raw_words(line) for term in terms_of(word)}
        words = _parts(line)
        beside = sum(
            min(rarity.get(a, 0.0), rarity.get(b, 0.0))
            for a, b in pairwise(words)
            if (a, b) in pairs
        )
        best_line = max(best_line, beside + sum(rarity.get(term, 0.0) for term in terms))
    return best_line


def _pairs(query: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(_parts(query)))


def _parts(text: str) -> list[str]:
    """The stems of a text in order, identifiers in their parts."""
    terms = (term for word in raw_words(text) for term in terms_of(word))
    return [term for term in terms if not term.startswith("=")]


def _query_terms(query: str) -> frozenset[str]:
    raw = [word for word in raw_words(query) if word.lower() not in STOP_WORDS] or raw_words(query)
    return frozenset(term for word in raw for term in terms_of(word))


def _may_hold(source: TextSource, wanted: frozenset[str]) -> bool:
    """Whether a text has the beginning of any term: most texts are left out by this."""
    text = f"{source.text}\n{source.about}".lower()
    return any(term.lstrip("=")[:4] in text for term in wanted)


def _pieces(text: str) -> Iterator[tuple[int, list[str]]]:
    lines = text.split("\n")
    for first in range(0, max(1, len(lines) - _STEP_LINES), _STEP_LINES):
        piece = lines[first : first + PASSAGE_LINES]
        if any(line.strip() for line in piece):
            yield first, piece


def _counts(lines: Sequence[str], about: str) -> Counter[str]:
    words = raw_words("\n".join([about, *lines]))
    return Counter(term for word in words for term in terms_of(word))


def _rarity(holding: int, total: int) -> float:
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _score(terms: Counter[str], rarity: Mapping[str, float], length: float) -> float:
    size = _K * (1 - _B + _B * sum(terms.values()) / max(1.0, length))
    return sum(
        rarity[term] * terms[term] * (_K + 1) / (terms[term] + size)
        for term in rarity.keys() & terms.keys()
    )


def _apart(passages: Sequence[TextPassage], count: int) -> list[TextPassage]:
    """Without passages that overlap a better one."""
    chosen: list[TextPassage] = []
    for one in passages:
        if len(chosen) == count:
            break
        if not any(
            one.name == other.name and one.first <= other.last and other.first <= one.last
            for other in chosen
        ):
            chosen.append(one)
    return chosen
