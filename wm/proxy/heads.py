"""Which headers are forwarded, and which belong to one connection. Pure.

Names keep their spelling and order, values their bytes. Only hop-by-hop headers (RFC 9110, 7.6.1)
are removed and written again for the next connection (PX-3, PX-10).
"""

from __future__ import annotations

from wm.net.messages import Framing, Head, Headers, RequestHead, ResponseHead, response_head

HOP_BY_HOP = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate"),
        *(b"proxy-authorization", b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
"""Headers that describe one connection, not the message."""

_BETA = b"anthropic-beta"
OUR_OWN = b"x-wm-"
"""Prefix of headers that agents send to us, not to the service."""


def texts(headers: Headers) -> dict[str, str]:
    """Header values by lower-case name; the last one wins if a name is repeated."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def to_upstream(
    head: RequestHead, *, target: bytes, host: bytes, length: int | None, beta: bytes, plain: bool
) -> bytes:
    """The head for the upstream. `Host` keeps its position. A body without a length is sent in
    chunks; `Expect` is removed, because we answered it. length: of a body that replaces the
    client's own; None keeps the length in the head. beta: a value for `anthropic-beta`, in addition
    to the client's. plain: ask for an answer that is not compressed."""
    lines = [b"%b %b HTTP/1.1\r\n" % (head.method, target)]
    hop = _of_the_hop(head)
    for name, value in head.headers:
        low = name.lower()
        if low == b"host":
            lines.append(b"%b: %b\r\n" % (name, host))
        elif length is not None and low == b"content-length":
            lines.append(b"%b: %d\r\n" % (name, length))
        elif beta and low == _BETA:
            lines.append(b"%b: %b\r\n" % (name, _with(value, beta)))
            beta = b""
        elif plain and low == b"accept-encoding":
            continue
        elif low not in hop and low != b"expect" and not low.startswith(OUR_OWN):
            lines.append(b"%b: %b\r\n" % (name, value))
    if plain:
        lines.append(b"Accept-Encoding: identity\r\n")
    if beta:
        lines.append(b"%b: %b\r\n" % (_BETA, beta))
    if head.get(b"host") is None:
        lines.insert(1, b"Host: %b\r\n" % host)
    if head.coded:
        lines.append(b"Transfer-Encoding: chunked\r\n")
    lines.append(b"\r\n")
    return b"".join(lines)


def _with(values: bytes, value: bytes) -> bytes:
    """A list of a header, with this value in it."""
    known = [one.strip() for one in values.split(b",")]
    return values if value in known else values.rstrip(b", ") + b"," + value


def to_client(head: ResponseHead, *, framing: Framing, keep: bool, version: str) -> bytes:
    """The head for the client; status and reason are unchanged."""
    hop = _of_the_hop(head)
    headers = [pair for pair in head.headers if pair[0].lower() not in hop]
    if framing.chunked:
        headers.append((b"Transfer-Encoding", b"chunked"))
    return response_head(head.status, head.reason, headers, keep=keep, version=version)


def _of_the_hop(head: Head) -> frozenset[bytes] | set[bytes]:
    """The hop-by-hop names, with those that `Connection` lists. `Content-Length` is never one:
    without it the next hop would parse the body as another request."""
    if head.get(b"connection") is None:
        return HOP_BY_HOP
    declared = head.tokens(b"connection")
    return HOP_BY_HOP | declared - {b"close", b"keep-alive", b"content-length", b"host", b""}
