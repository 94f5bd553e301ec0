"""Generated conversations as clients send them: valid, of every block type, unknown ones too."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.clients.accounting import Block, ThinkingLedger

MARK = {"cache_control": {"type": "ephemeral"}}

SIGNS = 'abcdefghij \n\t\r"\\/{}[]:,0\u00e9\u4e2d\u0000\u007f\u2028\ud7ff\U0001f600\U000e0001'


def _word(chance: Random) -> str:
    return "".join(chance.choices(SIGNS, k=chance.randint(1, 12)))


def _value(chance: Random, depth: int = 0) -> Any:
    kind = chance.randrange(4 if depth > 2 else 6)
    if kind == 4:
        return [_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 5:
        return {_word(chance): _value(chance, depth + 1) for _ in range(chance.randrange(4))}
    return (None, bool(chance.randrange(2)), chance.randint(-(10**18), 10**18), _word(chance))[kind]


def _unknown(chance: Random) -> Block:
    fields = {_word(chance): _value(chance) for _ in range(chance.randrange(4))}
    return {**fields, "type": "x_" + _word(chance)}


def _drawn(make: Callable[[Random], Any], first: Any) -> st.SearchStrategy[Any]:
    """One of a thousand: to draw one is one choice, to draw its letters would be a dozen. What
    the conversations of a run have in common is their words, not how they are put together."""
    chance = Random(make.__name__)
    return st.sampled_from([first, *(make(chance) for _ in range(1000))])


words = _drawn(_word, "a")
anything = _drawn(_value, None)
unknown = _drawn(_unknown, {"type": "x_"})
texts = words.map(lambda text: {"type": "text", "text": text})
images = st.just({"type": "image", "source": {"type": "base64", "data": "QUFB"}})
documents = words.map(
    lambda text: {"type": "document", "source": {"type": "text", "data": text}, "title": text}
)
servers = st.sampled_from(
    [
        {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv", "content": [{"a": 1}]},
        {"type": "mcp_tool_use", "id": "m", "name": "n", "server_name": "s", "input": {}},
        {"type": "container_upload", "file_id": "file_1"},
    ]
)
contents = st.one_of(
    words,
    st.lists(st.one_of(texts, images, documents), max_size=3),
    st.just(""),
    st.none(),
    st.just([{"type": "tool_reference", "tool_name": "later"}]),
)


@dataclass
class Conversation:
    """messages: the whole history; requests end where the assistant would speak."""

    ledger: ThinkingLedger
    messages: list[dict[str, Any]] = field(default_factory=list)
    head: dict[str, Any] = field(default_factory=dict)
    spelling: dict[str, Any] = field(default_factory=dict)

    def requests(self) -> list[bytes]:
        """Every request of it, the last message of each marked as clients do."""
        ends = [n for n, m in enumerate(self.messages) if m["role"] == "assistant"]
        return [self.request(end) for end in (*ends, len(self.messages)) if end]

    def request(self, end: int) -> bytes:
        *old, last = self.messages[:end]
        body = {**self.head, "messages": [*old, _marked(last)]}
        return json.dumps(body, **self.spelling).encode()


def _marked(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str) or not content:
        return message
    last = {**content[-1], **MARK}
    parts = last.get("content")
    if last["type"] == "tool_result" and isinstance(parts, list) and parts:
        last = {**content[-1], "content": [*parts[:-1], {**parts[-1], **MARK}]}
    return {**message, "content": [*content[:-1], last]}


@st.composite
def conversations(draw: st.DrawFn, most_turns: int = 4) -> Conversation:
    made = Conversation(ThinkingLedger())
    made.head = {
        "model": "claude-opus-5-5",
        "max_tokens": draw(st.integers(1, 9)),
        "system": draw(words | st.lists(texts, max_size=2)),
        "tools": draw(st.lists(unknown, max_size=2)),
        "x_new_field": draw(anything),
    }
    made.spelling = draw(
        st.sampled_from([{}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"indent": 1}])
    )
    for turn in range(draw(st.integers(1, most_turns))):
        made.messages.append({"role": "user", "content": draw(_said())})
        for step in range(draw(st.integers(0, 2))):
            _add_step(draw, made, f"{turn}-{step}")
        made.messages.append({"role": "assistant", "content": draw(st.lists(texts, min_size=1))})
    made.messages.append({"role": "user", "content": draw(_said())})
    return made


def _said() -> st.SearchStrategy[Any]:
    return words | st.lists(st.one_of(texts, images, documents, unknown), min_size=1, max_size=3)


def _add_step(draw: st.DrawFn, made: Conversation, name: str) -> None:
    """The assistant thinks, calls one or two tools, and gets their results."""
    spoken: list[Block] = []
    answer = len(made.messages)
    if draw(st.booleans()):
        shown = draw(words | st.just(""))
        spoken.append(
            {
                "type": "thinking",
                "thinking": shown,
                "signature": made.ledger.issue(shown, "", answer),
            }
        )
    spoken += draw(st.lists(texts | servers | unknown, max_size=2))
    calls = [f"toolu_{name}-{number}" for number in range(draw(st.integers(1, 2)))]
    spoken += [
        {"type": "tool_use", "id": call, "name": "Bash", "input": draw(anything)} for call in calls
    ]
    made.messages.append({"role": "assistant", "content": spoken})
    given: list[Block] = [_result(draw, call) for call in calls]
    given += draw(st.lists(texts | images, max_size=1))
    made.messages.append({"role": "user", "content": given})
    if draw(st.booleans()):
        made.messages.append({"role": "system", "content": draw(words | st.just(""))})


def _result(draw: st.DrawFn, call: str) -> Block:
    result: Block = {"type": "tool_result", "tool_use_id": call}
    content = draw(contents)
    if content is not None:
        result["content"] = content
    if draw(st.booleans()):
        result["is_error"] = draw(st.booleans())
    return result
