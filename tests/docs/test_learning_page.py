"""The examples of the page "What wm learns, and what it never does" are what the rules do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wm.domain.learning.requests import find_requests
from wm.domain.learning.stated import statements
from wm.settings import GateSettings

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "learning.md"
_ROW = re.compile(r'^\| "(.+?)" \| (.+) \|$', re.MULTILINE)
LEARNED, NEVER = (
    _ROW.findall(part) for part in PAGE.read_text("utf-8").split("## What it never learns")
)


def learned(said: str) -> list[str]:
    asked = [one.text for one in find_requests(said, GateSettings()).found]
    return asked or [one.text for one in statements(said, "Done.") if one.is_certain]


@pytest.mark.parametrize(("said", "kept"), LEARNED)
def test_what_the_page_promises_is_learned(said: str, kept: str) -> None:
    quoted = re.match(r'"(.+?)"', kept)
    found = [one.rstrip(".") for one in learned(said)]
    if quoted is not None:
        assert found == [quoted[1].rstrip(".")]
    else:
        assert len(found) == 1
        assert said.rstrip(".").endswith(found[0])


@pytest.mark.parametrize("said", [said for said, _ in NEVER])
def test_what_the_page_excludes_is_not_learned(said: str) -> None:
    assert learned(said) == []
    assert statements(said, "Done.") == ()


def test_the_page_has_examples_of_both() -> None:
    assert len(LEARNED) >= 5
    assert len(NEVER) >= 5
