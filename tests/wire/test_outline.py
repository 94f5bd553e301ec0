"""A request as sizes, identities and marks is counted like the request itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from wm.formats.flow import FlowLine, FlowNote
from wm.wire.body import Body, index
from wm.wire.cachesim import PromptCache
from wm.wire.history import compare, history
from wm.wire.outline import Unfolding, before, marks, modes_of, quick, sizes
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
        head = () if known and not change.head_changed else _head(came)
        found = unfolding.take(
            FlowNote(
                before=head,
                common=change.common,
                lines=tuple(_line(line.role, line.blocks, sizes(m)) for line, m in fresh),
                messages=len(now.lines),
                marks=tuple(marks(came)),
                modes=modes_of(came),
                model="claude-opus-5-5",
            )
        )
        assert found is not None
        expected = row(came)
        assert [u.identity for u in found.units] == [u.identity for u in expected.units]
        assert [u.ttl for u in found.units] == [u.ttl for u in expected.units]
        assert found.tokens == expected.tokens
        assert rebuilt.account(found) == live.account(expected)
        known = now


def _line(role: str, blocks: Iterable[str], sizes: Iterable[int]) -> FlowLine:
    return FlowLine(role=role, blocks=tuple(blocks), sizes=tuple(sizes))


def _head(came: Body) -> tuple[FlowLine, ...]:
    blocks = {"tools": came.tools, "system": came.system}
    return tuple(
        _line(role, (b.identity for b in blocks[role]), found) for role, found in before(came)
    )


def test_an_incomplete_history_has_no_row_until_it_restarts() -> None:
    unfolding = Unfolding()
    head = _head(body("a"))
    one = FlowNote(model="m", lines=(_line("user", ("0" * 16,), (3,)),))
    missing = {"before": head, "common": 0, "messages": 2}
    assert unfolding.take(one.model_copy(update=missing)) is None
    assert unfolding.take(one.model_copy(update={"common": 2, "messages": 3})) is None
    assert unfolding.take(one.model_copy(update={"common": 0, "messages": 1})) is not None


@pytest.mark.parametrize("content", TALK)
def test_the_fast_size_of_a_compact_block_equals_the_estimate(content: Any) -> None:
    for block in body(content).messages[0].blocks:
        assert quick(block) == estimate(block)
