"""Access rules of the port: who may use it, and what a request asks for. Pure (TR-4, PX-9, PX-10).

A web page in the user's browser can make it connect to the loopback. So a request must carry the
token of its base URL, name this port in `Host`, and carry no sign of a browser: no agent sends an
`Origin`.
"""

from __future__ import annotations

import hmac
import json
import re

from msgspec import Struct

from wm.net.messages import RequestHead, response_head

_METHODS = frozenset({b"GET", b"POST", b"HEAD", b"PUT", b"PATCH", b"DELETE"})
_TARGET = re.compile(rb"/t/([A-Za-z0-9_-]{1,128})(?:(/[^\s#?]*)(\?[^\s#]*|))?")
_WORKSPACE = re.compile(rb"/w/([0-9a-f]{4,16})(/.*|)")
_VERSIONS = re.compile(rb"\A/v1(?:/v1)+(?=/)")
"""Comes of a base URL that ends in the version, for a client that adds it."""
_ENCODED_DOT = re.compile(rb"%2[eE]")
_BROWSER = frozenset(
    {b"origin", b"sec-fetch-site", b"sec-fetch-mode", b"access-control-request-method"}
)


class Admitted(Struct, frozen=True):
    """target: the target for the upstream. workspace: the key in the URL, or ""."""

    target: bytes
    workspace: str = ""

    @property
    def path(self) -> str:
        return self.target.partition(b"?")[0].decode("latin-1")


class RefusedRequest(Struct, frozen=True):
    """A request that is not forwarded: the status, and a sentence with the reason."""

    status: int
    message: str

    def answer(self, version: str = "1.1") -> bytes:
        """Our own error response, in the format of the Messages API."""
        kind = {403: "permission_error", 404: "not_found_error"}.get(self.status, "api_error")
        if self.status in (400, 405, 408, 413, 431, 501, 505):
            kind = "invalid_request_error"
        error = {"type": kind, "message": self.message}
        body = json.dumps({"type": "error", "error": error}).encode()
        reason = b"Bad Gateway" if self.status == 502 else b"Refused by wm"
        headers = ((b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)))
        return response_head(self.status, reason, headers, keep=False, version=version) + body


class Guard(Struct, frozen=True):
    """The rules of one listening port. `hosts`: the accepted values of `Host`."""

    token: bytes
    hosts: frozenset[bytes]

    def check(self, head: RequestHead) -> Admitted | RefusedRequest:
        """Check the head. The order of the checks ensures that an unauthorized client always
        gets the same answer: 403."""
        host = head.single(b"host")
        if host is None or host.lower() not in self.hosts:
            return RefusedRequest(403, "The Host header does not name this proxy.")
        if not _BROWSER.isdisjoint(head.first):
            return RefusedRequest(403, "This port serves agents, not web pages.")
        parts = _TARGET.fullmatch(head.target)
        if parts is None or not hmac.compare_digest(parts[1], self.token):
            return RefusedRequest(403, "The base URL must be the one that `wm proxy` printed.")
        if head.method not in _METHODS:
            return RefusedRequest(
                405, f"The method {head.method.decode('latin-1')} is not forwarded."
            )
        if head.coded and not head.plainly_chunked:
            return RefusedRequest(501, "The only supported transfer coding is chunked.")
        path, query = without_dot_segments(parts[2] or b"/"), parts[3] or b""
        named = _WORKSPACE.fullmatch(path)
        workspace, path = (named[1].decode("ascii"), named[2] or b"/") if named else ("", path)
        return Admitted(_VERSIONS.sub(b"/v1", path) + query, workspace)


def without_dot_segments(path: bytes) -> bytes:
    """The path with `.` and `..` resolved, also with percent-encoded dots (RFC 3986, 5.2.4).

    No path can leave the path prefix of the configured upstream, and no spelling of a path evades
    its rules. Every other segment keeps its bytes.
    """
    kept: list[bytes] = []
    segments = path.split(b"/")[1:]
    for number, segment in enumerate(segments, start=1):
        plain = _ENCODED_DOT.sub(b".", segment)
        if plain not in (b".", b".."):
            kept.append(segment)
            continue
        if plain == b".." and kept:
            kept.pop()
        if number == len(segments):
            kept.append(b"")
    return b"/" + b"/".join(kept)


def hosts_of(port: int) -> frozenset[bytes]:
    """The valid values of `Host` for a loopback port."""
    return frozenset(b"%b:%d" % (name, port) for name in (b"127.0.0.1", b"localhost", b"[::1]"))
