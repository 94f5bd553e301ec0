"""Expand the words of a query to terms, each with the terms of texts that match it (RC-1).

A word matches by its stem; as a synonym or, if it occurs nowhere, by its prefix or with one typing
error, with less weight. Ranks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wm.search.postings import MIN_PREFIX, Postings, QueryTerm
from wm.search.synonyms import SYNONYMS
from wm.settings import RecallSettings
from wm.text.scripts import is_cjk
from wm.text.terms import is_particle, only_asks, terms_of

_TYPED_WORDS = 10
"""A query of more words is a pasted text: no typing errors are looked for in it."""


def query_terms(
    words: Sequence[str], postings: Postings, settings: RecallSettings
) -> tuple[QueryTerm, ...]:
    """The terms of the words of a query, given as typed, without those that only ask."""
    found = []
    typos = len(words) <= _TYPED_WORDS
    for word in [word for word in words if not only_asks(word)] or words:
        own = tuple(dict.fromkeys(terms_of(word)))
        telling = [t for t in own if not t.startswith("=") and not is_particle(t)] or own
        for term in own:
            is_name = term.startswith("=")
            if not is_name and term not in telling:
                continue
            related: Iterable[str] = SYNONYMS.get(term, ())
            if len(own) == 1 and term not in postings:
                related = (*related, *_guessed(term, postings, typos=typos))
            matches: Mapping[str, float] = {**dict.fromkeys(related, settings.related_weight)}
            found.append(QueryTerm(word, term, {**matches, term: 1.0}, is_name))
    return tuple(found)


def _guessed(term: str, postings: Postings, *, typos: bool) -> list[str]:
    """Substitutes for a term that occurs nowhere: terms with the same prefix or at edit distance
    one. A single Chinese letter matches all pairs with it."""
    if len(term) == 1 and is_cjk(term):
        return postings.pairs_with(term)
    if len(term) <= MIN_PREFIX:
        return []
    near = postings.beginning(term[: max(MIN_PREFIX, len(term) - 3)])
    return near or (postings.one_slip_off(term) if typos else [])
