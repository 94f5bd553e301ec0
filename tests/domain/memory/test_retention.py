"""WM-2 and WM-3: how entries age, what pauses cost, and the effect of recurrences."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.domain.memory.memories import NOW, SETTINGS, ago, entry, memory
from wm.domain.memory.retention import (
    ageing,
    course,
    half_life_days,
    initial_strength,
    reinforce,
    strength,
    visit,
    visit_is_due,
)
from wm.domain.times import iso
from wm.formats.workspace_memory import DormantInterval, MemoryEntry, WorkspaceMemory


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "decision", "source": "explicit"}, 5.0),
        ({"type": "feedback", "source": "explicit"}, 4.5),
        ({"type": "project", "source": "manual"}, 1.75),
        ({"type": "reference", "source": "compaction"}, 1.0),
        ({"type": "decision", "source": "explicit", "user_importance": "high"}, 7.5),
        ({"type": "decision", "source": "compaction", "user_importance": "low"}, 1.75),
        ({"type": "custom", "source": "compaction"}, 1.0),
        ({"type": "reference", "source": "rumour"}, 1.0),
        ({"type": "reference", "user_importance": "huge"}, 1.0),
        ({"type": "decision", "safety_critical": True}, 2.5),
        ({"type": "decision", "confidence": 0.1}, 2.5),
    ],
)
def test_initial_strength_is_type_times_source_times_importance(
    fields: dict[str, Any], expected: float
) -> None:
    assert initial_strength(entry(**fields), SETTINGS) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("count", "days"),
    [(-3, 45.0), (0, 45.0), (1, 52.94117647), (6, 119.31607529), (60, 119.31607529)],
)
def test_each_reinforcement_lengthens_the_half_life_up_to_six(count: int, days: float) -> None:
    assert half_life_days(entry(reinforcement_count=count), SETTINGS) == pytest.approx(days)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (ago(days=45), 1.25),
        (ago(days=90), 0.625),
        (ago(days=0), 2.5),
        (ago(days=-400), 2.5),
        ("not a date", 2.5),
        ("9999-12-31T23:59:59Z", 2.5),
    ],
)
def test_strength_halves_in_a_half_life_and_invalid_dates_have_age_zero(
    clock: str, expected: float
) -> None:
    one = entry(retention_clock=clock)
    here = memory(one, last_activity_at=iso(NOW))
    assert strength(one, here, now=NOW, settings=SETTINGS) == pytest.approx(expected)


def test_the_course_falls_by_the_half_life_before_and_after_now() -> None:
    one = entry(retention_clock=ago(days=45))
    here = memory(one, last_activity_at=iso(NOW))
    points = course(one, here, now=NOW, settings=SETTINGS, ahead_days=90)
    by_day = {round((at - NOW).total_seconds() / 86400, 2): value for at, value in points}
    assert list(by_day) == sorted(by_day)
    values = [by_day[day] for day in (-45.0, -22.5, 0.0, 45.0, 90.0)]
    assert values == pytest.approx([2.5, 2.5 / 2**0.5, 1.25, 0.625, 0.3125])


def test_a_pause_is_flat_in_the_course() -> None:
    one = entry(retention_clock=ago(days=100))
    pause = DormantInterval(begin=ago(days=80), end=ago(days=40))
    here = memory(one, last_activity_at=iso(NOW), dormant_intervals=(pause,))
    points = dict(course(one, here, now=NOW, settings=SETTINGS, ahead_days=0))
    paused = [value for at, value in points.items() if 41 <= (NOW - at).days < 79]
    assert max(paused) / min(paused) < 2 ** (40 / 4 / 45)
    assert points[NOW] == pytest.approx(strength(one, here, now=NOW, settings=SETTINGS))


def test_without_a_clock_the_last_update_counts() -> None:
    one = entry(retention_clock="", updated_at=ago(days=90), created_at=ago(days=400))
    one = one.model_copy(update={"updated_at": ago(days=90)})
    assert strength(one, memory(one), now=NOW, settings=SETTINGS) == pytest.approx(0.625)


@pytest.mark.parametrize(
    ("idle_days", "age_days"),
    [(0, 100), (13, 100), (14, 100), (15, 100 - 0.75), (60, 100 - 46 * 0.75), (99, 100 - 63.75)],
)
def test_days_beyond_the_fourteenth_without_activity_count_a_quarter(
    idle_days: float, age_days: float
) -> None:
    one = entry(created_at=ago(days=100))
    here = memory(one, last_activity_at=ago(days=idle_days))
    assert ageing(here, now=NOW, settings=SETTINGS).days(one) == pytest.approx(age_days)


def test_a_pause_does_not_slow_entries_created_in_or_after_it() -> None:
    pause = DormantInterval(begin=ago(days=60), end=ago(days=20))
    here = memory(dormant_intervals=(pause,), last_activity_at=iso(NOW))
    calendar = ageing(here, now=NOW, settings=SETTINGS)
    assert calendar.days(entry(created_at=ago(days=61))) == pytest.approx(61 - 40 * 0.75)
    assert calendar.days(entry(created_at=ago(days=60))) == pytest.approx(60 - 40 * 0.75)
    assert calendar.days(entry(created_at=ago(days=59))) == pytest.approx(59)
    assert calendar.days(entry(created_at=ago(days=5))) == pytest.approx(5)


def test_overlapping_or_invalid_pauses_count_a_day_once() -> None:
    intervals = (
        DormantInterval(begin=ago(days=60), end=ago(days=40)),
        DormantInterval(begin=ago(days=50), end=ago(days=30)),
        DormantInterval(begin=ago(days=55), end=ago(days=52)),
        DormantInterval(begin=ago(days=10), end=ago(days=20)),
        DormantInterval(begin="yesterday", end=ago(days=1)),
        DormantInterval(begin=ago(days=-10), end=ago(days=-20)),
    )
    here = memory(dormant_intervals=intervals, last_activity_at=iso(NOW))
    age = ageing(here, now=NOW, settings=SETTINGS).days(entry(created_at=ago(days=100)))
    assert age == pytest.approx(100 - 30 * 0.75)


def test_a_visit_records_the_pause_and_costs_no_strength() -> None:
    one = entry(created_at=ago(days=100))
    before = memory(one, last_activity_at=ago(days=60))
    after = visit(before, now=NOW, settings=SETTINGS)
    assert after.last_activity_at == iso(NOW)
    assert after.dormant_intervals == (DormantInterval(begin=ago(days=46), end=iso(NOW)),)
    at_once = strength(one, after, now=NOW, settings=SETTINGS)
    assert at_once == pytest.approx(strength(one, before, now=NOW, settings=SETTINGS))
    hour_later = strength(one, after, now=NOW + timedelta(hours=1), settings=SETTINGS)
    assert hour_later == pytest.approx(at_once, rel=0.001)


def test_a_visit_within_two_weeks_records_no_pause() -> None:
    after = visit(memory(last_activity_at=ago(days=14)), now=NOW, settings=SETTINGS)
    assert after.dormant_intervals == ()
    assert visit(memory(), now=NOW, settings=SETTINGS).last_activity_at == iso(NOW)


def test_a_slow_clock_neither_erases_nor_creates_a_pause() -> None:
    old = NOW.replace(year=1970)
    before = memory(
        last_activity_at=ago(days=60),
        dormant_intervals=(DormantInterval(begin=ago(days=300), end=ago(days=200)),),
    )
    behind = visit(before, now=old, settings=SETTINGS)
    assert behind == before
    assert visit(behind, now=NOW, settings=SETTINGS) == visit(before, now=NOW, settings=SETTINGS)


def test_a_pause_created_by_a_fast_clock_ends_at_the_next_visit() -> None:
    ahead = visit(
        memory(last_activity_at=iso(NOW)), now=NOW + timedelta(days=3650), settings=SETTINGS
    )
    later = NOW + timedelta(days=15)
    fixed = visit(ahead, now=later, settings=SETTINGS)
    begin = iso(NOW + timedelta(days=14))
    assert fixed.dormant_intervals == (DormantInterval(begin=begin, end=iso(later)),)


days = st.floats(min_value=-50, max_value=2000, allow_nan=False)


@given(born=days, idle=days, pauses=st.lists(st.tuples(days, days), max_size=4))
@settings(max_examples=150)
def test_effective_age_is_between_a_quarter_and_all_of_the_real_age(
    born: float, idle: float, pauses: list[tuple[float, float]]
) -> None:
    intervals = tuple(DormantInterval(begin=ago(days=a), end=ago(days=b)) for a, b in pauses)
    here = memory(dormant_intervals=intervals, last_activity_at=ago(days=idle))
    age = ageing(here, now=NOW, settings=SETTINGS).days(entry(created_at=ago(days=born)))
    assert max(0.0, born) * 0.25 - 1e-6 <= age <= max(0.0, born) + 1e-6


@given(
    born=st.floats(min_value=0, max_value=1500),
    gaps=st.lists(st.floats(min_value=0.01, max_value=400), min_size=1, max_size=6),
)
@settings(max_examples=150)
def test_a_visit_costs_no_strength_and_an_hour_ages_by_an_hour(
    born: float, gaps: list[float]
) -> None:
    one = entry(created_at=ago(days=born))
    here, now = memory(one, last_activity_at=ago(days=born)), NOW
    for gap in gaps:
        now += timedelta(days=gap)
        before = strength(one, here, now=now, settings=SETTINGS)
        here = visit(here, now=now, settings=SETTINGS)
        after = strength(one, here, now=now, settings=SETTINGS)
        assert after == pytest.approx(before, rel=1e-6)
        hour = now + timedelta(hours=1)
        assert _strength(one, here, hour) >= after * 0.999


def _strength(one: MemoryEntry, here: WorkspaceMemory, now: datetime) -> float:
    return strength(one, here, now=now, settings=SETTINGS)


WEEK = 7 * 24 * 3600 * 1000


@pytest.mark.parametrize(
    ("fields", "outcome", "count", "mode"),
    [
        ({"created_at": ago(days=0)}, "unchanged", 0, "blocked"),
        ({"created_at": ago(days=7)}, "reinforced", 1, "increment"),
        ({"created_at": ago(days=30)}, "reinforced", 1, "increment"),
        (
            {"last_reinforced_at": ago(days=7), "reinforcement_count": 1},
            "reinforced",
            2,
            "increment",
        ),
        (
            {"last_reinforced_at": ago(days=7, milliseconds=-1), "reinforcement_count": 1},
            "unchanged",
            1,
            "blocked",
        ),
        (
            {"last_reinforced_at": ago(days=8), "reinforcement_count": 5},
            "reinforced",
            6,
            "increment",
        ),
        ({"last_reinforced_at": ago(days=8), "reinforcement_count": 6}, "reinforced", 6, "refresh"),
        ({"last_reinforced_at": ago(days=8), "reinforcement_count": 9}, "reinforced", 9, "refresh"),
        (
            {"last_reinforced_at": ago(seconds=-2), "reinforcement_count": 1},
            "unchanged",
            1,
            "blocked",
        ),
        (
            {"last_reinforced_at": ago(days=-300), "reinforcement_count": 1},
            "reinforced",
            2,
            "increment",
        ),
        ({"created_at": "nonsense"}, "reinforced", 1, "increment"),
    ],
)
def test_a_recurrence_counts_once_in_a_rolling_week(
    fields: dict[str, Any], outcome: str, count: int, mode: str
) -> None:
    result = reinforce(
        entry(**{"created_at": ago(days=30), **fields}), session="s2", now=NOW, settings=SETTINGS
    )
    assert (result.outcome, result.entry.reinforcement_count) == (outcome, count)
    assert result.details["reinforcementMode"] == mode
    assert result.details["requiredElapsedMs"] == WEEK


def test_a_reinforced_entry_restarts_its_age_and_records_the_session() -> None:
    one = entry(created_at=ago(days=30), last_reinforced_session="s1", reinforcement_count=1)
    result = reinforce(one, session="s1", now=NOW, settings=SETTINGS)
    assert result.entry.retention_clock == result.entry.last_reinforced_at == iso(NOW)
    assert result.details["sameSession"] is True
    assert result.details["legacyMissingTimestamp"] is True
    assert result.details["elapsedMs"] == 30 * 24 * 3600 * 1000
    assert result.entry.updated_at == one.updated_at


@given(hours=st.lists(st.floats(min_value=0.1, max_value=100), max_size=60))
@settings(max_examples=60)
def test_a_recurring_fact_is_reinforced_at_most_weekly(hours: list[float]) -> None:
    one, now = entry(created_at=iso(NOW)), NOW
    for step in hours:
        now += timedelta(hours=step)
        one = reinforce(one, session="s", now=now, settings=SETTINGS).entry
    assert one.reinforcement_count <= min(6, sum(hours) / 168 + 1e-6)


@pytest.mark.parametrize(
    ("fields", "due"),
    [
        ({"last_activity_at": ago(hours=23)}, False),
        ({"last_activity_at": ago(hours=24)}, True),
        ({"last_activity_at": ago(days=-3)}, False),
        ({}, True),
    ],
)
def test_activity_is_recorded_once_a_day_if_something_ages(
    fields: dict[str, str], due: bool
) -> None:
    assert visit_is_due(memory(entry(), **fields), now=NOW) is due
    assert visit_is_due(memory(**fields), now=NOW) is False
