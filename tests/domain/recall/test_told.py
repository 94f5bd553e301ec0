"""How hits are told to a model."""

from __future__ import annotations

import pytest

from tests.domain.workspace.memories import entry
from wm.domain.recall.told import answer
from wm.formats.protocol import SearchAnswer, SearchHit


@pytest.mark.parametrize(
    ("why", "about"),
    [("words ship", "decision, 2026-07-01; words ship"), ("", "decision, 2026-07-01")],
)
def test_a_hit_says_why_where_there_is_a_reason(why: str, about: str) -> None:
    hit = SearchHit(
        entry=entry(text="We ship on Fridays.", created_at="2026-07-01T10:00:00.000Z"),
        score=1.0,
        why=why,
    )
    text, _ = answer(SearchAnswer(hits=(hit,), searched=1), 1000)
    assert f" [{about}] We ship on Fridays." in text
