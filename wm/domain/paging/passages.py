"""Finds passages in stored steps: a short piece of text that answers a query by its words. Pure.

Scores by BM25 over passages of a few lines. Of the best, those come first that hold words of the
query in one line, and side by side as in the query.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, pairwise

from msgspec import Struct

from wm.text.terms import STOP_WORDS, raw_words, terms_in, terms_of

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
    all_scored = ((_score(piece, rarity, length), piece) for piece in found)
    scored = nsmallest(_CLOSELY_READ, all_scored, key=_order)
    pairs = frozenset(pairwise(_parts(query)))
    close = [(score + _closeness(piece, rarity, pairs), piece) for score, piece in scored]
    return _apart([piece.passage(score) for score, piece in sorted(close, key=_order)], count)


def _order(scored: tuple[float, _Piece]) -> tuple[float, str, int]:
    score, piece = scored
    return -score, piece.name, piece.first


def _closeness(
    piece: _Piece, rarity: Mapping[str, float], pairs: frozenset[tuple[str, str]]
) -> float:
    """How many terms of the query the best line holds, and neighbours of the query side by side;
    by rarity. Lines that are not shown do not count."""
    best_line, chars = 0.0, 0
    for line, terms in zip(piece.lines, piece.terms, strict=True):
        if chars > PASSAGE_CHARS:
            break
        chars += len(line) + 1
        if rarity.keys().isdisjoint(terms):
            continue
        words = [term for term in terms if not term.startswith("=")]
        beside = sum(
            min(rarity.get(a, 0.0), rarity.get(b, 0.0))
            for a, b in pairwise(words)
            if (a, b) in pairs
        )
        best_line = max(best_line, beside + sum(rarity.get(term, 0.0) for term in {*terms}))
    return best_line


def _parts(text: str) -> list[str]:
    """The stems of a text in order, identifiers in their parts."""
    return [term for term in terms_in(text) if not term.startswith("=")]


def _query_terms(query: str) -> frozenset[str]:
    raw = [word for word in raw_words(query) if word.lower() not in STOP_WORDS] or raw_words(query)
    return frozenset(term for word in raw for term in terms_of(word))


def terms_by_line(text: str) -> LineTerms:
    return tuple(tuple(terms_in(line)) for line in text.split("\n"))


class _Piece(Struct, frozen=True):
    """Lines of a text that contain a term of the query. first: number of the first, from 0. counts:
    of these terms. length: number of all terms."""

    name: str
    first: int
    lines: list[str]
    terms: LineTerms
    counts: dict[str, int]
    length: int

    def passage(self, score: float) -> TextPassage:
        text = "\n".join(self.lines)[:PASSAGE_CHARS]
        return TextPassage(self.name, text, self.first + 1, self.first + len(self.lines), score)


def _pieces(source: TextSource, wanted: frozenset[str]) -> Iterator[_Piece]:
    about = [term for line in terms_by_line(source.about) for term in line]
    in_about = [term for term in about if term in wanted]
    # Most lines have none of these terms, which is found out faster than which they have.
    found = [
        () if wanted.isdisjoint(line) else tuple(term for term in line if term in wanted)
        for line in source.terms
    ]
    if not in_about and not any(found):
        return
    text = source.text.split("\n")
    for first in range(0, max(1, len(found) - _STEP_LINES), _STEP_LINES):
        last = first + PASSAGE_LINES
        lines = source.terms[first:last]
        if any(lines) and (in_about or any(found[first:last])):
            counts: dict[str, int] = {}
            for term in chain(in_about, *found[first:last]):
                counts[term] = counts.get(term, 0) + 1
            length = len(about) + sum(map(len, lines))
            yield _Piece(source.name, first, text[first:last], lines, counts, length)


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
