"""A request as sizes, identities and marks is counted like the request itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.wire.body import Body, index
from wm.wire.cachesim import PromptCache
from wm.wire.history import compare, history
from wm.wire.outline import OutlineRow, Unfolding, before, marks, modes_of, quick, sizes
from wm.wire.rows import estimate, row

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def body(*messages: Any, **more: Any) -> Body:
    value = {
        "model": "claude-opus-5-5",
        "tools": [{"name": "a", "x": "y" * 4000}, {"name": "b", "defer_loading": True}],
        "system": [text("", **MARK), text("be brief", **HOUR)],
        "messages": [
            {"role": "assistant" if number % 2 else "user", "content": content}
            for number, content in enumerate(messages)
        ],
        **more,
    }
    found = index(json.dumps(value, separators=(",", ":")).encode())
    assert found is not None
    return found


TALK = (
    [text("go " * 900, **MARK)],
    [{"type": "thinking", "thinking": "", "signature": "s"}, text("on")],
    [{"type": "tool_result", "tool_use_id": "t", "content": [text("x" * 99, **MARK)]}],
    "",
    [text("more " * 200, **MARK)],
)


def test_marks_are_given_by_position() -> None:
    assert marks(body(*TALK, **HOUR)) == ["s.0", "s.1h", "0.0", "2.0", "4.0", "*h"]
    assert marks(body("cache_control")) == ["s.0", "s.1h"]


def test_the_rows_of_a_conversation_round_trip() -> None:
    live, rebuilt, unfolding, known = PromptCache(), PromptCache(), Unfolding(), None
    for end, more in ((1, {}), (3, {}), (3, {"tool_choice": {"type": "any"}}), (5, HOUR), (3, {})):
        came = body(*TALK[:end], **more)
        now = history(came)
        change = compare(known, now)
        fresh = zip(now.lines[change.common :], came.messages[change.common :], strict=True)
        head = [] if known and not change.head_changed else _head(came)
        found = unfolding.take(
            head,
            change.common,
            [OutlineRow(line.role, line.blocks, tuple(sizes(m))) for line, m in fresh],
            len(now.lines),
            (marks(came), modes_of(came), "claude-opus-5-5"),
        )
        assert found is not None
        expected = row(came)
        assert [u.identity for u in found.units] == [u.identity for u in expected.units]
        assert [u.ttl for u in found.units] == [u.ttl for u in expected.units]
        assert found.tokens == expected.tokens
        assert rebuilt.account(found) == live.account(expected)
        known = now


def _head(came: Body) -> list[OutlineRow]:
    blocks = {"tools": came.tools, "system": came.system}
    return [
        OutlineRow(role, tuple(b.identity for b in blocks[role]), tuple(found))
        for role, found in before(came)
    ]


def test_an_incomplete_history_has_no_row_until_it_restarts() -> None:
    unfolding = Unfolding()
    head = _head(body("a"))
    one = OutlineRow("user", ("0" * 16,), (3,))
    stated = ((), "", "m")
    assert unfolding.take(head, 0, [one], 2, stated) is None
    assert unfolding.take((), 2, [one], 3, stated) is None
    assert unfolding.take((), 0, [one], 1, stated) is not None


@pytest.mark.parametrize("content", TALK)
def test_the_fast_size_of_a_compact_block_equals_the_estimate(content: Any) -> None:
    for block in body(content).messages[0].blocks:
        assert quick(block) == estimate(block)
