"""Generated conversations as clients send them: valid, of every block type, unknown ones too."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.clients.accounting import Block, ThinkingLedger

MARK = {"cache_control": {"type": "ephemeral"}}

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
texts = st.builds(lambda text: {"type": "text", "text": text}, words)
images = st.just({"type": "image", "source": {"type": "base64", "data": "QUFB"}})
documents = st.builds(
    lambda text: {"type": "document", "source": {"type": "text", "data": text}, "title": text},
    words,
)
unknown = st.builds(
    lambda kind, fields: {**fields, "type": "x_" + kind},
    words,
    st.dictionaries(words.filter(lambda name: name != "cache_control"), anything, max_size=3),
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
