"""Moments as people say them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.since import moment
from wm.domain.times import iso

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("90m", "2026-11-21T08:00:00.000Z"),
        ("2 hours", "2026-11-21T07:30:00.000Z"),
        ("1h", "2026-11-21T08:30:00.000Z"),
        ("3d", "2026-11-18T09:30:00.000Z"),
        ("1 week", "2026-11-14T09:30:00.000Z"),
        ("3 days ago", "2026-11-18T09:30:00.000Z"),
        ("today", "2026-11-21T00:00:00.000Z"),
        (" Yesterday ", "2026-11-20T00:00:00.000Z"),
        ("this week", "2026-11-16T00:00:00.000Z"),
        ("last week", "2026-11-09T00:00:00.000Z"),
        ("1 month", "2026-10-21T09:30:00.000Z"),
        ("9 months ago", "2026-02-21T09:30:00.000Z"),
        ("11 months", "2025-12-21T09:30:00.000Z"),
        ("1y", "2025-11-21T09:30:00.000Z"),
        ("this month", "2026-11-01T00:00:00.000Z"),
        ("Last month", "2026-10-01T00:00:00.000Z"),
        ("this year", "2026-01-01T00:00:00.000Z"),
        ("last year", "2025-01-01T00:00:00.000Z"),
        ("2026-11-20", "2026-11-20T00:00:00.000Z"),
        ("2026-11-20T14:30", "2026-11-20T14:30:00.000Z"),
        ("2026-11-20T14:30+02:00", "2026-11-20T12:30:00.000Z"),
    ],
)
def test_a_moment_is_parsed_from_text(said: str, meant: str) -> None:
    found = moment(said, NOW)
    assert found is not None
    assert iso(found) == meant


def test_a_month_before_its_last_day_ends_on_a_last_day() -> None:
    found = moment("1 month", datetime(2026, 3, 31, tzinfo=UTC))
    assert found == datetime(2026, 2, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "soon",
        "2x",
        "-2h",
        "999999w",
        "9999y",
        "1 mon",
        "last months",
        "2026-13-01",
        "٣d",
        "h" * 500,
    ],
)
def test_invalid_moments_are_none(said: str) -> None:
    assert moment(said, NOW) is None
