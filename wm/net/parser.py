"""Incremental HTTP/1.1 parser without a socket: bytes go in, events come out (IF-1, PX-10).

httptools parses the grammar; this module adds the limits. Memory use stays within them, and input
beyond them ends the parsing with one refusal. The events do not depend on how the bytes are cut.
The meaning of a request, and what is sent, is decided by the caller.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser, HttpResponseParser
from msgspec import Struct

from wm.net.messages import RequestHead, ResponseHead

_CHUNK_ALLOWANCE_BYTES = 64
"""Framing bytes allowed per chunk before they count as head: a size, a short extension."""
_SLACK_BYTES = 4096
"""Framing bytes that the parser does not report, such as the spaces of the request line."""
_MAX_RESPONSE_HEAD_BYTES = 256 * 1024
"""All heads of one answer, also informational ones; no client of the Messages API takes more."""


class HttpRefusal(Struct, frozen=True):
    """The request cannot be parsed further: the status to answer, a stable code, a sentence."""

    status: int
    code: str
    message: str


class Broken(Struct, frozen=True):
    """The answer cannot be parsed further. reason: continues "… cannot be reached:"."""

    reason: str


class MessageEnd(Struct, frozen=True):
    """The message is complete."""


END = MessageEnd()

RequestEvent = RequestHead | bytes | MessageEnd | HttpRefusal
"""`bytes` is a piece of the body, without framing."""
ResponseEvent = ResponseHead | bytes | MessageEnd | Broken
"""A head with a status below 200 is informational: the final one follows."""


class Stage(Enum):
    """The part of a request that is being read."""

    IDLE = "idle"
    HEAD = "head"
    BODY = "body"


class RequestReader:
    """Parses the requests of one connection. `over`: no more input is parsed, after a refusal or
    after a request that announced the end."""

    def __init__(self, max_head_bytes: int) -> None:
        self._parser: Any = HttpRequestParser(self)
        self._max_head_bytes = max_head_bytes
        self._events: list[RequestEvent] = []
        self.over = False
        self.begun = 0
        """Requests of which at least one byte arrived."""
        self._reset()

    def _reset(self) -> None:
        self.stage = Stage.IDLE
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._keep = True
        self._head_bytes = self._body_bytes = self._fed_bytes = 0
        self._allowed_bytes = self._max_head_bytes + _SLACK_BYTES

    def feed(self, data: bytes) -> list[RequestEvent]:
        """The events that these bytes complete, in order. A refusal is always the last event."""
        if self.over:
            return []
        self._fed_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._refuse(400, "upgrade", "This server does not support protocol upgrades.")
        except HttpParserError as error:
            self._refuse(400, "bad_request", f"This is not HTTP/1.1: {error}.")
        # Bytes that are neither body nor allowed framing belong to a head, to trailers or to a
        # chunk extension without an end. The parser reports those only when they are complete.
        framing_bytes = self._fed_bytes - self._body_bytes
        if self.stage is not Stage.IDLE and framing_bytes > self._allowed_bytes:
            self._refuse_head()
        events, self._events = self._events, []
        return events

    def _refuse(self, status: int, code: str, message: str) -> None:
        if not self.over:
            self.over = True
            self._reset()
            self._events.append(HttpRefusal(status, code, message))

    def _refuse_head(self) -> None:
        limit = self._max_head_bytes
        message = f"Request line and headers are larger than {limit} bytes."
        self._refuse(431, "too_large", message)

    # -- called by the parser ----------------------------------------------------------------

    def on_message_begin(self) -> None:
        if not self.over:
            self.stage = Stage.HEAD
            self.begun += 1

    def on_url(self, url: bytes) -> None:
        self._url += url
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value) + 4)
        if self.stage is Stage.HEAD:  # trailers belong to the connection, not to the message
            self._headers.append((name, value))

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self._max_head_bytes:
            self._refuse_head()

    def on_headers_complete(self) -> None:
        if self.over:
            return
        parser = self._parser
        version = parser.get_http_version()
        if version not in ("1.1", "1.0"):
            self._refuse(505, "bad_request", "Only HTTP/1.1 and HTTP/1.0 are supported.")
            return
        self.stage = Stage.BODY
        self._keep = parser.should_keep_alive()
        headers, self._headers = self._headers, []
        self._events.append(
            RequestHead(parser.get_method(), self._url, headers, version, self._keep)
        )
        if parser.should_upgrade():
            self._refuse(400, "upgrade", "This server does not support protocol upgrades.")

    def on_chunk_header(self) -> None:
        self._allowed_bytes += _CHUNK_ALLOWANCE_BYTES

    def on_body(self, body: bytes) -> None:
        if not self.over:
            self._body_bytes += len(body)
            self._events.append(body)

    def on_message_complete(self) -> None:
        if not self.over:
            self.over = not self._keep
            self._events.append(END)
            self._reset()


class ResponseReader:
    """Parses the answer to one request. method: of that request; an answer to HEAD has no body."""

    def __init__(self, method: bytes) -> None:
        self._parser: Any = HttpResponseParser(self)
        self._method = method
        self._events: list[ResponseEvent] = []
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self.head: ResponseHead | None = None
        """The final head."""
        self.fed_bytes = 0
        self._finished = False
        self._surplus = False
        """Bytes followed the end of the answer."""

    def feed(self, data: bytes) -> list[ResponseEvent]:
        """The events that these bytes complete, in order. `MessageEnd` or `Broken` is the last."""
        searches_head = self.head is None
        self.fed_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._break("it switched to another protocol")
        except HttpParserError as error:
            self._surplus = True
            self._break(f"its answer is not HTTP/1.1 ({error})")
        if searches_head and self.head is None and self.fed_bytes > _MAX_RESPONSE_HEAD_BYTES:
            self._break("the head of its answer is too long")
        events, self._events = self._events, []
        return events

    def ends_here(self) -> bool:
        """Whether the end of the connection completes the answer."""
        return self.head is not None and not self._finished and self.head.ends_with_connection

    @property
    def keeps_connection(self) -> bool:
        """Whether the connection may serve another request, according to the answer."""
        modern = self._parser.get_http_version() == "1.1"
        closes = self.head is None or b"close" in self.head.tokens(b"connection")
        return self._finished and modern and not closes and not self._surplus

    def _break(self, reason: str) -> None:
        if not self._finished:
            self._finished = True
            self._events.append(Broken(reason))

    def _finish(self) -> None:
        self._finished = True
        self._events.append(END)

    # -- called by the parser ----------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._reason, self._headers = b"", []
        self._surplus = self._finished

    def on_status(self, reason: bytes) -> None:
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.head is None:  # trailers belong to the connection, not to the message
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        if self._finished:
            return
        head = ResponseHead(self._parser.get_status_code(), self._reason, self._headers)
        if head.status < 200:
            # 100 answers an `Expect`, which is not forwarded; 101 was not requested.
            if head.status not in (100, 101):
                self._events.append(head)
            return
        self.head = head
        self._events.append(head)
        if self._method == b"HEAD":
            self._finish()  # no body follows, whatever length the head states

    def on_body(self, data: bytes) -> None:
        if self._finished:
            self._surplus = True
        else:
            self._events.append(data)

    def on_message_complete(self) -> None:
        if self.head is not None and not self._finished:
            self._finish()
