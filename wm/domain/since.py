"""Parse the value of "since": a span back from now, a date, or a time.

Pure; the clock is an argument. A time without a zone is UTC, like all output of `wm`.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import MINYEAR, UTC, datetime, timedelta

from wm.domain.times import parse

_UNITS = {
    **dict.fromkeys(("m", "min", "minute", "minutes"), "minutes"),
    **dict.fromkeys(("h", "hour", "hours"), "hours"),
    **dict.fromkeys(("d", "day", "days"), "days"),
    **dict.fromkeys(("w", "week", "weeks"), "weeks"),
}
_MONTHS = {**dict.fromkeys(("month", "months"), 1), **dict.fromkeys(("y", "year", "years"), 12)}
_BACK = {"this week": 0, "last week": 1}
_FIRST_OF = {"this month": 0, "last month": 1, "this year": 0, "last year": 12}
"""Months back from the first day of this month, or of this year."""
_LONGEST_WORD = 40
_MOST_DIGITS = 6


def moment(text: str, now: datetime) -> datetime | None:
    """The moment that `text` means; None if it is not a time."""
    word = text.strip().lower()[:_LONGEST_WORD].removesuffix(" ago")
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if word in ("today", "yesterday"):
        return today - timedelta(days=int(word == "yesterday"))
    if word in _BACK:  # weeks begin on Monday
        return today - timedelta(days=today.weekday() + 7 * _BACK[word])
    if word in _FIRST_OF:
        month = 1 if word.endswith("year") else today.month
        return _months_before(today.replace(month=month, day=1), _FIRST_OF[word])
    count = word[: len(word) - len(word.lstrip("0123456789"))]
    unit = word[len(count) :].strip()
    if not 0 < len(count) <= _MOST_DIGITS or unit not in (_UNITS | _MONTHS):
        return parse(text.strip())
    if unit in _MONTHS:
        return _months_before(now, int(count) * _MONTHS[unit])
    try:
        return now - timedelta(**{_UNITS[unit]: int(count)})
    except OverflowError:
        return None


def _months_before(moment: datetime, months: int) -> datetime | None:
    """The same day some months earlier, or the last day of a shorter month."""
    year, month = divmod(12 * moment.year + moment.month - 1 - months, 12)
    if year < MINYEAR:
        return None
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)
