"""Thinking and the prefix it is bound to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.wire.binding import Bindings, binds
from wm.wire.body import index
from wm.wire.rows import row

SYSTEM = "be brief"


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thought(name: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": "", "signature": name}


def sealed(name: str) -> dict[str, Any]:
    return {"type": "redacted_thinking", "data": name}


def broken(bindings: Bindings, *messages: list[dict[str, Any]], system: str = SYSTEM) -> list[int]:
    """The messages with broken thinking; the first is the user's, and so on in turns."""
    listed = [
        {"role": ("user", "assistant")[number % 2], "content": content}
        for number, content in enumerate(messages)
    ]
    body = index(json.dumps({"system": system, "messages": listed}).encode())
    assert body is not None
    found = row(body)
    return [found.units[number].message for number in bindings.broken(found)]


QUESTION, MORE, AGAIN = [text("question")], [text("more")], [text("again")]
FIRST = [thought("one"), text("answer")]
SECOND = [sealed("two"), text("answer")]


def test_an_extended_history_keeps_its_thinking() -> None:
    bindings = Bindings()
    assert broken(bindings, QUESTION) == []
    assert broken(bindings, QUESTION, FIRST, MORE) == []
    assert broken(bindings, QUESTION, FIRST, MORE, SECOND, AGAIN) == []


@pytest.mark.parametrize(
    ("messages", "wrong"),
    [
        ((QUESTION, FIRST, [text("less")], SECOND, AGAIN), [3]),
        (([text("other")], FIRST, MORE, SECOND, AGAIN), [1, 3]),
        ((QUESTION, [text("answer")], MORE, SECOND, AGAIN), [3]),
        ((QUESTION, FIRST, AGAIN), []),
    ],
)
def test_a_change_invalidates_all_later_thinking(
    messages: tuple[list[dict[str, Any]], ...], wrong: list[int]
) -> None:
    bindings = Bindings()
    broken(bindings, QUESTION)
    broken(bindings, QUESTION, FIRST, MORE)
    broken(bindings, QUESTION, FIRST, MORE, SECOND, AGAIN)
    assert broken(bindings, *messages) == wrong


def test_another_system_prompt_invalidates_all_thinking_until_restored() -> None:
    bindings = Bindings()
    broken(bindings, QUESTION)
    assert broken(bindings, QUESTION, FIRST, MORE) == []
    assert broken(bindings, QUESTION, FIRST, MORE, system="be long") == [1]
    assert broken(bindings, QUESTION, FIRST, MORE) == []


def test_a_change_in_the_turn_that_returns_thinking_is_detected() -> None:
    bindings = Bindings()
    broken(bindings, QUESTION)
    assert broken(bindings, [text("changed")], FIRST, MORE) == [1]


def test_older_thinking_is_bound_to_its_first_position() -> None:
    bindings = Bindings()
    assert broken(bindings, QUESTION, FIRST, MORE) == []
    assert broken(bindings, [text("other")], FIRST, MORE) == [1]


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("claude-opus-5-5", True),
        ("claude-fable-5-1", True),
        ("claude-opus-5", False),
        ("claude-sonnet-4-5", False),
        ("unheard-of", False),
    ],
)
def test_only_newer_models_bind(model: str, found: bool) -> None:
    assert binds(model) is found
