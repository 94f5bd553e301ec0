"""Requests and answers as values, and the bytes of an answer's head (IF-1).

Nothing here reads a request: that is the business of `connection`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import Struct

JSON_TYPE = "application/json"
PROBLEM_TYPE = "application/problem+json"

_STATUS_LINES = {s.value: f"HTTP/1.1 {s.value} {s.phrase}\r\n".encode() for s in HTTPStatus}


class Request(Struct):
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


class Response(Struct):
    """A whole answer. `close` ends the connection behind it."""

    status: int
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: Sequence[tuple[str, str]] = ()
    close: bool = False


class Stream(Struct):
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

    def __init__(self, transport: asyncio.Transport, *, chunked: bool) -> None:
        self._transport: asyncio.Transport | None = transport
        self._chunked = chunked
        self.closed: Callable[[], None] | None = None
        """Called once when the client is gone or the stream was ended."""

    def send(self, data: bytes) -> bool:
        """Queue bytes for the client; False when the stream is over."""
        if self._transport is None or not data:
            return self._transport is not None
        framed = b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data
        self._transport.write(framed)
        return True

    @property
    def waiting_bytes(self) -> int:
        """Bytes that the client has not taken yet: how far behind it is."""
        if self._transport is None:
            return 0
        return self._transport.get_write_buffer_size()

    def close(self, *, abort: bool = False) -> None:
        """End the stream; the connection ends with it. `abort` throws away what waits."""
        transport = self._transport
        if transport is None:
            return
        self.detach()
        if abort:
            transport.abort()
            return
        if self._chunked:
            transport.write(b"0\r\n\r\n")
        transport.close()

    def detach(self) -> None:
        """The connection is gone: tell the owner once."""
        self._transport = None
        closed, self.closed = self.closed, None
        if closed is not None:
            closed()
