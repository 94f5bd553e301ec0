"""What holds for a moment: a hit in it, a new look behind it, before it, and where it is full."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wm.ops.cache import Brief

NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)


def looked_up(kept: Brief, key: str, after_s: float = 0.0) -> bool:
    looks: list[str] = []
    kept.get(key, NOW + timedelta(seconds=after_s), lambda: looks.append(key))
    return bool(looks)


def test_a_value_is_kept_for_its_time_and_no_longer() -> None:
    kept = Brief(0.25)
    asked = [0.0, 0.1, 0.249, 0.25, 0.3]
    assert [looked_up(kept, "a", at) for at in asked] == [True, False, False, True, False]


def test_a_clock_that_was_set_back_makes_no_value_last() -> None:
    kept = Brief(0.25)
    assert [looked_up(kept, "a", at) for at in (0.0, -60.0, 0.0)] == [True, True, True]


def test_the_oldest_leaves_where_there_are_too_many() -> None:
    kept = Brief(60.0, size=2)
    assert [looked_up(kept, key) for key in ("a", "b", "c")] == [True, True, True]
    assert [looked_up(kept, key, 1.0) for key in ("c", "b", "a")] == [False, False, True]


def test_what_failed_is_not_kept() -> None:
    kept = Brief(60.0)
    for _ in range(2):
        try:
            kept.get("a", NOW, lambda: 1 // 0)
        except ZeroDivisionError:
            continue
    assert looked_up(kept, "a")
