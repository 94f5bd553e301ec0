"""A request as the row of blocks that the service reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.wire.block import IMAGE_TOKENS, Block
from wm.wire.body import index
from wm.wire.rows import BlockRow, estimate, row
from wm.wire.spans import ByteSpan

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def row_of(**fields: Any) -> BlockRow:
    body = index(json.dumps({"model": "claude-opus-5-5", **fields}).encode())
    assert body is not None
    return row(body)


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def test_tools_precede_the_system_prompt_and_messages() -> None:
    found = row_of(messages=[user(text("hi"))], system="be brief", tools=[{"name": "Read"}])
    assert [unit.section for unit in found.units] == ["tools", "system", "messages"]
    assert found.head == 2


def test_deferred_tools_and_empty_content_are_not_in_the_row() -> None:
    found = row_of(
        tools=[{"name": "a"}, {"name": "b", "defer_loading": True}],
        system="",
        messages=[{"role": "user", "content": "hi"}, {"role": "system", "content": ""}],
    )
    assert [unit.section for unit in found.units] == ["tools", "messages"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"messages": [user(text("a"))]}, {"messages": [user(text("a", **MARK))]}),
        ({"messages": [user(text("a"))]}, {"messages": [{"role": "user", "content": "a"}]}),
        ({"messages": [user(text("a"))]}, {"messages": [user(text("a"))], "max_tokens": 5}),
    ],
)
def test_marks_spelling_and_other_fields_are_not_content(one: Any, other: Any) -> None:
    assert (row_of(**one).chain, row_of(**one).tokens) == (
        row_of(**other).chain,
        row_of(**other).tokens,
    )


@pytest.mark.parametrize(
    ("change", "spared"),
    [
        ({"model": "claude-opus-5"}, 0),
        ({"tool_choice": {"type": "any"}}, 2),
        ({"thinking": {"type": "enabled", "budget_tokens": 9}}, 2),
        ({"system": "be long"}, 1),
        ({"tools": [{"name": "b"}]}, 0),
    ],
)
def test_a_change_keeps_the_prefix_before_it(change: dict[str, Any], spared: int) -> None:
    plain: dict[str, Any] = {
        "tools": [{"name": "a"}],
        "system": "be brief",
        "messages": [user(text("hi"))],
    }
    one, other = row_of(**plain).chain, row_of(**{**plain, **change}).chain
    same = [a == b for a, b in zip(one, other, strict=True)]
    assert same == [True] * spared + [False] * (3 - spared)


@pytest.mark.parametrize(
    ("fields", "marks"),
    [
        ({"messages": [user(text("a", **MARK), text("b"))]}, ["5m", ""]),
        ({"messages": [user(text("a", **HOUR))]}, ["1h"]),
        ({"messages": [user(text("a"), text("b"))], **MARK}, ["", "5m"]),
        ({"messages": [user({"type": "tool_result", "content": [text("a", **MARK)]})]}, ["5m"]),
        ({"messages": [user({"type": "tool_use", "input": MARK})]}, [""]),
    ],
)
def test_marks_are_found_where_they_count(fields: dict[str, Any], marks: list[str]) -> None:
    assert [unit.ttl for unit in row_of(**fields).units] == marks


def test_a_row_built_incrementally_equals_a_full_build() -> None:
    head = {"model": "claude-opus-5-5", "system": "be brief", "tools": [{"name": "a"}]}
    messages: list[dict[str, Any]] = []
    body, found = None, None
    for turn in range(6):
        messages.append(user(text(f"question {turn}" * 9)))
        if turn == 4:
            messages[0] = user(text("changed"))
        raw = json.dumps({**head, "messages": messages}).encode()
        body = index(raw, body)
        fresh = index(raw)
        assert body is not None
        assert fresh is not None
        found = row(body, found)
        assert found == row(fresh)
        messages.append({"role": "assistant", "content": [text("answer")]})


def test_an_image_counts_as_an_image_not_as_its_characters() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 400_000}}
    for value in (image, {"type": "tool_result", "content": [image]}):
        raw = json.dumps(value).encode()
        assert IMAGE_TOKENS < estimate(Block(ByteSpan(0, len(raw)), raw)) < IMAGE_TOKENS + 30


def test_unreadable_content_counts_as_its_bytes() -> None:
    assert estimate(Block(ByteSpan(0, 8), b'"{]]{{{"')) == 2
