"""The client's side of the proxy: reads requests, admits them, and gives them to an exchange.

One request at a time is under way on a connection; one that was sent behind it waits. It reads
on while an answer is under way, because only so it hears that the client has left.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Callable
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from msgspec import Struct, field

from wm.proxy.exchange import Exchange, Failed, Watcher, refusal
from wm.proxy.guard import Admitted, Guard, Refused
from wm.proxy.heads import RequestHead
from wm.proxy.turns import Turns
from wm.proxy.upstream import Pool
from wm.settings import ProxySettings

_BACKLOG = 128
_BUFFER_BYTES = 256 * 1024
_AHEAD_BYTES = 1024 * 1024
"""Of requests behind the one under way, heads included; then the client is no longer read."""
_EACH_BYTES = 512
"""What one of them costs beside the bytes that it came in."""

Watch = Callable[[RequestHead, Admitted], Watcher]


class _Incoming(Struct):
    """A request as far as it has come. pieces: what waits until it has its exchange. size: of all
    that waits."""

    head: RequestHead
    size: int
    pieces: list[bytes] = field(default_factory=list)
    ended: bool = False


class ClientConnection(asyncio.BufferedProtocol):
    """One client. What comes is read into one buffer of the server: the parser takes out of it
    what is kept."""

    transport: asyncio.Transport

    def __init__(self, server: Server) -> None:
        self._server = server
        self._parser: Any = HttpRequestParser(self)
        self._incoming: deque[_Incoming] = deque()
        self._exchange: Exchange | None = None
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._in_head = self._began = False
        """A head is not whole yet; one began in the read at hand."""
        self._head_bytes = 0
        """Of a head that is not whole, without the read that brought its beginning."""
        self._ahead_bytes = 0
        self._paused: set[str] = set()
        self._full = False
        """What waits to be written to it is enough."""
        self._refused = False
        self._open = False
        self._timer: asyncio.TimerHandle | None = None
        """Ends a client that is slow with a head, and one that was refused."""

    # -- transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._open = True
        full = len(self._server.connections) >= self._server.settings.max_clients
        if full or self._server.draining:
            transport.abort()  # so that strangers cannot use up what the system lets us open
            return
        self._server.connections.add(self)
        self._wait_for_head()
        # Bytes of an answer are wanted when they are there, not when a packet is full.
        sock = transport.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get_buffer(self, _sizehint: int) -> memoryview:
        return self._server.buffer

    def buffer_updated(self, size: int) -> None:
        if self._refused:
            return
        self._began = False
        try:
            self._parser.feed_data(self._server.buffer[:size])
        except HttpParserUpgrade:
            self._refuse(Refused(400, "This proxy offers no other protocol."))
        except HttpParserError as error:
            self._refuse(Refused(400, f"This is not HTTP/1.1: {error}."))
        if self._exchange is not None:
            self._exchange.flush()
        if self._in_head and not self._refused:
            self._partly(0 if self._began else size)

    def _partly(self, size: int) -> None:
        """A head is not whole yet, and has grown by so much."""
        self._head_bytes += size
        if self._head_bytes > self._server.settings.max_head_bytes:
            self._too_large()
        elif self._timer is None and self._exchange is None:
            self._wait_for_head()

    def eof_received(self) -> bool:
        return False  # a client that hears no more has left

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._open = False
        self._server.left(self)
        self._stop_timer()
        self._incoming.clear()
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.client_left()

    def pause_writing(self) -> None:
        self._full = True
        if self._exchange is not None:
            self._exchange.client_takes(False)

    def resume_writing(self) -> None:
        self._full = False
        if self._exchange is not None:
            self._exchange.client_takes(True)

    # -- parser ------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers = []
        self._head_bytes = 0
        self._in_head = self._began = True

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # trailers belong to the hop
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self._refused:
            return
        size = len(self._url) + sum([len(name) + len(value) + 4 for name, value in self._headers])
        if size > self._server.settings.max_head_bytes:
            self._too_large()
            return
        version = self._parser.get_http_version()
        if version not in ("1.1", "1.0"):
            self._refuse(Refused(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here."))
            return
        keep = self._parser.should_keep_alive()
        head = RequestHead(self._parser.get_method(), self._url, self._headers, version, keep)
        self._headers = []
        self._incoming.append(_Incoming(head, size + _EACH_BYTES))
        self._ahead(self._incoming[-1].size)
        self._next()

    def on_body(self, body: bytes) -> None:
        if self._refused:
            return
        if len(self._incoming) == 1 and self._exchange is not None:
            self._exchange.more(body)
            return
        self._incoming[-1].pieces.append(body)
        self._incoming[-1].size += len(body)
        self._ahead(len(body))

    def _ahead(self, size: int) -> None:
        """So much more waits for its exchange."""
        self._ahead_bytes += size
        if self._ahead_bytes > _AHEAD_BYTES:
            self._pause("ahead")

    def on_message_complete(self) -> None:
        if self._refused:
            return
        incoming = self._incoming[-1]
        incoming.ended = True
        if len(self._incoming) == 1 and self._exchange is not None:
            self._exchange.end()

    def _too_large(self) -> None:
        self._refuse(Refused(431, "Request line and headers are too large."))

    # -- exchanges -----------------------------------------------------------------------------

    def _next(self) -> None:
        """Take up the request in front, if none is under way."""
        if self._exchange is not None or not self._incoming or self._refused:
            return
        incoming = self._incoming[0]
        admitted = self._server.guard.check(incoming.head)
        if isinstance(admitted, Refused):
            self._refuse(admitted)
            return
        self._stop_timer()
        expects = incoming.head.get(b"expect") is not None and incoming.head.version == "1.1"
        if expects and not incoming.ended:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        exchange = self._server.exchange(self, incoming.head, admitted)
        self._exchange = exchange
        if self._full:
            exchange.client_takes(False)
        exchange.start()
        for piece in incoming.pieces:
            exchange.more(piece)
        incoming.pieces.clear()
        self._ahead_bytes -= incoming.size
        if self._ahead_bytes <= _AHEAD_BYTES:
            self._resume("ahead")
        if incoming.ended:
            exchange.end()

    def send(self, data: bytes) -> None:
        if self._open:
            self.transport.write(data)

    def takes(self, ready: bool) -> None:
        if ready:
            self._resume("upstream")
        else:
            self._pause("upstream")

    def done(self, *, keep: bool) -> None:
        self._exchange = None
        self._incoming.popleft()
        self._resume("upstream")
        if keep and not self._server.draining:
            self._next()
            if self._exchange is not None:
                self._exchange.flush()
            elif self._in_head and self._timer is None:
                self._wait_for_head()
        else:
            self._end()

    def cut(self, *, seen: bool) -> None:
        self._exchange = None
        if self._open:
            sock = self.transport.get_extra_info("socket")
            if not seen and sock is not None:
                # Its end would look like that of the answer: it gets a reset instead.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.close()

    # -- ends ------------------------------------------------------------------------------------

    def _refuse(self, refused: Refused) -> None:
        if self._refused:  # one that is told so does not stop at once
            return
        self._refused = True
        self._server.refused += 1
        self._incoming.clear()
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.client_left()
        if self._open and (exchange is None or not exchange.answering):
            self.transport.write(refusal(refused))
        self._end()

    def _end(self) -> None:
        """Close behind the answer. Closing on unread bytes would reset the connection before the
        client saw it: one that may still send is read on for a moment."""
        self._refused = True
        if not self._open:
            return
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._stop_timer()
        self._linger()

    def _linger(self) -> None:
        self._timer = self._server.loop.call_later(self._server.settings.linger_s, self._lingered)

    def _lingered(self) -> None:
        """One that is slow to take its answer gets all of it."""
        if self.transport.get_write_buffer_size():
            self._linger()
        else:
            self.transport.abort()

    def _wait_for_head(self) -> None:
        self._timer = self._server.loop.call_later(
            self._server.settings.head_timeout_s, self._too_slow
        )

    def _too_slow(self) -> None:
        self._timer = None
        if self._exchange is None:
            self._refuse(Refused(408, "The head of the request did not come in time."))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def drain(self) -> None:
        """The proxy ends: close now when idle, else behind the answer under way."""
        if self._exchange is None and self._open:
            self.transport.close()

    def abort(self) -> None:
        if self._open:
            self.transport.abort()

    def _pause(self, why: str) -> None:
        if not self._paused and self._open and not self.transport.is_closing():
            self.transport.pause_reading()
        self._paused.add(why)

    def _resume(self, why: str) -> None:
        was = bool(self._paused)
        self._paused.discard(why)
        if was and not self._paused and self._open and not self.transport.is_closing():
            self.transport.resume_reading()


class Server:
    """The listening sockets and the clients of one proxy. On the event loop."""

    def __init__(
        self,
        pool: Pool,
        guard: Guard,
        watch: Watch,
        settings: ProxySettings,
        failed: Failed,
        turns: Turns | None = None,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.pool = pool
        self.guard = guard
        self.settings = settings
        self.connections: set[ClientConnection] = set()
        self.draining = False
        self.refused = 0
        self.buffer = memoryview(bytearray(_BUFFER_BYTES))
        self._watch = watch
        self._turns = turns or Turns()
        self._failed = failed
        self._server: asyncio.Server | None = None
        self._one_left = asyncio.Event()

    async def listen(self, listener: socket.socket) -> None:
        self._server = await self.loop.create_server(
            lambda: ClientConnection(self), sock=listener, backlog=_BACKLOG
        )

    def exchange(self, client: ClientConnection, head: RequestHead, admitted: Admitted) -> Exchange:
        held, watcher = self._turns.held(head, admitted), self._watch(head, admitted)
        return Exchange(self.pool, client, head, admitted, held, watcher, self._failed)

    def left(self, connection: ClientConnection) -> None:
        self.connections.discard(connection)
        self._one_left.set()

    async def drain(self, within_s: float) -> None:
        """Take no new requests, let those under way end."""
        self.draining = True
        if self._server is not None:
            for listener in self._server.sockets:
                self.loop.remove_reader(listener.fileno())
            # Who was just accepted joins first: a closed server would forget the socket.
            await asyncio.sleep(0)
            self._server.close()
        for connection in tuple(self.connections):
            connection.drain()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._all_left()
        for connection in tuple(self.connections):
            connection.abort()
        await self._all_left()  # each of them is told, and what it had under way is noted
        self.pool.close()

    async def _all_left(self) -> None:
        while self.connections:
            self._one_left.clear()
            await self._one_left.wait()


def bind(port: int) -> socket.socket:
    """A socket on the loopback; port 0: any free one. Raises OSError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
