"""Heads of HTTP/1.1 messages as values, and the framing of bodies. Pure (RFC 9110, RFC 9112).

Header names keep their spelling and order, values keep their bytes, because the proxy forwards
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from msgspec import Struct

Headers = Sequence[tuple[bytes, bytes]]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"


class Head:
    """What request heads and response heads share."""

    headers: Headers

    @cached_property
    def first(self) -> dict[bytes, bytes]:
        """The first header of each name; names are lower case."""
        return {name.lower(): value for name, value in reversed(self.headers)}

    def get(self, name: bytes) -> bytes | None:
        """The first header with this (lower-case) name."""
        return self.first.get(name)

    def single(self, name: bytes) -> bytes | None:
        """The header with this name, if the head has it exactly once."""
        found = [value for key, value in self.headers if key.lower() == name]
        return found[0] if len(found) == 1 else None

    def tokens(self, name: bytes) -> set[bytes]:
        """The comma-separated words of all headers with this name, in lower case."""
        return {
            token.strip().lower()
            for key, value in self.headers
            if key.lower() == name
            for token in value.split(b",")
        }


class RequestHead(Struct, Head, frozen=True, dict=True):
    """A request line and its headers, unchanged. keep: the client may reuse its connection."""

    method: bytes
    target: bytes
    headers: Headers
    version: str = "1.1"
    keep: bool = True

    @property
    def coded(self) -> bool:
        """The body has a transfer coding."""
        return b"transfer-encoding" in self.first

    @property
    def plainly_chunked(self) -> bool:
        """The coding is `chunked` and nothing else. Two hops could parse any other in two ways."""
        coding = self.single(b"transfer-encoding") or b""
        return coding.strip().lower() == b"chunked" and self.version == "1.1"


class ResponseHead(Struct, Head, frozen=True, dict=True):
    """A status line and its headers, unchanged."""

    status: int
    reason: bytes
    headers: Headers

    @property
    def ends_with_connection(self) -> bool:
        """Only the end of the connection marks the end of the body."""
        first = self.first
        return b"content-length" not in first and b"transfer-encoding" not in first


class Framing(Struct, frozen=True):
    """How a receiver detects the end of a response."""

    chunked: bool = False
    closes: bool = False
    """Only the end of the connection marks it."""
    bodiless: bool = False


def framing(head: ResponseHead, *, method: bytes, version: str) -> Framing:
    """How to frame this response for a client of that version (RFC 9112, 6.3): a length stays, any
    other body is chunked for a client that supports chunks."""
    if method == b"HEAD" or head.status in (204, 304) or head.status < 200:
        return Framing(bodiless=True)
    if b"transfer-encoding" not in head.first and b"content-length" in head.first:
        return Framing()
    return Framing(chunked=True) if version == "1.1" else Framing(closes=True)


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body. data: not empty, because an empty chunk is the last one."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def response_head(
    status: int, reason: bytes, headers: Iterable[tuple[bytes, bytes]], *, keep: bool, version: str
) -> bytes:
    """The bytes of a response head. version: of the client; `Connection` is added if the connection
    differs from the default of that version."""
    lines = [b"HTTP/1.1 %d %b\r\n" % (status, reason)]
    lines += [b"%b: %b\r\n" % pair for pair in headers]
    if not keep:
        lines.append(b"connection: close\r\n")
    elif version == "1.0":
        lines.append(b"connection: keep-alive\r\n")
    lines.append(b"\r\n")
    return b"".join(lines)
