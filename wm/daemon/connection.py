"""One client of the socket: HTTP/1.1 on a bare asyncio Protocol around httptools (IF-1, IF-6).

It reads requests, holds every limit of size and time, keeps the answers of the connection in the
order of its requests, and writes them. It knows no route, no model and no store.

The rules it protects: a request that does not fit the grammar or the limits gets one
problem+json answer and the connection ends; nothing is kept in memory beyond the limits; an
idle connection has no timer, so an idle server never wakes up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Protocol

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from wm.daemon.messages import (
    Channel,
    Handler,
    Request,
    Response,
    Stream,
    encode_head,
    problem,
    too_busy,
)
from wm.settings import DaemonSettings

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_CHUNK_ALLOWANCE = 64
"""Bytes of framing that each chunk of a chunked body may cost before it counts as head."""
_PAUSE_AT = 8
"""Complete requests that wait behind one under way before the connection is no longer read."""
_PER_TURN = 16
"""Requests that one client has answered before the others get their turn."""
_LINGER_S = 2.0
"""A refused client that still sends is listened to this long, so that it reads the refusal."""


class Host(Protocol):
    """What a connection needs of the server that it belongs to."""

    limits: DaemonSettings
    loop: asyncio.AbstractEventLoop
    draining: bool

    @property
    def handler(self) -> Handler: ...

    def joined(self, connection: Connection) -> None:
        """The connection is open."""

    def left(self, connection: Connection, buffered: int) -> None:
        """It is gone, with so many bytes still reserved."""

    def idle(self, connection: Connection) -> None:
        """It waits for its next request."""

    def busy(self, connection: Connection) -> None:
        """It has taken up a request."""

    def reserve(self, size: int) -> bool:
        """Whether that many more bytes of incomplete bodies fit into memory."""

    def release(self, size: int) -> None:
        """So many bytes are reserved no more."""


class Connection(asyncio.Protocol):
    """One client. Requests are handled one after the other, in the order they came."""

    transport: asyncio.Transport

    def __init__(self, server: Host) -> None:
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
        # One piece of memory: a client may send a megabyte as chunks of one byte.
        self._body = bytearray()
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
        self._body = bytearray()
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
            self._body += body

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
        target = self._url.decode("ascii")
        self._queue.append(Request(method, target, self._headers, bytes(self._body), version, keep))
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
        taken = 0
        while self._queue and self._current is None and self._takes_answers():
            if taken == _PER_TURN:
                self._server.loop.call_soon(self._pump)
                break
            taken += 1
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

    def _takes_answers(self) -> bool:
        return self._open and not self._writing_paused and not self.transport.is_closing()

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
        self._channel = Channel(self.transport, chunked=chunked)
        stream.opened(self._channel)
        if self._server.draining:
            self._channel.close()

    def finish(self) -> None:
        """The server drains: close now when idle, else behind the answer under way."""
        if self._channel is not None:
            self._channel.close()
        elif self._current is None and not self._queue and not self._incomplete:
            self.transport.close()


def _bad(code: str, detail: str) -> Response:
    return problem(400, code, detail)


def _too_large(limit: int) -> Response:
    return problem(413, "too_large", f"The body is larger than {limit} bytes.")


def _head_too_large(limit: int) -> Response:
    return problem(431, "too_large", f"Request line and headers are larger than {limit} bytes.")
