"""Expand each query word to the terms that match it, and look them up in documents (RC-1).

A word matches by its stem, as a prefix, with one typing error, or as a synonym, each with its own
weight. Ranks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from wm.search.postings import (
    MIN_PREFIX,
    Postings,
    Some,
)
from wm.search.query import ParsedQuery
from wm.search.synonyms import SYNONYMS
from wm.settings import RecallSettings
from wm.text.scripts import is_cjk
from wm.text.terms import (
    is_particle,
    terms_of,
)

Bools = NDArray[np.bool_]

_KEPT_WORDS = 4096
"""Size of the cache of expanded words: the words of queries recur."""


class QueryTerm(Struct, frozen=True):
    """One query word as typed, with the terms that match it and their weights.

    own: terms of the word itself, with weight 1. kin: related terms. whole: own terms that stand
    for a whole name. parts: the parts of a compound word.
    """

    typed: str
    terms: Mapping[str, float]
    own: tuple[str, ...]
    kin: tuple[str, ...]
    whole: tuple[str, ...]
    parts: tuple[str, ...]


class Matches(Struct, frozen=True):
    """By word and document: whether it contains an own term, a related term, the whole name."""

    own: Bools
    kin: Bools
    whole: Bools


def wanted(
    words: Iterable[str], postings: Postings, settings: RecallSettings
) -> tuple[QueryTerm, ...]:
    """Expand the words of a query, given as typed."""
    asked = list(words)
    # A pasted text contains many rare words: do not look for typos in them.
    few = len(asked) <= settings.pasted_words
    return tuple(_wanted(word, postings, settings, few=few) for word in asked)


def looked_at(
    words: Sequence[QueryTerm], asked: ParsedQuery, postings: Postings, numbers: NDArray[np.int64]
) -> Some:
    """A lookup of the query's terms and pairs in the documents with these numbers."""
    terms = chain(chain.from_iterable(word.terms for word in words), *asked.pairs)
    return postings.some(numbers, terms)


def matches(words: Sequence[QueryTerm], some: Some) -> Matches:
    found = some.hold([*(w.own for w in words), *(w.kin for w in words), *(w.whole for w in words)])
    count = len(words)
    return Matches(found[:count], found[count : 2 * count], found[2 * count :])


def _wanted(word: str, postings: Postings, settings: RecallSettings, *, few: bool) -> QueryTerm:
    known = _known(word, settings.synonym_weight)
    own = known.own
    if len(own) != 1 or own[0] in postings:
        return known
    guessed = _guessed(own[0], postings, settings, few=few)
    if not guessed:
        return known
    terms = {**known.terms, **guessed, own[0]: 1.0}
    return replace(known, terms=terms, kin=tuple(term for term in terms if term != own[0]))


@lru_cache(maxsize=_KEPT_WORDS)
def _known(word: str, synonym_weight: float) -> QueryTerm:
    """The expansion of a word that does not depend on the documents."""
    parts = terms_of(word)
    own = tuple(dict.fromkeys(parts))
    others = chain.from_iterable(SYNONYMS.get(term, ()) for term in own)
    kin = tuple(dict.fromkeys(term for term in others if term not in own))
    terms = {**dict.fromkeys(own, 1.0), **dict.fromkeys(kin, synonym_weight)}
    whole = tuple(term for term in own if term.startswith("="))
    return QueryTerm(word, MappingProxyType(terms), own, kin, whole, tuple(_parts(parts)))


def _guessed(
    term: str, postings: Postings, settings: RecallSettings, *, few: bool
) -> Mapping[str, float]:
    """Substitutes for a term that occurs nowhere: terms with the same prefix or, for short
    queries, terms at edit distance one. A single Chinese letter matches all pairs with it."""
    if len(term) == 1 and is_cjk(term):
        return dict.fromkeys(postings.pairs_with(term), settings.prefix_weight)
    if len(term) <= MIN_PREFIX:
        return {}
    near = postings.beginning(term[: max(MIN_PREFIX, len(term) - 3)])
    if near or not few:
        return dict.fromkeys(near, settings.prefix_weight)
    return dict.fromkeys(postings.one_slip_off(term), settings.slip_weight)


def _parts(own: Sequence[str]) -> Iterator[str]:
    """The parts of a compound word, without particles."""
    parts = [term for term in own if not term.startswith("=")]
    if len(parts) > 1:
        telling = [part for part in parts if not is_particle(part)]
        yield from telling or parts
