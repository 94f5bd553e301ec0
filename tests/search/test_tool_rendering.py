"""How hits are rendered for a model."""

from __future__ import annotations

import pytest

from tests.domain.memory.memories import entry
from wm.api.protocol import SearchAnswer, SearchHit
from wm.search.tool_rendering import answer


@pytest.mark.parametrize(
    ("why", "about"),
    [("words ship", "decision, 2026-07-01; words ship"), ("", "decision, 2026-07-01")],
)
def test_a_hit_shows_its_reason_if_any(why: str, about: str) -> None:
    hit = SearchHit(
        entry=entry(text="We ship on Fridays.", created_at="2026-07-01T10:00:00.000Z"),
        score=1.0,
        why=why,
    )
    text, _ = answer(SearchAnswer(hits=(hit,), searched=1), 1000)
    assert f" [{about}] We ship on Fridays." in text


def test_doubts_are_shown_in_both_forms() -> None:
    doubted = entry(text="We ship on Fridays.", scope="branch:d\x1bock", suspect="changed")
    found = SearchAnswer(
        hits=(SearchHit(entry=doubted, score=1.0, why=""),), standing=(doubted,), searched=1
    )
    text, structured = answer(found, 1000)
    said = ["only on branch dock", "suspect: the code that it describes changed"]
    assert text.count(f", {', '.join(said)}] We ship") == 2
    assert structured["hits"][0]["doubts"] == structured["standing"][0]["doubts"] == said
