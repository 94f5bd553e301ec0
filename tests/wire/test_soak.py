"""Histories and streams, many or very many."""

from __future__ import annotations

import pytest

from tests.wire.soak import CONVERSATIONS, chunk, soak


def test_a_few_streams_and_histories_keep_the_invariants() -> None:
    done = chunk(number=0, count=12)
    assert done["conversations"] >= 12
    assert done["streams"] > 12


@pytest.mark.soak
def test_a_hundred_thousand_histories_and_streams_keep_the_invariants() -> None:
    assert soak(CONVERSATIONS)["requests"] >= 100_000
