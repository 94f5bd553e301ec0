"""Times as text, and back. Pure: the clock belongs to `wm.ops.runtime`.

All times of `wm` are UTC in ISO 8601. A text that is not a time gives None, never an error.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


@lru_cache(maxsize=16)  # one change writes the same moment into several records
def iso(moment: datetime) -> str:
    """`2026-11-21T19:00:00.000Z`: UTC, milliseconds, sorts as text."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    # Three times as fast as `isoformat`, which asks the zone for its offset; every record has a
    # time.
    return (
        f"{utc.year:04}-{utc.month:02}-{utc.day:02}"
        f"T{utc.hour:02}:{utc.minute:02}:{utc.second:02}.{utc.microsecond // 1000:03}Z"
    )


def parse(text: str) -> datetime | None:
    """The moment of an ISO 8601 text, in UTC; None if it is not one (WM-2).

    A time without a zone is taken as UTC: files edited by hand often lack it.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def in_past(text: str, now: datetime) -> str:
    """The time of a text from elsewhere, `now` if it lies in the future; "" if it is not a time."""
    found = parse(text)
    return iso(min(found, now)) if found is not None else ""


def days_between(begin: datetime, end: datetime) -> float:
    """Days from `begin` to `end`, never negative."""
    return max(0.0, (end - begin).total_seconds() / 86400.0)
