"""Generated histories through paging, some or very many."""

from __future__ import annotations

import pytest

from tests.ops.histories import HISTORIES, sessions, soak


def test_some_histories_pass_the_validator() -> None:
    assert sessions(tuple(range(12))) > 100


@pytest.mark.parametrize("seed", [47, 78, 199, 228, 240, 253, 654, 10657, 15547, 15755])
def test_a_history_that_once_failed_passes(seed: int) -> None:
    """Rewinds into what a cut removed, branches whose ledger was lost, and a request that dropped
    thinking and is not on record."""
    assert sessions((seed,)) > 20


@pytest.mark.parametrize("seed", [8349, 8682, 9206, 13866, 15395])
def test_a_shorter_history_that_once_failed_passes(seed: int) -> None:
    """Results that could not be collapsed when they were new, and another answer to a request that
    a cut changed."""
    assert sessions((seed,)) > 10


@pytest.mark.soak
def test_a_hundred_thousand_histories_pass_the_validator() -> None:
    assert soak(HISTORIES) >= HISTORIES
