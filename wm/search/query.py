"""Parse a query: its words, the time it names, what it asks for (RC-1).

Knows only the query; `query_terms` matches it with a collection. Pure.
"""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from wm.text.terms import (
    is_name,
    raw_words,
    telling_words,
    terms_of,
)

_HISTORY_TEXT = "before earlier formerly previous previously used original originally was did past"
_HISTORY = frozenset(_HISTORY_TEXT.split())
_NOW_TEXT = "now today current currently still latest newest present"
_NOW = frozenset(_NOW_TEXT.split())
_DECISION = frozenset(["decide", "decided", "decision", "decisions"])
_VALUE = frozenset(["many", "much", "when", "often", "long"])
_PRESENT = frozenset(["is", "are", "am", "'s", "do", "does", "have", "has", "s"])
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES.split(), start=1)}


class ParsedQuery(Struct, frozen=True):
    """words: as typed, without stop words. pairs: adjacent terms. month, year: 0 if not named.
    names: words written as identifiers or paths. value: asks for the current value of a quantity or
    date, so that the newest of several statements answers. proper: capitalised words inside the
    sentence, such as names of people and products."""

    words: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    month: int
    year: int
    history: bool
    now: bool
    decision: bool
    value: bool
    names: frozenset[str]
    proper: frozenset[str]


def taken_apart(query: str) -> ParsedQuery:
    raws = raw_words(query)
    words = telling_words(raws)
    stems = [term for raw in raws for term in terms_of(raw)]
    spoken = [raw.lower() for raw in raws]
    low = set(spoken)
    first = next(iter(raws), "")
    years = [int(w) for w in sorted(low) if len(w) == 4 and w.isascii() and w.isdigit()]
    return ParsedQuery(
        words=tuple(words),
        pairs=frozenset(pairwise(stems)),
        month=next((n for name, n in _MONTHS.items() if name in low), 0),
        year=years[0] if years else 0,
        history=bool(low & _HISTORY),
        now=bool(low & _NOW),
        decision=bool(_DECISION & low),
        value=_asks_value(spoken),
        names=frozenset(w for w in words if is_name(w)),
        proper=frozenset(w for w in words if w[:1].isupper() and w != first),
    )


def _asks_value(words: list[str]) -> bool:
    """True for `how many … have I`, `when is …`, `what is the …`; not for the past tense."""
    first = words[:1]
    asks = bool(_VALUE & set(words[:2])) or first in (["what"], ["what's"], ["which"])
    return asks and bool(_PRESENT & set(words)) and not _HISTORY & set(words)


def is_time(word: str) -> bool:
    """Return whether the word names a month or a year."""
    return word.lower() in _MONTHS or (len(word) == 4 and word.isascii() and word.isdigit())
