"""A request is sent twice only if the upstream cannot have read it, or reading it twice is safe."""

from __future__ import annotations

import asyncio
import socket
import struct

import pytest
from msgspec.structs import replace

from tests.proxy.parts import Bench, Visit, bench, play, within
from wm.net.messages import ResponseHead
from wm.proxy.origin import parse_origin
from wm.proxy.retry import Attempt, may_send_again
from wm.proxy.upstream import Pool
from wm.settings import ProxySettings

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
LOST = Attempt(method=b"POST", sent=False, answer_begun=False, kept=True, reused=True)


@pytest.mark.parametrize(
    ("attempt", "again"),
    [
        (LOST, True),
        (replace(LOST, reused=False), True),
        (replace(LOST, age_s=60.0), True),
        (replace(LOST, sent=True), False),
        (replace(LOST, method=b"PATCH", sent=True), False),
        (replace(LOST, method=b"GET", sent=True), True),
        (replace(LOST, method=b"HEAD", sent=True), True),
        (replace(LOST, method=b"PUT", sent=True), True),
        (replace(LOST, method=b"DELETE", sent=True), True),
        (replace(LOST, method=b"GET", sent=True, reused=False), False),
        (replace(LOST, method=b"GET", sent=True, age_s=2.0), False),
        (replace(LOST, answer_begun=True), False),
        (replace(LOST, kept=False), False),
        (replace(LOST, repeated=True), False),
    ],
)
def test_a_request_is_resent_only_if_that_is_safe(attempt: Attempt, again: bool) -> None:
    assert may_send_again(attempt) is again


async def first_answer(b: Bench) -> Visit:
    """A client whose connection to the upstream is kept."""
    client = await b.ask(b.head("GET /v1/models"))
    assert await client.head() + await client.body(2) == OK
    return client


def message(b: Bench) -> bytes:
    return b.head("POST /v1/messages", "Content-Length: 4") + b"body"


def test_a_message_uses_a_new_connection_if_the_upstream_closed_the_idle_one() -> None:
    async def test() -> None:
        async with bench(play(OK), play(OK, body=4)) as b:
            client = await first_answer(b)
            kept = b.upstream.visits[0]
            assert len(b.proxy.server.pool._idle) == 1
            # The end is on its way, and the proxy's loop has not read it when the message comes.
            kept.writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
            assert b.proxy.server.pool.at_hand() is None
            await client.say(message(b))
            assert await client.head() + await client.body(2) == OK
            assert b"POST" not in kept.raw + await kept.gone()
            assert b.upstream.visits[1].raw.endswith(b"\r\n\r\nbody")

    within(test)


@pytest.mark.parametrize("resets", [False, True], ids=["closes", "resets"])
@pytest.mark.parametrize("reads", ["half", "all"])
def test_a_message_that_the_upstream_may_have_read_is_not_resent(reads: str, resets: bool) -> None:
    async def breaks_off(visit: Visit) -> None:
        await visit.head()
        await visit.say(OK)
        await visit.head()
        await visit.body(2 if reads == "half" else 4)
        if resets:
            sock = visit.writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        visit.writer.transport.abort()

    async def test() -> None:
        async with bench(breaks_off, play(OK, body=4)) as b:
            client = await first_answer(b)
            await client.say(message(b))
            assert (await client.gone()).startswith(b"HTTP/1.1 502 ")
            assert len(b.upstream.visits) == 1

    within(test)


def test_an_idempotent_request_is_resent() -> None:
    async def breaks_off(visit: Visit) -> None:
        await visit.head()
        await visit.say(OK)
        await visit.head()

    async def test() -> None:
        async with bench(breaks_off, play(OK)) as b:
            client = await first_answer(b)
            await client.say(b.head("GET /v1/models"))
            assert await client.head() + await client.body(2) == OK
            assert len(b.upstream.visits) == 2

    within(test)


class Sink:
    """Notes that the connection was lost."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()

    def upstream_lost(self, reason: str) -> None:
        self.lost.set()

    def answer_informational(self, head: ResponseHead) -> None: ...

    def answer_head(self, head: ResponseHead) -> None: ...

    def answer_body(self, data: bytes) -> None: ...

    def answer_read(self, *, last: bool) -> None: ...

    def answer_ended(self) -> None: ...

    def upstream_accepts(self, ready: bool) -> None: ...


@pytest.mark.parametrize("reset", [True, False])
def test_bytes_not_taken_by_the_kernel_count_as_not_sent(reset: bool) -> None:
    async def test() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            connection = await Pool(parse_origin(url), ProxySettings()).connect()
            peer, _address = listener.accept()
            if reset:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                peer.close()
            sink = Sink()
            connection.begin(sink, b"POST")
            connection.write(b"POST / HTTP/1.1\r\n")
            assert connection.sent is not reset
            peer.close()
            await sink.lost.wait()
            assert connection.sent is not reset

    within(test)
