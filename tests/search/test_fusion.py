"""How words and vectors share a question (RC-1)."""

from __future__ import annotations

import pytest

from wm.search.documents import SearchDocument
from wm.search.fusion import share
from wm.search.index import SearchIndex
from wm.search.query import taken_apart
from wm.settings import RecallSettings

SETTINGS = RecallSettings(proper_even=0.6, name_lexical=0.3, sentence_words=2)


@pytest.mark.parametrize(
    ("names", "whole", "words", "proper", "part"),
    [
        (0.0, 0.85, 5, False, 0.85),
        (0.0, 0.85, 5, True, 0.64),
        (0.0, 0.65, 5, True, 0.56),
        (0.0, 0.65, 2, False, 0.65),
        (0.0, 0.65, 1, False, 0.325),
        (1.0, 0.65, 5, False, 0.35),
        (1.0, 0.2, 5, False, 0.0),
        (0.0, 1.5, 5, False, 1.0),
    ],
)
def test_names_are_matched_by_words(
    names: float, whole: float, words: int, proper: bool, part: float
) -> None:
    assert share(names, whole, SETTINGS, words=words, proper=proper) == pytest.approx(part)


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
    assert taken_apart(query).proper == proper


def test_a_long_pasted_text_is_found_by_words() -> None:
    pasted = "The sweeper frees a hold. " + " ".join(f"word{n}x" for n in range(30))
    texts = ("The sweeper frees a hold.", "Prices are stored in cents.", "Tabs, not spaces.")
    index = SearchIndex((SearchDocument(id=t[:7], text=t) for t in texts), RecallSettings())
    assert [hit.id for hit in index.search(pasted, 3)] == ["The swe"]
