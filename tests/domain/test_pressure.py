"""Levels, rises and resets as literal numbers (PS-1, PS-3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wm.domain.pressure import (
    ContextFill,
    announced,
    count_event,
    level_at,
    observe,
    of_characters,
    of_tokens,
    replaced,
    share,
)
from wm.formats.pressure import LEVELS, LargeItem, Pressure, SeenContext
from wm.settings import PressureSettings

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SETTINGS = PressureSettings()
NEW = Pressure(session_id="s")


def tokens(used: int, limit: int = 1000, model: str = "") -> ContextFill:
    return ContextFill(used, limit, "tokens", "opencode", model)


def after(*used: int, begin: Pressure = NEW) -> Pressure:
    """The document after these shares of 1000 tokens, everything announced at once."""
    pressure = begin
    for one in used:
        pressure = announced(observe(pressure, tokens(one), now=NOW, settings=SETTINGS), now=NOW)
    return pressure


@pytest.mark.parametrize(
    ("used", "limit", "percentage", "level"),
    [
        (0, 1000, 0.0, "safe"),
        (699, 1000, 69.9, "safe"),
        (69_999, 100_000, 69.9, "safe"),
        (700, 1000, 70.0, "moderate"),
        (849, 1000, 84.9, "moderate"),
        (850, 1000, 85.0, "high"),
        (949_999, 1_000_000, 94.9, "high"),
        (950, 1000, 95.0, "critical"),
        (1000, 1000, 100.0, "critical"),
        (2500, 1000, 250.0, "critical"),
        (5000, 0, 0.0, "safe"),
        (5000, -1, 0.0, "safe"),
        (-5, 1000, 0.0, "safe"),
        (153_000, 180_000, 85.0, "high"),
    ],
)
def test_a_share_has_a_level(used: int, limit: int, percentage: float, level: str) -> None:
    assert share(used, limit) == percentage
    assert level_at(share(used, limit), SETTINGS) == level


@pytest.mark.parametrize(
    ("used", "limit", "model", "before", "expected"),
    [
        (500, 1000, "m", None, (500, 1000)),
        (500, 0, "m", None, (500, 200_000)),
        (500, -1, "m", None, (500, 200_000)),
        (500, 10**12, "m", None, (500, 200_000)),
        (
            500,
            0,
            "m",
            NEW.model_copy(update={"basis": "tokens", "limit": 900, "model": "m"}),
            (500, 900),
        ),
        (
            500,
            0,
            "",
            NEW.model_copy(update={"basis": "tokens", "limit": 900, "model": "m"}),
            (500, 900),
        ),
        (
            500,
            0,
            "n",
            NEW.model_copy(update={"basis": "tokens", "limit": 900, "model": "m"}),
            (500, 200_000),
        ),
        (500, 0, "m", NEW.model_copy(update={"basis": "characters", "limit": 900}), (500, 200_000)),
        (0, 1000, "m", None, None),
        (-1, 1000, "m", None, None),
        (10**12, 1000, "m", None, None),
        (970, 1000, "m", NEW.model_copy(update={"stale": 970}), None),
        (971, 1000, "m", NEW.model_copy(update={"stale": 970}), (971, 1000)),
    ],
)
def test_a_report_becomes_a_measure(
    used: int, limit: int, model: str, before: Pressure | None, expected: tuple[int, int] | None
) -> None:
    measure = of_tokens(before, used, limit, SETTINGS, source="opencode", model=model)
    assert (measure and (measure.used, measure.limit)) == expected


@pytest.mark.parametrize(
    ("shares", "warnings", "interventions", "level"),
    [
        ((100,), 0, 0, "safe"),
        ((700,), 1, 0, "moderate"),
        ((700, 750, 800), 1, 0, "moderate"),
        ((700, 850), 2, 0, "high"),
        ((850,), 1, 0, "high"),
        ((700, 850, 950), 2, 1, "critical"),
        ((990,), 0, 1, "critical"),
        ((950, 960, 990, 1000), 0, 1, "critical"),
        ((950, 949, 950, 941, 955), 0, 1, "critical"),
        ((950, 900, 955), 0, 2, "critical"),
        ((950, 890, 900, 955), 0, 2, "critical"),
        ((950, 300, 950), 0, 2, "critical"),
        ((950, 300, 700, 850, 950), 2, 2, "critical"),
        ((700, 690, 700, 651, 700), 1, 0, "moderate"),
        ((700, 650, 700), 2, 0, "moderate"),
    ],
)
def test_a_level_is_reported_once_per_rise(
    shares: Sequence[int], warnings: int, interventions: int, level: str
) -> None:
    end = after(*shares)
    assert (end.warnings_sent, end.interventions_sent, end.level) == (
        warnings,
        interventions,
        level,
    )


def test_a_pending_report_is_replaced_by_a_higher_level() -> None:
    high = observe(NEW, tokens(900), now=NOW, settings=SETTINGS)
    critical = observe(high, tokens(960), now=NOW, settings=SETTINGS)
    end = announced(critical, now=NOW)
    assert (high.waiting, critical.waiting, end.waiting) == ("high", "critical", "")
    assert (end.warnings_sent, end.interventions_sent) == (0, 1)


def test_a_pending_report_is_dropped_when_the_level_falls() -> None:
    critical = observe(NEW, tokens(960), now=NOW, settings=SETTINGS)
    calm = observe(critical, tokens(100), now=NOW, settings=SETTINGS)
    assert (calm.waiting, announced(calm, now=NOW)) == ("", calm)


def test_a_larger_window_lowers_the_level_and_a_smaller_one_raises_it() -> None:
    full = after(960)
    large = observe(full, tokens(960, 5000, "large"), now=NOW, settings=SETTINGS)
    small = observe(large, tokens(960, 1000, "small"), now=NOW, settings=SETTINGS)
    assert (large.level, large.percentage, large.waiting) == ("safe", 19.2, "")
    assert (small.level, small.waiting) == ("critical", "critical")


def test_a_compaction_ends_the_rise_and_keeps_the_counts() -> None:
    full = after(700, 850, 950)
    fresh = replaced(full, SeenContext(chars=9000), now=NOW, settings=SETTINGS)
    assert (fresh.level, fresh.percentage, fresh.basis, fresh.used) == (
        "safe",
        5.0,
        "characters",
        9000,
    )
    assert (fresh.reported, fresh.waiting, fresh.stale) == ("", "", 950)
    assert (fresh.warnings_sent, fresh.interventions_sent) == (2, 1)
    again = after(700, 850, 951, begin=fresh)
    assert (again.warnings_sent, again.interventions_sent, again.stale) == (4, 2, 0)


def test_a_too_long_summary_raises_the_level_at_once() -> None:
    fresh = replaced(after(950), SeenContext(chars=175_000), now=NOW, settings=SETTINGS)
    assert (fresh.level, fresh.waiting) == ("critical", "critical")


def test_without_token_counts_characters_are_used() -> None:
    measure = of_characters(SeenContext(chars=171_000), SETTINGS)
    pressure = observe(NEW, measure, now=NOW, settings=SETTINGS)
    assert (pressure.level, pressure.basis, pressure.limit) == ("critical", "characters", 180_000)


def test_without_a_character_limit_no_level_is_computed() -> None:
    measure = of_characters(SeenContext(chars=171_000), PressureSettings(limit_chars=-3))
    pressure = observe(NEW, measure, now=NOW, settings=SETTINGS)
    assert (pressure.level, pressure.percentage, pressure.limit) == ("safe", 0.0, 0)


def test_a_measure_within_the_same_percent_changes_nothing() -> None:
    first = observe(NEW, tokens(500), now=NOW, settings=SETTINGS)
    assert observe(first, tokens(509), now=NOW, settings=SETTINGS) is first
    assert observe(first, tokens(510), now=NOW, settings=SETTINGS) is not first


def test_an_unknown_level_does_not_stop_reports() -> None:
    strange = NEW.model_copy(update={"level": "volcanic", "reported": "volcanic"})
    assert observe(strange, tokens(960), now=NOW, settings=SETTINGS).waiting == "critical"


def item(what: str, chars: int) -> LargeItem:
    return LargeItem(what=what, chars=chars)


def test_the_largest_items_are_kept() -> None:
    seen = SeenContext()
    for number in range(1, 21):
        one = item(f"bash {number}", 1000 * number)
        seen = count_event(seen, chars=one.chars, item=one, settings=SETTINGS)
    assert seen.chars == 210_000
    assert [i.what for i in seen.largest] == [f"bash {n}" for n in range(20, 12, -1)]


def test_a_small_item_is_counted_and_not_named() -> None:
    seen = count_event(SeenContext(), chars=1999, item=item("read a.py", 1999), settings=SETTINGS)
    assert seen == SeenContext(chars=1999)
    assert count_event(seen, chars=0, item=None, settings=SETTINGS) is seen


LIMIT = 1000
USED = st.integers(min_value=-50, max_value=1500)


@given(st.lists(st.one_of(USED, st.none()), max_size=60))
def test_interventions_are_counted_exactly_once_per_rise(steps: list[int | None]) -> None:
    """None is a compaction. The reference knows two things only: whether the rise was announced,
    and how far the share fell since."""
    pressure, expected, armed = NEW, 0, True
    for used in steps:
        if used is None:
            pressure = replaced(pressure, SeenContext(), now=NOW, settings=SETTINGS)
            armed = True
            continue
        armed = armed or used <= 900
        if armed and used >= 950:
            expected, armed = expected + 1, False
        pressure = announced(observe(pressure, tokens(used), now=NOW, settings=SETTINGS), now=NOW)
        assert pressure.interventions_sent == expected
        assert not pressure.waiting


@given(
    st.integers(min_value=-(10**18), max_value=10**18),
    st.integers(min_value=-(10**18), max_value=10**18),
    st.sampled_from(("", "a", "b")),
)
def test_any_report_gives_a_finite_share(used: int, limit: int, model: str) -> None:
    before = after(400)
    measure = of_tokens(before, used, limit, SETTINGS, source="statusline", model=model)
    if measure is None:
        return
    pressure = observe(before, measure, now=NOW, settings=SETTINGS)
    assert math.isfinite(pressure.percentage)
    assert pressure.percentage >= 0
    assert pressure.limit > 0
    assert pressure.level in LEVELS
    assert observe(pressure, measure, now=NOW, settings=SETTINGS) is pressure


@given(USED, USED)
def test_more_tokens_never_mean_a_lower_level(one: int, other: int) -> None:
    low, high = sorted((one, other))
    levels = [LEVELS.index(level_at(share(n, LIMIT), SETTINGS)) for n in (low, high)]
    assert levels == sorted(levels)
