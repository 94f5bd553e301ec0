"""The usage of an answer, as a stream and as one object."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib

import pytest

from wm.wire.encodings import TooLong, opener
from wm.wire.usage import AnswerReader, AnswerSummary, ChatReader, Usage

MOST = 50_000_000
"""Bytes that an answer may have, unpacked."""


def stream(*events: dict[str, object]) -> bytes:
    return b"".join(
        b"event: %b\ndata: %b\n\n" % (str(e["type"]).encode(), json.dumps(e).encode())
        for e in events
    )


def summary_of(data: bytes, *, is_stream: bool = True) -> AnswerSummary:
    reader = AnswerReader(stream=is_stream)
    reader.feed(data)
    return reader.summary()


START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "model": "m-1",
        "usage": {
            "input_tokens": 3,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20,
            "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 15},
            "output_tokens": 1,
        },
    },
}


def test_the_usage_of_a_stream_is_the_sum_of_its_parts() -> None:
    data = stream(
        START,
        {"type": "content_block_delta", "delta": {"usage": {"output_tokens": 999}}},
        {"type": "ping"},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 42, "input_tokens": 4},
        },
        {"type": "message_stop"},
    )
    usage = Usage(4, 42, 100, 5, 15)
    assert summary_of(data) == AnswerSummary("msg_1", "m-1", usage, "tool_use", "", whole=True)
    assert usage.prompt == 124


def test_an_error_inside_a_stream_is_reported_and_the_answer_is_incomplete() -> None:
    found = summary_of(stream(START, {"type": "error", "error": {"type": "overloaded_error"}}))
    assert (found.error, found.whole, found.model) == ("overloaded_error", False, "m-1")


def test_a_plain_answer_has_the_same_usage() -> None:
    body = {"type": "message", **START["message"], "stop_reason": "end_turn"}  # type: ignore[dict-item]
    found = summary_of(json.dumps(body).encode(), is_stream=False)
    assert found == AnswerSummary(
        "msg_1", "m-1", Usage(3, 1, 100, 5, 15), "end_turn", "", whole=True
    )


def test_a_plain_refusal_has_its_error_type() -> None:
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    assert summary_of(json.dumps(body).encode(), is_stream=False) == AnswerSummary(
        error="rate_limit_error", whole=True
    )


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 1, "cache_creation_input_tokens": 9}, Usage(1, 0, 0, 9, 0)),
        ({"input_tokens": -1, "output_tokens": "7"}, Usage()),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 4}}, Usage(cache_write_1h=4)),
        (
            {"cache_creation_input_tokens": 9, "cache_creation": {"ephemeral_1h_input_tokens": 4}},
            Usage(cache_write_5m=5, cache_write_1h=4),
        ),
        ({"input_tokens": True}, Usage()),
    ],
)
def test_invalid_figures_are_skipped(usage: dict[str, object], expected: Usage) -> None:
    found = summary_of(stream({"type": "message_start", "message": {"usage": usage}}))
    assert found.usage == expected


@pytest.mark.parametrize("data", [b"", b"nonsense", b"event: message_start\ndata: [1\n\n", b"[]"])
def test_a_body_that_is_not_an_answer_has_no_usage(data: bytes) -> None:
    assert summary_of(data).usage is None
    assert summary_of(data, is_stream=False).usage is None


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("", bytes), ("Identity ", bytes)],
)
def test_compressed_answers_are_decoded_incrementally(encoding: str, pack: object) -> None:
    data = stream(START) * 20
    packed = pack(data)  # type: ignore[operator]
    found = opener(encoding, MOST)
    assert found is not None
    assert b"".join(found.feed(packed[n : n + 7]) for n in range(0, len(packed), 7)) == data


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_decompression_bomb_is_decoded_up_to_the_limit(encoding: str, pack: object) -> None:
    packed = pack(bytes(50_000_000))  # type: ignore[operator]
    found = opener(encoding, 50_000_000)
    assert found is not None
    assert len(found.feed(packed)) == 50_000_000
    found = opener(encoding, 3_000_000)
    assert found is not None
    tracemalloc.start()
    with pytest.raises(TooLong):
        found.feed(packed)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8_000_000


def test_data_after_a_compressed_answer_is_dropped() -> None:
    found = opener("gzip", MOST)
    assert found is not None
    assert found.feed(gzip.compress(b"whole") + b"more") == b"whole"
    tracemalloc.start()
    for _ in range(40):
        assert found.feed(bytes(100_000)) == b""
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000


def test_invalid_encoded_data_is_an_error_and_an_unknown_encoding_is_none() -> None:
    found = opener("gzip", MOST)
    assert found is not None
    with pytest.raises(ValueError, match="incorrect header"):
        found.feed(b"plain text")
    assert opener("compress", MOST) is None


# --- chat completions -----------------------------------------------------------------------------

COUNTS = {
    "prompt_tokens": 1_200,
    "completion_tokens": 42,
    "prompt_tokens_details": {"cached_tokens": 1_000},
}
ENDED = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
SAYS = {"index": 0, "delta": {"content": "finish_reason"}, "finish_reason": None}


def chat(data: bytes, *, is_stream: bool = True, step: int = 7) -> AnswerSummary:
    reader = ChatReader(stream=is_stream)
    for at in range(0, len(data), step):
        reader.feed(data[at : at + step])
    return reader.summary()


def chunks(*bodies: object, end: bytes = b"data: [DONE]\n\n") -> bytes:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m-2"}
    rows = (json.dumps({**head, **body}).encode() for body in bodies)  # type: ignore[dict-item]
    return b"".join(b"data: %b\n\n" % row for row in rows) + end


def test_the_usage_of_a_chat_completion_counts_what_was_cached_apart() -> None:
    usage = Usage(200, 42, 1_000)
    want = AnswerSummary("chatcmpl-1", "m-2", usage, "tool_calls", "", whole=True)
    data = chunks({"choices": [SAYS]}, {"choices": [ENDED]}, {"choices": [], "usage": COUNTS})
    assert chat(data) == want
    body = {"id": "chatcmpl-1", "model": "m-2", "choices": [ENDED], "usage": COUNTS}
    assert chat(json.dumps(body).encode(), is_stream=False) == want
    assert usage.prompt == 1_200


def test_a_chat_completion_that_breaks_off_or_fails_counts_as_incomplete() -> None:
    found = chat(chunks({"choices": [SAYS], "usage": None}, end=b""))
    assert (found.usage, found.whole, found.model) == (None, False, "m-2")
    found = chat(chunks({"error": {"type": "server_error", "message": "finish"}}, end=b""))
    assert (found.error, found.whole) == ("server_error", False)
    body = {"error": {"message": "slow down", "type": "rate_limit_exceeded"}}
    assert chat(json.dumps(body).encode(), is_stream=False).error == "rate_limit_exceeded"


@pytest.mark.parametrize("odd", [{"choices": 7}, {"choices": [7]}, {"usage": 7}, {"usage": {}}])
def test_an_odd_chat_completion_raises_no_error(odd: dict[str, object]) -> None:
    assert chat(chunks(odd)).whole
