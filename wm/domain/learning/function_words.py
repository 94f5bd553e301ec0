"""Function words that carry the structure of a statement, by language (TR-3).

The words are in `function_words.toml`, under the names of the classes; `support` defines what each
class means.
"""

from __future__ import annotations

from collections.abc import Mapping

from wm.domain.learning import common_words
from wm.text.letters import normalised
from wm.text.tables import Tables

SPLIT, COORD, TURN, FROM, TO, BY, BEFORE, AFTER = range(1, 9)
THAN, PREP, VOICE, SUBJECT, OBJECT, CONTRAST, NOTHING = range(9, 16)
CONDITION = 30
"""A clause border followed by a condition."""
ALL = 17
"""The clause speaks of all or only of something."""
ONLY, ONLY_SUBJECT = 32, 33
"""The clause speaks only of the next word; the second one if that is who may or must do it."""
ABOVE, BELOW = 34, 35
"""The number that follows is a lower or an upper limit."""
HEDGE = 36
"""The clause is only possible, or past."""
QUALIFIED = 37
"""The sentence is valid for a time or a task only, or is what another says, or is denied."""
FRAME = 38
"""The clause says what the user wants."""
FOR = 39
"""A purpose follows."""
CAN, MUST = 40, 41
"""Something may be done; it must be."""
WE = 42
"""Several people do it, of whom the user is one."""
PRONOUN = 43
"""A word for what the clause before names."""
ALSO = 44
"""The clause adds to what is so."""
OR = 45
"""A clause border like `COORD`, before an alternative."""
CONDITION_END = 16
"""A clause border after a condition, in languages whose "if" comes last."""
UNTIL = 0
"""A clause border followed by the end of a time; stored as SPLIT and TO."""
VERB = 31
"""A verb as frequent as "use": all such verbs become this one item."""

_CLASSES = {name.lower(): mark for name, mark in globals().items() if isinstance(mark, int)}
_TABLES = Tables("wm.domain.learning", "function_words.toml")


def _rows(rows: Mapping[str, str]) -> tuple[tuple[int, str], ...]:
    return tuple((_CLASSES[name], row) for name, row in rows.items())


def _marks(rows: Mapping[str, str]) -> dict[str, int]:
    return {word: mark for mark, row in _rows(rows) for word in normalised(row).split()}


def _words(name: str) -> frozenset[str]:
    return frozenset(map(normalised, _TABLES.words(name)))


LATIN = {
    **{word: TURN for word in common_words.NEGATIONS if word.isascii() or word < "\u0250"},
    **_marks(_TABLES.table("latin")),
}
BY_LANGUAGE = {name: _marks(rows) for name, rows in _TABLES.table("by_language").items()}
HINTS = {name: normalised(row) for name, row in _TABLES.table("hints").items()}

MODALS = _words("modals")
PREFERRING = _TABLES.words("preferring")
REQUIRING = _TABLES.words("requiring")
UNIVERSAL = _words("universal")
ONLY_WORDS = _words("only")
BOUNDS = {
    word: mark
    for name, mark in (("above", ABOVE), ("below", BELOW), ("about", HEDGE))
    for word in _words(name)
}
MAY = MODALS | _words("may")
UNLESS = _words("unless")
WITHOUT = _words("without")
AFTER_IF = _words("after_if")

HAN, HAN_AFTER = _rows(_TABLES.table("han")), _rows(_TABLES.table("han_after"))
HAN_THEN = _TABLES.words("han_then")
HAN_KEPT = _TABLES.words("han_kept")
KANA = _rows(_TABLES.table("kana"))
KANJI = _marks(_TABLES.table("kanji"))
HANGUL_ENDINGS = _rows(_TABLES.table("hangul_endings"))
HANGUL_WORDS = _rows(_TABLES.table("hangul_words"))
HANGUL_SHORT = _words("hangul_short")
HANGUL_VERBS = _TABLES.words("hangul_verbs")
