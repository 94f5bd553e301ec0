"""How many hits a search gives (RC-1)."""

from __future__ import annotations

import dataclasses

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
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
