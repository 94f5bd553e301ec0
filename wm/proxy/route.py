"""The route to the upstream: direct, or through a company's forward proxy (PX-1, PX-10).

Follows the usual environment variables: `HTTPS_PROXY`, else `ALL_PROXY`, also in lower case, and
`NO_PROXY` for direct hosts. A local upstream never uses a forward proxy. The connection is
encrypted from here to the upstream: the forward proxy gets a `CONNECT` and sees only the host
name. Its password is sent to that proxy only.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import ssl
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from wm.errors import OnError, UserError
from wm.proxy.origin import Origin
from wm.proxy.reach import connect
from wm.settings import Network, ProxySettings

_MAX_HEAD_BYTES = 64 * 1024
_P = TypeVar("_P", bound=asyncio.BaseProtocol)


class Through(Struct, frozen=True):
    """A forward proxy. credentials: the value of `Proxy-Authorization`, or ""."""

    host: str
    port: int
    credentials: str = ""

    def __repr__(self) -> str:
        return f"Through({self.host!r}, {self.port})"


def through(origin: Origin, network: Network) -> Through | None:
    """The forward proxy for this upstream, if any. Raises UserError for an unusable one; the
    message contains no password."""
    if not network.proxy or not origin.secure or origin.local:
        return None
    if excepted(origin.host, origin.port, network.no_proxy):
        return None
    fix = "Correct HTTPS_PROXY, or name the upstream's host in NO_PROXY."
    url = network.proxy if "://" in network.proxy else f"http://{network.proxy}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
    except ValueError:
        raise UserError("HTTPS_PROXY in the environment is not a URL.", fix=fix) from None
    if parts.scheme != "http" or not host:
        raise UserError.of("proxy.unsupported", scheme=parts.scheme, fix=fix)
    if parts.username is None:
        return Through(host, port)
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Through(host, port, "Basic " + base64.b64encode(pair.encode()).decode("ascii"))


def excepted(host: str, port: int, no_proxy: str) -> bool:
    """Whether `NO_PROXY` matches this host: `*`, a domain with its subdomains, an address, or a
    network, each with or without a port."""
    return any(_names(rule.strip().lower(), host.lower(), port) for rule in no_proxy.split(","))


def _names(rule: str, host: str, port: int) -> bool:
    if rule == "*":
        return True
    name, mark, wanted = rule.rpartition(":")
    if mark and wanted.isdecimal() and (":" not in name or name.endswith("]")):
        if int(wanted) != port:
            return False
        rule = name
    rule = rule.strip("[]").removeprefix("*").removeprefix(".")
    if not rule:
        return False
    if host == rule or host.endswith(f".{rule}"):
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(rule, strict=False)
    except ValueError:
        return False


def trust(settings: ProxySettings, network: Network) -> ssl.SSLContext:
    """The trusted certificates: those of the system (SSL_CERT_FILE and SSL_CERT_DIR included), and
    those of `proxy.ca_file` or NODE_EXTRA_CA_CERTS. Raises UserError."""
    context = ssl.create_default_context()
    named = settings.ca_file or network.ca_file
    if named:
        try:
            context.load_verify_locations(cafile=named)
        except (OSError, ssl.SSLError) as error:
            why = error.strerror if error.strerror and not isinstance(error, ssl.SSLError) else ""
            where = "proxy.ca_file" if settings.ca_file else "NODE_EXTRA_CA_CERTS"
            raise UserError.of(
                "proxy.bad_certificates",
                named=named,
                why=why or "they are not a PEM file",
                where=where,
            ) from None
    return context


async def tunnel(
    way: Through, origin: Origin, tls: ssl.SSLContext, protocol: _P
) -> tuple[asyncio.Transport, _P]:
    """Transport and protocol, connected to the upstream through a forward proxy. Raises OSError."""
    loop = asyncio.get_running_loop()
    raw, request = await connect(way.host, way.port, _ConnectRequest(way, origin))
    with OnError(raw.abort):
        await request.answered
        transport = await loop.start_tls(raw, protocol, tls, server_hostname=origin.host)
    if transport is None:
        raise ConnectionError("the connection broke while it was encrypted")
    protocol.connection_made(transport)
    return transport, protocol


class _ConnectRequest(asyncio.Protocol):
    """Sends `CONNECT` and waits for the forward proxy's answer."""

    def __init__(self, way: Through, origin: Origin) -> None:
        self._where = f"the forward proxy {way.host}:{way.port}"
        name = f"[{origin.host}]" if ":" in origin.host else origin.host
        place = f"{name}:{origin.port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if way.credentials:
            lines.append(f"Proxy-Authorization: {way.credentials}")
        self._request = "\r\n".join((*lines, "", "")).encode("ascii")
        self._got = b""
        self.answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A caller cancelled while connecting never awaits this future; that is not a fault.
        self.answered.add_done_callback(lambda future: future.cancelled() or future.exception())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, rest = self._got.partition(b"\r\n\r\n")
        if not end and len(self._got) <= _MAX_HEAD_BYTES:
            return
        words = head.split(b"\r\n", 1)[0].split(b" ", 2)
        status = words[1] if len(words) > 1 and words[0].startswith(b"HTTP/1.") else b""
        if not end or rest or len(status) != 3 or not status.isdigit():
            self._failed("gave an invalid answer")
        elif status[:1] != b"2":
            wants = ", it wants a user and a password" if status == b"407" else ""
            self._failed(f"answered {status.decode('ascii')}{wants}")
        elif not self.answered.done():
            self.answered.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._failed("closed the connection")

    def _failed(self, what: str) -> None:
        if not self.answered.done():
            self.answered.set_exception(ConnectionError(f"{self._where} {what}"))
