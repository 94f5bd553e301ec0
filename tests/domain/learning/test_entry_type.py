"""The type that a text gets from its wording (EX-1, EX-7)."""

from __future__ import annotations

import pytest

from tests.domain.learning.type_cases import CASES
from wm.domain.learning.entry_type import infer_type


@pytest.mark.parametrize(("text", "kind"), CASES)
def test_a_text_gets_the_type_of_its_wording(text: str, kind: str) -> None:
    assert infer_type(text) == kind


@pytest.mark.parametrize("text", ["", "?", "```", "x" * 5000, "\u202e"])
def test_a_text_without_a_sentence_is_about_the_project(text: str) -> None:
    assert infer_type(text) == "project"
