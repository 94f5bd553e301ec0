"""The one upstream of a proxy, read from the configuration only (TR-4).

A client can never name another host: a request goes to this upstream or is refused.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from msgspec import Struct

from wm.errors import UserError

_PORTS = {"http": 80, "https": 443}


class Origin(Struct, frozen=True):
    """Scheme, host, port, and the path prefix of every target."""

    scheme: str
    host: str
    port: int
    prefix: bytes = b""

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def authority(self) -> bytes:
        """The value of the `Host` header."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        plain = self.port == _PORTS[self.scheme]
        return (name if plain else f"{name}:{self.port}").encode("ascii")

    @property
    def local(self) -> bool:
        """Whether it is on this machine: only then is TLS optional."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def target(self, asked: bytes) -> bytes:
        prefix = self.prefix.removesuffix(b"/v1") if asked.startswith(b"/v1/") else self.prefix
        return prefix + asked


def parse_origin(url: str) -> Origin:
    """The upstream at a URL. Raises UserError with the fault and the fix."""
    where = f"The upstream {url!r}"
    fix = "Give --upstream or proxy.upstream a URL such as https://api.anthropic.com."
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii")
        prefix = parts.path.rstrip("/").removesuffix("/v1/messages").encode("ascii")
    except ValueError as error:
        raise UserError(f"{where} is not a URL: {error}.", fix=fix) from None
    if parts.scheme not in _PORTS or not host:
        raise UserError(f"{where} is not an http or https URL.", fix=fix)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(f"The upstream at {host} must have no user, query or fragment.", fix=fix)
    origin = Origin(parts.scheme, host, port or _PORTS[parts.scheme], prefix)
    if not origin.secure and not origin.local:
        raise UserError.of("proxy.insecure_upstream", where=where)
    return origin
