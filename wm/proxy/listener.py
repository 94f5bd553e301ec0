"""The client's side of the proxy: reads requests, checks access, and passes them to an exchange.

A connection serves one request at a time; pipelined requests wait. It keeps reading during an
answer, because only this detects that the client disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Callable

from msgspec import Struct, field

from wm.net.connection import Peer
from wm.net.messages import CONTINUE, RequestHead
from wm.net.parser import HttpRefusal, RequestReader, Stage
from wm.proxy.exchange import Exchange, ExchangeObserver, Parties
from wm.proxy.guard import Admitted, Guard, RefusedRequest
from wm.settings import ProxySettings

_BACKLOG = 128
_AHEAD_BYTES = 1024 * 1024
"""Limit on queued requests, heads included; above it the client is no longer read."""
_EACH_BYTES = 512
"""Assumed overhead of one queued request besides its bytes."""

Observe = Callable[[RequestHead, Admitted], ExchangeObserver]


class _Incoming(Struct):
    """A request that waits for its exchange, as far as it has arrived. size: bytes that wait."""

    head: RequestHead
    size: int
    pieces: list[bytes] = field(default_factory=list)
    ended: bool = False


class ClientConnection(Peer):
    """The connection of one client."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.loop)
        self._server = server
        self._settings = server.settings
        self._reader = RequestReader(server.settings.max_head_bytes)
        self._incoming: deque[_Incoming] = deque()
        """Queued requests. The first one is being served if there is an exchange."""
        self._exchange: Exchange | None = None
        self._ahead_bytes = 0
        self._full = False
        """The write buffer to the client is over its limit."""
        self._refused = False

    # -- transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        full = len(self._server.connections) >= self._settings.max_clients
        if full or self._server.draining:
            self.transport.abort()  # strangers must not exhaust our file descriptors
            return
        self._server.connections.add(self)
        self._wait_for_head()
        # Bytes of an answer must be sent at once, not when a packet is full.
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return  # read and discarded, so that the client gets to our answer
        for event in self._reader.feed(data):
            if isinstance(event, bytes):
                self._body_came(event)
            elif isinstance(event, RequestHead):
                self._head_came(event)
            elif isinstance(event, HttpRefusal):
                self._refuse(RefusedRequest(event.status, event.message))
            else:
                self._request_came()
            if self._refused:
                return
        if self._exchange is not None:
            self._exchange.flush()
        else:
            self._time_head()

    def eof_received(self) -> bool:
        return False  # a client that closed its end has left

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._server.left(self)
        self._incoming.clear()
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.client_left()

    def pause_writing(self) -> None:
        self._full = True
        if self._exchange is not None:
            self._exchange.client_accepts(False)

    def resume_writing(self) -> None:
        self._full = False
        if self._exchange is not None:
            self._exchange.client_accepts(True)

    # -- requests ----------------------------------------------------------------------------

    def _head_came(self, head: RequestHead) -> None:
        size = len(head.target) + sum(len(name) + len(value) + 4 for name, value in head.headers)
        self._incoming.append(_Incoming(head, size + _EACH_BYTES))
        self._wait_ahead(size + _EACH_BYTES)
        self._next()

    def _body_came(self, data: bytes) -> None:
        exchange = self._receiver()
        if exchange is not None:
            exchange.more(data)
            return
        self._incoming[-1].pieces.append(data)
        self._incoming[-1].size += len(data)
        self._wait_ahead(len(data))

    def _request_came(self) -> None:
        self._incoming[-1].ended = True
        exchange = self._receiver()
        if exchange is not None:
            exchange.end()

    def _receiver(self) -> Exchange | None:
        """The exchange, if arriving data belongs to its request."""
        return self._exchange if len(self._incoming) == 1 else None

    def _wait_ahead(self, size: int) -> None:
        """Count more bytes as waiting for an exchange."""
        self._ahead_bytes += size
        if self._ahead_bytes > _AHEAD_BYTES:
            self.pause("ahead")

    def _next(self) -> None:
        """Start the first queued request, if none is being served."""
        if self._exchange is not None or not self._incoming or self._refused:
            return
        incoming = self._incoming[0]
        admitted = self._server.guard.check(incoming.head)
        if isinstance(admitted, RefusedRequest):
            self._refuse(admitted)
            return
        self.stop_timer()
        expects = incoming.head.get(b"expect") is not None and incoming.head.version == "1.1"
        if expects and not incoming.ended:
            self.transport.write(CONTINUE)
        exchange = self._exchange = self._server.exchange(self, incoming.head, admitted)
        if self._full:
            exchange.client_accepts(False)
        exchange.start()
        for piece in incoming.pieces:
            exchange.more(piece)
        incoming.pieces.clear()
        self._ahead_bytes -= incoming.size
        if self._ahead_bytes <= _AHEAD_BYTES:
            self.resume("ahead")
        if incoming.ended:
            exchange.end()

    # -- called by the exchange ----------------------------------------------------------------

    def send(self, data: bytes) -> None:
        if self.is_open:
            self.transport.write(data)

    def accepts(self, ready: bool) -> None:
        if ready:
            self.resume("upstream")
        else:
            self.pause("upstream")

    def done(self, *, keep: bool) -> None:
        self._exchange = None
        self._incoming.popleft()
        self.resume("upstream")
        if not keep or self._server.draining:
            self._end()
            return
        self._next()
        if self._exchange is not None:
            self._exchange.flush()
        else:
            self._time_head()

    def cut(self, *, seen: bool) -> None:
        self._exchange = None
        if self.is_open and not seen:
            # A normal close would look like the end of the answer: send a reset instead.
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    # -- closing ---------------------------------------------------------------------------------

    def _refuse(self, refused: RefusedRequest) -> None:
        if self._refused:
            return
        self._server.refused += 1
        self._incoming.clear()
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.client_left()
        if exchange is None or not exchange.answering:
            self.send(refused.answer())
        self._end()

    def _end(self) -> None:
        self._refused = True
        self.close_gently(self._settings.linger_s)

    def _time_head(self) -> None:
        """Limit the time for a head that has begun; a client may idle between two requests."""
        if self._reader.stage is Stage.HEAD and self._timer is None and not self._refused:
            self._wait_for_head()

    def _wait_for_head(self) -> None:
        late = RefusedRequest(408, "The head of the request did not come in time.")
        self.start_timer(self._settings.head_timeout_s, lambda: self._refuse(late))

    def drain(self) -> None:
        """The proxy is stopping: close now if idle, else after the current answer."""
        if self._exchange is None:
            self.close()


class Server:
    """The listening sockets and clients of one proxy. Runs on the event loop."""

    def __init__(
        self, parties: Parties, guard: Guard, observe: Observe, settings: ProxySettings
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.pool = parties.pool
        self.guard = guard
        self.settings = settings
        self.connections: set[ClientConnection] = set()
        self.draining = False
        self.refused = 0
        self._parties = parties
        self._observe = observe
        self._server: asyncio.Server | None = None
        self._one_left = asyncio.Event()

    async def listen(self, listener: socket.socket) -> None:
        self._server = await self.loop.create_server(
            lambda: ClientConnection(self), sock=listener, backlog=_BACKLOG
        )

    def exchange(self, client: ClientConnection, head: RequestHead, admitted: Admitted) -> Exchange:
        return Exchange(self._parties, client, head, admitted, self._observe(head, admitted))

    def left(self, connection: ClientConnection) -> None:
        self.connections.discard(connection)
        self._one_left.set()

    async def drain(self, within_s: float) -> None:
        """Accept no new requests; let current ones finish."""
        self.draining = True
        if self._server is not None:
            for listener in self._server.sockets:
                self.loop.remove_reader(listener.fileno())
            # A connection just accepted must register first: a closed server would forget its
            # socket.
            await asyncio.sleep(0)
            self._server.close()
        for connection in tuple(self.connections):
            connection.drain()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._all_left()
        for connection in tuple(self.connections):
            connection.abort()
        await self._all_left()  # each connection is aborted, and its current exchange recorded
        self.pool.close()

    async def _all_left(self) -> None:
        while self.connections:
            self._one_left.clear()
            await self._one_left.wait()
