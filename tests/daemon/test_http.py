"""HTTP/1.1 on the socket: grammar, limits, order, back-pressure."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daemon.wire import LIMITS, Served, Wire, echo, run, serving, turns, until
from wm.daemon.http import HttpServer
from wm.daemon.messages import Channel, HttpRequest, Reply, Response, Stream

GET = b"GET /a HTTP/1.1\r\n\r\n"
POST = b"POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz"
CHUNKED = (
    b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;note=1\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
)
HEAD = b"HEAD /d HTTP/1.1\r\nHost: wm\r\n\r\n"
LAST = b"GET /e HTTP/1.1\r\nConnection: close\r\n\r\n"


async def exchange(served: Served, data: bytes) -> list[int]:
    """Send all, close the sending half, and read the statuses until the server ends."""
    wire = await served.connect()
    await wire.send(data)
    wire.writer.write_eof()
    return statuses(await wire.rest())


def statuses(answers: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


REFUSED: list[tuple[str, bytes, list[int]]] = [
    ("two lengths", b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", [400]),
    (
        "length and chunks",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        [400],
    ),
    (
        "chunks and length",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
        [400],
    ),
    (
        "another coding before chunked",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        [400],
    ),
    (
        "chunks in HTTP/1.0",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        [400],
    ),
    ("a negative length", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", [400]),
    (
        "a length beyond 64 bits",
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n",
        [400],
    ),
    ("a folded header", b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", [400]),
    ("a space before the colon", b"GET / HTTP/1.1\r\nA : b\r\n\r\n", [400]),
    ("a NUL in a header", b"GET / HTTP/1.1\r\nA: \x00\r\n\r\n", [400]),
    ("an absolute target", b"GET http://x/y HTTP/1.1\r\n\r\n", [400]),
    ("CONNECT", b"CONNECT a:1 HTTP/1.1\r\n\r\n", [400]),
    ("an upgrade", b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", [400]),
    ("HTTP/2 with prior knowledge", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
    ("HTTP/2.0 by name", b"GET / HTTP/2.0\r\n\r\n", [505]),
    ("HTTP/0.9 by name", b"GET / HTTP/0.9\r\n\r\n", [505]),
    ("an unknown method", b"FOO / HTTP/1.1\r\n\r\n", [400]),
    ("bare line feeds", b"GET / HTTP/1.1\nA: b\n\n", [400]),
    ("TLS", bytes.fromhex("16030100a5010000a1"), [400]),
    ("another expectation", b"POST / HTTP/1.1\r\nExpect: tea\r\nContent-Length: 1\r\n\r\nx", [417]),
    ("garbage behind a request", GET + b"\x00\x01garbage\r\n\r\n", [200, 400]),
    ("a request behind a last one", LAST + GET, [200]),
    ("empty lines before a request", b"\r\n\r\n" + GET, [200]),
    ("a head without an end", b"GET / HTTP/1.1\r\nA: b", []),
    ("HTTP/1.0", b"GET / HTTP/1.0\r\n\r\n", [200]),
]


@pytest.mark.parametrize(
    ("data", "expected"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_a_malformed_request_is_refused(tmp_path: Path, data: bytes, expected: list[int]) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            assert await exchange(served, data) == expected
            assert await exchange(served, GET) == [200]

    run(scenario)


def test_a_refusal_is_a_problem_with_a_code(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            wire = await served.connect()
            await wire.send(b"nonsense\r\n\r\n")
            status, headers, body = await wire.answer()
            assert (status, headers["content-type"]) == (400, "application/problem+json")
            assert headers["connection"] == "close"
            assert json.loads(body)["type"] == "bad_request"
            assert await wire.rest() == b""

    run(scenario)


SPLIT = [GET, POST, CHUNKED, GET + POST + CHUNKED + HEAD + LAST]


@pytest.mark.parametrize("data", SPLIT, ids=["get", "post", "chunked", "five in a row"])
def test_requests_split_at_every_byte_are_answered_the_same(tmp_path: Path, data: bytes) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            whole = await served.connect()
            await whole.send(data)
            whole.writer.write_eof()
            expected = await whole.rest()
            assert expected
            for at in range(1, len(data)):
                left, right = socket.socketpair()
                left.setblocking(False)
                served.server._admit(right)
                loop = asyncio.get_running_loop()
                await loop.sock_sendall(left, data[:at])
                await asyncio.sleep(0)  # one turn of the loop: the first part is read alone
                await asyncio.sleep(0)
                await loop.sock_sendall(left, data[at:])
                left.shutdown(socket.SHUT_WR)
                got = b""
                while part := await loop.sock_recv(left, 65536):
                    got += part
                left.close()
                assert got == expected, at

    run(scenario)


def test_requests_byte_by_byte_are_answered_the_same(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            wire = await served.connect()
            for byte in GET + POST + CHUNKED:
                await wire.send(bytes([byte]))
                await asyncio.sleep(0)
            bodies = [(await wire.answer())[2] for _ in range(3)]
            assert bodies == [b"GET /a ", b"POST /b xyz", b"POST /c abcde"]

    run(scenario)


def test_random_bytes_never_stop_the_server(tmp_path: Path) -> None:
    async def scenario() -> None:
        rng = random.Random(7)
        async with serving(tmp_path) as served:
            for _ in range(150):
                base = bytearray(rng.choice([GET, POST, CHUNKED, HEAD, LAST]) * rng.randint(1, 3))
                for _ in range(rng.randint(1, 6)):
                    base[rng.randrange(len(base))] = rng.randrange(256)
                got = await exchange(served, bytes(base))
                assert set(got) <= {200, 400, 408, 413, 417, 431, 505}, bytes(base)
            assert await exchange(served, GET) == [200]
            await until(lambda: not served.server.connections)
            assert served.server._buffered == 0

    run(scenario)


def test_head_is_answered_without_a_body(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            wire = await served.connect()
            await wire.send(HEAD + GET)
            status, headers, _ = await wire.answer(head_only=True)
            assert (status, headers["content-length"]) == (200, "8")
            assert (await wire.answer())[2] == b"GET /a "

    run(scenario)


def test_answers_keep_the_order_of_their_requests(tmp_path: Path) -> None:
    """The first answer comes late; the second request must not overtake it."""
    waiting: list[Reply] = []

    def handler(request: HttpRequest, reply: Reply) -> None:
        if request.target == "/a":
            waiting.append(reply)
        else:
            reply(Response(200, b"second", "text/plain"))

    async def scenario() -> None:
        async with serving(tmp_path, handler) as served:
            wire = await served.connect()
            await wire.send(GET + POST)
            await until(lambda: bool(waiting))
            waiting[0](Response(200, b"first", "text/plain"))
            assert [(await wire.answer())[2] for _ in range(2)] == [b"first", b"second"]

    run(scenario)


def test_a_refusal_is_sent_after_earlier_answers(tmp_path: Path) -> None:
    waiting: list[Reply] = []

    async def scenario() -> None:
        async with serving(tmp_path, lambda _request, reply: waiting.append(reply)) as served:
            wire = await served.connect()
            await wire.send(GET + b"garbage\r\n\r\n")
            await until(lambda: bool(waiting))
            waiting[0](Response(200, b"first", "text/plain"))
            assert statuses(await wire.rest()) == [200, 400]

    run(scenario)


def test_continue_is_sent_before_the_body_and_not_before_earlier_answers(tmp_path: Path) -> None:
    waiting: list[Reply] = []

    def handler(request: HttpRequest, reply: Reply) -> None:
        waiting.append(reply) if request.target == "/a" else echo(request, reply)

    async def scenario() -> None:
        async with serving(tmp_path, handler) as served:
            wire = await served.connect()
            head = b"POST /b HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            await wire.send(head)
            assert (await wire.answer())[0] == 100
            await wire.send(b"xyz")
            assert (await wire.answer())[2] == b"POST /b xyz"
            await wire.send(GET + head)
            await until(lambda: bool(waiting))
            waiting[0](Response(200, b"first", "text/plain"))
            assert [(await wire.answer())[0] for _ in range(2)] == [200, 100]
            await wire.send(b"xyz")
            assert (await wire.answer())[2] == b"POST /b xyz"

    run(scenario)


def test_a_body_over_the_limit_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    limits = replace(LIMITS, max_body_bytes=1000)
    declared = b"POST /b HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n"
    chunks = (
        b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"64\r\n" + b"x" * 100 + b"\r\n"
    )

    async def scenario() -> None:
        async with serving(tmp_path, limits=limits) as served:
            wire = await served.connect()
            await wire.send(declared)
            assert (await wire.answer())[0] == 413
            assert await wire.rest() == b""
            wire = await served.connect()
            await wire.send(chunks + (b"64\r\n" + b"x" * 100 + b"\r\n") * 10)
            assert (await wire.answer())[0] == 413
            fits = b"POST /b HTTP/1.1\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000
            assert await exchange(served, fits) == [200]

    run(scenario)


HEADS = [
    ("a long target", b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n"),
    ("a long header", b"GET / HTTP/1.1\r\nA: " + b"b" * 5000 + b"\r\n\r\n"),
    ("many headers", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 900 + b"\r\n"),
    ("a header without an end", b"GET / HTTP/1.1\r\nA: " + b"b" * 20000),
    (
        "an endless chunk extension",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"e" * 20000,
    ),
    (
        "endless trailers",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 3000,
    ),
]


@pytest.mark.parametrize("data", [row[1] for row in HEADS], ids=[row[0] for row in HEADS])
def test_a_head_over_the_limit_is_refused(tmp_path: Path, data: bytes) -> None:
    async def scenario() -> None:
        limits = replace(LIMITS, max_head_bytes=4096)
        async with serving(tmp_path, limits=limits) as served:
            wire = await served.connect()
            await wire.send(data)
            assert (await wire.answer())[0] == 431

    run(scenario)


def test_a_client_that_keeps_sending_after_a_refusal_can_read_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        limits = replace(LIMITS, max_body_bytes=1000)
        async with serving(tmp_path, limits=limits) as served:
            wire = await served.connect()
            await wire.send(b"POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n")
            for _ in range(30):
                await wire.send(b"x" * 100_000)
            assert (await wire.answer())[0] == 413

    run(scenario)


def test_slow_heads_and_bodies_are_closed_without_delaying_others(tmp_path: Path) -> None:
    # Long enough for a busy machine to take in the first bytes of each.
    limits = replace(LIMITS, header_timeout_s=1.0, body_timeout_s=1.0)

    async def scenario() -> None:
        async with serving(tmp_path, limits=limits) as served:
            slow = []
            for _ in range(100):
                wire = await served.connect()
                await wire.send(b"GET / HTTP/1.1\r\nA:")
                slow.append(wire)
            body = await served.connect()
            await body.send(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx")
            silent = await served.connect()
            assert await exchange(served, GET) == [200]
            for wire in (*slow, body):
                assert (await wire.answer())[0] == 408
            assert await silent.rest() == b""

    run(scenario)


def test_an_idle_connection_has_no_timer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            wire = await served.connect()
            await wire.send(GET)
            await wire.answer()
            (connection,) = served.server.connections
            assert connection._timer is None
            await wire.send(GET[:5])
            await until(lambda: connection._timer is not None)
            await wire.send(GET[5:])
            await wire.answer()
            assert connection._timer is None

    run(scenario)


def test_a_client_that_disconnects_in_a_request_leaves_no_state(tmp_path: Path) -> None:
    seen: list[str] = []

    def handler(request: HttpRequest, reply: Reply) -> None:
        seen.append(request.target)
        echo(request, reply)

    async def scenario() -> None:
        async with serving(tmp_path, handler) as served:
            for at in range(len(POST)):
                wire = await served.connect()
                await wire.send(POST[:at])
                await wire.close()
            await until(lambda: not served.server.connections and not served.server._opening)
            assert seen == []
            assert served.server._buffered == 0

    run(scenario)


def test_an_answer_for_a_disconnected_client_is_dropped(tmp_path: Path) -> None:
    waiting: list[Reply] = []

    async def scenario() -> None:
        async with serving(tmp_path, lambda _request, reply: waiting.append(reply)) as served:
            wire = await served.connect()
            await wire.send(GET)
            await until(lambda: bool(waiting))
            await wire.close()
            waiting[0](Response(200, b"too late"))
            await until(lambda: not served.server.connections)
            waiting[0](Response(200, b"later still"))

    run(scenario)


def test_writes_to_a_client_that_does_not_read_are_bounded(tmp_path: Path) -> None:
    handled = 0

    def handler(_request: HttpRequest, reply: Reply) -> None:
        nonlocal handled
        handled += 1
        reply(Response(200, b"x" * 50_000, "text/plain"))

    async def scenario() -> None:
        async with serving(tmp_path, handler) as served:
            wire = await served.connect()
            wire.reader._limit = 1000  # the test's own buffer stays small too
            total = 400
            sending = asyncio.ensure_future(wire.send(GET * total))
            await until(lambda: bool(served.server.connections))
            (connection,) = served.server.connections
            await until(lambda: connection._writing_paused)
            await turns()
            assert 0 < handled < 100
            got = 0
            while got < total * 50_000:
                got += len(await wire.reader.read(65536))
            await sending
            assert handled == total

    run(scenario)


def test_pipelined_requests_behind_an_active_one_are_bounded(tmp_path: Path) -> None:
    waiting: list[Reply] = []

    async def scenario() -> None:
        async with serving(tmp_path, lambda _request, reply: waiting.append(reply)) as served:
            wire = await served.connect()
            sending = asyncio.ensure_future(wire.send(POST * 200_000))
            await until(lambda: bool(waiting))
            (connection,) = served.server.connections
            await until(lambda: bool(connection._pauses))
            await turns()
            assert len(connection._queue) < 10_000
            assert not sending.done()
            sending.cancel()
            wire.writer.transport.abort()
            await wire.close()
            waiting[0](Response(200))

    run(scenario)


def test_200_connections_are_served_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            wires = await asyncio.gather(*(served.connect() for _ in range(200)))
            await asyncio.gather(*(wire.send(GET + POST) for wire in wires))
            for wire in wires:
                assert [(await wire.answer())[0] for _ in range(2)] == [200, 200]
            assert len(served.server.connections) == 200

    run(scenario)


def test_a_connection_over_the_limit_replaces_the_longest_idle_one(tmp_path: Path) -> None:
    limits = replace(LIMITS, max_connections=3)

    async def scenario() -> None:
        async with serving(tmp_path, limits=limits) as served:
            wires = []
            for _ in range(4):
                wire = await served.connect()
                await wire.send(GET)
                assert (await wire.answer())[0] == 200
                wires.append(wire)
            assert await wires[0].rest() == b""
            assert len(served.server.connections) == 3

    run(scenario)


def test_without_idle_connections_a_new_one_gets_503(tmp_path: Path) -> None:
    waiting: list[Reply] = []
    limits = replace(LIMITS, max_connections=2)

    async def scenario() -> None:
        async with serving(tmp_path, lambda _q, reply: waiting.append(reply), limits) as served:
            busy = [await served.connect() for _ in range(2)]
            for wire in busy:
                await wire.send(GET)
            await until(lambda: len(waiting) == 2)
            status, headers, body = await (await served.connect()).answer()
            assert (status, headers["retry-after"]) == (503, "1")
            assert json.loads(body)["type"] == "too_busy"
            for reply in waiting:
                reply(Response(200))

    run(scenario)


def test_connections_without_requests_are_closed_for_new_ones(tmp_path: Path) -> None:
    limits = replace(LIMITS, max_connections=3)

    async def scenario() -> None:
        async with serving(tmp_path, limits=limits) as served:
            silent = [await served.connect() for _ in range(3)]
            await silent[1].send(b"GET /slow HTTP/1.1\r\nA: ")
            await until(lambda: len(served.server.connections) == 3)
            wire = await served.connect()
            await wire.send(GET)
            assert (await wire.answer())[0] == 200
            assert await silent[0].rest() == b""

    run(scenario)


def test_a_client_with_many_requests_does_not_delay_others(tmp_path: Path) -> None:
    served_to: list[str] = []

    def note(request: HttpRequest, reply: Reply) -> None:
        served_to.append(request.target)
        reply(Response(200))

    async def scenario() -> None:
        async with serving(tmp_path, note) as served:
            greedy, other = await served.connect(), await served.connect()
            await greedy.send(GET * 1000)
            await other.send(b"GET /other HTTP/1.1\r\n\r\n")
            assert (await other.answer())[0] == 200
            for _ in range(1000):
                assert (await greedy.answer())[0] == 200
            assert served_to.index("/other") < 500

    run(scenario)


def test_requests_of_a_disconnected_client_are_not_run(tmp_path: Path) -> None:
    answered: list[str] = []

    def note(request: HttpRequest, reply: Reply) -> None:
        answered.append(request.target)
        reply(Response(200, b"x" * 1000))

    async def scenario() -> None:
        async with serving(tmp_path, note) as served:
            wire = await served.connect()
            await wire.send(GET * 3000)
            wire.writer.transport.abort()
            await until(lambda: not served.server.connections)
            assert len(answered) < 3000

    run(scenario)


def test_a_body_in_tiny_chunks_uses_memory_for_its_bytes_only(tmp_path: Path) -> None:
    chunks = b"2\r\nxy\r\n" * 2000

    async def scenario() -> None:
        async with serving(tmp_path) as served:
            wire = await served.connect()
            await wire.send(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
            await until(lambda: served.server._buffered == 4000)
            (connection,) = served.server.connections
            assert sys.getsizeof(connection._body) < 3 * 4000
            await wire.send(b"0\r\n\r\n")
            assert (await wire.answer())[0] == 200

    run(scenario)


def test_incomplete_bodies_share_one_memory_budget(tmp_path: Path) -> None:
    limits = replace(LIMITS, max_buffered_bytes=1500)
    part = b"POST / HTTP/1.1\r\nContent-Length: 2000\r\n\r\n" + b"x" * 1000

    async def scenario() -> None:
        async with serving(tmp_path, limits=limits) as served:
            first, second = await served.connect(), await served.connect()
            await first.send(part)
            await until(lambda: served.server._buffered == 1000)
            await second.send(part)
            assert (await second.answer())[0] == 503
            await first.close()
            await until(lambda: served.server._buffered == 0)

    run(scenario)


def test_a_client_that_closes_its_sending_half_gets_its_answers(tmp_path: Path) -> None:
    waiting: list[Reply] = []

    async def scenario() -> None:
        async with serving(tmp_path, lambda _request, reply: waiting.append(reply)) as served:
            wire = await served.connect()
            await wire.send(GET)
            wire.writer.write_eof()
            await until(lambda: bool(waiting))
            waiting[0](Response(200, b"late", "text/plain"))
            assert (await wire.answer())[2] == b"late"
            assert await wire.rest() == b""

    run(scenario)


STREAMS = [
    (b"GET / HTTP/1.1\r\n\r\n", b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"),
    (b"GET / HTTP/1.0\r\n\r\n", b"onetwo"),
]


@pytest.mark.parametrize(("request_", "expected"), STREAMS, ids=["chunked", "HTTP/1.0"])
def test_a_stream_is_sent_as_it_comes(tmp_path: Path, request_: bytes, expected: bytes) -> None:
    channels: list[Channel] = []

    def handler(_request: HttpRequest, reply: Reply) -> None:
        reply(Stream(channels.append))

    async def scenario() -> None:
        async with serving(tmp_path, handler) as served:
            wire = await served.connect()
            await wire.send(request_)
            await wire.answer()
            await until(lambda: bool(channels))
            assert channels[0].send(b"one")
            assert channels[0].send(b"two")
            channels[0].close()
            assert await wire.rest() == expected
            assert not channels[0].send(b"three")

    run(scenario)


def test_a_stream_is_closed_when_its_client_disconnects(tmp_path: Path) -> None:
    left: list[str] = []

    def opened(channel: Channel) -> None:
        channel.closed = lambda: left.append("left")

    async def scenario() -> None:
        async with serving(tmp_path, lambda _request, reply: reply(Stream(opened))) as served:
            wire = await served.connect()
            await wire.send(GET)
            await wire.answer()
            await wire.close()
            await until(lambda: left == ["left"])

    run(scenario)


def test_draining_answers_active_requests_and_refuses_new_ones(tmp_path: Path) -> None:
    waiting: list[Reply] = []

    async def scenario() -> None:
        async with serving(tmp_path, lambda _request, reply: waiting.append(reply)) as served:
            idle, busy = await served.connect(), await served.connect()
            await busy.send(GET)
            await until(lambda: bool(waiting))
            draining = asyncio.ensure_future(served.server.drain(5.0))
            assert await idle.rest() == b""
            with pytest.raises(ConnectionRefusedError):
                await served.connect()
            waiting[0](Response(200, b"done", "text/plain"))
            status, headers, body = await busy.answer()
            assert (status, headers["connection"], body) == (200, "close", b"done")
            assert await draining

    run(scenario)


def test_a_connect_cancelled_at_any_step_is_closed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            server, opened = served.server, []
            for turn in range(6):
                ours, theirs = socket.socketpair()
                ours.setblocking(False)
                server._admit(theirs)
                (task,) = server._pending
                for _ in range(turn):
                    await asyncio.sleep(0)
                opened.append(not task.cancel())
                if not opened[-1]:
                    assert await asyncio.get_running_loop().sock_recv(ours, 1) == b""
                ours.close()
                await until(lambda: not server.connections and not server._pending)
                assert (server._opening, server._unopened, theirs.fileno()) == (0, set(), -1)
            assert (opened[0], opened[-1]) == (False, True)
            assert await exchange(served, GET) == [200]

    run(scenario)


def test_a_peer_that_is_not_allowed_gets_no_byte(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, allow=lambda _sock: False) as served:
            wire: Wire = await served.connect()
            assert await wire.rest() == b""
            assert served.server.refused == 1

    run(scenario)


def test_without_a_free_descriptor_a_client_gets_503_and_the_listener_survives(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as served:
            clients = [socket.socket(socket.AF_UNIX) for _ in range(12)]
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            highest = max(int(fd) for fd in os.listdir("/dev/fd"))
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 4, hard))
            taken = []
            with suppress(OSError):
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            try:
                for _ in range(4):
                    os.close(taken.pop())
                got = []
                for client in clients:
                    client.setblocking(False)
                    client.connect(str(served.path))
                    await asyncio.get_running_loop().sock_sendall(client, GET)
                    got += statuses(await asyncio.get_running_loop().sock_recv(client, 4096))
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
                for fd in taken:
                    os.close(fd)
            assert set(got) == {200, 503}
            for client in clients:
                client.close()
            assert await exchange(served, GET) == [200]

    run(scenario)


@contextmanager
def two_sockets(folder: Path) -> Iterator[tuple[HttpServer, list[socket.socket], list[int]]]:
    """A server of two sockets, a client that has asked at each, and how often each was looked at
    since, as one number."""
    looks = [0]

    def look() -> None:
        looks[0] += 1

    server = HttpServer(echo, LIMITS, on_accept=look)
    clients = []
    for name in ("one", "two"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(folder / name))
        server.listen(listener)
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(folder / name))
        client.setblocking(False)
        client.sendall(GET)
        clients.append(client)
    try:
        yield server, clients, looks
    finally:
        for client in clients:
            client.close()


async def status_of(client: socket.socket) -> list[int]:
    return statuses(await asyncio.get_running_loop().sock_recv(client, 4096))


def test_two_sockets_are_served_without_needless_wakeups(tmp_path: Path) -> None:
    async def scenario() -> None:
        with two_sockets(tmp_path) as (server, clients, looks):
            assert [await status_of(client) for client in clients] == [[200], [200]]
            looks[0] = 0
            await turns()
            assert looks == [0]
            await server.drain(2.0)
            for name in ("one", "two"):
                with pytest.raises(ConnectionRefusedError):
                    await asyncio.open_unix_connection(str(tmp_path / name))

    run(scenario)


def test_without_descriptors_both_sockets_pause(tmp_path: Path) -> None:
    async def scenario() -> None:
        with two_sockets(tmp_path) as (server, clients, looks):
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
            try:
                await turns()
                assert looks == [2]
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            assert [await status_of(client) for client in clients] == [[200], [200]]
            await server.drain(2.0)

    run(scenario)
