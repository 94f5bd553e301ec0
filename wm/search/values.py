"""Texts that name or change a value: a number, a time, a date (RC-1)."""

from __future__ import annotations

from wm.domain.change.contradiction import VALUE_WORDS
from wm.text.tables import Tables
from wm.text.terms import raw_words

_VALUE_SIGNS = frozenset("一二三四五六七八九十百千两每毎")
_DAYS_CJK = ("曜", "요일", "星期", "周", "매일", "매주")
_TABLES = Tables("wm.search")
_CHANGED = _TABLES.words("changed")
_CHANGED_CJK = _TABLES.words("changed_cjk")


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
