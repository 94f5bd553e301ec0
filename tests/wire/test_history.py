"""The content of a conversation in any spelling, and how it continues."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.wire.body import index
from wm.wire.history import (
    Continuation,
    ConversationHistory,
    HistoryChange,
    compare,
    history,
    unpaired,
)

MARK = {"cache_control": {"type": "ephemeral"}}


def history_of(*messages: tuple[str, Any], **more: Any) -> ConversationHistory:
    body = index(body_of(*messages, **more))
    assert body is not None
    return history(body)


def body_of(*messages: tuple[str, Any], **more: Any) -> bytes:
    listed = [{"role": role, "content": content} for role, content in messages]
    return json.dumps({**more, "messages": listed}).encode()


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def result(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "a", "content": content, **more}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hi", [text("hi")]),
        ([text("hi")], [text("hi", **MARK)]),
        ([{"text": "hi", "type": "text"}], [text("hi")]),
        ([result("out")], [result([text("out")])]),
        ([result([text("out", **MARK)])], [result([text("out")], **MARK)]),
    ],
)
def test_marks_and_spelling_are_not_content(one: Any, other: Any) -> None:
    assert history_of(("user", one)) == history_of(("user", other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hi", "hi "),
        ([text("a"), text("b")], [text("ab")]),
        ([text("a")], [text("a", citations=[])]),
        ([result("out")], [result("out", is_error=True)]),
        ([{"type": "thinking", "signature": "x"}], [{"type": "thinking", "signature": "y"}]),
        (
            [{"type": "tool_use", "input": {"cache_control": 1}}],
            [{"type": "tool_use", "input": {}}],
        ),
    ],
)
def test_every_other_difference_is_content(one: Any, other: Any) -> None:
    assert history_of(("user", one)) != history_of(("user", other))


ONE = (("user", "a"), ("assistant", "b"), ("user", "c"))


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        (None, ONE, HistoryChange(Continuation.FIRST, 0)),
        (ONE, ONE, HistoryChange(Continuation.AGAIN, 3)),
        (ONE, (*ONE, ("assistant", "d")), HistoryChange(Continuation.APPENDED, 3)),
        (ONE, ONE[:1], HistoryChange(Continuation.REWOUND, 1)),
        (ONE, (*ONE[:2], ("user", "x")), HistoryChange(Continuation.CHANGED, 2)),
        (ONE, (("user", "summary"),), HistoryChange(Continuation.RESTARTED, 0)),
        (ONE[:1], (("assistant", "a"),), HistoryChange(Continuation.RESTARTED, 0)),
    ],
)
def test_a_history_is_classified_against_the_previous_one(
    before: Any, now: Any, change: HistoryChange
) -> None:
    assert compare(history_of(*before) if before else None, history_of(*now)) == change


def test_tools_and_system_precede_every_message() -> None:
    plain = history_of(*ONE, system="be brief", tools=[{"name": "t"}])
    assert compare(
        plain, history_of(*ONE, system=[text("be brief", **MARK)], tools=[{"name": "t"}])
    ) == (HistoryChange(Continuation.AGAIN, 3))
    assert compare(plain, history_of(*ONE, system="be long", tools=[{"name": "t"}])).head_changed
    assert compare(plain, history_of(*ONE, system="be brief", tools=[{"name": "u"}])).head_changed


def test_reused_parts_are_not_read_again_and_give_the_same_result() -> None:
    first = index(body_of(*ONE))
    raw = body_of(*ONE, ("assistant", "d"), ("user", "e"))
    assert first is not None
    second = index(raw, first)
    assert second is not None
    assert second.reused >= 2
    assert history(second, (first, history(first))) == history_of(
        *ONE, ("assistant", "d"), ("user", "e")
    )


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {}}


@pytest.mark.parametrize(
    ("messages", "wrong"),
    [
        ((("assistant", [call("a")]), ("user", [result("x")])), []),
        ((("assistant", [call("a")]),), []),
        ((("assistant", [call("a")]), ("system", "note"), ("user", [result("x")])), []),
        ((("assistant", [call("a")]), ("user", "later")), ["a"]),
        ((("user", [result("x")]),), ["a"]),
        ((("assistant", [call("b")]), ("user", [result("x")])), ["b", "a"]),
    ],
)
def test_unmatched_calls_and_results_are_reported(messages: Any, wrong: list[str]) -> None:
    body = index(body_of(*messages))
    assert body is not None
    assert unpaired(body) == wrong
