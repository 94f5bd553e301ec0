"""Clocks: later than what they follow, and dated no later than now."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.domain.sync.entries import CLOCKS, MOMENTS
from wm.domain.sync.clock import moment_of, tick

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FIRST = "2026-11-21T12:00:00.000Z-0000-0000000a"


def test_a_first_change_has_the_wall_clock() -> None:
    assert tick([], now=NOON, node="0000000a") == FIRST


def test_two_changes_of_one_millisecond_are_counted() -> None:
    assert tick([FIRST], now=NOON, node="0000000a") == "2026-11-21T12:00:00.000Z-0001-0000000a"


def test_a_wall_clock_that_is_behind_follows_what_it_has_seen() -> None:
    ahead = "2031-01-01T00:00:00.000Z-0004-0000000b"
    assert tick([FIRST, ahead], now=NOON, node="0000000a") == (
        "2031-01-01T00:00:00.000Z-0005-0000000a"
    )


def test_a_full_counter_takes_the_next_millisecond() -> None:
    full = "2031-01-01T00:00:00.999Z-ffff-0000000b"
    assert tick([full], now=NOON, node="0000000a") == "2031-01-01T00:00:01.000Z-0000-0000000a"


@given(st.lists(CLOCKS, max_size=5), MOMENTS)
def test_a_new_clock_is_later_than_all_that_it_follows(seen: list[str], now: datetime) -> None:
    new = tick(seen, now=now, node="ffffffff")
    assert all(new > clock for clock in seen)


def test_where_the_calendar_ends_a_clock_still_has_its_form() -> None:
    last = "9999-12-31T23:59:59.999Z-ffff-0000000b"
    assert tick([last], now=NOON, node="0000000a") == "9999-12-31T23:59:59.999Z-0000-0000000a"
    impossible = "2026-99-99T99:99:99.999Z-ffff-0000000b"
    assert tick([impossible], now=NOON, node="0000000a").startswith("2026-99-99")


def test_a_change_from_the_future_was_made_now() -> None:
    assert moment_of("2031-01-01T00:00:00.000Z-0000-0000000b", now=NOON) == (
        "2026-11-21T12:00:00.000Z"
    )
    assert moment_of("2026-99-99T00:00:00.000Z-0000-0000000b", now=NOON) == (
        "2026-11-21T12:00:00.000Z"
    )
    assert moment_of("2020-01-01T00:00:00.000Z-0000-0000000b", now=NOON) == (
        "2020-01-01T00:00:00.000Z"
    )
