"""The moment that a person names with "since": a span back from now, a date, or a time.

Pure; the clock is an argument. A time without a zone is UTC, as everything that `wm` prints.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from wm.domain.times import parse

_SPAN = re.compile(r"(\d{1,5})\s?(m|min|minutes?|h|hours?|d|days?|w|weeks?)", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST_WORD = 40


def moment(text: str, now: datetime) -> datetime | None:
    """The moment that `text` means, None for what names none."""
    word = text.strip().lower()[:_LONGEST_WORD]
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if word in ("today", "yesterday"):
        return today - timedelta(days=int(word == "yesterday"))
    span = _SPAN.fullmatch(word)
    if span is None:
        return parse(text.strip())
    try:
        return now - timedelta(**{_UNITS[span.group(2)[0]]: int(span.group(1))})
    except OverflowError:
        return None
