"""Connections to the upstream: one per exchange under way, kept for the next one (PX-10).

It turns the upstream's bytes into a head, pieces of body and an end, and tells a whole answer
from one that was cut. Whom the bytes are for, it does not know.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from typing import Any, Protocol

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from wm.proxy.heads import ResponseHead, upstream_keeps
from wm.proxy.later import Later
from wm.proxy.origin import Origin
from wm.proxy.reach import connect
from wm.proxy.route import through, trust, tunnel
from wm.settings import Network, ProxySettings

_BUFFER_BYTES = 64 * 1024
WAITING_BYTES = 1024 * 1024
"""Of a request, so much may wait for a connection, or for the network, before its client is
stopped. Stopping and going on costs two rounds of the loop, and a request is rarely longer."""
_HEAD_BYTES = 256 * 1024
"""Of heads, so much may come before the one that counts is whole; no client takes as much."""
_ALIVE_S = 60
"""A connection that is silent so long is asked whether it is still there."""


class Sink(Protocol):
    """What an exchange hears of its upstream connection."""

    def answer_soon(self, head: ResponseHead) -> None:
        """An informational head: the final one follows."""

    def answer_head(self, head: ResponseHead) -> None:
        """The final head."""

    def answer_body(self, data: bytes) -> None:
        """A piece of the body, without framing."""

    def answer_read(self, *, last: bool) -> None:
        """All that one read brought has been told; with the last one the answer is whole."""

    def answer_ended(self) -> None:
        """Nothing follows. The connection is no longer the exchange's."""

    def upstream_lost(self, reason: str) -> None:
        """The connection ended before the answer was whole."""

    def upstream_takes(self, ready: bool) -> None:
        """Whether it takes more of the request now."""


class Connection(asyncio.BufferedProtocol):
    """One connection. It serves one exchange at a time; `sink` is None while it is idle.

    What comes is read into one buffer of the pool: the parser takes out of it what is kept.
    """

    transport: asyncio.Transport

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._sink: Sink | None = None
        self._parser: Any = None
        self._method = b""
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._head: ResponseHead | None = None
        self._body: list[bytes] = []
        self.on_body = self._body.append
        """For the parser: a chunk is one call without a frame of ours."""
        self._finished = False
        self._surplus = False
        """Something followed the end of the answer."""
        self._pieces = 0
        """Of the body, when its end was reached."""
        self._open = False
        self.heard = 0
        """Bytes of the answer that is awaited, at least until its head is whole."""
        self.asked_all = False
        """The whole request was written to it; else nothing else may ever be."""
        self.used = 0
        """Exchanges that it has served."""
        self.idle_since = 0.0

    # -- the exchange's side ---------------------------------------------------------------

    def begin(self, sink: Sink, method: bytes) -> None:
        """Serve this exchange. What it writes from now on is its request."""
        self._sink = sink
        self._method = method
        self._parser = HttpResponseParser(self)
        self._head = None
        self.heard = 0
        self._finished = self._surplus = self.asked_all = False
        self._pieces = 0

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def pause(self) -> None:
        if self._open and not self.transport.is_closing():
            self.transport.pause_reading()

    def resume(self) -> None:
        if self._open and not self.transport.is_closing():
            self.transport.resume_reading()

    def abort(self) -> None:
        """The exchange is over before its time; the upstream hears so at once."""
        self._sink = None
        if self._open:
            self.transport.abort()

    @property
    def usable(self) -> bool:
        return self._open and not self.transport.is_closing()

    # -- transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=WAITING_BYTES)
        self._open = True

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._pool.buffer

    def buffer_updated(self, size: int) -> None:
        if self._sink is None or self._finished:
            self._close()  # nobody asked: whatever this is, it must not reach the next exchange
            return
        if self._head is None:
            self.heard += size
        try:
            self._parser.feed_data(self._pool.buffer[:size])
        except HttpParserUpgrade:
            self._fail("it changed the protocol")
        except HttpParserError as error:
            self._surplus = True
            if not self._finished:
                self._fail(f"it answered with what is not HTTP/1.1 ({error})")
        if self._head is None and self.heard > _HEAD_BYTES:
            self._fail("the head of its answer is too long")
        self._tell()

    def eof_received(self) -> None:
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        self._open = False
        self._pool.forget(self)
        sink = self._sink
        if sink is None:
            return
        if self._head is not None and _ends_with_connection(self._head) and exc is None:
            self._finished = True
            self._tell()
            return
        self._sink = None
        sink.upstream_lost(f"the connection broke ({exc})" if exc else "it closed the connection")

    def pause_writing(self) -> None:
        if self._sink is not None:
            self._sink.upstream_takes(False)

    def resume_writing(self) -> None:
        if self._sink is not None:
            self._sink.upstream_takes(True)

    # -- parser ------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._reason = b""
        self._headers = []
        self._surplus = self._finished

    def on_status(self, reason: bytes) -> None:
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head is None:  # trailers belong to the hop
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if self._finished or self._sink is None:
            return
        head = ResponseHead(status, self._reason, self._headers)
        if status < 200:
            # 100 answers an `Expect`, which we took out; 101 begins what nobody asked for.
            if status not in (100, 101):
                self._sink.answer_soon(head)
            return
        self._head = head
        self._sink.answer_head(self._head)
        if self._method == b"HEAD":
            self._finished = True  # whatever length it names, no body follows

    def on_message_complete(self) -> None:
        if self._head is not None and not self._finished:
            self._finished = True
            self._pieces = len(self._body)

    # -- ends ----------------------------------------------------------------------------------

    def _tell(self) -> None:
        sink = self._sink
        if sink is None:
            self._body.clear()
            return
        if self._finished and len(self._body) > self._pieces:
            self._surplus = True
            del self._body[self._pieces :]
        if self._body:
            body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            self._body.clear()
            sink.answer_body(body)
        sink.answer_read(last=self._finished)
        if not self._finished:
            return
        head = self._head
        self._sink = None
        # Back before the end is told: the next request may come with the same breath.
        if head is not None and self._open and upstream_keeps(head) and self._may_stay():
            self.resume()  # a slow client may have held it back: idle, it must hear its end
            self._pool.take_back(self)
        else:
            self._close()
        sink.answer_ended()

    def _may_stay(self) -> bool:
        modern = self._parser.get_http_version() == "1.1"
        ours = self.asked_all and not self._surplus
        return modern and ours and not self.transport.is_closing()

    def _fail(self, reason: str) -> None:
        sink, self._sink = self._sink, None
        body = b"".join(self._body)
        self._body.clear()
        if self._open:
            self.transport.abort()
        if sink is not None:
            if body:  # up to here it was whole
                sink.answer_body(body)
            sink.upstream_lost(reason)

    def _close(self) -> None:
        if self._open:
            self.transport.close()


class Pool:
    """Connections to one upstream. Used on the event loop."""

    def __init__(
        self, origin: Origin, settings: ProxySettings, network: Network | None = None
    ) -> None:
        """Raises UserError for a forward proxy or certificates that cannot be used."""
        self.origin = origin
        self._settings = settings
        self.kept_request_bytes = settings.kept_request_bytes
        network = network or Network()
        self._through = through(origin, network)
        self.loop = asyncio.get_running_loop()
        self._idle: deque[Connection] = deque()
        self._tls = trust(settings, network) if origin.secure else None
        self._sweep: asyncio.TimerHandle | None = None
        self.opened = 0
        self.later = Later(self.loop)
        self.buffer = memoryview(bytearray(_BUFFER_BYTES))

    def at_hand(self) -> Connection | None:
        """A connection that was used before and is free, the youngest first."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
        return None

    async def connect(self) -> Connection:
        """A new connection. Raises OSError (TimeoutError included)."""
        async with asyncio.timeout(self._settings.connect_timeout_s):
            transport, connection = await self._reach()
        sock = transport.get_extra_info("socket")
        if sock is not None:
            _keep_alive(sock)
        self.opened += 1
        return connection

    async def _reach(self) -> tuple[asyncio.Transport, Connection]:
        connection = Connection(self)
        try:
            if self._through is not None and self._tls is not None:
                return await tunnel(self._through, self.origin, self._tls, connection)
            return await connect(self.origin.host, self.origin.port, connection, self._tls)
        except BaseException:
            connection.abort()  # a farewell under TLS would wait for the other side's
            raise

    def take_back(self, connection: Connection) -> None:
        connection.used += 1
        connection.idle_since = self.loop.time()
        self._idle.append(connection)
        if self._sweep is None:
            self._sweep = self.loop.call_later(self._settings.idle_upstream_s, self._expire)

    def forget(self, connection: Connection) -> None:
        if connection in self._idle:
            self._idle.remove(connection)

    def close(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
        while self._idle:
            self._idle.pop().transport.close()

    def _expire(self) -> None:
        """Close what was idle too long, the oldest first, and come back when the next one is."""
        self._sweep = None
        kept_s = self._settings.idle_upstream_s
        now = self.loop.time()
        while self._idle and now - self._idle[0].idle_since >= kept_s:
            self._idle.popleft().transport.close()
        if self._idle:
            then = self._idle[0].idle_since + kept_s
            self._sweep = self.loop.call_at(then, self._expire)


def _keep_alive(sock: socket.socket) -> None:
    """A model may think for minutes without a byte: routers on the way forget us else."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    # By default the system says nothing for two hours. macOS has another name for it.
    idle = getattr(socket, "TCP_KEEPIDLE", getattr(socket, "TCP_KEEPALIVE", None))
    for name in (idle, getattr(socket, "TCP_KEEPINTVL", None)):
        if name is not None:
            sock.setsockopt(socket.IPPROTO_TCP, name, _ALIVE_S)


def _ends_with_connection(head: ResponseHead) -> bool:
    return head.get(b"content-length") is None and head.get(b"transfer-encoding") is None
