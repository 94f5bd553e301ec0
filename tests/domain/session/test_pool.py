"""The pool's score, its floor and its cap, in literal numbers (CB-3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from wm.domain.session import pool
from wm.formats.working_memory import PoolItem
from wm.settings import WorkingSettings

SETTINGS = WorkingSettings()


def path(name: str, event: int) -> PoolItem:
    return PoolItem(text=name, kind="path", event=event)


def met(*meetings: tuple[str, int], settings: WorkingSettings = SETTINGS) -> pool.Pool:
    """The pool after each path was met at its event, in order."""
    items: pool.Pool = ()
    for name, event in meetings:
        items = pool.add(items, [path(name, event)], settings)
    return items


SCORES = [
    # events at which one path was met, event now, score
    ((10,), 10, 1.0),
    ((10,), 11, 0.85),
    ((10,), 14, 0.52200625),
    ((10,), 38, 0.010562),
    ((10,), 39, 0.008977),
    ((10, 12), 12, 1.7225),
    ((10, 12), 13, 1.464125),
    ((10, 11, 12), 12, 2.5725),
    ((10, 11, 12), 20, 0.700982),
    ((10, 10, 10), 10, 1.0),
    (tuple(range(1, 101)), 100, 6.666666),
    (tuple(range(1, 101)), 140, 0.010015),
    (tuple(range(1, 101)), 141, 0.008513),
    ((10,), 5, 1.0),
]


@pytest.mark.parametrize(("events", "now", "score"), SCORES)
def test_age_and_mentions_of_an_item_decay_alike(
    events: tuple[int, ...], now: int, score: float
) -> None:
    (item,) = met(*(("a.py", event) for event in events))
    assert pool.score(item, now, SETTINGS) == pytest.approx(score, abs=1e-6)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=20, unique=True), st.integers(0, 40))
def test_the_kept_weight_is_the_sum_over_all_mentions(events: list[int], later: int) -> None:
    first, *again = sorted(events)
    now = max(events) + later
    (item,) = met(*(("a.py", event) for event in sorted(events)))
    expected = 0.85 ** (now - first) + sum(0.85 ** (now - event) for event in again)
    assert pool.score(item, now, SETTINGS) == pytest.approx(expected)


def test_items_below_the_floor_are_removed_at_the_next_update() -> None:
    items = met(("old.py", 1), ("new.py", 29))
    assert [i.text for i in items] == ["old.py", "new.py"]  # 0.85^28 = 0.0106
    assert [i.text for i in met(("old.py", 1), ("new.py", 30))] == ["new.py"]  # 0.0090
    assert [i.text for i in pool.best(items, 30, SETTINGS)] == ["new.py"]


def test_the_fifty_first_item_replaces_the_lowest() -> None:
    items = met(*((f"{number:02}.py", 1) for number in range(50)))
    items = pool.add(items, [path("07.py", 2)], SETTINGS)
    items = pool.add(items, [path("new.py", 3)], SETTINGS)
    assert len(items) == 50
    names = {item.text for item in items}
    assert {"new.py", "07.py"} <= names
    # All others score the same and came at the same event: the last of them in order left.
    assert len({f"{n:02}.py" for n in range(50)} - names) == 1


def test_of_equal_scores_the_older_is_removed() -> None:
    two = replace(SETTINGS, pool_items=2, pool_rate=1.0)
    items = met(("old.py", 1), ("young.py", 2), ("new.py", 3), settings=two)
    assert [item.text for item in items] == ["young.py", "new.py"]


def test_a_new_item_is_always_added() -> None:
    three = replace(SETTINGS, pool_items=3)
    items: pool.Pool = ()
    for event in range(1, 30):
        items = pool.add(items, [path(f"{name}.py", event) for name in "abc"], three)
    assert min(pool.score(item, 29, three) for item in items) > 6.0
    items = pool.add(items, [path("new.py", 30)], three)
    assert "new.py" in {item.text for item in items}
    assert len(items) == 3


def test_a_former_favourite_ranks_behind_current_items() -> None:
    favourite = [("favourite.py", event) for event in range(1, 41)]
    others = [(f"{event}.py", event) for event in range(41, 56)]
    items = met(*favourite, *others)
    order = [item.text for item in pool.best(items, 55, SETTINGS)]
    # 6.657 * 0.85^15 = 0.5815: between what was met 3 and 4 events ago.
    assert order.index("favourite.py") == 4
    items = met(*favourite, *((f"{event}.py", event) for event in range(41, 81)))
    assert "favourite.py" in {item.text for item in items}  # 6.657 * 0.85^40 = 0.0100
    items = met(*favourite, *((f"{event}.py", event) for event in range(41, 83)))
    assert "favourite.py" not in {item.text for item in items}


def test_rate_floor_and_cap_are_settings() -> None:
    slow = replace(SETTINGS, pool_rate=0.5, pool_floor=0.2, pool_items=2)
    (item,) = met(("a.py", 1), settings=slow)
    assert pool.score(item, 3, slow) == 0.25
    assert pool.best((item,), 4, slow) == ()
    assert len(met(("a.py", 1), ("b.py", 1), ("c.py", 1), settings=slow)) == 2


def test_a_note_matches_other_spellings_and_a_path_only_exactly() -> None:
    items = pool.add((), [PoolItem(text="Ports start at 9000.", event=1)], SETTINGS)
    items = pool.add(items, [PoolItem(text="ports start at 9000", event=2)], SETTINGS)
    items = pool.add(items, [path("a.ts", 3), path("a.tsx", 3)], SETTINGS)
    assert [(i.text, i.mentions) for i in items] == [
        ("Ports start at 9000.", 1),
        ("a.ts", 0),
        ("a.tsx", 0),
    ]
    assert [i.text for i in pool.without(items, "PORTS start at 9000")] == ["a.ts", "a.tsx"]


def test_an_empty_update_changes_nothing() -> None:
    items = met(("a.py", 1))
    assert pool.add(items, [], SETTINGS) is items


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), min_size=1, max_size=60),
    st.integers(1, 6),
)
def test_current_items_are_always_present_within_the_cap(events: list[list[int]], cap: int) -> None:
    few = replace(SETTINGS, pool_items=cap)
    items: pool.Pool = ()
    for event, names in enumerate(events, 1):
        items = pool.add(items, [path(f"{name}.py", event) for name in names], few)
        kept = {item.text for item in items}
        assert len(items) == len(kept) <= cap
        newest = {f"{name}.py" for name in names}
        assert len(newest & kept) == min(cap, len(newest))
        assert all(pool.score(item, event, few) >= few.pool_floor for item in items)
