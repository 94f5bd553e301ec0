"""Hostile clients against the real port: pages, request smuggling, slow clients."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from tests.proxy.parts import TOKEN, Bench, Visit, bench, within

OK = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 2\r\n\r\nhi"
GOOD = f"/t/{TOKEN}/v1/messages"


async def never(visit: Visit) -> None:
    """An upstream that remembers whatever reaches it."""
    await visit.gone()


async def answer_to(b: Bench, raw: bytes) -> bytes:
    """All that the proxy says to these bytes, to the end of the connection."""
    client = await b.ask(raw)
    got = await client.gone()
    client.writer.close()
    return got


def untouched(b: Bench) -> bool:
    """Nothing set out: no connection, no exchange."""
    return not b.upstream.visits and not b.seen and b.proxy.server.pool.opened == 0


# --- pages -----------------------------------------------------------------------------------

HOSTS = ("evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "127.0.0.1:{port}")
ORIGINS = ("http://evil.example", "null", "http://127.0.0.1:{port}")
METHODS = ("GET", "POST", "OPTIONS", "DELETE")
KINDS = ("text/plain", "application/json")
PATHS = (GOOD, "/v1/messages", "/t/guess/v1/messages", "http://127.0.0.1:{port}" + GOOD)


def test_no_combination_of_a_hostile_page_has_an_effect_or_reads_a_byte() -> None:
    combinations = list(itertools.product(HOSTS, ORIGINS, METHODS, KINDS, PATHS))
    assert len(combinations) == 384

    async def test() -> None:
        async with bench(never) as b:
            for host, origin, method, kind, path in combinations:
                lines = (
                    f"{method} {path} HTTP/1.1",
                    f"Host: {host}",
                    f"Origin: {origin}",
                    f"Content-Type: {kind}",
                    "Content-Length: 2",
                )
                raw = "\r\n".join((*lines, "", "{}")).replace("{port}", str(b.proxy.port))
                head, _, body = (await answer_to(b, raw.encode())).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 403 "), raw
                assert b"access-control" not in head.lower(), raw
                assert TOKEN.encode() not in body
            assert untouched(b)
            assert b.proxy.server.refused == len(combinations)

    within(test)


@pytest.mark.parametrize(
    "headers",
    [
        ("Origin: http://evil.example", "Access-Control-Request-Method: POST"),
        ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: x-api-key"),
        ("Origin: null", "Access-Control-Request-Private-Network: true"),
    ],
)
def test_a_preflight_is_refused(headers: tuple[str, ...]) -> None:
    async def test() -> None:
        async with bench(never) as b:
            got = await answer_to(b, b.head("OPTIONS /v1/messages", *headers))
            assert got.startswith(b"HTTP/1.1 403 ")
            assert b"access-control" not in got.lower()
            assert untouched(b)

    within(test)


@pytest.mark.parametrize(
    "sent",
    ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: none", "Origin: x"],
)
def test_a_page_with_the_token_is_refused(sent: str) -> None:
    async def test() -> None:
        async with bench(never) as b:
            got = await answer_to(b, b.head("GET /v1/models", sent))
            assert got.startswith(b"HTTP/1.1 403 ")
            assert untouched(b)

    within(test)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{port}",  # its name now means the loopback
        "localhost.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:{port}@evil.example",
        "127.1:{port}",
        "0.0.0.0:{port}",
        "2130706433:{port}",
        "0x7f000001:{port}",
        "127.0.0.1.:{port}",
        "localhost.:{port}",
        "[::]:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "[0:0:0:0:0:0:0:1]:{port}",
        "[::1%25lo]:{port}",
        "::1:{port}",
        "[fe80::1]:{port}",
        "127.0.0.1:{port}, 127.0.0.1:{port}",
        "",
    ],
)
def test_another_host_name_of_this_machine_is_refused(host: str) -> None:
    async def test() -> None:
        async with bench(never) as b:
            named = host.format(port=b.proxy.port)
            got = await answer_to(b, f"POST {GOOD} HTTP/1.1\r\nHost: {named}\r\n\r\n".encode())
            assert got.startswith(b"HTTP/1.1 403 ")
            assert untouched(b)

    within(test)


@pytest.mark.parametrize(
    "target",
    [
        "/v1/messages",
        f"/t/{TOKEN[:-1]}/v1/messages",
        f"/t/{TOKEN}x/v1/messages",
        f"/t/{TOKEN.upper()}/v1/messages",
        "/t//v1/messages",
        f"/v1/messages?token={TOKEN}",
        f"/v1/messages?t={TOKEN}",
        f"/x/../t/{TOKEN}/v1/messages",
        f"//t/{TOKEN}/v1/messages",
        f"/%74/{TOKEN}/v1/messages",
        f"http://127.0.0.1/t/{TOKEN}/v1/messages",
        f"https://api.anthropic.com/t/{TOKEN}/v1/messages",
        f"{GOOD}#fragment",
        "*",
        "127.0.0.1:443",
    ],
)
@pytest.mark.parametrize("header", ["X-Token: " + TOKEN, "Authorization: Bearer " + TOKEN])
def test_the_token_is_accepted_in_its_position_only(target: str, header: str) -> None:
    async def test() -> None:
        async with bench(never) as b:
            host = f"127.0.0.1:{b.proxy.port}"
            raw = f"OPTIONS {target} HTTP/1.1\r\nHost: {host}\r\n{header}\r\n\r\n"
            got = await answer_to(
                b, (raw if target == "*" else raw.replace("OPTIONS", "GET")).encode()
            )
            assert got.split(b" ")[1] in (b"400", b"403")
            assert untouched(b)

    within(test)


# --- smugglers -------------------------------------------------------------------------------

LENGTH, CHUNKED = "Content-Length: 3", "Transfer-Encoding: chunked"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((LENGTH, "Content-Length: 5"), 400),
        ((LENGTH, LENGTH), 400),
        (("Content-Length: 3, 3",), 400),
        (("Content-Length: +3",), 400),
        (("Content-Length: -3",), 400),
        (("Content-Length: 0x3",), 400),
        (("Content-Length: ",), 400),
        (("Content-Length: 99999999999999999999999",), 400),
        ((LENGTH, CHUNKED), 400),
        ((CHUNKED, LENGTH), 400),
        (("Transfer-Encoding : chunked", LENGTH), 400),
        (("Transfer-Encoding: xchunked",), 501),
        (("Transfer-Encoding: gzip, chunked",), 501),
        (("Transfer-Encoding: chunked, identity",), 400),
        ((CHUNKED, "Transfer-Encoding: identity"), 400),
        (("X-A: b\r\n " + CHUNKED, LENGTH), 400),
        (("X-A: b\r\n\tc", LENGTH), 400),
        (("X-A: b\nX-B: c", LENGTH), 400),
        (("X-A: b\rX-B: c", LENGTH), 400),
        (("X-A: b\0c", LENGTH), 400),
        (("X-A", LENGTH), 400),
        ((": a", LENGTH), 400),
        (("X A: b", LENGTH), 400),
        (("Connection: Upgrade", "Upgrade: websocket"), 400),
        (("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: A"), 400),
        (("X-Long: " + "x" * 70_000, LENGTH), 431),
        (tuple(f"X-{n}: {n}" for n in range(6000)), 431),
    ],
)
def test_an_ambiguous_head_is_refused(headers: tuple[str, ...], status: int) -> None:
    async def test() -> None:
        async with bench(never) as b:
            got = await answer_to(
                b, b.head("POST /v1/messages", *headers) + b"3\r\nabc\r\n0\r\n\r\n"
            )
            assert got.startswith(b"HTTP/1.1 %d " % status)
            assert got.count(b"HTTP/1.1 ") == 1
            assert all(not visit.raw for visit in b.upstream.visits)

    within(test)


@pytest.mark.parametrize(
    "raw",
    [
        b"POST %b HTTP/1.1\nHost: 127.0.0.1:%d\n\n",
        b"POST %b HTTP/1.1\r\n X: y\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"POST %b HTTP/2.0\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"POST %b\tx HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"POST %b/\xff HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b" POST %b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"post %b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"CONNECT %b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"POST %b HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n %b %d",
        b"\x16\x03\x01\x02\x00\x01\x00 %b %d",
    ],
)
def test_anything_but_plain_http_1_is_refused(raw: bytes) -> None:
    async def test() -> None:
        async with bench(never) as b:
            got = await answer_to(b, raw % (GOOD.encode(), b.proxy.port))
            assert got.split(b" ")[1] in (b"400", b"405", b"501", b"505")
            assert all(not visit.raw for visit in b.upstream.visits)

    within(test)


def test_content_length_cannot_be_removed_by_the_connection_header() -> None:
    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.body(3)
            await visit.say(OK)
            await visit.gone()

        async with bench(script) as b:
            hop = "Connection: Content-Length, Host, X-Private"
            client = await b.ask(b.head("POST /v1/messages", hop, LENGTH, "X-Private: 1"), b"abc")
            assert (await client.head()).endswith(b"Content-Length: 2\r\n\r\n")
            assert bytes(b.upstream.visits[0].raw) == (
                b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 3\r\n\r\nabc"
                % b.upstream.port
            )

    within(test)


@pytest.mark.parametrize("chunks", [b"3\nabc\n0\n\n", b"-1\r\n\r\n", b"3\r\nabcd\r\n", b"zz\r\n"])
def test_a_body_with_broken_chunks_ends_the_call(chunks: bytes) -> None:
    async def test() -> None:
        async with bench(never) as b:
            got = await answer_to(b, b.head("POST /v1/messages", CHUNKED) + chunks)
            assert got.startswith(b"HTTP/1.1 400 ")
            assert all(b"0\r\n\r\n" not in visit.raw for visit in b.upstream.visits)

    within(test)


def test_data_after_a_refused_request_is_not_read_as_a_request() -> None:
    async def test() -> None:
        async with bench(never) as b:
            bad = b"GET /v1/messages HTTP/1.1\r\nHost: evil.example\r\n\r\n"
            got = await answer_to(b, bad + b.head("GET /v1/models"))
            assert got.count(b"HTTP/1.1 ") == 1
            assert untouched(b)

    within(test)


def test_a_refused_client_is_not_asked_for_the_body() -> None:
    async def test() -> None:
        async with bench(never) as b:
            raw = "POST /t/guess/v1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nExpect: 100-continue\r\n\r\n"
            got = await answer_to(b, raw.format(b.proxy.port).encode())
            assert got.startswith(b"HTTP/1.1 403 ")

    within(test)


# --- the slow and the many ---------------------------------------------------------------------


@pytest.mark.parametrize("sent", [b"", b"POST /t/", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_an_incomplete_head_times_out(sent: bytes) -> None:
    async def test() -> None:
        async with bench(never, head_timeout_s=0.05) as b:
            got = await answer_to(b, sent)
            assert got.startswith(b"HTTP/1.1 408 ")
            assert untouched(b)

    within(test)


def test_slow_answers_and_idle_clients_do_not_time_out() -> None:
    async def test() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        async def script(visit: Visit) -> None:
            await visit.head()
            begun.set()
            await go.wait()
            await visit.say(OK)
            await visit.head()
            await visit.say(OK)
            await visit.gone()

        async with bench(script, head_timeout_s=0.1) as b:
            client = await b.ask(b.head("GET /v1/models"))
            await begun.wait()
            assert (await answer_to(b, b"")).startswith(b"HTTP/1.1 408 ")  # so long it has been
            go.set()
            await client.head()
            assert await client.body(2) == b"hi"
            assert (await answer_to(b, b"")).startswith(b"HTTP/1.1 408 ")
            await client.say(b.head("GET /v1/models"))
            await client.head()

    within(test)


def test_a_client_over_the_limit_is_closed_and_the_others_are_served() -> None:
    async def test() -> None:
        async def script(visit: Visit) -> None:
            await visit.head()
            await visit.say(OK)
            await visit.gone()

        async with bench(script, max_clients=3) as b:
            first = [await b.connect() for _ in range(3)]
            while len(b.proxy.server.connections) < 3:
                await asyncio.sleep(0)
            assert await answer_to(b, b"") == b""
            await first[0].say(b.head("GET /v1/models"))
            await first[0].head()
            assert await first[0].body(2) == b"hi"

    within(test)
