"""Filters that a model writes as one text (IF-4)."""

from __future__ import annotations

import pytest

from wm.errors import UserError
from wm.search.filter_syntax import NAMES, parse


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("   ", {}),
        ("type:decision", {"type": "decision"}),
        ('since:"last week" scope:branch:main', {"since": "last week", "scope": "branch:main"}),
        ("path:'my docs/a.md'\ttag:db", {"path": "my docs/a.md", "tag": "db"}),
        ("until:2026-11-01T14:30Z", {"until": "2026-11-01T14:30Z"}),
    ],
)
def test_each_key_is_a_filter(text: str, found: dict[str, str]) -> None:
    assert parse(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("decision", "'decision', which is not a filter"),
        ("type:", "'type:', which is not a filter"),
        ("kind:decision", "'kind:decision', which is not a filter"),
        ('since:"last week', "an unclosed quote"),
        ("tag:a tag:b", "tag twice"),
    ],
)
def test_an_invalid_filter_is_refused_with_the_valid_form(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as raised:
        parse(text)
    assert raised.value.fix


def test_the_filter_names_match_the_search_request() -> None:
    from wm.api.protocol import SearchRequest

    assert set(NAMES) <= set(SearchRequest.model_fields)
