"""Who may use the port, and what a request is for. Pure (TR-4, PX-9, PX-10).

A web page that the user has open can make the browser connect to the loopback. So a request
must know the token of its base URL, name this very port in `Host`, and carry no sign of a
browser: no agent sends an `Origin`.
"""

from __future__ import annotations

import hmac
import re

from msgspec import Struct

from wm.proxy.heads import RequestHead

_METHODS = frozenset({b"GET", b"POST", b"HEAD", b"PUT", b"PATCH", b"DELETE"})
_ROUTE = re.compile(rb"/t/([A-Za-z0-9_-]{1,128})(?:/w/([0-9a-f]{4,16}))?(/[^\s#]*|)")
_CODED = b"transfer-encoding"
_BROWSER = frozenset(
    {b"origin", b"sec-fetch-site", b"sec-fetch-mode", b"access-control-request-method"}
)


class Admitted(Struct, frozen=True):
    """target: what is asked of the upstream. workspace: the key in the URL, "" for none."""

    target: bytes
    workspace: str = ""


class Refused(Struct, frozen=True):
    """A request that goes nowhere: the status, and a sentence that says why."""

    status: int
    message: str


class Guard(Struct, frozen=True):
    """The rules of one listening port. `hosts`: the exact values of `Host` that mean it."""

    token: bytes
    hosts: frozenset[bytes]

    def check(self, head: RequestHead) -> Admitted | Refused:
        """In this order, so that what a stranger learns is always the same: 403."""
        host = head.single(b"host")
        if host is None or host.lower() not in self.hosts:
            return Refused(403, "The Host header does not name this proxy.")
        if not _BROWSER.isdisjoint(head.first):
            return Refused(403, "This port serves agents, not web pages.")
        route = _ROUTE.fullmatch(head.target)
        if route is None or not hmac.compare_digest(route[1], self.token):
            return Refused(403, "The base URL must be the one that `wm proxy` printed.")
        if head.method not in _METHODS:
            return Refused(405, f"The method {head.method.decode('latin-1')} is not passed on.")
        if _CODED in head.first and not _plainly_chunked(head):
            # What else it may mean, two hops could take in two ways.
            return Refused(501, "Of transfer codings only chunked is known here.")
        return Admitted(route[3] or b"/", (route[2] or b"").decode("ascii"))


def _plainly_chunked(head: RequestHead) -> bool:
    coding = head.single(_CODED) or b""
    return coding.strip().lower() == b"chunked" and head.version != "1.0"


def hosts_of(port: int) -> frozenset[bytes]:
    """The values of `Host` under which a loopback port is known."""
    return frozenset(b"%b:%d" % (name, port) for name in (b"127.0.0.1", b"localhost", b"[::1]"))
