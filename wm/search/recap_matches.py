"""Find the sessions that a query speaks of, by the words of their recaps (RF-1).

A recap is short and has few words of its own, so it is found by the share of the query's telling
words that it contains, and never ranked against entries. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wm.formats.recaps import Recap
from wm.search.query import parse
from wm.text.terms import only_asks, terms_in, terms_of

LEAST_SHARE = 0.6
"""Share of the query's words that a recap must contain."""
MOST = 3
"""Sessions that one search finds."""

_OF_SESSIONS = frozenset(
    term
    for word in ("session", "recap", "last", "yesterday", "change", "commit", "work", "done")
    for term in terms_of(word)
)
"""Words that ask about a session and say nothing of its topic."""


def matching(query: str, recaps: Sequence[Recap]) -> tuple[Recap, ...]:
    """The recaps with most words of the query, at most `MOST`, in the given order."""
    words = [frozenset(terms_of(word)) for word in parse(query).words if not only_asks(word)]
    telling = [terms for terms in words if terms and not terms <= _OF_SESSIONS]
    if not telling:
        return ()
    found = [one for one in recaps if _share(telling, _terms(one)) >= LEAST_SHARE]
    return tuple(found[:MOST])


def _share(words: Sequence[frozenset[str]], known: frozenset[str]) -> float:
    return sum(1 for terms in words if terms & known) / len(words)


def _terms(recap: Recap) -> frozenset[str]:
    return frozenset(term for text in _texts(recap) for term in terms_in(text))


def _texts(recap: Recap) -> Iterable[str]:
    yield recap.asked
    yield recap.branch
    yield from recap.changed
    yield from recap.commits
    yield from (check.name for check in recap.checks)
    yield from (error.file for error in recap.open)
    for fix in recap.fixes:
        yield from (fix.file, *fix.commands)
