"""The page of the evidence log names the words that are written."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from tests.docs.pages import ROOT
from wm.formats.evidence import Outcome, Phase

PAGE = (ROOT / "docs/formats/evidence.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("field", "words"), [("phase", get_args(Phase)), ("outcome", get_args(Outcome))]
)
def test_the_page_lists_the_words_of_a_field(field: str, words: tuple[str, ...]) -> None:
    row = re.search(rf"^\| `{field}` \| word \| (.+) \|$", PAGE, re.MULTILINE)
    assert row is not None
    assert tuple(re.findall(r"`(\w+)`", row.group(1))) == words
