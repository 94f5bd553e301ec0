"""Questions for a value, and texts that name or change one: a number, a time, a date (RC-1)."""

from __future__ import annotations

from itertools import pairwise

from wm.domain.change.contradiction import VALUE_WORDS
from wm.text.tables import Tables
from wm.text.terms import raw_words

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
_VALUE_SIGNS = frozenset("一二三四五六七八九十百千两每毎")
_DAYS_CJK = ("曜", "요일", "星期", "周", "매일", "매주")
_TABLES = Tables("wm.search")
_OTHER_QUESTIONS = frozenset(_TABLES.words("other_questions"))
_MEASURES = frozenset(_TABLES.words("measures"))
_CHANGED = _TABLES.words("changed")
_CHANGED_CJK = _TABLES.words("changed_cjk")


def asks_value(query: str) -> bool:
    """Does the question ask for a number, a time or another measure?"""
    low = [word.lower() for word in raw_words(query)]
    if not _VALUE_ASKED.isdisjoint(low) or any(part in query for part in _VALUE_PARTS):
        return True
    if any(second in _HOW.get(first, ()) for first, second in pairwise(low)):
        return True
    return not _MEASURES.isdisjoint(low) and _OTHER_QUESTIONS.isdisjoint(low)


def names_value(text: str) -> bool:
    """Does the text contain a number, a weekday, a month or another value?"""
    if any(map(str.isdigit, text)) or not _VALUE_SIGNS.isdisjoint(text):
        return True
    words = {word.strip(".,;:") for word in raw_words(text)}
    # The month; "may" in lower case is a common word.
    if "May" in words or not VALUE_WORDS.isdisjoint(map(str.lower, words)):
        return True
    return any(part in text for part in _DAYS_CJK)


def changes_value(text: str) -> bool:
    """Does the text name a value and say that something grew, moved or was updated?"""
    if not names_value(text):
        return False
    words = (word.lower() for word in raw_words(text))
    return any(word.startswith(_CHANGED) for word in words) or any(p in text for p in _CHANGED_CJK)
