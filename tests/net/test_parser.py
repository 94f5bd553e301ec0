"""Bytes in, events out: the same for every way of cutting, and nothing beyond the limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wm.net.messages import RequestHead, ResponseHead
from wm.net.parser import END, Broken, HttpRefusal, MessageEnd, RequestReader, ResponseReader, Stage

GET = b"GET /a HTTP/1.1\r\nHost: wm\r\n\r\n"
POST = b"POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz"
CHUNKED = (
    b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;note=1\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
)
LAST = b"GET /e HTTP/1.1\r\nConnection: close\r\n\r\n"
LIMIT = 4096


def events_of(feed: Callable[[bytes], list[Any]], *pieces: bytes) -> list[Any]:
    """The events, with the pieces of a body joined."""
    found: list[Any] = []
    for event in [event for piece in pieces for event in feed(piece)]:
        if isinstance(event, bytes) and found and isinstance(found[-1], bytes):
            found[-1] += event
        else:
            found.append(event)
    return found


@pytest.mark.parametrize("raw", [GET, POST, CHUNKED, GET + POST + CHUNKED + LAST + GET])
def test_requests_give_the_same_events_for_every_split(raw: bytes) -> None:
    whole = events_of(RequestReader(LIMIT).feed, raw)
    for at in range(1, len(raw)):
        assert events_of(RequestReader(LIMIT).feed, raw[:at], raw[at:]) == whole
    single = [raw[n : n + 1] for n in range(len(raw))]
    assert events_of(RequestReader(LIMIT).feed, *single) == whole


def test_pipelined_requests_are_heads_bodies_and_ends() -> None:
    reader = RequestReader(LIMIT)
    found = events_of(reader.feed, POST + CHUNKED + LAST + GET)
    assert [one if isinstance(one, bytes | MessageEnd) else one.target for one in found] == [
        *(b"/b", b"xyz", END),
        *(b"/c", b"abcde", END),
        *(b"/e", END),
    ]
    assert found[0] == RequestHead(b"POST", b"/b", [(b"Content-Length", b"3")])
    assert found[3].plainly_chunked
    assert reader.over
    assert not found[6].keep


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"nonsense\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 400, "upgrade"),
        (b"GET / HTTP/2.0\r\n\r\n", 505, "bad_request"),
        (b"GET /" + b"a" * LIMIT + b" HTTP/1.1\r\n\r\n", 431, "too_large"),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 3 * LIMIT, 431, "too_large"),
        (CHUNKED[:-10] + b"A: b\r\n" * 2 * LIMIT, 431, "too_large"),
    ],
)
def test_a_refusal_is_the_last_event(raw: bytes, status: int, code: str) -> None:
    reader = RequestReader(LIMIT)
    *_, last = reader.feed(raw)
    assert isinstance(last, HttpRefusal)
    assert (last.status, last.code) == (status, code)
    assert reader.feed(GET) == []


def test_the_stage_names_the_part_being_read() -> None:
    reader = RequestReader(LIMIT)
    stages = []
    for piece in (b"", POST[:5], POST[5:-2], POST[-2:]):
        reader.feed(piece)
        stages.append(reader.stage)
    assert stages == [Stage.IDLE, Stage.HEAD, Stage.BODY, Stage.IDLE]


OK = b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nhi"
EARLY = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nT: t\r\n\r\n"
HEAD_200 = ResponseHead(200, b"Fine", [(b"Content-Length", b"2")])
HEAD_103 = ResponseHead(103, b"Early", [(b"Link", b"x")])


@pytest.mark.parametrize(
    ("method", "raw", "events", "keeps"),
    [
        (b"GET", OK, [HEAD_200, b"hi", END], True),
        (b"GET", EARLY + OK, [HEAD_103, HEAD_200, b"hi", END], True),
        (b"GET", b"HTTP/1.1 100 Continue\r\n\r\n" + OK, [HEAD_200, b"hi", END], True),
        (b"HEAD", OK[:-2], [HEAD_200, END], True),
        (b"HEAD", OK, [HEAD_200, END], False),
        (b"GET", OK + OK, [HEAD_200, b"hi", END], False),
        (b"GET", OK + b"\0", [HEAD_200, b"hi", END], False),
    ],
)
def test_an_answer_gives_the_same_events_for_every_split(
    method: bytes, raw: bytes, events: list[Any], keeps: bool
) -> None:
    for at in range(len(raw) + 1):
        reader = ResponseReader(method)
        assert events_of(reader.feed, raw[:at], raw[at:]) == events
        assert reader.keeps_connection is keeps
        assert not reader.ends_here()


def test_a_chunked_answer_loses_its_framing_and_its_trailers() -> None:
    head, body, end = events_of(ResponseReader(b"GET").feed, STREAM)
    assert (head.headers, body, end) == ([(b"Transfer-Encoding", b"chunked")], b"hi", END)


def test_an_answer_without_a_length_ends_with_its_connection() -> None:
    reader = ResponseReader(b"GET")
    assert events_of(reader.feed, b"HTTP/1.1 200 OK\r\n\r\nall")[1:] == [b"all"]
    assert reader.ends_here()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\0 nonsense\r\n\r\n", "not HTTP/1.1"),
        (
            b"HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
            "switched to another protocol",
        ),
        (EARLY * 10_000, "the head of its answer is too long"),
        (STREAM[:50] + b"2\r\nhi\r\nzz\r\n", "not HTTP/1.1"),
    ],
)
def test_a_parse_error_is_reported_once(raw: bytes, reason: str) -> None:
    reader = ResponseReader(b"GET")
    *_, last = reader.feed(raw)
    assert isinstance(last, Broken)
    assert reason in last.reason
    assert not reader.keeps_connection
