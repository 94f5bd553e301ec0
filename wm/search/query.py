"""Parse a query: its words, the time it names, what it asks for (RC-1).

Knows only the query; `query_terms` matches it with a collection. Pure.
"""

from __future__ import annotations

from msgspec import Struct

from wm.search.values import asks_value
from wm.text.terms import is_name, raw_words, telling_words

_HISTORY_TEXT = "before earlier formerly previous previously used original originally was did past"
_HISTORY = frozenset(_HISTORY_TEXT.split())
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES.split(), start=1)}


class ParsedQuery(Struct, frozen=True):
    """words: as typed, without stop words. month, year: 0 if not named. history: asks for the past.
    value: asks for a number, a time or another measure. names: words written as identifiers or
    paths, and capitalised words inside the sentence, such as names of people and products."""

    words: tuple[str, ...]
    month: int
    year: int
    history: bool
    value: bool
    names: frozenset[str]


def parse(query: str) -> ParsedQuery:
    raws = raw_words(query)
    words = telling_words(raws)
    low = {raw.lower() for raw in raws}
    first = next(iter(raws), "")
    years = [int(w) for w in sorted(low) if len(w) == 4 and w.isascii() and w.isdigit()]
    return ParsedQuery(
        words=tuple(words),
        month=next((n for name, n in _MONTHS.items() if name in low), 0),
        year=years[0] if years else 0,
        history=bool(low & _HISTORY),
        value=asks_value(query),
        names=frozenset(w for w in words if is_name(w) or (w[:1].isupper() and w != first)),
    )


def is_time(word: str) -> bool:
    """Return whether the word names a month or a year."""
    return word.lower() in _MONTHS or (len(word) == 4 and word.isascii() and word.isdigit())
