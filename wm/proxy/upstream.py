"""Connections to the upstream: one per current exchange, kept alive for the next one (PX-10).

Passes heads, body pieces and ends to an exchange, and distinguishes a complete answer from a
truncated one. Does not interpret the bytes.
"""

from __future__ import annotations

import asyncio
import select
import socket
from collections import deque
from typing import Protocol

from wm.errors import OnError
from wm.net.connection import Peer
from wm.net.messages import ResponseHead
from wm.net.parser import Broken, ResponseReader
from wm.proxy.deferred import DeferredWork
from wm.proxy.origin import Origin
from wm.proxy.reach import connect
from wm.proxy.route import through, trust, tunnel
from wm.settings import Network, ProxySettings

WAITING_BYTES = 1024 * 1024
"""Bytes of a request that may wait for a connection, or for the network, before its client is
paused. Pausing and resuming costs two turns of the loop; requests are rarely longer."""
_ALIVE_S = 60
"""Seconds of silence after which TCP keep-alive probes start."""


class Sink(Protocol):
    """What an exchange receives from its upstream connection."""

    def answer_informational(self, head: ResponseHead) -> None:
        """An informational (1xx) head; the final head follows."""

    def answer_head(self, head: ResponseHead) -> None:
        """The final head."""

    def answer_body(self, data: bytes) -> None:
        """A piece of the body, without framing."""

    def answer_read(self, *, last: bool) -> None:
        """All data of one read was delivered; last: the answer is complete."""

    def answer_ended(self) -> None:
        """No further event. The connection no longer belongs to the exchange."""

    def upstream_lost(self, reason: str) -> None:
        """The connection ended before the answer was whole."""

    def upstream_accepts(self, ready: bool) -> None:
        """Whether the connection can take more of the request now."""


class UpstreamConnection(Peer):
    """One connection. It serves one exchange at a time, and none while it is idle."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool.loop)
        self._pool = pool
        self._sink: Sink | None = None
        self._reader = ResponseReader(b"")
        self.sent = False
        """The system accepted at least one byte of the current request."""
        self.request_written = False
        """The whole request was written. Otherwise the connection cannot be reused."""
        self.used = 0
        """Number of exchanges served."""
        self.begun_at = self.idle_since = 0.0

    # -- called by the exchange ----------------------------------------------------------

    def begin(self, sink: Sink, method: bytes) -> None:
        """Serve this exchange. Later writes belong to its request."""
        self._sink = sink
        self._reader = ResponseReader(method)
        self.begun_at = self.loop.time()
        self.sent = self.request_written = False

    def write(self, data: bytes) -> None:
        self.transport.write(data)
        # A transport tries to send at once, and closes if the system accepts nothing.
        self.sent = self.sent or not self.transport.is_closing()

    def accepts(self, ready: bool) -> None:
        """Whether the client can take more of the answer now."""
        if ready:
            self.resume("client")
        else:
            self.pause("client")

    def abort(self) -> None:
        """The exchange ended early: drop the connection at once."""
        self._sink = None
        super().abort()

    @property
    def answer_begun(self) -> bool:
        """Whether part of an answer to the current request arrived."""
        return self._reader.fed_bytes > 0

    @property
    def stale(self) -> bool:
        """Whether an idle connection is unusable: the upstream closed it, or sent unsolicited
        data that the loop has not read yet."""
        if not self.usable:
            return True
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))

    # -- transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(high=WAITING_BYTES)

    def data_received(self, data: bytes) -> None:
        if self._sink is None:
            self.close()  # unsolicited data must not reach the next exchange
            return
        body: list[bytes] = []
        for event in self._reader.feed(data):
            if isinstance(event, bytes):
                body.append(event)
            elif isinstance(event, ResponseHead):
                self._head_came(event)
            else:  # the last event
                self._body_came(body)
                if isinstance(event, Broken):
                    self._lost(event.reason)
                else:
                    self._ended()
                return
        self._body_came(body)
        self._sink.answer_read(last=False)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._pool.forget(self)
        if exc is None and self._reader.ends_here():
            self._ended()
        else:
            self._lost(f"the connection broke ({exc})" if exc else "it closed the connection")

    def pause_writing(self) -> None:
        if self._sink is not None:
            self._sink.upstream_accepts(False)

    def resume_writing(self) -> None:
        if self._sink is not None:
            self._sink.upstream_accepts(True)

    # -- answers -----------------------------------------------------------------------------

    def _head_came(self, head: ResponseHead) -> None:
        assert self._sink is not None
        if head.status < 200:
            self._sink.answer_informational(head)
        else:
            self._sink.answer_head(head)

    def _body_came(self, pieces: list[bytes]) -> None:
        """Forward the data of one read as one piece."""
        if pieces and self._sink is not None:
            self._sink.answer_body(pieces[0] if len(pieces) == 1 else b"".join(pieces))

    def _ended(self) -> None:
        sink, self._sink = self._sink, None
        if sink is None:
            return
        sink.answer_read(last=True)
        # Return it to the pool first: the next request may follow in the same turn of the loop.
        if self.usable and self.request_written and self._reader.keeps_connection:
            self.resume("client")  # paused by a slow client; idle, it must detect a close
            self._pool.take_back(self)
        else:
            self.close()
        sink.answer_ended()

    def _lost(self, reason: str) -> None:
        sink, self._sink = self._sink, None
        super().abort()
        if sink is not None:
            sink.upstream_lost(reason)


class Pool:
    """Connections to one upstream. Used on the event loop."""

    def __init__(
        self, origin: Origin, settings: ProxySettings, network: Network | None = None
    ) -> None:
        """Raises UserError for an unusable forward proxy or unusable certificates."""
        self.origin = origin
        self._settings = settings
        self.kept_request_bytes = settings.kept_request_bytes
        self.unpacked_bytes = settings.unpacked_bytes
        network = network or Network()
        self._through = through(origin, network)
        self.loop = asyncio.get_running_loop()
        self._idle: deque[UpstreamConnection] = deque()
        self._tls = trust(settings, network) if origin.secure else None
        self._sweep: asyncio.TimerHandle | None = None
        self.opened = 0
        self.deferred = DeferredWork(self.loop)

    def at_hand(self) -> UpstreamConnection | None:
        """An idle connection that was used before, the most recent first."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.stale:
                return connection
            connection.close()
        return None

    async def connect(self) -> UpstreamConnection:
        """A new connection. Raises OSError (TimeoutError included)."""
        async with asyncio.timeout(self._settings.connect_timeout_s):
            transport, connection = await self._reach()
        _keep_alive(transport.get_extra_info("socket"))
        self.opened += 1
        return connection

    async def _reach(self) -> tuple[asyncio.Transport, UpstreamConnection]:
        connection = UpstreamConnection(self)
        # Not closed but aborted: a TLS close would wait for the other side's reply.
        with OnError(connection.abort):
            if self._through is not None and self._tls is not None:
                return await tunnel(self._through, self.origin, self._tls, connection)
            return await connect(self.origin.host, self.origin.port, connection, self._tls)

    def take_back(self, connection: UpstreamConnection) -> None:
        connection.used += 1
        connection.idle_since = self.loop.time()
        self._idle.append(connection)
        if self._sweep is None:
            self._sweep = self.loop.call_later(self._settings.idle_upstream_s, self._expire)

    def forget(self, connection: UpstreamConnection) -> None:
        if connection in self._idle:
            self._idle.remove(connection)

    def close(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
        while self._idle:
            self._idle.pop().close()

    def _expire(self) -> None:
        """Close expired idle connections, oldest first, and schedule the next check."""
        self._sweep = None
        kept_s = self._settings.idle_upstream_s
        now = self.loop.time()
        while self._idle and now - self._idle[0].idle_since >= kept_s:
            self._idle.popleft().close()
        if self._idle:
            then = self._idle[0].idle_since + kept_s
            self._sweep = self.loop.call_at(then, self._expire)


def _keep_alive(sock: socket.socket) -> None:
    """A model may think for minutes without a byte; without probes routers drop the connection."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    # By default the first probe comes after two hours. macOS uses another name for the option.
    idle = getattr(socket, "TCP_KEEPIDLE", getattr(socket, "TCP_KEEPALIVE", None))
    for name in (idle, getattr(socket, "TCP_KEEPINTVL", None)):
        if name is not None:
            sock.setsockopt(socket.IPPROTO_TCP, name, _ALIVE_S)
