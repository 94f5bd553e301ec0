"""A number with its noun."""

from __future__ import annotations

import pytest

from wm.domain.counts import counted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((1, "line"), "1 line"),
        ((0, "line"), "0 lines"),
        ((1200, "line"), "1,200 lines"),
        ((1, "entry", "entries"), "1 entry"),
        ((2, "entry", "entries"), "2 entries"),
        ((1.0, "day"), "1 day"),
        ((1.5, "day"), "1.5 days"),
        ((12345.0, "day"), "12,345 days"),
    ],
)
def test_a_number_agrees_with_its_noun(words: tuple[int, str], said: str) -> None:
    assert counted(*words) == said
