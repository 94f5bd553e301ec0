"""Bytes on their way through a real proxy, between real sockets."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from tests.proxy.parts import Bench, Visit, bench, play, within
from wm.proxy.exchange import ExchangeOutcome

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


async def answer_of(client: Visit, size: int) -> tuple[bytes, bytes]:
    return await client.head(), await client.body(size)


def test_a_request_and_its_answer_pass_with_every_header_and_byte() -> None:
    body = b'{"model": "m",  "x": 1e0, "unknown": [null]}'
    answer = (
        b"HTTP/1.1 200 Fine\r\nContent-Type: application/json\r\nrequest-id: req_1\r\n"
        b"Anthropic-RateLimit-Tokens-Remaining: 7\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
        b"Content-Length: 4\r\n\r\n{ } "
    )

    async def test() -> None:
        async with bench(play(answer, body=len(body))) as b:
            client = await b.ask(
                b.head(
                    "POST /v1/messages?beta=true",
                    "X-API-Key: k",
                    "anthropic-beta: a,b",
                    "anthropic-beta: c",
                    "X-Empty: ",
                    f"Content-Length: {len(body)}",
                    "Accept-Encoding: gzip, br",
                ),
                body,
            )
            head, got = await answer_of(client, 4)
            assert head + got == answer
            assert bytes(b.upstream.visits[0].raw) == (
                b"POST /v1/messages?beta=true HTTP/1.1\r\n"
                b"Host: 127.0.0.1:%d\r\n"
                b"X-API-Key: k\r\nanthropic-beta: a,b\r\nanthropic-beta: c\r\nX-Empty: \r\n"
                b"Content-Length: %d\r\nAccept-Encoding: gzip, br\r\n\r\n%b"
                % (b.upstream.port, len(body), body)
            )
            await b.seen[0].over.wait()
            assert (b.seen[0].sent, b.seen[0].received) == (body, b"{ } ")

    within(test)


@pytest.mark.parametrize("status", [400, 401, 413, 429, 500, 529])
def test_a_refusal_of_the_upstream_passes_with_status_and_headers(status: int) -> None:
    answer = (
        b"HTTP/1.1 %d Whatever\r\nretry-after: 3\r\nx-should-retry: true\r\n"
        b"Content-Length: 2\r\n\r\n{}" % status
    )

    async def test() -> None:
        async with bench(play(answer)) as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
            assert b"".join(await answer_of(client, 2)) == answer

    within(test)


def test_parts_of_a_stream_arrive_before_its_end() -> None:
    step = asyncio.Event

    async def test() -> None:
        go = step()

        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
            await go.wait()
            await visit.say(b"6\r\nsecond\r\n0\r\n\r\n")
            await visit.gone()

        async with bench(script) as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
            await client.head()
            assert await client.body(10) == b"5\r\nfirst\r\n"
            go.set()
            assert await client.body(16) == b"6\r\nsecond\r\n0\r\n\r\n"

    within(test)


def test_a_compressed_answer_passes_compressed() -> None:
    packed = gzip.compress(b"event: ping\n\n")
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (
        len(packed),
        packed,
    )

    async def test() -> None:
        async with bench(play(answer)) as b:
            client = await b.ask(b.head("GET /v1/models"))
            assert b"".join(await answer_of(client, len(packed))) == answer

    within(test)


def test_a_head_request_has_no_body_for_any_content_length() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"

    async def test() -> None:
        async with bench(play(answer, OK)) as b:
            client = await b.ask(b.head("HEAD /"))
            assert await client.head() == answer
            await client.say(b.head("GET /v1/models"))
            assert b"".join(await answer_of(client, 2)) == OK
            assert len(b.upstream.visits) == 1

    within(test)


def test_connections_are_kept_alive_on_both_sides() -> None:
    async def test() -> None:
        async with bench(play(OK, OK, OK)) as b:
            client = await b.connect()
            for _ in range(3):
                await client.say(b.head("GET /v1/models"))
                await answer_of(client, 2)
            assert len(b.upstream.visits) == 1

    within(test)


def test_a_chunked_request_stays_chunked_with_the_same_content() -> None:
    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            visit.raw += await visit.reader.readuntil(b"0\r\n\r\n")
            await visit.say(OK)
            await visit.gone()

        async with bench(script) as b:
            client = await b.ask(
                b.head("POST /v1/messages", "Transfer-Encoding: chunked"), chunked(b"one", b"two")
            )
            await answer_of(client, 2)
            assert b"Transfer-Encoding: chunked" in b.upstream.visits[0].raw
            await b.seen[0].over.wait()
            assert b.seen[0].sent == b"onetwo"

    within(test)


def test_an_answer_that_ends_with_its_connection_is_complete() -> None:
    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(b"HTTP/1.1 200 OK\r\n\r\nall of it")

        async with bench(script) as b:
            client = await b.ask(b.head("GET /v1/models"))
            head = await client.head()
            assert b"Transfer-Encoding: chunked" in head
            assert await client.body(19) == b"9\r\nall of it\r\n0\r\n\r\n"
            await b.seen[0].over.wait()
            assert b.seen[0].outcome is ExchangeOutcome.WHOLE

    within(test)


@pytest.mark.parametrize(
    "part",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ],
)
def test_a_truncated_answer_is_truncated_for_the_client(part: bytes) -> None:
    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(part)

        async with bench(script) as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
            assert await client.gone() == part
            await b.seen[0].over.wait()
            assert b.seen[0].outcome is ExchangeOutcome.UPSTREAM_CUT

    within(test)


def test_a_client_that_disconnects_ends_the_upstream_call() -> None:
    async def test() -> None:
        left = asyncio.Event()

        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
            await visit.gone()
            left.set()

        async with bench(script) as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
            await client.head()
            client.writer.close()
            await left.wait()
            assert b.seen[0].outcome is ExchangeOutcome.CLIENT_LEFT

    within(test)


def test_a_closed_keep_alive_connection_is_replaced_transparently() -> None:
    async def test() -> None:
        async def gives_up(visit: Visit) -> None:
            await visit.head()
            await visit.say(OK)
            await visit.head()  # the second request finds a closed door

        async with bench(gives_up, play(OK, body=4)) as b:
            client = await b.connect()
            await client.say(b.head("GET /v1/models"))
            await answer_of(client, 2)
            await client.say(b.head("PUT /v1/files", "Content-Length: 4") + b"body")
            assert b"".join(await answer_of(client, 2)) == OK
            assert b.upstream.visits[1].raw.endswith(b"\r\n\r\nbody")

    within(test)


def test_an_unreachable_upstream_is_reported_in_the_api_error_format() -> None:
    async def test() -> None:
        async with bench(play(OK), upstream="http://127.0.0.1:9") as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 0"))
            answer = await client.gone()
            assert answer.startswith(b"HTTP/1.1 502 ")
            assert b'"type": "api_error"' in answer
            assert b"cannot reach 127.0.0.1:9" in answer
            assert b.seen[0].outcome is ExchangeOutcome.UNREACHABLE

    within(test)


def test_an_invalid_upstream_answer_is_a_502_and_the_proxy_keeps_serving() -> None:
    async def test() -> None:
        async def nonsense(visit: Visit) -> None:
            await visit.head()
            await visit.say(b"\x00\x01 this is not http\r\n\r\n")
            await visit.gone()

        async with bench(nonsense, play(OK)) as b:
            client = await b.ask(b.head("GET /v1/models"))
            assert (await client.gone()).startswith(b"HTTP/1.1 502 ")
            again = await b.ask(b.head("GET /v1/models"))
            assert b"".join(await answer_of(again, 2)) == OK

    within(test)


def test_an_early_answer_passes_while_the_request_is_being_sent() -> None:
    refused = b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}"

    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(refused)
            await visit.gone()

        async with bench(script) as b:
            client = await b.ask(b.head("POST /v1/messages", "Content-Length: 100"), b"some")
            got = await client.gone()
            assert got.startswith(b"HTTP/1.1 413 ")
            assert got.endswith(b"{}")

    within(test)


def test_a_pipelined_request_waits_for_the_active_one() -> None:
    async def test() -> None:
        async with bench(play(OK, OK, body=3)) as b:
            one = b.head("POST /v1/a", "Content-Length: 3") + b"aaa"
            two = b.head("POST /v1/b", "Content-Length: 3") + b"bbb"
            client = await b.ask(one + two)
            for _ in range(2):
                assert b"".join(await answer_of(client, 2)) == OK
            raw = bytes(b.upstream.visits[0].raw)
            assert raw.index(b"aaa") < raw.index(b"/v1/b")

    within(test)


def test_a_slow_client_pauses_the_upstream_without_loss() -> None:
    size = 16 * 1024 * 1024

    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            for number in range(256):
                await visit.say(bytes([number]) * (size // 256))
            await visit.gone()

        async with bench(script) as b:
            client = await b.ask(b.head("GET /v1/files"), limit=2**14)
            await client.head()
            held = len(b.seen[0].received)
            got = await client.body(size)
            assert held < size
            assert got == b"".join(bytes([n]) * (size // 256) for n in range(256))

    within(test)


@pytest.mark.parametrize("sent", ["Connection: close", "Connection: X-Private\r\nX-Private: 1"])
def test_hop_by_hop_headers_are_not_forwarded(sent: str) -> None:
    async def test() -> None:
        async with bench(play(OK)) as b:
            client = await b.ask(b.head("GET /v1/models", sent, "X-WM-Workspace: secret"))
            await client.head()
            raw = bytes(b.upstream.visits[0].raw).lower()
            assert not any(word in raw for word in (b"connection", b"x-private", b"x-wm"))

    within(test)


def test_a_failing_watcher_changes_no_byte() -> None:
    async def test() -> None:
        async with bench(play(OK, OK)) as b:
            broken = _Broken()
            b.proxy.server._observe = lambda _head, _admitted: broken
            client = await b.ask(b.head("GET /v1/models"))
            assert b"".join(await answer_of(client, 2)) == OK
            assert [str(error) for error in b.failures] == ["a bug"]

    within(test)


class _Broken:
    def request(self, body: list[bytes], size: int = 0) -> None:
        raise ValueError("a bug")

    prepared = head = body = ended = conclude = request


def test_draining_lets_an_active_answer_finish(capsys: object) -> None:
    async def test() -> None:
        go = asyncio.Event()

        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha")
            await go.wait()
            await visit.say(b"lf")

        async def client_of(b: Bench) -> bytes:
            client = await b.ask(b.head("GET /v1/models"))
            await client.head()
            drained = asyncio.create_task(b.proxy.server.drain(5.0))
            await asyncio.sleep(0)
            go.set()
            got = await client.body(4)
            await drained
            return got

        async with bench(script) as b:
            assert await client_of(b) == b"half"

    within(test)
