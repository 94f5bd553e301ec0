"""A connected socket to a host, whichever of its addresses answers (PX-10).

It protects one rule: who is cancelled, or loses the race of the addresses, leaves no socket open.
The loop's own race does not keep it: cancelled at the wrong turn, it forgets one that has just
connected. What is said on the connection is the caller's business.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Sequence
from typing import TypeVar

from aiohappyeyeballs import AddrInfoType, addr_to_addr_infos, start_connection

_PATIENCE_S = 0.25
"""Where a name has several addresses, the next one is tried beside one that is silent so long."""
_P = TypeVar("_P", bound=asyncio.BaseProtocol)


async def connect(
    host: str, port: int, protocol: _P, tls: ssl.SSLContext | None = None
) -> tuple[asyncio.Transport, _P]:
    """The protocol, connected to the host. Raises OSError."""
    loop = asyncio.get_running_loop()
    sock = await reach(host, port)
    return await loop.create_connection(
        lambda: protocol, sock=sock, ssl=tls, server_hostname=host if tls is not None else None
    )


async def reach(host: str, port: int, *, patience_s: float = _PATIENCE_S) -> socket.socket:
    """A socket that is connected to the host. Raises OSError."""
    task = asyncio.current_task()
    asked = task.cancelling() if task is not None else 0
    addresses = await _addresses(host, port)
    sock = await start_connection(addresses, happy_eyeballs_delay=patience_s)
    if task is not None and task.cancelling() > asked:
        # It came while the losers were waited for, and was taken for theirs.
        sock.close()
        raise asyncio.CancelledError
    return sock


async def _addresses(host: str, port: int) -> Sequence[AddrInfoType]:
    """An address in figures is its own: a thread that looks it up would only cost time."""
    found: Sequence[AddrInfoType] | None
    try:
        ipaddress.ip_address(host)
    except ValueError:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    else:
        found = addr_to_addr_infos((host, port))
    if not found:
        raise OSError(f"{host} has no address")
    return found
