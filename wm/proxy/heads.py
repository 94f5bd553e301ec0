"""Request and response heads on their way through: what stays, what belongs to one hop. Pure.

Names keep their spelling and their order, values their bytes; only what RFC 9110 (7.6.1) gives
to a single connection is taken out and said anew for the next one (PX-3, PX-10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

Headers = Sequence[tuple[bytes, bytes]]

HOP_BY_HOP = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate"),
        *(b"proxy-authorization", b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
"""They speak of one connection, not of the message."""

OUR_OWN = b"x-wm-"
"""Headers that agents send to us, not to the service."""


class Head:
    """What both heads share."""

    headers: Headers

    @property
    def first(self) -> dict[bytes, bytes]:
        """The first header of each name, which is in lower case."""
        found: dict[bytes, bytes] | None = self.__dict__.get("_first")
        if found is None:  # by hand: the lock of a cached property costs more than the rest
            found = {name.lower(): value for name, value in reversed(self.headers)}
            self.__dict__["_first"] = found
        return found

    def get(self, name: bytes) -> bytes | None:
        """The first header of that (lower-case) name."""
        return self.first.get(name)

    def single(self, name: bytes) -> bytes | None:
        """The header of that name, where it is said once."""
        value = self.first.get(name)
        if value is None or len(self.first) == len(self.headers):
            return value
        return value if sum(key.lower() == name for key, _ in self.headers) == 1 else None


class RequestHead(Struct, Head, frozen=True, dict=True):
    """A request line and its headers, as they came."""

    method: bytes
    target: bytes
    headers: Headers
    version: str = "1.1"
    keep: bool = True
    """The client means to use its connection again."""


class ResponseHead(Struct, Head, frozen=True, dict=True):
    """A status line and its headers, as they came."""

    status: int
    reason: bytes
    headers: Headers


def texts(headers: Headers) -> dict[str, str]:
    """Names in lower case; of several of a name the last."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def to_upstream(
    head: RequestHead, *, target: bytes, host: bytes, length: int | None = None
) -> bytes:
    """The head as the upstream gets it. `Host` stands where the client had it. A body without a
    length goes in chunks; `Expect` was answered by us. length: of a body that is not the client's
    own, None for the one that it names."""
    lines = [b"%b %b HTTP/1.1\r\n" % (head.method, target)]
    hop = _of_the_hop(head)
    named = False
    for name, value in head.headers:
        low = name.lower()
        if low == b"host":
            named = True
            lines.append(b"%b: %b\r\n" % (name, host))
        elif length is not None and low == b"content-length":
            lines.append(b"%b: %d\r\n" % (name, length))
        elif low not in hop and low != b"expect" and not low.startswith(OUR_OWN):
            lines.append(b"%b: %b\r\n" % (name, value))
    if not named:
        lines.insert(1, b"Host: %b\r\n" % host)
    if head.get(b"transfer-encoding") is not None:
        lines.append(b"Transfer-Encoding: chunked\r\n")
    lines.append(b"\r\n")
    return b"".join(lines)


def to_client(head: ResponseHead, *, framing: Framing, keep: bool, version: str) -> bytes:
    """The head as the client gets it, status and reason unchanged."""
    lines = [b"HTTP/1.1 %d %b\r\n" % (head.status, head.reason)]
    hop = _of_the_hop(head)
    lines += [b"%b: %b\r\n" % pair for pair in head.headers if pair[0].lower() not in hop]
    if framing.chunked:
        lines.append(b"Transfer-Encoding: chunked\r\n")
    if not keep:
        lines.append(b"Connection: close\r\n")
    elif version == "1.0":
        lines.append(b"Connection: keep-alive\r\n")
    lines.append(b"\r\n")
    return b"".join(lines)


class Framing(Struct, frozen=True):
    """How the end of a response is told to the client."""

    chunked: bool = False
    closes: bool = False
    """There is no other sign of the end than the end of the connection."""
    bodiless: bool = False


def framing(head: ResponseHead, *, method: bytes, version: str) -> Framing:
    """RFC 9112, 6.3, for what we send on: a length stays a length, everything else is chunked
    for who knows chunks."""
    if method == b"HEAD" or head.status in (204, 304) or head.status < 200:
        return Framing(bodiless=True)
    if head.get(b"transfer-encoding") is None and head.get(b"content-length") is not None:
        return Framing()
    return Framing(chunked=True) if version == "1.1" else Framing(closes=True)


def upstream_keeps(head: ResponseHead) -> bool:
    """Whether the upstream lets its connection be used again."""
    if head.get(b"connection") is None:
        return True
    return not _has_token(head.headers, b"connection", b"close")


def _of_the_hop(head: Head) -> frozenset[bytes] | set[bytes]:
    """The hop-by-hop names, with those that `Connection` declares to be such. A length is none:
    without it the next hop would take the body for a request of its own."""
    if head.get(b"connection") is None:
        return HOP_BY_HOP
    extra = {
        token.strip().lower()
        for name, value in head.headers
        if name.lower() == b"connection"
        for token in value.split(b",")
    } - {b"close", b"keep-alive", b"content-length", b"host", b""}
    return HOP_BY_HOP | extra


def _has_token(headers: Iterable[tuple[bytes, bytes]], name: bytes, token: bytes) -> bool:
    return any(
        part.strip().lower() == token
        for key, value in headers
        if key.lower() == name
        for part in value.split(b",")
    )
