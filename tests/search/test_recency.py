"""RC-1: the newest statement of a value ranks first, and nothing else moves."""

from __future__ import annotations

import numpy as np
import pytest

from wm.search.recency import DatedHit, newest_first
from wm.settings import RecallSettings

SETTINGS = RecallSettings(same_floor=0.6, fresh_reach=0.5)


def said(score: float, day: int, *, spoken: bool = True, changes: bool = True) -> DatedHit:
    return DatedHit(score, (f"2026-01-{day:02}" if day else "", day), spoken, changes)


def order(statements: list[DatedHit], alike: dict[tuple[int, int], float]) -> list[int]:
    mutual = np.zeros((len(statements), len(statements)), np.float32)
    for (one, other), likeness in alike.items():
        mutual[one, other] = mutual[other, one] = likeness
    return newest_first(statements, mutual, SETTINGS)


def test_a_newer_statement_passes_an_older_similar_one() -> None:
    hits = [said(3.0, 1), said(2.5, 9), said(2.0, 5)]
    assert order(hits, {}) == [0, 1, 2]
    assert order(hits, {(0, 2): 0.7}) == [2, 0, 1]
    assert order(hits, {(0, 2): 0.5}) == [0, 1, 2]


def test_several_similar_statements_are_sorted_by_time() -> None:
    hits = [said(3.0, 1), said(2.9, 3), said(2.8, 2), said(2.7, 4)]
    every = {(a, b): 0.9 for a in range(4) for b in range(a)}
    assert order(hits, every) == [3, 1, 2, 0]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (said(3.0, 5), said(2.0, 1)),
        (said(3.0, 1), said(1.0, 5)),
        (said(3.0, 1, spoken=False), said(2.0, 5)),
        (said(3.0, 0), said(2.0, 5)),
        (said(3.0, 1), said(2.0, 0)),
        (said(3.0, 1), said(2.0, 5, changes=False)),
    ],
    ids=["not newer", "far behind", "another speaker", "time unknown", "own time unknown", "adds"],
)
def test_other_hits_keep_their_place(older: DatedHit, newer: DatedHit) -> None:
    assert order([older, newer], {(0, 1): 0.65}) == [0, 1]


def test_a_newer_statement_passes_one_that_it_repeats_without_a_word_of_change() -> None:
    assert order([said(3.0, 1), said(2.0, 5, changes=False)], {(0, 1): 0.75}) == [1, 0]
