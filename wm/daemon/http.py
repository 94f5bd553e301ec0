"""HTTP/1.1 on a bare asyncio Protocol around httptools (IF-1, IF-6).

It reads requests, holds every limit of size and time, keeps the answers of one connection in
the order of its requests, and writes them. It knows no route, no model and no store: whoever
owns the server gives a `Handler`.

The rules it protects: a request that does not fit the grammar or the limits gets one
problem+json answer and the connection ends; nothing is kept in memory beyond the limits; an
idle connection has no timer, so an idle server never wakes up.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from wm.settings import DaemonSettings

JSON_TYPE = "application/json"
PROBLEM_TYPE = "application/problem+json"

_STATUS_LINES = {s.value: f"HTTP/1.1 {s.value} {s.phrase}\r\n".encode() for s in HTTPStatus}
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_CHUNK_ALLOWANCE = 64
"""Bytes of framing that each chunk of a chunked body may cost before it counts as head."""
_PAUSE_AT = 8
"""Complete requests that wait behind one under way before the connection is no longer read."""
_LINGER_S = 2.0
"""A refused client that still sends is listened to this long, so that it reads the refusal."""
_BACKLOG = 512
_RETRY_S = 0.25
"""Without a single free descriptor, the listener rests this long."""


@dataclass(slots=True)
class Request:
    """One complete request. Header names are lower case, in the order they came."""

    method: str
    target: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes
    version: str = "1.1"
    keep_alive: bool = True

    def header(self, name: bytes) -> bytes | None:
        """The first header of that (lower-case) name."""
        return next((value for key, value in self.headers if key == name), None)


@dataclass(slots=True)
class Response:
    """A whole answer. `close` ends the connection behind it."""

    status: int
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: Sequence[tuple[str, str]] = ()
    close: bool = False


@dataclass(slots=True)
class Stream:
    """An answer without a length. `opened` gets the channel once the head is on its way."""

    opened: Callable[[Channel], None]
    content_type: str = "text/event-stream"
    headers: Sequence[tuple[str, str]] = (("cache-control", "no-store"),)


Reply = Callable[[Response | Stream], None]
Handler = Callable[[Request, Reply], None]
"""Answers by calling `reply` exactly once, now or later, on the loop. It must not raise."""


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    fix: str = "",
    extra: dict[str, Any] | None = None,
    headers: Sequence[tuple[str, str]] = (),
    close: bool = False,
) -> Response:
    """An error as problem+json (RFC 9457): `type` is our stable code, `fix` what to do."""
    body: dict[str, Any] = {
        "type": code,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if fix:
        body["fix"] = fix
    body.update(extra or {})
    return Response(
        status, json.dumps(body).encode() + b"\n", PROBLEM_TYPE, headers=headers, close=close
    )


def too_busy(code: str, detail: str, *, close: bool = False) -> Response:
    """503 with Retry-After: the caller may come back in a second."""
    return problem(503, code, detail, headers=(("retry-after", "1"),), close=close)


def encode_head(
    response: Response | Stream, *, length: int | None, version: str, keep: bool
) -> bytes:
    """Status line and headers. A body without a length is chunked, or ends the connection."""
    status = response.status if isinstance(response, Response) else 200
    parts = [_STATUS_LINES[status], b"content-type: ", response.content_type.encode("latin-1")]
    if status in (204, 304):
        parts[1:] = []
    elif length is not None:
        parts.append(b"\r\ncontent-length: %d\r\n" % length)
    else:
        parts.append(b"\r\ntransfer-encoding: chunked\r\n" if version == "1.1" else b"\r\n")
    for name, value in response.headers:
        parts.append(f"{name}: {value}\r\n".encode("latin-1"))
    if not keep:
        parts.append(b"connection: close\r\n")
    elif version == "1.0":
        parts.append(b"connection: keep-alive\r\n")
    parts.append(b"\r\n")
    return b"".join(parts)


class Channel:
    """The writing end of a streamed answer. Owned by whoever opened the stream."""

    def __init__(self, connection: Connection, *, chunked: bool) -> None:
        self._connection: Connection | None = connection
        self._chunked = chunked
        self.closed: Callable[[], None] | None = None
        """Called once when the client is gone or the stream was ended."""

    def send(self, data: bytes) -> bool:
        """Queue bytes for the client; False when the stream is over."""
        if self._connection is None or not data:
            return self._connection is not None
        framed = b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data
        self._connection.transport.write(framed)
        return True

    @property
    def waiting_bytes(self) -> int:
        """Bytes that the client has not taken yet: how far behind it is."""
        if self._connection is None:
            return 0
        return self._connection.transport.get_write_buffer_size()

    def close(self, *, abort: bool = False) -> None:
        """End the stream; the connection ends with it. `abort` throws away what waits."""
        connection = self._connection
        if connection is None:
            return
        self.detach()
        if abort:
            connection.transport.abort()
            return
        if self._chunked:
            connection.transport.write(b"0\r\n\r\n")
        connection.transport.close()

    def detach(self) -> None:
        """The connection is gone: tell the owner once."""
        self._connection = None
        closed, self.closed = self.closed, None
        if closed is not None:
            closed()


class Connection(asyncio.Protocol):
    """One client. Requests are handled one after the other, in the order they came."""

    transport: asyncio.Transport

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._limits = server.limits
        self._parser: Any = HttpRequestParser(self)
        self._queue: deque[Request | Response] = deque()
        self._current: Request | None = None
        self._channel: Channel | None = None
        self._pumping = False
        self._reading_paused = False
        self._writing_paused = False
        self._refused = False
        self._last = False
        """No further request is read: the client or we said that this one is the last."""
        self._open = True
        self._timer: asyncio.TimerHandle | None = None
        self._stage = 0
        self._timed_stage = 0
        self._continue_due = False
        self._fresh = True
        """Nothing was ever answered here: such a client does not get to be silent for long."""
        self._reset()

    def _reset(self) -> None:
        self._incomplete = False
        self._in_head = False
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._chunks: list[bytes] = []
        self._body_bytes = 0
        self._head_bytes = 0
        self._fed_bytes = 0
        self._allowed_bytes = self._limits.max_head_bytes

    # -- transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.joined(self)
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._open = False
        self._cancel_timer()
        self._server.left(self, self._body_bytes)
        self._queue.clear()
        self._chunks = []
        self._body_bytes = 0
        self._parser = None
        if self._channel is not None:
            self._channel.detach()
            self._channel = None

    def data_received(self, data: bytes) -> None:
        if self._refused or self._last:
            return  # read and forgotten, so that the client gets to our answer
        self._fed_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._drop_last_request()
            self._refuse(_bad("upgrade", "This server offers no other protocol."))
        except HttpParserError as error:
            if not self._last and not self._refused:
                self._refuse(_bad("bad_request", f"This is not HTTP/1.1: {error}."))
        if self._incomplete and not self._refused:
            self._check_framing()
        self._after_read()

    def eof_received(self) -> bool:
        if self._channel is not None or self._incomplete:
            return False
        self._last = True
        return self._current is not None or bool(self._queue)

    def pause_writing(self) -> None:
        self._writing_paused = True

    def resume_writing(self) -> None:
        self._writing_paused = False
        self._pump()

    # -- parser ------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self._refused or self._last:
            return
        self._incomplete = self._in_head = True
        self._stage += 1

    def on_url(self, url: bytes) -> None:
        self._url += url
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value) + 4)
        if self._in_head and not self._refused:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        if self._refused or self._last:
            return
        self._in_head = False
        self._stage += 1
        expect = None
        for name, value in self._headers:
            if name == b"content-length":
                if int(value) > self._limits.max_body_bytes:
                    self._refuse(_too_large(self._limits.max_body_bytes))
                    return
            elif name == b"transfer-encoding":
                if value.strip().lower() != b"chunked" or self._parser.get_http_version() != "1.1":
                    self._refuse(_bad("bad_request", "Only the transfer coding 'chunked' is read."))
                    return
            elif name == b"expect":
                expect = value
        if expect is not None:
            self._expected(expect)

    def _expected(self, expect: bytes) -> None:
        if expect.strip().lower() != b"100-continue":
            self._refuse(problem(417, "expectation", "Only 100-continue can be expected here."))
        elif self._parser.get_http_version() == "1.1":
            # Not before the answers of earlier requests: a client reads them in order.
            self._continue_due = True

    def on_chunk_header(self) -> None:
        self._allowed_bytes += _CHUNK_ALLOWANCE

    def on_body(self, body: bytes) -> None:
        if self._refused or self._last:
            return
        self._continue_due = False
        self._body_bytes += len(body)
        if self._body_bytes > self._limits.max_body_bytes:
            self._refuse(_too_large(self._limits.max_body_bytes))
        elif not self._server.reserve(len(body)):
            self._body_bytes -= len(body)
            self._refuse(
                too_busy("too_busy", "Too many bytes of requests are under way.", close=True)
            )
        else:
            self._chunks.append(body)

    def on_message_complete(self) -> None:
        if self._refused or self._last:
            return
        version = self._parser.get_http_version()
        method = self._parser.get_method().decode("ascii")
        self._stage += 1
        self._continue_due = False
        if version not in ("1.1", "1.0"):
            self._refuse(problem(505, "bad_request", "Only HTTP/1.1 and HTTP/1.0 are spoken here."))
            return
        if not self._url.startswith(b"/"):
            self._refuse(_bad("bad_request", "The request target must be a path."))
            return
        keep = self._parser.should_keep_alive()
        body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._queue.append(
            Request(method, self._url.decode("ascii"), self._headers, body, version, keep)
        )
        self._server.release(self._body_bytes)
        self._reset()
        self._fresh = False
        self._last = not keep

    # -- limits ------------------------------------------------------------------------------

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self._limits.max_head_bytes and not self._refused:
            self._refuse(_head_too_large(self._limits.max_head_bytes))

    def _check_framing(self) -> None:
        """Bytes that are neither body nor allowed framing belong to a head without an end."""
        if self._fed_bytes - self._body_bytes > self._allowed_bytes + 4096:
            self._refuse(_head_too_large(self._limits.max_head_bytes))

    def _set_timer(self) -> None:
        """One timer, and only while a request is incomplete and we are willing to read it."""
        reading = not self._refused and not self._reading_paused
        wanted = reading and (self._incomplete or self._fresh)
        if self._timer is not None and (not wanted or self._stage != self._timed_stage):
            self._cancel_timer()
        if wanted and self._timer is None:
            limits = self._limits
            in_body = self._incomplete and not self._in_head
            after = limits.body_timeout_s if in_body else limits.header_timeout_s
            self._timed_stage = self._stage
            self._timer = self._server.loop.call_later(after, self._timed_out)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _timed_out(self) -> None:
        self._timer = None
        if not self._incomplete:
            self.transport.close()
            return
        part = "head" if self._in_head else "body"
        self._refuse(problem(408, "timeout", f"The {part} of the request took too long to arrive."))
        self._pump()

    def _refuse(self, response: Response) -> None:
        """Answer this after what waits, then end the connection."""
        response.close = True
        self._refused = True
        self._continue_due = self._fresh = False
        self._cancel_timer()
        self._server.release(self._body_bytes)
        self._reset()
        self._queue.append(response)

    def _drop_last_request(self) -> None:
        # A request that asks for another protocol was queued by the parser before it told us.
        if self._queue and isinstance(self._queue[-1], Request):
            self._queue.pop()

    # -- answers -----------------------------------------------------------------------------

    def _after_read(self) -> None:
        if self._queue:
            self._pump()
        if not self._open or self._refused:
            return
        if self._continue_due and self._current is None and not self._queue:
            self._continue_due = False
            self.transport.write(_CONTINUE)
        if not self._reading_paused and len(self._queue) >= _PAUSE_AT:
            self._reading_paused = True
            self.transport.pause_reading()
        if self._incomplete or self._timer is not None:
            self._set_timer()

    def _pump(self) -> None:
        """Take up requests in order, one at a time, as long as the client takes the answers."""
        if self._pumping:
            return
        self._pumping = True
        while self._queue and self._current is None and self._open and not self._writing_paused:
            item = self._queue.popleft()
            if isinstance(item, Response):
                self._write(item, None)
                break
            self._current = item
            self._server.busy(self)
            self._server.handler(item, self._reply)
        self._pumping = False
        if self._open and self._current is None and not self._queue:
            self._drained()

    def _drained(self) -> None:
        if self._refused:
            return
        if self._last or self._server.draining:
            self.transport.close()
            return
        if not self._incomplete:
            self._server.idle(self)
        if self._reading_paused:
            self._reading_paused = False
            self.transport.resume_reading()
        if self._continue_due or self._incomplete:
            self._after_read()

    def _reply(self, response: Response | Stream) -> None:
        request = self._current
        if not self._open or request is None:
            return
        if isinstance(response, Stream):
            self._write_stream(response, request)
            return
        self._current = None
        self._write(response, request)
        if not self._pumping:
            self._pump()

    def _write(self, response: Response, request: Request | None) -> None:
        keep = not response.close and not self._server.draining
        version = "1.1"
        if request is not None:
            keep = keep and request.keep_alive
            version = request.version
        head = encode_head(response, length=len(response.body), version=version, keep=keep)
        silent = (request is not None and request.method == "HEAD") or response.status in (204, 304)
        self.transport.write(head if silent else head + response.body)
        if not keep:
            self._end()

    def _end(self) -> None:
        """Close behind the last answer. A client that is still sending is read on for a moment:
        closing on unread bytes would reset the connection before it saw the answer."""
        self._queue.clear()
        if not self._refused:
            self._last = True
            self.transport.close()
            return
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._cancel_timer()
        self._timer = self._server.loop.call_later(_LINGER_S, self.transport.abort)

    def _write_stream(self, stream: Stream, request: Request) -> None:
        chunked = request.version == "1.1"
        head = encode_head(stream, length=None, version=request.version, keep=False)
        self.transport.write(head)
        if request.method == "HEAD":
            self._current = None
            self.transport.close()
            return
        self._channel = Channel(self, chunked=chunked)
        stream.opened(self._channel)
        if self._server.draining:
            self._channel.close()

    def finish(self) -> None:
        """The server drains: close now when idle, else behind the answer under way."""
        if self._channel is not None:
            self._channel.close()
        elif self._current is None and not self._queue and not self._incomplete:
            self.transport.close()


@dataclass
class HttpServer:
    """The listener and its connections.

    allow: whether a freshly accepted socket may speak at all (the peer check).
    on_accept: called before each accept; the owner checks its own foundations there.
    """

    handler: Handler
    limits: DaemonSettings
    allow: Callable[[socket.socket], bool] = lambda _sock: True
    on_accept: Callable[[], None] = lambda: None
    draining: bool = False
    accepted: int = 0
    refused: int = 0
    last_request: float = 0.0
    connections: set[Connection] = field(default_factory=set)
    _idle: dict[Connection, None] = field(default_factory=dict)
    _buffered: int = 0
    _opening: int = 0
    _pending: set[asyncio.Task[None]] = field(default_factory=set)
    _spare_fd: int = -1
    _listener: socket.socket | None = None
    _empty: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.loop = asyncio.get_running_loop()

    def listen(self, listener: socket.socket) -> None:
        """Serve a bound socket. One spare descriptor is kept to refuse with when all are used."""
        listener.setblocking(False)
        listener.listen(_BACKLOG)
        if self._spare_fd < 0:
            self._spare_fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._listener = listener
        self.loop.add_reader(listener.fileno(), self._accept)

    def stop_listening(self) -> None:
        if self._listener is not None:
            self.loop.remove_reader(self._listener.fileno())
            self._listener.close()
            self._listener = None

    async def drain(self, within_s: float) -> bool:
        """Refuse new connections, let requests under way finish. True if all did."""
        self.draining = True
        self.stop_listening()
        for connection in tuple(self.connections):
            connection.finish()
        try:
            async with asyncio.timeout(within_s):
                while self.connections or self._pending:
                    self._empty.clear()
                    await self._empty.wait()
        except TimeoutError:
            return False
        finally:
            self._give_up()
        return True

    def _give_up(self) -> None:
        for connection in tuple(self.connections):
            connection.transport.abort()
        if self._spare_fd >= 0:
            os.close(self._spare_fd)
            self._spare_fd = -1

    # -- accepting ---------------------------------------------------------------------------

    def _accept(self) -> None:
        for _ in range(64):
            listener = self._listener
            if listener is None:
                return
            self.on_accept()
            try:
                sock, _address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    raise
                self._refuse_without_descriptor(listener)
                return
            self._admit(sock)

    def _admit(self, sock: socket.socket) -> None:
        self.accepted += 1
        sock.setblocking(False)
        if not self.allow(sock):
            self.refused += 1
            sock.close()
            return
        if self._places() <= 0:
            self._evict()
        if self._places() <= 0:
            self._turn_away(sock)
            return
        self._opening += 1
        task = self.loop.create_task(self._connect(sock))
        self._pending.add(task)
        task.add_done_callback(self._connected)

    def _places(self) -> int:
        return self.limits.max_connections - len(self.connections) - self._opening

    async def _connect(self, sock: socket.socket) -> None:
        try:
            await self.loop.connect_accepted_socket(lambda: Connection(self), sock)
        except OSError:
            self._opening -= 1
            sock.close()

    def _connected(self, task: asyncio.Task[None]) -> None:
        self._pending.discard(task)
        if self.draining:
            self._empty.set()

    def _evict(self) -> None:
        """Make room: the connection that has been silent longest goes first."""
        oldest = next(iter(self._idle), None)
        if oldest is not None:
            self.left(oldest, 0)
            oldest.transport.close()

    def _turn_away(self, sock: socket.socket) -> None:
        self.refused += 1
        response = too_busy("too_busy", "Too many connections are open.", close=True)
        head = encode_head(response, length=len(response.body), version="1.1", keep=False)
        with contextlib.suppress(OSError):  # it left already: there is nobody to tell
            sock.send(head + response.body)
        sock.close()

    def _refuse_without_descriptor(self, listener: socket.socket) -> None:
        """No descriptor is left (F09): spend the spare one on telling a client so."""
        if self._spare_fd < 0:
            return
        os.close(self._spare_fd)
        self._spare_fd = -1
        try:
            sock, _address = listener.accept()
            sock.setblocking(False)
            self._turn_away(sock)
        except OSError:
            pass  # somebody else took the descriptor first; the client waits in the queue
        try:
            self._spare_fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            # Nothing left at all: the clients wait in the kernel's queue until we look again.
            self.loop.remove_reader(listener.fileno())
            self.loop.call_later(_RETRY_S, self._recover)

    # -- connections -------------------------------------------------------------------------

    def joined(self, connection: Connection) -> None:
        self._opening -= 1
        self.connections.add(connection)
        if self.draining:
            connection.transport.close()

    def left(self, connection: Connection, buffered: int) -> None:
        self.connections.discard(connection)
        self._idle.pop(connection, None)
        self.release(buffered)
        if self.draining:
            self._empty.set()

    def _recover(self) -> None:
        if self._listener is None:
            return
        try:
            self._spare_fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.loop.call_later(_RETRY_S, self._recover)
            return
        self.loop.add_reader(self._listener.fileno(), self._accept)

    def idle(self, connection: Connection) -> None:
        self._idle[connection] = None

    def busy(self, connection: Connection) -> None:
        self.last_request = self.loop.time()
        self._idle.pop(connection, None)

    def reserve(self, size: int) -> bool:
        """Whether that many more bytes of incomplete bodies fit into memory."""
        if self._buffered + size > self.limits.max_buffered_bytes:
            return False
        self._buffered += size
        return True

    def release(self, size: int) -> None:
        self._buffered -= size


def _bad(code: str, detail: str) -> Response:
    return problem(400, code, detail)


def _too_large(limit: int) -> Response:
    return problem(413, "too_large", f"The body is larger than {limit} bytes.")


def _head_too_large(limit: int) -> Response:
    return problem(431, "too_large", f"Request line and headers are larger than {limit} bytes.")
