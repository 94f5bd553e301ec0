"""Parse a query: its words, the time it names, what it asks for (RC-1).

Knows only the query; `query_terms` matches it with a collection. Pure.
"""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from wm.text.tables import Tables
from wm.text.terms import is_name, raw_words, telling_words

_HISTORY_TEXT = "before earlier formerly previous previously used original originally was did past"
_HISTORY = frozenset(_HISTORY_TEXT.split())
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES.split(), start=1)}
_VALUE_TEXT = (
    "when wann cuándo quand quando wieviel wieviele cuánto cuánta cuántos cuántas combien quanto"
    " quanta quantos quantas"
)
_VALUE_ASKED = frozenset(_VALUE_TEXT.split())
_HOW = {
    "how": frozenset(["many", "much", "long", "often", "old", "big", "large", "far"]),
    "wie": frozenset(["viele", "viel", "lange", "oft", "groß", "hoch", "weit"]),
}
_VALUE_PART_TEXT = (
    "何分 何秒 何日 何件 何人 いつ いくつ 多少 几个 几天 几点 什么时候 多久 언제 얼마나 몇"
)
_VALUE_PARTS = tuple(_VALUE_PART_TEXT.split())
_TABLES = Tables("wm.search")
_OTHER_QUESTIONS = frozenset(_TABLES.words("other_questions"))
_MEASURES = frozenset(_TABLES.words("measures"))


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


def asks_value(query: str) -> bool:
    """Does the question ask for a number, a time or another measure?"""
    low = [word.lower() for word in raw_words(query)]
    if not _VALUE_ASKED.isdisjoint(low) or any(part in query for part in _VALUE_PARTS):
        return True
    if any(second in _HOW.get(first, ()) for first, second in pairwise(low)):
        return True
    return not _MEASURES.isdisjoint(low) and _OTHER_QUESTIONS.isdisjoint(low)
