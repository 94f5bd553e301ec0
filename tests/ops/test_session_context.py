"""What fills a proxied context, and what its requests cost, from the flows of a proxy (UI-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.ops.conftest import Bench
from wm.api.context import ContextPart
from wm.errors import NotFound
from wm.store.paths import sid

OPUS = "claude-opus-4-6"
HEAD = [
    {"role": "tools", "blocks": ["1" * 16], "sizes": [900]},
    {"role": "system", "blocks": ["2" * 16], "sizes": [600]},
]


def line(role: str, name: str, size: int) -> Mapping[str, Any]:
    return {"role": role, "blocks": [name * 16], "sizes": [size]}


def passed(bench: Bench, *lines: Mapping[str, Any], common: int = 0, **note: Any) -> None:
    fields = {
        "call": "main",
        "model": OPUS,
        "status": 200,
        "messages": common + len(lines),
        "common": common,
        "lines": lines,
        "before": [] if common else HEAD,
        "marks": ["s.0"],
        **note,
    }
    bench.call("finish_request", session_id="s-1", note=fields)


def test_the_parts_are_those_of_the_newest_main_request(bench: Bench) -> None:
    passed(bench, line("user", "a", 300), usage={"cacheWrite5m": 1500, "input": 300, "output": 40})
    more = (line("assistant", "b", 40), line("user", "c", 700))
    passed(bench, *more, common=1, usage={"cacheRead": 1500, "input": 1040, "output": 60})
    passed(bench, line("user", "d", 9000), call="title", usage={"input": 9000})
    found = bench.call("session_context", session_id="s-1")
    assert found.parts == (
        ContextPart(kind="tools", blocks=1, tokens=900),
        ContextPart(kind="system", blocks=1, tokens=600),
        ContextPart(kind="user", blocks=2, tokens=1000, new=700),
        ContextPart(kind="assistant", blocks=1, tokens=40, new=40),
    )
    assert (found.usage.tokens, found.requests) == (2600, 3)
    assert found.session == sid("s-1")


def test_the_bill_is_that_of_the_service_with_and_without_its_cache(bench: Bench) -> None:
    # Opus 4.6: 5 dollars a million tokens read, 25 written; a cached token costs a tenth.
    passed(bench, line("user", "a", 300), usage={"cacheRead": 1_000_000, "output": 100_000})
    passed(bench, line("user", "a", 300), common=1, usage={"input": 200_000}, status=529)
    found = bench.call("session_context", session_id="s-1", limit=1)
    assert (found.bill, found.uncached) == pytest.approx((0.5 + 2.5 + 1.0, 5.0 + 2.5 + 1.0))
    assert [one.failed for one in found.exchanges] == [True]
    assert (found.tokens.prompt, found.tokens.cache_read) == (1_200_000, 1_000_000)


def test_a_model_without_a_price_is_named_and_in_no_bill(bench: Bench) -> None:
    passed(bench, line("user", "a", 300), model="own-model", usage={"input": 1000})
    found = bench.call("session_context", session_id=sid("s-1"))
    assert (found.bill, found.unpriced) == (0.0, ("own-model",))


def test_a_request_that_the_log_does_not_hold_whole_has_no_parts(bench: Bench) -> None:
    passed(bench, line("user", "a", 300), common=7, usage={"input": 1000})
    assert bench.call("session_context", session_id="s-1").parts == ()


def test_a_session_without_a_proxy_is_named(bench: Bench) -> None:
    bench.event("session_started", "s-2")
    with pytest.raises(NotFound, match="s-2"):
        bench.call("session_context", session_id="s-2")
