"""A number with its noun."""

from __future__ import annotations

import pytest

from wm.domain.counts import counted, dollars


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


@pytest.mark.parametrize(
    ("per_million", "said"),
    [
        (2_500_000, "$2.50"),
        (-2_500_000, "-$2.50"),
        (1234.0, "$0.0012"),
        (-1234.0, "-$0.0012"),
        (1_234_000_000, "$1,234.00"),
    ],
)
def test_a_loss_has_its_sign_before_the_currency(per_million: float, said: str) -> None:
    assert dollars(per_million) == said
