"""How many hits a search gives (RC-1)."""

from __future__ import annotations

import dataclasses

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
from wm.errors import UserError
from wm.settings import RecallSettings


@pytest.mark.parametrize(("asked", "hits"), [({}, 2), ({"limit": 1}, 1), ({"limit": 3}, 3)])
def test_a_search_gives_as_many_hits_as_asked_or_as_the_settings_say(
    bench: Bench, asked: dict[str, int], hits: int
) -> None:
    bench.settings = dataclasses.replace(bench.settings, recall=RecallSettings(max_hits=2))
    bench.__post_init__()
    for text in (SHIP, CENTS, QUEUE):
        bench.remember(f"{text} This is about the shop.")
        bench.later()
    assert len(bench.call("search", query="shop", **asked).hits) == hits


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, 2),
        ({"since": "36h"}, 1),
        ({"until": "36h"}, 1),
        ({"since": "2 weeks", "until": "yesterday"}, 1),
        ({"type": "decision"}, 0),
        ({"tag": "release"}, 0),
        ({"path": "src"}, 0),
        ({"scope": "workspace"}, 2),
        ({"scope": "branch:x"}, 0),
        ({"origin": "tool"}, 0),
        ({"session": "nobody"}, 0),
    ],
)
def test_a_search_is_narrowed_by_what_an_entry_is(
    bench: Bench, asked: dict[str, str], found: int
) -> None:
    bench.remember("The shop counts prices in cents.")
    bench.later(days=3)
    bench.remember("The shop ships from the harbour.")
    assert len(bench.call("search", query="shop", **asked).hits) == found


def test_a_time_that_is_none_is_refused_with_what_to_write(bench: Bench) -> None:
    with pytest.raises(UserError, match="`since` is 'soon'") as told:
        bench.call("search", query="shop", since="soon")
    assert "2w" in told.value.fix
