"""What each word of a query may be found by, and which documents hold that (RC-1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from wm.domain.recall.asked import Asked
from wm.domain.recall.postings import MIN_PREFIX, Postings, Some
from wm.domain.recall.synonyms import SYNONYMS
from wm.domain.recall.terms import is_particle, terms_of
from wm.domain.text import is_cjk
from wm.settings import RecallSettings

Bools = NDArray[np.bool_]

_KEPT_WORDS = 4096
"""Words that are kept taken apart: those of questions come again."""


class Wanted(Struct, frozen=True):
    """One word of a query, as typed, and the terms that it may be found by, with their weights.

    own: those that are the word itself, which have 1. kin: the others. whole: of its own that
    which stands for a whole name. parts: the pieces of a word that has several.
    """

    typed: str
    terms: Mapping[str, float]
    own: tuple[str, ...]
    kin: tuple[str, ...]
    whole: tuple[str, ...]
    parts: tuple[str, ...]


class Matches(Struct, frozen=True):
    """By word and document: does it hold a term of the word's own, one of its kin, its whole
    name?"""

    own: Bools
    kin: Bools
    whole: Bools


def wanted(
    words: Iterable[str], postings: Postings, settings: RecallSettings
) -> tuple[Wanted, ...]:
    """words: of a query, as typed."""
    asked = list(words)
    # A pasted text has words of all kinds: what they are like is not looked for.
    few = len(asked) <= settings.pasted_words
    return tuple(_wanted(word, postings, settings, few=few) for word in asked)


def looked_at(
    words: Sequence[Wanted], asked: Asked, postings: Postings, numbers: NDArray[np.int64]
) -> Some:
    """The documents with these numbers, to be asked for the terms and pairs of a query."""
    terms = chain(chain.from_iterable(word.terms for word in words), *asked.pairs)
    return postings.some(numbers, terms)


def matches(words: Sequence[Wanted], some: Some) -> Matches:
    found = some.hold([*(w.own for w in words), *(w.kin for w in words), *(w.whole for w in words)])
    count = len(words)
    return Matches(found[:count], found[count : 2 * count], found[2 * count :])


def _wanted(word: str, postings: Postings, settings: RecallSettings, *, few: bool) -> Wanted:
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
def _known(word: str, synonym_weight: float) -> Wanted:
    """A word whatever the documents hold."""
    parts = terms_of(word)
    own = tuple(dict.fromkeys(parts))
    others = chain.from_iterable(SYNONYMS.get(term, ()) for term in own)
    kin = tuple(dict.fromkeys(term for term in others if term not in own))
    terms = {**dict.fromkeys(own, 1.0), **dict.fromkeys(kin, synonym_weight)}
    whole = tuple(term for term in own if term.startswith("="))
    return Wanted(word, MappingProxyType(terms), own, kin, whole, tuple(_parts(parts)))


def _guessed(
    term: str, postings: Postings, settings: RecallSettings, *, few: bool
) -> Mapping[str, float]:
    """For a term that stands nowhere those that begin alike, or, where the query's words are
    few, those that it may have been meant for. One Chinese letter is looked for in all pairs."""
    if len(term) == 1 and is_cjk(term):
        return dict.fromkeys(postings.pairs_with(term), settings.prefix_weight)
    if len(term) <= MIN_PREFIX:
        return {}
    near = postings.beginning(term[: max(MIN_PREFIX, len(term) - 3)])
    if near or not few:
        return dict.fromkeys(near, settings.prefix_weight)
    return dict.fromkeys(postings.one_slip_off(term), settings.slip_weight)


def _parts(own: Sequence[str]) -> Iterator[str]:
    """The pieces of a word of several, but those that only tie a sentence together."""
    parts = [term for term in own if not term.startswith("=")]
    if len(parts) > 1:
        telling = [part for part in parts if not is_particle(part)]
        yield from telling or parts
