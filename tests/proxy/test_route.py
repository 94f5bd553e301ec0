"""The route to the upstream: forward proxy, its requests, and trusted certificates."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.proxy.parts import TOKEN, within
from wm.errors import UserError
from wm.proxy.observing import Observer
from wm.proxy.origin import parse_origin
from wm.proxy.route import Through, excepted, through, trust
from wm.proxy.serve import running
from wm.settings import Network, ProxySettings, find_network

API = parse_origin("https://api.example")
COMPANY = "http://proxy.company.example:3128"


@pytest.mark.parametrize(
    ("no_proxy", "host", "found"),
    [
        ("", "api.example", False),
        ("*", "api.example", True),
        ("api.example", "api.example", True),
        ("API.Example", "api.example", True),
        ("example", "api.example", True),
        (".example", "api.example", True),
        ("*.example", "api.example", True),
        ("pi.example", "api.example", False),
        ("other, api.example", "api.example", True),
        ("api.example:443", "api.example", True),
        ("api.example:8443", "api.example", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("fd00::/8", "fd00::1", True),
        ("[fd00::1]:443", "fd00::1", True),
        ("::1", "api.example", False),
        (",,", "api.example", False),
        (".", "api.example", False),
        ("10.0.0.0/99", "10.1.2.3", False),
    ],
)
def test_no_proxy_names_hosts_domains_addresses_and_networks(
    no_proxy: str, host: str, found: bool
) -> None:
    assert excepted(host, 443, no_proxy) is found


@pytest.mark.parametrize(
    ("url", "network", "way"),
    [
        ("https://api.example", Network(), None),
        ("https://api.example", Network(COMPANY), Through("proxy.company.example", 3128)),
        ("https://api.example", Network("proxy:8080"), Through("proxy", 8080)),
        ("https://api.example", Network("http://proxy"), Through("proxy", 80)),
        ("https://api.example", Network(COMPANY, "api.example"), None),
        ("https://127.0.0.1:9", Network(COMPANY), None),
        ("http://localhost:9", Network(COMPANY), None),
        (
            "https://api.example",
            Network("http://us%40er:p%3Ass@proxy:1"),
            Through("proxy", 1, "Basic dXNAZXI6cDpzcw=="),
        ),
    ],
)
def test_the_forward_proxy_of_the_environment_is_used(
    url: str, network: Network, way: Through | None
) -> None:
    assert through(parse_origin(url), network) == way


@pytest.mark.parametrize(
    ("env", "proxy"),
    [
        ({}, ""),
        ({"HTTPS_PROXY": "a"}, "a"),
        ({"HTTPS_PROXY": "a", "https_proxy": "b"}, "b"),
        ({"ALL_PROXY": "c"}, "c"),
        ({"all_proxy": "c", "HTTPS_PROXY": "a"}, "a"),
        ({"HTTP_PROXY": "d"}, ""),
    ],
)
def test_the_environment_is_read_as_other_programs_do(env: dict[str, str], proxy: str) -> None:
    assert find_network(env).proxy == proxy


@pytest.mark.parametrize("url", ["socks5://u:secret@proxy:1", "http://u:secret@:1", "http://[x"])
def test_an_unusable_forward_proxy_is_reported_without_its_password(url: str) -> None:
    with pytest.raises(UserError) as caught:
        through(API, Network(url))
    assert "HTTPS_PROXY" in caught.value.message
    assert "secret" not in f"{caught.value} {caught.value.fix} {Network(url)!r}"


def test_unusable_certificates_are_reported_with_their_option(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pem"
    bad.write_text("nothing")
    with pytest.raises(UserError, match="not a PEM file") as caught:
        trust(ProxySettings(ca_file=str(bad)), Network())
    assert "proxy.ca_file" in caught.value.fix
    with pytest.raises(UserError, match="No such file") as caught:
        trust(ProxySettings(), Network(ca_file=str(tmp_path / "none")))
    assert "NODE_EXTRA_CA_CERTS" in caught.value.fix


# --- with real sockets -----------------------------------------------------------------------

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(serve: Serve, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that has ended with all its connections behind this."""
    tasks: list[asyncio.Task[None]] = []

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await serve(reader, writer)
        await _close(writer)

    def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.create_task(one(reader, writer)))

    server = await asyncio.start_server(come, "127.0.0.1", 0, ssl=tls, limit=2**22)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.gather(*tasks)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
    await _close(writer)


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Tells each request how long it was and whom it named."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(int(head.lower().split(b"content-length: ")[1][:7]))
        said = b"%d %b" % (len(body), head.split(b"\r\n")[1])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said))


@dataclass
class Company:
    """A forward proxy in front of the one upstream that there is. heads: what it was asked."""

    port: int
    heads: list[bytes]


JOINED = b"HTTP/1.1 200 Connection established\r\nVia: company\r\n\r\n"


@contextlib.asynccontextmanager
async def company(certificate: Path, answer: bytes = JOINED) -> AsyncIterator[Company]:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    heads: list[bytes] = []
    async with serving(_answers, tls) as upstream:

        async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answer)
            if answer is JOINED:
                there = await asyncio.open_connection("127.0.0.1", upstream)
                await asyncio.gather(_pour(there[0], writer), _pour(reader, there[1]))

        async with serving(join) as port:
            yield Company(port, heads)


async def asked(made: Company, ca_file: Path | None, *sizes: int, user: str = "") -> list[bytes]:
    """What a client receives for requests with bodies of these sizes, on one connection."""
    network = Network(f"http://{user}127.0.0.1:{made.port}")
    settings = ProxySettings(
        upstream="https://api.example", drain_s=0.1, ca_file=str(ca_file or "")
    )
    observer = Observer(lambda _note: None, lambda _error: None)

    answers = []
    async with running(
        settings, TOKEN, port=0, observe=observer.observe, failed=observer.failed, network=network
    ) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        for size in sizes:
            head = f"POST /t/{TOKEN}/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{proxy.port}\r\n"
            writer.write(f"{head}Content-Length: {size:07}\r\n\r\n".encode() + bytes(size))
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            answers.append(answer.split(b"\r\n")[0] + b" " + await reader.readexactly(length))
        await _close(writer)
    return answers


def test_requests_pass_encrypted_through_a_forward_proxy(certificate: Path) -> None:
    async def test() -> None:
        async with company(certificate) as made:
            answers = await asked(made, certificate / "cert.pem", 2, 3_000_000, user="me:pass%21@")
            assert answers == [
                b"HTTP/1.1 200 OK 2 Host: api.example",
                b"HTTP/1.1 200 OK 3000000 Host: api.example",
            ]
            assert made.heads == [
                b"CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n"
                b"Proxy-Authorization: Basic bWU6cGFzcyE=\r\n\r\n"
            ]

    within(test)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", b"answered 407, it wants a user"),
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", b"answered 403"),
        (b"", b"closed the connection"),
        (b"nonsense\r\n\r\n", b"gave an invalid answer"),
        (b"HTTP/1.1 200 OK\r\n\r\nmore", b"gave an invalid answer"),
        (b"HTTP/1.1 299 x\r\nX: " + b"y" * 70_000, b"gave an invalid answer"),
    ],
)
def test_a_refusing_forward_proxy_is_reported_without_its_password(
    certificate: Path, answer: bytes, says: bytes
) -> None:
    async def test() -> None:
        async with company(certificate, answer=answer) as made:
            (refusal,) = await asked(made, certificate / "cert.pem", 2, user="me:secret@")
            assert refusal.startswith(b"HTTP/1.1 502 ")
            assert b"cannot reach api.example: the forward proxy 127.0.0.1" in refusal
            assert says in refusal
            assert b"secret" not in refusal

    within(test)


def test_an_upstream_with_an_unknown_authority_gets_no_request(certificate: Path) -> None:
    async def test() -> None:
        async with company(certificate) as made:
            (refusal,) = await asked(made, None, 2)
            assert refusal.startswith(b"HTTP/1.1 502 ")
            assert b"certificate verify failed" in refusal

    within(test)
