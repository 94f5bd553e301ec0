"""A stream adds up to the message that its client makes of it, however it is cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.wire.answer import message
from wm.wire.body import index
from wm.wire.parts import answer_parts, parts

START = {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}


def block(number: int, value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": number, "content_block": value}


def delta(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": number, "delta": {"type": kind, **fields}}


def stream(*events: dict[str, Any]) -> bytes:
    lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
    return "".join(lines).encode()


WHOLE = stream(
    START,
    {"type": "ping"},
    block(0, {"type": "thinking", "thinking": "", "signature": ""}),
    delta(0, "thinking_delta", thinking="Lo"),
    delta(0, "thinking_delta", thinking="ok."),
    delta(0, "signature_delta", signature="c2Vh"),
    block(1, {"type": "text", "text": ""}),
    delta(1, "text_delta", text="Berth "),
    delta(1, "citations_delta", citation={"n": 1}),
    delta(1, "text_delta", text="two."),
    block(2, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}),
    delta(2, "input_json_delta", partial_json='{"pa'),
    delta(2, "input_json_delta", partial_json='th": 1}'),
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
    {"type": "message_stop"},
)
MADE = {
    "id": "m",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "Look.", "signature": "c2Vh"},
        {"type": "text", "text": "Berth two.", "citations": [{"n": 1}]},
        {"type": "tool_use", "id": "t", "name": "Read", "input": {"path": 1}},
    ],
    "stop_reason": "tool_use",
    "usage": {"output_tokens": 5},
}


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_pieces_of_any_size_add_up_to_the_same(size: int) -> None:
    pieces = [WHOLE[at : at + size] for at in range(0, len(WHOLE), size)]
    assert json.loads(message(pieces) or b"") == MADE


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], None),
        ([{"type": "ping"}], None),
        (
            [START, {"type": "error", "error": {"type": "overloaded_error"}}],
            {"id": "m", "role": "assistant", "content": [], "error": {"type": "overloaded_error"}},
        ),
        (
            [block(0, {"type": "tool_use"}), delta(0, "input_json_delta", partial_json='{"cu')],
            {"content": [{"type": "tool_use", "partial_json": '{"cu'}]},
        ),
        ([{"type": "news", "x": 1}], {"events": [{"type": "news", "x": 1}]}),
        (
            [block(0, {"type": "text", "text": ""}), delta(0, "ink_delta", ink="blue")],
            {
                "content": [{"type": "text", "text": ""}],
                "events": [{"index": 0, "delta": {"type": "ink_delta", "ink": "blue"}}],
            },
        ),
    ],
)
def test_malformed_streams_are_read_as_far_as_valid(
    events: list[dict[str, Any]], expected: Any
) -> None:
    made = message([stream(*events)])
    assert (None if made is None else json.loads(made)) == expected


def test_a_body_is_the_sum_of_its_parts() -> None:
    raw = json.dumps(
        {
            "tools": [{"name": "a"}, {"name": "b"}],
            "system": "be brief",
            "messages": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": [{"type": "text", "text": "x"}, {"type": "y"}]},
            ],
            "stream": True,
        }
    ).encode()
    body = index(raw)
    assert body is not None
    found = parts(body)
    assert b"".join(found) == raw
    assert found[1::2] == [
        *(b'{"name": "a"}', b'{"name": "b"}', b'"be brief"', b'"hi"'),
        *(b'{"type": "text", "text": "x"}', b'{"type": "y"}'),
    ]


@pytest.mark.parametrize(
    ("raw", "count"),
    [(b'{"content":[{"a":1},2],"b":1}', 5), (b'{"error":{}}', 1), (b'"text"', 1), (b"[1]", 1)],
)
def test_an_answer_is_the_sum_of_its_parts(raw: bytes, count: int) -> None:
    assert (b"".join(answer_parts(raw)), len(answer_parts(raw))) == (raw, count)


def test_invalid_citations_are_replaced_by_later_ones() -> None:
    begun = block(0, {"type": "text", "text": "", "citations": 7})
    made = message([stream(START, begun, delta(0, "citations_delta", citation={"n": 1}))])
    assert made is not None
    assert json.loads(made)["content"][0]["citations"] == [{"n": 1}]
