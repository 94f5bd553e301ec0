"""Records of the exchanges that pass through a real proxy."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.proxy.parts import Play, Visit, bench, within
from wm.net.messages import RequestHead
from wm.proxy import handover
from wm.proxy.guard import Admitted
from wm.proxy.observing import RECORDED_BYTES, Bodies, Note, Observer
from wm.wire.body import index

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "model": "m-9",
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 70},
    },
}
STOP = {
    "type": "message_delta",
    "delta": {"stop_reason": "end_turn"},
    "usage": {"output_tokens": 5},
}
CLAUDE = ("User-Agent: claude-cli/2.1", "X-Claude-Code-Session-Id: s-1")


def events(*payloads: dict[str, Any]) -> bytes:
    return b"".join(
        b"event: %b\ndata: %b\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in payloads
    )


def stream(*payloads: dict[str, Any], cut: bool = False) -> bytes:
    body = events(*payloads)
    end = b"" if cut else b"0\r\n\r\n"
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return head + b"%x\r\n%b\r\n" % (len(body), body) + end


def asking(*words: str, system: str = "") -> bytes:
    messages = [{"role": "user", "content": word} for word in words]
    body = {"model": "m", "stream": True, "tools": [{"name": "t"}], "messages": messages}
    return json.dumps({**body, "system": system} if system else body).encode()


def play(*answers: bytes) -> Play:
    """Any request is answered with the next of these; a connection for each."""
    left = list(answers)

    async def script(visit: Visit) -> None:
        head = await visit.head()
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        await visit.body(size)
        await visit.say(left.pop(0))

    return script


def noted(
    answers: Sequence[bytes],
    *bodies: bytes,
    headers: Sequence[str] = CLAUDE,
    path: str = "/v1/messages?beta=true",
) -> list[Note]:
    notes: list[Note] = []

    async def test() -> None:
        async with bench(play(*answers)) as b:
            faults: list[Exception] = []
            observer = Observer(notes.append, faults.append)
            b.proxy.server._observe = observer.observe
            for body in bodies:
                line = f"POST {path}"
                size = f"Content-Length: {len(body)}"
                client = await b.ask(b.head(line, *headers, size, "Connection: close"), body)
                await client.gone()
            assert faults == []

    within(test)
    return notes


def test_a_turn_is_recorded_as_figures_without_contents() -> None:
    folder = "Primary working directory: /home/ann/ferry\n"
    one = asking(folder, "the secret word is swordfish")
    notes = noted([stream(START, STOP, {"type": "message_stop"})], one)
    (note,) = notes
    assert (note.identity.session, note.identity.folder) == ("s-1", "/home/ann/ferry")
    fields = note.fields
    assert {name: fields[name] for name in ("agent", "call", "model", "status", "outcome")} == {
        "agent": "claude-code",
        "call": "main",
        "model": "m-9",
        "status": 200,
        "outcome": "whole",
    }
    assert fields["usage"] == {
        "input": 3,
        "output": 5,
        "cacheRead": 70,
        "cacheWrite5m": 0,
        "cacheWrite1h": 0,
    }
    assert (fields["stopReason"], fields["change"], fields["messages"]) == ("end_turn", "first", 2)
    assert fields["requestBytes"] == len(one)
    assert fields["path"] == "/v1/messages"
    assert 0 < fields["times"]["sent"] <= fields["times"]["firstByte"] <= fields["times"]["ended"]
    assert "swordfish" not in json.dumps(dict(fields))


def test_a_chat_completion_has_its_model_and_usage() -> None:
    counts = {"prompt_tokens": 73, "completion_tokens": 5}
    counts |= {"prompt_tokens_details": {"cached_tokens": 70}}  # type: ignore[dict-item]
    body = json.dumps({"model": "m-2", "choices": [{"finish_reason": "stop"}], "usage": counts})
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    answer = f"{head}\r\n\r\n{body}".encode()
    headers = ("User-Agent: opencode/1", "X-Session-Id: s-2")
    (note,) = noted([answer], b"{}", headers=headers, path="/v1/chat/completions")
    assert (note.identity.session, note.fields["model"]) == ("s-2", "m-2")
    assert note.fields["stopReason"] == "stop"
    used = {name: count for name, count in note.fields["usage"].items() if count}
    assert used == {"input": 3, "output": 5, "cacheRead": 70}


def test_the_next_turn_records_only_the_additions() -> None:
    answer = stream(START, STOP)
    notes = noted([answer] * 3, asking("a"), asking("a", "b", "c"), asking("a", "b", "c"))
    assert [(n.fields["change"], n.fields["common"], len(n.fields["lines"])) for n in notes] == [
        ("first", 0, 1),
        ("appended", 1, 2),
        ("again", 3, 0),
    ]


def test_errors_are_recorded_as_they_occurred() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error"}}
    refused = b"HTTP/1.1 429 Slow\r\nContent-Length: 2\r\n\r\n{}"
    notes = noted([refused, stream(START, error), stream(START, cut=True)], *[asking("a")] * 3)
    assert [(n.fields["status"], n.fields["error"], n.fields["outcome"]) for n in notes] == [
        (429, "", "whole"),
        (200, "overloaded_error", "whole"),
        (200, "", "upstream_cut"),
    ]


def test_a_body_that_is_not_a_request_passes_and_its_size_is_recorded() -> None:
    (note,) = noted([stream(START)], b"this is no json")
    assert (note.fields["requestBytes"], note.fields["messages"]) == (15, 0)
    assert note.fields["call"] == "other"


def test_buffered_bodies_are_bounded() -> None:
    observer = Observer(lambda _note: None, lambda _error: None)
    for number in range(40):
        raw = asking("x" * 1_000_000)
        headers = {"x-session-id": f"s-{number}"}
        observer.identified("/v1/messages", headers, raw, "")
    assert len(observer._bodies) <= 16
    assert observer._kept_bytes <= 16 * 1024 * 1024


@pytest.mark.parametrize(("record", "buffered"), [(False, 7), (True, 400_007)])
def test_an_answer_that_is_not_buffered_does_not_count_towards_the_limit(
    record: bool, buffered: int
) -> None:
    observer = Observer(lambda _note: None, lambda _error: None, record=record)
    asked = RequestHead(b"POST", b"/v1/messages", ())
    seen = observer.observe(asked, Admitted(b"/v1/messages", ""))
    seen.request([b'{"a"', b":1}"], 7)
    for _ in range(4):
        seen.body(b"x" * 100_000)
    assert seen.buffered_bytes == buffered
    seen.body(b"x" * RECORDED_BYTES)
    assert seen.buffered_bytes == 7, "nothing is kept of one that is too large"


def test_a_compressed_answer_is_handed_over_up_to_the_limit() -> None:
    packed = gzip.compress(json.dumps({"text": "x" * 5000}).encode())
    body = index(asking("Where do the ferries land?"))
    assert body is not None
    bodies = Bodies(body, (packed[:20], packed[20:]), "gzip", "application/json", 0.0)
    assert handover._ready(bodies, 1000).answer == []
    assert json.loads("".join(handover._ready(bodies, 6000).answer)) == {"text": "x" * 5000}


def test_an_unreadable_answer_is_recorded_as_unread_and_passes_unchanged() -> None:
    whole = events(START, STOP)
    cases = [
        ("gzip", gzip.compress(whole + bytes(5_000_000)), "too_long"),
        ("gzip", b"this is none", "damaged"),
        ("compress", whole, "encoding"),
        ("gzip", gzip.compress(whole), ""),
    ]

    async def test() -> None:
        notes: list[Note] = []
        observer = Observer(notes.append, lambda _error: None, unpacked_bytes=1_000_000)
        for encoding, packed, why in cases:
            async with bench(play(_answer(encoding, packed))) as b:
                b.proxy.server._observe = observer.observe
                client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
                await client.head()
                assert await client.body(len(packed)) == packed
                while len(notes) < 1:
                    await asyncio.sleep(0.001)
                assert notes.pop().fields["unread"] == why

    within(test)


def _answer(encoding: str, packed: bytes) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: {encoding}"
        f"\r\nContent-Length: {len(packed)}\r\n\r\n"
    )
    return head.encode() + packed
