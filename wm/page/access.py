"""Access rules of the page's port. Pure (UI-1, TR-4).

Any website can make the user's browser connect to the loopback, and so can other users of the
machine. So a request must name this port in `Host`, carry the random path and the cookie of this
page, and show no sign of another origin. A form must carry a token as well. `listener` refuses the
sockets of other users.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping

from msgspec import Struct

COOKIE = "wm"
FORM_FIELD = "form"
ENTER = "enter"
"""The path that exchanges the ticket for the cookie."""

_METHODS = frozenset({"GET", "HEAD", "POST"})
_OWN_SITE = frozenset({"same-origin", "none"})
_EMBEDDED = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_FORM_TYPE = "application/x-www-form-urlencoded"

HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # Not `no-referrer`: with it a browser sends the origin of a form as `null`.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""On every answer."""


class PageAccess(Struct, frozen=True):
    """The secrets of one running page. path: its first path segment. cookie: of the session. form:
    the token in its forms. hosts: the accepted values of `Host`."""

    path: str
    cookie: str
    form: str
    hosts: frozenset[str]

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> str:
        """Why a request is not served, as a word for tests; "" if it is. Clients get one answer for
        all reasons."""
        segments = path.split("/")[1:]
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return "host"
        if not _matches(segments[0], self.path):
            return "path"
        if method not in _METHODS:
            return "method"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return "origin"
        if headers.get("sec-fetch-dest", "") in _EMBEDDED:
            return "embedded"
        if segments[1:] == [ENTER]:
            # The redirect file is of another site; a prefetch must not use up the ticket.
            return "prefetch" if "prefetch" in headers.get("sec-purpose", "") else ""
        if headers.get("sec-fetch-site", "none") not in _OWN_SITE:
            return "site"
        if not _matches(_cookie(headers), self.cookie):
            return "cookie"
        return self._form_refusal(headers) if method == "POST" else ""

    def _form_refusal(self, headers: Mapping[str, str]) -> str:
        if "origin" not in headers:
            return "origin"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return "" if kind == _FORM_TYPE else "type"

    def accepts(self, form: Mapping[str, str]) -> bool:
        """Does a form carry the token?"""
        return _matches(form.get(FORM_FIELD, ""), self.form)


def new_access(port: int, token: Callable[[], str]) -> PageAccess:
    """The access rules of a page on this port. token: makes a random secret."""
    hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
    return PageAccess(token(), token(), token(), hosts)


def _matches(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _cookie(headers: Mapping[str, str]) -> str:
    pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")
