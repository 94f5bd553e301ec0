"""The model of the prompt cache, by its rules and against a service that was written apart."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.clients.accounting import canonical
from tests.clients.scripts import Request
from tests.clients.upstream import Upstream
from wm.wire.block import Block
from wm.wire.body import Body, index
from wm.wire.cachesim import PromptCache, dollars, uncached
from wm.wire.prices import price_of
from wm.wire.rows import BlockRow, row
from wm.wire.usage import Usage

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def ten(_block: Block) -> int:
    """A measure for literal cases: every block has ten tokens."""
    return 10


def row_of(*texts: str, marks: dict[int, dict[str, Any]] | None = None, **fields: Any) -> BlockRow:
    """A request of one message with these texts; `marks` by number."""
    blocks = [
        {"type": "text", "text": text, **(marks or {}).get(number, {})}
        for number, text in enumerate(texts)
    ]
    message = {"role": "user", "content": blocks}
    raw = json.dumps({"model": "claude-opus-5-5", "messages": [message], **fields}).encode()
    body = index(raw)
    assert body is not None
    return row(body, measure=ten)


def usage(read: int, write: int, rest: int, hour: int = 0) -> Usage:
    return Usage(input=rest, cache_read=read, cache_write_5m=write, cache_write_1h=hour)


def test_a_prefix_is_cached_only_at_a_mark() -> None:
    cache = PromptCache(minimum=0)
    assert cache.account(row_of("a", "b", "c", marks={1: MARK})) == usage(0, 20, 10)
    assert cache.account(row_of("a", "x", marks={1: MARK})) == usage(0, 20, 0)
    assert cache.account(row_of("a", "b", "y", marks={2: MARK})) == usage(20, 10, 0)


def test_without_a_mark_nothing_is_cached_or_looked_up() -> None:
    cache = PromptCache(minimum=0)
    cache.account(row_of("a", marks={0: MARK}))
    assert cache.account(row_of("a", "b")) == usage(0, 0, 20)


@pytest.mark.parametrize(("between", "read"), [(18, 10), (19, 10), (20, 0)])
def test_a_mark_looks_back_over_twenty_blocks_itself_included(between: int, read: int) -> None:
    cache = PromptCache(minimum=0)
    cache.account(row_of("a", marks={0: MARK}))
    texts = ["a", *(f"n{number}" for number in range(between))]
    found = cache.account(row_of(*texts, marks={between: MARK}))
    assert found == usage(read, 10 * (between + 1) - read, 0)


@pytest.mark.parametrize(
    ("mark", "gap", "read"),
    [(MARK, 300.0, 10), (MARK, 300.5, 0), (HOUR, 3600.0, 10), (HOUR, 3601.0, 0)],
)
def test_an_entry_lives_for_the_time_of_its_mark(
    mark: dict[str, Any], gap: float, read: int
) -> None:
    cache = PromptCache(minimum=0)
    cache.account(row_of("a", marks={0: mark}), 0.0)
    assert cache.account(row_of("a", marks={0: mark}), gap).cache_read == read


def test_using_an_entry_keeps_it_alive() -> None:
    cache = PromptCache(minimum=0)
    found = [
        cache.account(row_of("a", marks={0: MARK}), at).cache_read for at in (0, 200, 400, 600)
    ]
    assert found == [0, 10, 10, 10]


def test_a_mark_for_an_hour_does_not_prolong_an_entry_of_five_minutes() -> None:
    cache = PromptCache(minimum=0)
    cache.account(row_of("a", "b", marks={1: MARK}), 0.0)
    assert cache.account(row_of("a", "b", marks={0: HOUR, 1: HOUR}), 10.0) == usage(20, 0, 0)
    assert cache.account(row_of("a", "b", marks={0: HOUR, 1: HOUR}), 400.0).cache_read == 0


def test_a_prefix_below_the_least_size_of_its_model_is_not_cached() -> None:
    small = row_of(*"abc", marks={2: MARK})
    assert PromptCache().account(small) == usage(0, 0, 30)
    assert PromptCache(minimum=30).account(small) == usage(0, 30, 0)
    assert PromptCache(minimum=31).account(small) == usage(0, 0, 30)


def test_writes_are_split_at_the_last_one_hour_mark() -> None:
    cache = PromptCache(minimum=0)
    both = row_of("a", "b", "c", marks={0: HOUR, 2: MARK})
    assert cache.account(both, 0.0) == usage(0, 20, 0, hour=10)
    assert cache.account(both, 400.0) == usage(10, 20, 0)


def test_a_cache_can_take_every_mark_for_another_lifetime() -> None:
    marked = row_of("a", marks={0: MARK})
    assert PromptCache(minimum=0, ttl="1h").account(marked) == usage(0, 0, 0, hour=10)


def test_another_model_has_another_cache() -> None:
    cache = PromptCache(minimum=0)
    cache.account(row_of("a", marks={0: MARK}))
    other = row_of("a", marks={0: MARK}, model="claude-opus-5")
    assert cache.account(other) == usage(0, 10, 0)


def test_a_fifth_mark_does_not_count() -> None:
    marks = dict.fromkeys(range(5), MARK)
    assert PromptCache(minimum=0).account(row_of(*"abcde", marks=marks)) == usage(0, 40, 10)


def test_a_bill_adds_up() -> None:
    found = Usage(
        input=1_000_000,
        output=100_000,
        cache_read=10_000_000,
        cache_write_5m=1_000_000,
        cache_write_1h=500_000,
    )
    price = price_of("claude-opus-5-5")
    assert dollars(found, price) == pytest.approx(4 + 2 + 2 + 5 + 4)
    assert dollars(uncached(found), price) == pytest.approx(12.5 * 4 + 2)


# --- against the scripted service ---------------------------------------------------------


def by_the_service(block: Block) -> int:
    """The tokenizer of the scripted service."""
    return max(1, len(canonical(block.value)) // 4)


def a_conversation(seed: int) -> list[dict[str, Any]]:
    """The requests of a client that appends, marks as clients do, retries, rewinds, forks, changes
    its model, its tools and the spelling of what it sent before."""
    dice = random.Random(seed)
    tools = [{"name": f"tool{number}", "description": "x" * 40} for number in range(3)]
    messages: list[dict[str, Any]] = []
    requests: list[dict[str, Any]] = []
    model = "claude-opus-5-5"
    for turn in range(25):
        match dice.randrange(12):
            case 0 if len(messages) > 4:
                messages = messages[: 2 * dice.randrange(1, len(messages) // 2)]
            case 1:
                model = dice.choice(["claude-opus-5-5", "claude-sonnet-4-5"])
            case 2:
                tools = [*tools, {"name": f"late{turn}", "defer_loading": dice.random() < 0.5}]
        messages = [*messages, _said("user", f"{seed} {turn} " * dice.randrange(1, 60), dice)]
        body = {"model": model, "max_tokens": 9, "tools": tools, "system": "be brief " * 30}
        requests.append(_marked({**body, "messages": messages}, dice))
        messages = [*messages, _said("assistant", "done " * dice.randrange(1, 30), dice)]
    return requests


def _said(role: str, words: str, dice: random.Random) -> dict[str, Any]:
    parts = [{"type": "text", "text": words + str(part)} for part in range(dice.randrange(1, 9))]
    return {"role": role, "content": parts}


def _marked(body: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """The request with up to four marks, and its old messages in either spelling."""
    new: dict[str, Any] = json.loads(json.dumps(body))
    if dice.random() < 0.7:
        new["system"] = [{"type": "text", "text": new["system"], **MARK}]
    for message in new["messages"][-2:]:
        if dice.random() < 0.8:
            message["content"][-1].update(MARK)
    for message in new["messages"][:-2]:
        if len(message["content"]) == 1 and dice.random() < 0.5:
            message["content"] = message["content"][0]["text"]
    if dice.random() < 0.2:
        new.update(MARK)
    if dice.random() < 0.1:
        new["tool_choice"] = {"type": "any"}
    return new


@pytest.mark.parametrize("seed", range(8))
def test_reads_and_writes_match_the_scripted_service(seed: int) -> None:
    upstream = Upstream()
    cache = PromptCache(minimum=0)
    before: tuple[Body, BlockRow] | None = None
    for body in a_conversation(seed):
        upstream.decide(Request("POST", "/v1/messages", {}, body))
        reported = upstream.exchanges[-1].usage
        assert reported is not None, upstream.refused
        indexed = index(json.dumps(body).encode(), before[0] if before else None)
        assert indexed is not None
        found = row(indexed, before[1] if before else None, by_the_service)
        counted = cache.account(found)
        before = indexed, found
        assert (counted.cache_read, counted.cache_write_5m, counted.input) == (
            reported.cache_read,
            reported.cache_creation,
            reported.input_tokens,
        )
