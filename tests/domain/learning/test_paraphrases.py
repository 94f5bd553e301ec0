"""TR-3: a model's paraphrase is supported if it is honest; a distortion never is."""

from __future__ import annotations

import pytest

from tests.domain.learning.paraphrase_cases import DISTORTED, PARAPHRASES
from tests.domain.learning.test_support import UNRELATED, session

SUPPORTED = 0.81
"""Minimum share of honest paraphrases, over nine languages."""
DISTORTIONS = [*((row[1], row[3]) for row in PARAPHRASES), *((row[1], row[2]) for row in DISTORTED)]


def test_most_honest_paraphrases_are_supported() -> None:
    missed = [r for r in PARAPHRASES if session(r[1], UNRELATED).judge(r[2]).tainted]
    assert len(missed) <= (1 - SUPPORTED) * len(PARAPHRASES), missed


@pytest.mark.parametrize(("said", "proposed"), DISTORTIONS)
def test_a_distortion_is_not_supported(said: str, proposed: str) -> None:
    assert session(said).judge(proposed).tainted
    assert session(said, UNRELATED).judge(proposed).tainted


def test_there_are_cases_of_each_language() -> None:
    assert len(DISTORTIONS) >= 100
    assert len(PARAPHRASES) >= 100
    assert len({row[0] for row in PARAPHRASES}) == 9
