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


LineTerms = tuple[tuple[str, ...], ...]
"""The terms of each line of a text. They can be kept: a stored text never changes."""


class TextSource(Struct, frozen=True):
    """A text to look into. name: its handle. about: what it is, part of what is searched. terms: of
    its lines (`terms_by_line`)."""

    name: str
    text: str
    terms: LineTerms
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
    found = [piece for source in sources for piece in _pieces(source, wanted)]
    if not found:
        return []
    length = sum(piece.length for piece in found) / len(found)
    holding = Counter(term for piece in found for term in piece.counts)
    rarity = {term: _rarity(holding[term], len(found)) for term in holding}
    scored = [
        TextPassage(
            piece.name,
            "\n".join(piece.lines)[:PASSAGE_CHARS],
            piece.first + 1,
            piece.first + len(piece.lines),
            _score(piece, rarity, length),
        )
        for piece in found
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


def terms_by_line(text: str) -> LineTerms:
    return tuple(
        tuple(term for word in raw_words(line) for term in terms_of(word))
        for line in text.split("\n")
    )


class _Piece(Struct, frozen=True):
    """Lines of a text that hold a term of the query. first: number of the first, from 0. counts: of
    these terms. length: number of all terms."""

    name: str
    first: int
    lines: list[str]
    counts: Counter[str]
    length: int


def _pieces(source: TextSource, wanted: frozenset[str]) -> Iterator[_Piece]:
    about = terms_by_line(source.about)
    in_about = any(not wanted.isdisjoint(line) for line in about)
    holds = [in_about or not wanted.isdisjoint(line) for line in source.terms]
    if not any(holds):
        return
    text = source.text.split("\n")
    for first in range(0, max(1, len(holds) - _STEP_LINES), _STEP_LINES):
        last = first + PASSAGE_LINES
        lines = source.terms[first:last]
        if any(lines) and any(holds[first:last]):
            terms = [term for line in (*about, *lines) for term in line]
            counts = Counter(term for term in terms if term in wanted)
            yield _Piece(source.name, first, text[first:last], counts, len(terms))


def _rarity(holding: int, total: int) -> float:
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _score(piece: _Piece, rarity: Mapping[str, float], length: float) -> float:
    size = _K * (1 - _B + _B * piece.length / max(1.0, length))
    return sum(
        rarity[term] * count * (_K + 1) / (count + size) for term, count in piece.counts.items()
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
