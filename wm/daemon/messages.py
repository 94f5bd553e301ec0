"""Requests and answers of the socket as values (IF-1).

Defines the form of an error (problem+json) and of a stream. `wm.net` parses requests;
`connection` writes answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import Struct

from wm.net.messages import LAST_CHUNK, chunk, response_head

JSON_TYPE = "application/json"
PROBLEM_TYPE = "application/problem+json"


class HttpRequest(Struct):
    """One complete request. Header names are lower case, in their original order."""

    method: str
    target: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes
    version: str = "1.1"
    keep_alive: bool = True

    def header(self, name: bytes) -> bytes | None:
        """The first header with this (lower-case) name."""
        return next((value for key, value in self.headers if key == name), None)


class Response(Struct):
    """A complete answer. `close` ends the connection after it."""

    status: int
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: Sequence[tuple[str, str]] = ()
    close: bool = False


class Stream(Struct):
    """An answer without a length. `opened` receives the channel when the head has been written."""

    opened: Callable[[Channel], None]
    content_type: str = "text/event-stream"
    headers: Sequence[tuple[str, str]] = (("cache-control", "no-store"),)


Reply = Callable[[Response | Stream], None]
Handler = Callable[[HttpRequest, Reply], None]
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


def too_busy(detail: str, *, close: bool = False) -> Response:
    """503 with Retry-After: the client may come back in a second."""
    return problem(503, "too_busy", detail, headers=(("retry-after", "1"),), close=close)


def encode_head(
    response: Response | Stream, *, length: int | None, version: str, keep: bool
) -> bytes:
    """Status line and headers. A body without a length is chunked, or ends with the connection."""
    status = response.status if isinstance(response, Response) else 200
    headers = []
    if status not in (204, 304):
        headers.append((b"content-type", response.content_type.encode("latin-1")))
        if length is not None:
            headers.append((b"content-length", b"%d" % length))
        elif version == "1.1":
            headers.append((b"transfer-encoding", b"chunked"))
    headers += [(n.encode("latin-1"), v.encode("latin-1")) for n, v in response.headers]
    reason = HTTPStatus(status).phrase.encode("ascii")
    return response_head(status, reason, headers, keep=keep, version=version)


class Channel:
    """The writing end of a streamed answer. Owned by the code that opened the stream."""

    def __init__(self, transport: asyncio.Transport, *, chunked: bool) -> None:
        self._transport: asyncio.Transport | None = transport
        self._chunked = chunked
        self.closed: Callable[[], None] | None = None
        """Called once when the client is gone or the stream has ended."""

    def send(self, data: bytes) -> bool:
        """Queue bytes for the client; False if the stream is over."""
        if self._transport is None:
            return False
        if data:
            self._transport.write(chunk(data) if self._chunked else data)
        return True

    @property
    def waiting_bytes(self) -> int:
        """Bytes that the client has not read yet."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def close(self, *, abort: bool = False) -> None:
        """End the stream; the connection ends with it. `abort` discards the unsent bytes."""
        transport = self._transport
        if transport is None:
            return
        self.detach()
        if abort:
            transport.abort()
            return
        if self._chunked:
            transport.write(LAST_CHUNK)
        transport.close()

    def detach(self) -> None:
        """The connection is closed: notify the owner once."""
        self._transport = None
        closed, self.closed = self.closed, None
        if closed is not None:
            closed()
