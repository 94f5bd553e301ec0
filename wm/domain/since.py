"""The moment that a person names with "since": a span back from now, a date, or a time.

Pure; the clock is an argument. A time without a zone is UTC, as everything that `wm` prints.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wm.domain.times import parse

_UNITS = {
    **dict.fromkeys(("m", "min", "minute", "minutes"), "minutes"),
    **dict.fromkeys(("h", "hour", "hours"), "hours"),
    **dict.fromkeys(("d", "day", "days"), "days"),
    **dict.fromkeys(("w", "week", "weeks"), "weeks"),
}
_BACK = {"this week": 0, "last week": 1}
_LONGEST_WORD = 40
_MOST_DIGITS = 6


def moment(text: str, now: datetime) -> datetime | None:
    """The moment that `text` means, None for what names none."""
    word = text.strip().lower()[:_LONGEST_WORD].removesuffix(" ago")
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if word in ("today", "yesterday"):
        return today - timedelta(days=int(word == "yesterday"))
    if word in _BACK:  # weeks begin on Monday
        return today - timedelta(days=today.weekday() + 7 * _BACK[word])
    count = word[: len(word) - len(word.lstrip("0123456789"))]
    unit = _UNITS.get(word[len(count) :].strip())
    if unit is None or not 0 < len(count) <= _MOST_DIGITS:
        return parse(text.strip())
    try:
        return now - timedelta(**{unit: int(count)})
    except OverflowError:
        return None
