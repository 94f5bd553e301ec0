"""How words and vectors share a question (RC-1)."""

from __future__ import annotations

import numpy as np
import pytest

from wm.search.documents import SearchDocument
from wm.search.fusion import around, neighbours, share, standard
from wm.search.index import SearchIndex
from wm.search.query import parse
from wm.settings import RecallSettings

SETTINGS = RecallSettings(name_share=0.3)


@pytest.mark.parametrize(
    ("query", "whole", "part"),
    [
        ("when is the harbour gate painted", 0.85, 0.85),
        ("harbour", 0.65, 0.65),
        ("harbour_gate", 0.65, 0.35),
        ("why harbour_gate", 0.65, 0.35),
        ("paint harbour_gate", 0.65, 0.5),
        ("who paints for Caroline", 0.65, 0.5),
        ("harbour_gate", 0.2, 0.0),
    ],
)
def test_names_are_matched_by_words(query: str, whole: float, part: float) -> None:
    assert share(parse(query), whole, SETTINGS) == pytest.approx(part)


def test_a_few_scores_get_the_usual_spread() -> None:
    few, many = np.array([0.0, 1.0], np.float32), np.array([0.0, 1.0] * 200, np.float32)
    assert standard(many)[1] == pytest.approx(1.0, abs=0.05)
    assert 1.0 < standard(few)[1] < 3.0
    assert standard(few[:0]).tolist() == []
    assert standard(few[:1]).tolist() == [0.0]


def test_neighbours_in_a_conversation_share_and_no_others() -> None:
    lending = neighbours(np.array([1, 1, 1, 2, -1, -1]), SETTINGS)
    scores = around(np.array([2.0, 0.0, 0.0, 0.0, -1.0, 0.0], np.float32), lending)
    part = SETTINGS.neighbour
    assert scores.tolist() == pytest.approx([2.0, 2 * part, 2 * part**2, 0.0, -1.0, 0.0])


@pytest.mark.parametrize(
    ("query", "proper"),
    [
        ("When did Caroline paint the harbour", {"Caroline"}),
        ("Caroline paints what", set()),
        ("when is the harbour open", set()),
        ("who answers for Elm Street", {"Elm", "Street"}),
    ],
)
def test_a_capitalised_word_inside_a_question_is_a_name(query: str, proper: set[str]) -> None:
    assert parse(query).names == proper


def test_a_long_pasted_text_is_found_by_words() -> None:
    pasted = "The sweeper frees a hold. " + " ".join(f"word{n}x" for n in range(30))
    texts = ("The sweeper frees a hold.", "Prices are stored in cents.", "Tabs, not spaces.")
    index = SearchIndex((SearchDocument(id=t[:7], text=t) for t in texts), RecallSettings())
    assert [hit.id for hit in index.search(pasted, 3)] == ["The swe"]
