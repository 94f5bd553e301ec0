"""Misbehaving ends: slow, vanished, talkative or endless ones, between real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.leaks import nothing_left
from tests.proxy.parts import Bench, Visit, bench, play, within
from wm.proxy.exchange import ExchangeOutcome

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
BIG = 8 * 1024 * 1024
LONG = 1024 * 1024
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


async def until(fact: Callable[[], bool]) -> None:
    """Turn the loop until it is so; the bound is the test's."""
    while not fact():
        await asyncio.sleep(0.001)


async def answer_of(client: Visit, size: int = 2) -> bytes:
    return await client.head() + await client.body(size)


def sends(head: bytes, size: int) -> Callable[[Visit], object]:
    async def script(visit: Visit) -> None:
        await visit.head()
        await visit.say(head)
        for _ in range(size // 65536):
            await visit.say(b"x" * 65536)
        while await visit.head():
            await visit.say(OK)

    return script


async def slow_client(b: Bench, *sent: bytes) -> Visit:
    """One that reads no further ahead than its test, and for whom the system keeps little."""
    client = await b.connect(limit=4096)
    await until(lambda: bool(b.proxy.server.connections))
    (connection,) = b.proxy.server.connections
    sock = connection.transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    for data in sent:
        await client.say(data)
    await until(lambda: bool(b.seen))
    return client


# --- who is slow ------------------------------------------------------------------------------


def test_a_connection_paused_by_a_slow_client_serves_the_next_request() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LONG

    async def test() -> None:
        async with bench(sends(head, LONG)) as b:  # type: ignore[arg-type]
            slow = await slow_client(b, b.head("GET /v1/files"))
            while not b.seen[0].over.is_set():  # it stops to read when all has left the upstream
                await slow.reader.read(4096)
            other = await b.ask(b.head("GET /v1/models"))
            assert await answer_of(other) == OK
            assert len(b.upstream.visits) == 1
            slow.writer.transport.abort()

    within(test)


def test_unsolicited_data_on_a_paused_connection_is_dropped() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (LONG - 30_000)
    unasked = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"

    async def test() -> None:
        rest, go = asyncio.Event(), asyncio.Event()

        async def talks(visit: Visit) -> None:
            await visit.head()
            await visit.say(head + b"x" * (LONG - 60_000))
            await rest.wait()
            await visit.say(b"x" * 30_000)  # one packet: the proxy reads it at once
            await go.wait()
            await visit.say(unasked)
            await visit.gone()

        async with bench(talks, play(OK)) as b:
            slow = await slow_client(b, b.head("GET /v1/files"))
            (connection,) = b.proxy.server.connections
            connection.transport.set_write_buffer_limits(high=4096)  # less than the last read
            await slow.head()
            await slow.body(LONG - 60_000)
            rest.set()
            await b.seen[0].over.wait()
            assert connection._full
            go.set()
            await b.upstream.tasks[0]  # the proxy noticed it, and ended the connection
            other = await b.ask(b.head("GET /v1/models"))
            assert await answer_of(other) == OK
            slow.writer.transport.abort()

    within(test)


def test_a_slow_client_gets_all_of_an_answer_that_closes_its_connection() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LONG

    async def test() -> None:
        async with bench(sends(head, LONG), linger_s=0.01) as b:  # type: ignore[arg-type]
            client = await slow_client(b, b.head("GET /v1/files", "Connection: close"))
            got = 0
            while not b.seen[0].over.is_set():
                got += len(await client.reader.read(4096))
            (connection,) = b.proxy.server.connections
            assert connection.transport.get_write_buffer_size() > 0
            for _ in range(5):  # longer than it is read on for
                await asyncio.sleep(0.01)
            assert got + len(await client.gone()) >= LONG

    within(test)


def test_a_pipelined_answer_waits_for_a_client_that_does_not_read() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LONG

    async def test() -> None:
        async def twice(visit: Visit) -> None:
            for _ in range(2):
                await visit.head()
                await visit.say(head)
                for _ in range(LONG // 65536):
                    await visit.say(b"x" * 65536)
            await visit.gone()

        async with bench(twice) as b:
            client = await slow_client(b, b.head("GET /v1/a"), b.head("GET /v1/b"))
            got = 0
            while not b.seen[0].over.is_set():
                got += len(await client.reader.read(4096))
            (connection,) = b.proxy.server.connections
            await until(lambda: len(b.seen) == 2)
            for _ in range(50):
                await asyncio.sleep(0)
            assert connection.transport.get_write_buffer_size() < 256 * 1024
            while got < 2 * LONG:
                got += len(await client.reader.read(1024 * 1024))

    within(test)


def test_a_large_request_on_a_closed_keep_alive_connection_is_resent_completely() -> None:
    async def test() -> None:
        async def gives_up(visit: Visit) -> None:
            await visit.head()
            await visit.say(OK)
            await visit.head()
            visit.writer.transport.abort()

        async def takes(visit: Visit) -> None:
            await visit.head()
            await visit.body(BIG)
            await visit.say(OK)
            await visit.gone()

        async with bench(gives_up, takes) as b:
            client = await b.ask(b.head("GET /v1/models"))
            await answer_of(client)
            await client.say(b.head("PUT /v1/files", f"Content-Length: {BIG}"))
            client.writer.write(b"y" * BIG)
            assert await answer_of(client) == OK
            assert b.upstream.visits[1].raw.endswith(b"y" * 1000)

    within(test)


def test_a_client_is_paused_while_no_upstream_is_connected() -> None:
    async def test() -> None:
        async def says_nothing(visit: Visit) -> None:  # nor ends the handshake
            await visit.gone()

        async with bench(says_nothing) as inner:
            address = f"https://127.0.0.1:{inner.upstream.port}"
            async with bench(play(OK), upstream=address, connect_timeout_s=5.0) as b:
                client = await b.ask(b.head("POST /v1/messages", "Content-Length: 8000000"))
                client.writer.write(b"z" * 8_000_000)
                await until(lambda: bool(b.proxy.server.connections))
                (connection,) = b.proxy.server.connections
                await until(lambda: not connection.transport.is_reading())
                client.writer.transport.abort()

    within(test)


def test_an_internal_error_during_a_connect_answers_the_client() -> None:
    async def test() -> None:
        async with bench(play(OK)) as b:
            pool = b.proxy.server.pool
            pool.origin = replace(pool.origin, host="a" * 64)  # no name: not an OSError
            client = await b.ask(b.head("GET /v1/models"))
            got = await client.gone()
            assert got.startswith(b"HTTP/1.1 502 ")
            assert b"connecting failed because of a bug in wm" in got
            (error,) = b.failures
            assert isinstance(error, UnicodeError)
            assert b.seen[0].outcome is ExchangeOutcome.UNREACHABLE

    within(test)


def test_pipelined_requests_are_read_up_to_the_limit() -> None:
    async def test() -> None:
        done = asyncio.Event()

        async def waits(visit: Visit) -> None:
            for _ in range(3):
                await visit.head()
                await done.wait()
                await visit.say(OK)
            await visit.gone()

        async with bench(waits) as b:
            client = await b.ask(b.head("GET /v1/first"))
            await until(lambda: len(b.seen) == 1)
            (connection,) = b.proxy.server.connections
            client.writer.write(b.head("GET /v1/next") * 30_000)
            await until(lambda: not connection.transport.is_reading())
            done.set()
            for _ in range(3):
                assert await answer_of(client) == OK
            client.writer.transport.abort()

    within(test)


def test_queued_requests_count_towards_the_size_limit() -> None:
    async def test() -> None:
        async def waits(visit: Visit) -> None:
            await visit.gone()

        async with bench(waits) as b:
            client = await b.ask(b.head("GET /v1/first"))
            await until(lambda: len(b.seen) == 1)
            (connection,) = b.proxy.server.connections
            client.writer.write(b"GET / HTTP/1.1\r\n\r\n" * 100_000)
            await until(lambda: not connection.transport.is_reading())
            client.writer.transport.abort()

    within(test)


@pytest.mark.parametrize(
    "endless",
    [b"GET /v1/" + b"a" * 200_000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 40_000],
    ids=["line", "headers"],
)
def test_an_endless_pipelined_head_is_not_buffered(endless: bytes) -> None:
    async def test() -> None:
        async def waits(visit: Visit) -> None:
            await visit.gone()

        async with bench(waits) as b:
            client = await b.ask(b.head("GET /v1/first") + endless[:100], endless[100:])
            assert (await client.gone()).startswith(b"HTTP/1.1 431 ")
            await b.seen[0].over.wait()
            assert b.seen[0].outcome is ExchangeOutcome.CLIENT_LEFT

    within(test)


def test_trailers_are_not_buffered() -> None:
    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.reader.readuntil(b"0\r\n\r\n")
            await visit.say(OK)
            await visit.gone()

        async with bench(script) as b:
            client = await b.ask(
                b.head("POST /v1/messages", "Transfer-Encoding: chunked"),
                b"1\r\na\r\n0\r\n" + b"Trailer: of the hop\r\n" * 1000,
            )
            await until(lambda: bool(b.seen))
            (connection,) = b.proxy.server.connections
            await asyncio.sleep(0)
            assert connection._reader._headers == []
            await client.say(b"\r\n")
            assert await answer_of(client) == OK

    within(test)


def test_an_empty_line_after_a_long_body_does_not_start_a_request() -> None:
    size = 1024 * 1024

    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.body(size)
            await visit.say(OK)
            await visit.head()
            await visit.say(OK)
            await visit.gone()

        async with bench(script) as b:
            client = await b.ask(b.head("POST /v1/messages", f"Content-Length: {size}"))
            await client.say(b"x" * size)
            await answer_of(client)
            await client.say(b"\r\n")
            for _ in range(5):
                await asyncio.sleep(0.001)
            await client.say(b.head("GET /v1/models"))
            assert await answer_of(client) == OK

    within(test)


# --- who talks too much -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "answer", "whole"),
    [
        ("GET", OK, OK),
        ("HEAD", OK[:-2], OK[:-2]),
        ("GET", b"HTTP/1.1 204 No\r\n\r\n", b"HTTP/1.1 204 No\r\n\r\n"),
        ("GET", CHUNKED + b"2\r\nhi\r\n0\r\n\r\n", CHUNKED + b"2\r\nhi\r\n0\r\n\r\n"),
    ],
    ids=["length", "head", "204", "chunked"],
)
@pytest.mark.parametrize("more", [OK, b"HTTP/1.1 200 OK\r\nContent-Le", b"\x00garbage"])
def test_data_after_an_answer_is_dropped_and_closes_the_connection(
    method: str, answer: bytes, whole: bytes, more: bytes
) -> None:
    async def test() -> None:
        async with bench(play(answer + more), play(OK)) as b:
            client = await b.ask(b.head(f"{method} /v1/models"))
            got = await client.head()
            got += await client.body(len(whole) - len(got))
            assert got == whole
            await client.say(b.head("GET /v1/models"))
            assert await answer_of(client) == OK
            assert len(b.upstream.visits) == 2

    within(test)


@pytest.mark.parametrize("part", [b"HTTP/1.1 200 OK\r\nConte", b"HTTP/1.1 103 Early\r\n\r\n"])
def test_a_partly_answered_request_is_not_resent(part: bytes) -> None:
    async def test() -> None:
        async def begins(visit: Visit) -> None:
            await visit.head()
            await visit.say(OK)
            await visit.head()
            await visit.say(part)

        async with bench(begins, play(OK)) as b:
            client = await b.ask(b.head("GET /v1/models"))
            await answer_of(client)
            await client.say(b.head("POST /v1/messages", "Content-Length: 0"))
            assert b"HTTP/1.1 502 " in await client.gone()
            assert len(b.upstream.visits) == 1

    within(test)


def test_early_hints_pass_before_the_answer() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"

    async def test() -> None:
        async with bench(play(early + early + OK, OK)) as b:
            client = await b.ask(b.head("GET /v1/models"))
            assert await client.head() == early
            assert await client.head() == early
            assert await answer_of(client) == OK
            assert b.seen[0].answer is not None
            assert b.seen[0].answer.status == 200

    within(test)


def test_an_unrequested_protocol_upgrade_is_not_forwarded() -> None:
    other = b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"

    async def test() -> None:
        async with bench(play(other)) as b:
            client = await b.ask(b.head("GET /v1/models"))
            got = await client.gone()
            assert got.startswith(b"HTTP/1.1 502 ")
            assert b"it switched to another protocol" in got

    within(test)


def test_an_unrequested_100_continue_is_not_forwarded() -> None:
    async def test() -> None:
        async with bench(play(b"HTTP/1.1 100 Continue\r\n\r\n" + OK)) as b:
            client = await b.ask(b.head("GET /v1/models"))
            assert await answer_of(client) == OK

    within(test)


@pytest.mark.parametrize("again", [b"HTTP/1.1 103 Early\r\nX: y\r\n\r\n", b"X: y\r\n"])
def test_an_answer_with_an_endless_head_is_aborted(again: bytes) -> None:
    begin = b"" if again.startswith(b"HTTP") else b"HTTP/1.1 200 OK\r\n"

    async def test() -> None:
        async def endless(visit: Visit) -> None:
            await visit.head()
            await visit.say(begin)
            while not visit.writer.transport.is_closing():
                await visit.say(again * 1000)

        async with bench(endless) as b:
            client = await b.ask(b.head("GET /v1/models"))
            assert b"its answer is too long" in await client.gone()

    within(test)


def test_a_malformed_answer_passes_up_to_the_fault() -> None:
    good = CHUNKED + b"5\r\nhello\r\n"

    async def test() -> None:
        async with bench(play(good + b"zzz\r\n")) as b:
            client = await b.ask(b.head("GET /v1/models"))
            assert await client.gone() == good
            await b.seen[0].over.wait()
            assert (b.seen[0].received, b.seen[0].outcome) == (
                b"hello",
                ExchangeOutcome.UPSTREAM_CUT,
            )

    within(test)


# --- who knows less ---------------------------------------------------------------------------


async def old_client(b: Bench) -> Visit:
    return await b.ask(b.head("GET /v1/models").replace(b"HTTP/1.1", b"HTTP/1.0"))


def test_an_http_1_0_client_detects_a_truncated_answer_without_a_length() -> None:
    async def test() -> None:
        go = asyncio.Event()

        async def cuts(visit: Visit) -> None:
            await visit.head()
            await visit.say(CHUNKED + b"4\r\nhalf\r\n")
            await go.wait()

        async with bench(cuts) as b:
            client = await old_client(b)
            await client.head()
            assert await client.body(4) == b"half"
            go.set()
            with pytest.raises(ConnectionResetError):
                await client.reader.read()

    within(test)


def test_an_http_1_0_client_gets_no_informational_heads() -> None:
    async def test() -> None:
        async with bench(play(b"HTTP/1.1 103 Early\r\n\r\n" + OK)) as b:
            client = await old_client(b)
            assert (await client.gone()).startswith(b"HTTP/1.1 200 OK\r\n")

    within(test)


def test_a_client_reset_ends_the_upstream_call() -> None:
    async def test() -> None:
        left = asyncio.Event()

        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(CHUNKED)
            await visit.gone()
            left.set()

        async with bench(script) as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
            await client.head()
            sock = client.writer.get_extra_info("socket")
            no_goodbye = struct.pack("ii", 1, 0)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_goodbye)
            client.writer.transport.abort()
            await left.wait()
            assert b.seen[0].outcome is ExchangeOutcome.CLIENT_LEFT

    within(test)


# --- what is kept -----------------------------------------------------------------------------


def test_only_the_size_of_an_oversized_request_is_kept() -> None:
    async def test() -> None:
        async with bench(play(OK, body=5000), kept_request_bytes=4000) as b:
            client = await b.ask(b.head("POST /v1/files", "Content-Length: 5000"), b"x" * 5000)
            assert await answer_of(client) == OK
            assert b.upstream.visits[0].raw.endswith(b"x" * 5000)
            await b.seen[0].over.wait()
            assert (b.seen[0].sent, b.seen[0].sent_bytes) == (b"", 5000)

    within(test)


def test_an_early_answered_request_is_recorded_with_its_full_size() -> None:
    async def test() -> None:
        async def early(visit: Visit) -> None:
            await visit.head()
            await visit.say(CHUNKED + b"1\r\nx\r\n")
            await visit.body(5000)
            await visit.say(b"0\r\n\r\n")
            await visit.gone()

        async with bench(early) as b:
            client = await b.ask(b.head("POST /v1/files", "Content-Length: 5000"), b"x" * 2000)
            await client.head()
            await client.say(b"x" * 3000)
            await b.seen[0].over.wait()
            assert b.seen[0].sent_bytes == 5000

    within(test)


def test_an_exchange_cut_off_by_a_shutdown_is_recorded() -> None:
    async def test() -> None:
        async def endless(visit: Visit) -> None:
            await visit.head()
            await visit.say(CHUNKED + b"1\r\nx\r\n")
            await visit.gone()

        async with bench(endless) as b:
            client = await b.ask(b.head("GET /v1/models"))
            await client.head()
            await b.proxy.server.drain(0.01)
            await asyncio.sleep(0)
            assert b.seen[0].outcome is ExchangeOutcome.CLIENT_LEFT

    within(test)


@pytest.mark.parametrize("turns", range(8))
def test_a_client_that_connects_during_a_shutdown_is_closed(turns: int) -> None:
    client = socket.socket()

    async def test() -> None:
        async with bench(play(OK)) as b:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", b.proxy.port))
            for _ in range(turns):
                await asyncio.sleep(0)

    with client, nothing_left():
        within(test)
        client.settimeout(5)
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""
