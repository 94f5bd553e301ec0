"""One client of the socket: requests in, answers out, in the order of the requests (IF-1, IF-6).

It limits bodies and times, passes each request to the handler of its server, and writes the
answers. It knows no route, no model and no store; `wm.net` parses the bytes.

Rules: a request that breaks the grammar or a limit gets one problem+json answer, then the
connection ends; memory use stays within the limits; an idle connection has no timer, so an idle
server never wakes up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from wm.daemon import messages
from wm.net.connection import Peer
from wm.net.messages import CONTINUE, RequestHead
from wm.net.parser import HttpRefusal, RequestReader, Stage
from wm.settings import DaemonSettings

_PAUSE_AT = 8
"""Complete requests in the queue of a connection at which reading pauses."""
_PER_TURN = 16
"""Requests of one client that are answered before other clients get their turn."""
_LINGER_S = 2.0
"""How long to read from a refused client that still sends, so that it receives the refusal."""


class Host(Protocol):
    """What a connection needs from its server."""

    limits: DaemonSettings
    loop: asyncio.AbstractEventLoop
    draining: bool

    @property
    def handler(self) -> messages.Handler: ...

    def opened(self, connection: Connection) -> None:
        """Called when the connection is open."""

    def closed(self, connection: Connection, buffered: int) -> None:
        """Called when it is closed, with the number of bytes still reserved."""

    def idle(self, connection: Connection) -> None:
        """Called when it waits for its next request."""

    def busy(self, connection: Connection) -> None:
        """Called when it starts a request."""

    def reserve(self, size: int) -> bool:
        """Whether `size` more bytes of incomplete bodies fit into memory."""

    def release(self, size: int) -> None:
        """Give back this many reserved bytes."""


class Connection(Peer):
    """One client. Requests are handled one at a time, in order."""

    def __init__(self, server: Host) -> None:
        super().__init__(server.loop)
        self._server = server
        self._limits = server.limits
        self._reader = RequestReader(self._limits.max_head_bytes)
        self._head: RequestHead | None = None
        """The head of the request whose body is incomplete."""
        # One buffer: a client may send a megabyte as chunks of one byte.
        self._body = bytearray()
        self._queue: deque[messages.HttpRequest | messages.Response] = deque()
        self._current: messages.HttpRequest | None = None
        self._channel: messages.Channel | None = None
        self._pumping = False
        self._writing_paused = False
        self._refused = False
        self._last = False
        """No further request is read: the client or the server announced the last one."""
        self._timed_part: tuple[int, Stage] | None = None
        """The part of a request that the timer limits."""
        self._continue_due = False
        self._fresh = True
        """No request was answered yet: such a client may not stay silent for long."""

    @property
    def _incomplete(self) -> bool:
        return not self._refused and self._reader.stage is not Stage.IDLE

    # -- transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._server.opened(self)
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._server.closed(self, len(self._body))
        self._queue.clear()
        self._body = bytearray()
        if self._channel is not None:
            self._channel.detach()
            self._channel = None

    def data_received(self, data: bytes) -> None:
        if self._refused or self._last:
            return  # read and dropped, so that the client reaches our answer
        for event in self._reader.feed(data):
            if isinstance(event, bytes):
                self._body_came(event)
            elif isinstance(event, RequestHead):
                self._head_came(event)
            elif isinstance(event, HttpRefusal):
                self._refuse(messages.problem(event.status, event.code, event.message))
            else:
                self._request_came()
            if self._refused:
                break
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

    # -- requests ----------------------------------------------------------------------------

    def _head_came(self, head: RequestHead) -> None:
        self._head = head
        length, expect = head.get(b"content-length"), head.get(b"expect")
        if length is not None and int(length) > self._limits.max_body_bytes:
            self._refuse_body()
        elif head.coded and not head.plainly_chunked:
            self._refuse(_bad("Only the transfer coding 'chunked' is supported."))
        elif expect is not None and expect.strip().lower() != b"100-continue":
            self._refuse(
                messages.problem(417, "expectation", "Only `Expect: 100-continue` is supported.")
            )
        else:
            # Only after the answers of earlier requests: a client reads them in order.
            self._continue_due = expect is not None and head.version == "1.1"

    def _body_came(self, data: bytes) -> None:
        self._continue_due = False
        if len(self._body) + len(data) > self._limits.max_body_bytes:
            self._refuse_body()
        elif not self._server.reserve(len(data)):
            self._refuse(messages.too_busy("Too many bytes of incomplete requests are in memory."))
        else:
            self._body += data

    def _request_came(self) -> None:
        head, self._head = self._head, None
        assert head is not None
        self._continue_due = False
        if not head.target.startswith(b"/"):
            self._refuse(_bad("The request target must be a path."))
            return
        method, target = head.method.decode("ascii"), head.target.decode("ascii")
        headers = [(name.lower(), value) for name, value in head.headers]
        body = self._take_body()
        self._queue.append(
            messages.HttpRequest(method, target, headers, body, head.version, head.keep)
        )
        self._fresh = False
        self._last = not head.keep

    def _take_body(self) -> bytes:
        body, self._body = bytes(self._body), bytearray()
        self._server.release(len(body))
        return body

    # -- limits ------------------------------------------------------------------------------

    def _set_timer(self) -> None:
        """Run one timer, and only while a request is incomplete and reading is not paused."""
        part = (self._reader.begun, self._reader.stage)
        wanted = not self._refused and not self._pauses and (self._incomplete or self._fresh)
        if not wanted:
            self.stop_timer()
        elif self._timer is None or part != self._timed_part:
            in_body = self._reader.stage is Stage.BODY
            limits = self._limits
            self._timed_part = part
            after_s = limits.body_timeout_s if in_body else limits.header_timeout_s
            self.start_timer(after_s, self._timed_out)

    def _timed_out(self) -> None:
        if not self._incomplete:
            self.transport.close()
            return
        part = self._reader.stage.value
        self._refuse(
            messages.problem(408, "timeout", f"The {part} of the request took too long to arrive.")
        )
        self._pump()

    def _refuse_body(self) -> None:
        limit = self._limits.max_body_bytes
        self._refuse(messages.problem(413, "too_large", f"The body is larger than {limit} bytes."))

    def _refuse(self, response: messages.Response) -> None:
        """Send this answer after the queued ones, then end the connection."""
        response.close = True
        self._refused = True
        self._continue_due = self._fresh = False
        self.stop_timer()
        self._take_body()
        self._queue.append(response)

    # -- answers -----------------------------------------------------------------------------

    def _after_read(self) -> None:
        if self._queue:
            self._pump()
        if not self.is_open or self._refused:
            return
        if self._continue_due and self._current is None and not self._queue:
            self._continue_due = False
            self.transport.write(CONTINUE)
        if len(self._queue) >= _PAUSE_AT:
            self.pause("queue")
        if self._incomplete or self._timer is not None:
            self._set_timer()

    def _pump(self) -> None:
        """Handle requests in order, one at a time, while the client reads the answers."""
        if self._pumping:
            return
        self._pumping = True
        taken = 0
        while self._queue and self._current is None and self.usable and not self._writing_paused:
            if taken == _PER_TURN:
                self.loop.call_soon(self._pump)
                break
            taken += 1
            item = self._queue.popleft()
            if isinstance(item, messages.Response):
                self._write(item, None)
                break
            self._current = item
            self._server.busy(self)
            self._server.handler(item, self._reply)
        self._pumping = False
        if self.is_open and self._current is None and not self._queue:
            self._drained()

    def _drained(self) -> None:
        if self._refused:
            return
        if self._last or self._server.draining:
            self.transport.close()
            return
        if not self._incomplete:
            self._server.idle(self)
        self.resume("queue")
        if self._continue_due or self._incomplete:
            self._after_read()

    def _reply(self, response: messages.Response | messages.Stream) -> None:
        request = self._current
        if not self.is_open or request is None:
            return
        if isinstance(response, messages.Stream):
            self._write_stream(response, request)
            return
        self._current = None
        self._write(response, request)
        if not self._pumping:
            self._pump()

    def _write(self, response: messages.Response, request: messages.HttpRequest | None) -> None:
        keep = not response.close and not self._server.draining
        version = "1.1"
        if request is not None:
            keep = keep and request.keep_alive
            version = request.version
        head = messages.encode_head(response, length=len(response.body), version=version, keep=keep)
        silent = (request is not None and request.method == "HEAD") or response.status in (204, 304)
        self.transport.write(head if silent else head + response.body)
        if not keep:
            self._end()

    def _end(self) -> None:
        """Close after the last answer; a client that still sends gets time to read it."""
        self._queue.clear()
        if self._refused:
            self.close_gently(_LINGER_S)
        else:
            self._last = True
            self.transport.close()

    def _write_stream(self, stream: messages.Stream, request: messages.HttpRequest) -> None:
        chunked = request.version == "1.1"
        head = messages.encode_head(stream, length=None, version=request.version, keep=False)
        self.transport.write(head)
        if request.method == "HEAD":
            self._current = None
            self.transport.close()
            return
        self._channel = messages.Channel(self.transport, chunked=chunked)
        stream.opened(self._channel)
        if self._server.draining:
            self._channel.close()

    def finish(self) -> None:
        """The server drains: close now if idle, else after the answer in progress."""
        if self._channel is not None:
            self._channel.close()
        elif self._current is None and not self._queue and not self._incomplete:
            self.transport.close()


def _bad(detail: str) -> messages.Response:
    return messages.problem(400, "bad_request", detail)
