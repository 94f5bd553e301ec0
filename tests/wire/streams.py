"""Answers as streams, out of the messages of a conversation, cut in any way."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

from tests.wire.conversations import Conversation
from wm.wire.interception import InterceptedStream
from wm.wire.sse import Cutter, Decoder, StreamEvent
from wm.wire.usage import AnswerReader, AnswerSummary

ALL_CUTS_BYTES = 400
"""A stream up to this is also read byte by byte."""
ENDS = (b"\n", b"\n", b"\n", b"\r\n", b"\r")


def streams(made: Conversation, chance: Random) -> list[bytes]:
    """One for each answer of the conversation."""
    return [
        stream(message, chance, chance.choice(ENDS))
        for message in made.messages
        if message["role"] == "assistant"
    ]


def stream(message: dict[str, Any], chance: Random, end: bytes) -> bytes:
    usage = {"input_tokens": chance.randrange(9999), "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "msg", "model": "m", "usage": usage}}
    ]
    for number, block in enumerate(message["content"]):
        events.append({"type": "content_block_start", "index": number, "content_block": block})
        if chance.randrange(4) == 0:
            events.append({"type": "ping"})
        events.append({"type": "content_block_delta", "index": number, "delta": block})
        events.append({"type": "content_block_stop", "index": number})
    if chance.randrange(8) == 0:
        events.append({"type": "error", "error": {"type": "overloaded_error"}})
    ended = {"output_tokens": chance.randrange(999)}
    events.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": ended})
    events.append({"type": "message_stop"})
    return b"".join(
        b"event: %b%bdata: %b%b%b" % (e["type"].encode(), end, json.dumps(e).encode(), end, end)
        for e in events
    )


class Plain:
    """An interceptor that changes nothing."""

    def event(self, raw: bytes, event: StreamEvent | None) -> bytes:
        return raw

    def ended(self) -> bytes:
        return b""


def check(raw: bytes, chance: Random) -> None:
    """Everything that has to hold for any stream, whatever pieces it comes in."""
    whole = _read([raw])
    cuts = sorted(chance.randrange(len(raw) + 1) for _ in range(chance.randrange(1, 6)))
    ways = [[raw[a:b] for a, b in pairwise((0, *cuts, len(raw)))]]
    if len(raw) <= ALL_CUTS_BYTES:
        ways.append([raw[n : n + 1] for n in range(len(raw))])
    for pieces in ways:
        assert _read(pieces) == whole
        assert _passed(pieces) == raw


def _read(
    pieces: list[bytes],
) -> tuple[list[StreamEvent], list[tuple[bytes, StreamEvent | None]], AnswerSummary]:
    decoder, cutter, reader = Decoder(), Cutter(), AnswerReader(stream=True)
    events: list[StreamEvent] = []
    cut: list[tuple[bytes, StreamEvent | None]] = []
    for piece in pieces:
        events += decoder.feed(piece)
        cut += cutter.feed(piece)
        reader.feed(piece)
    if rest := cutter.rest():  # a stream whose lines end in \r: the last one waits for its \n
        last = decoder.end()
        events += last
        cut.append((rest, last[0] if last else None))
    assert b"".join(one for one, _ in cut) == b"".join(pieces)
    assert [event for _, event in cut if event is not None] == events
    return events, cut, reader.summary()


def _passed(pieces: list[bytes]) -> bytes:
    stream = InterceptedStream(Plain())
    return b"".join([stream.feed(piece) for piece in pieces]) + stream.end()
