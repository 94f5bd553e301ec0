"""Connects a socket to a host, at whichever of its addresses answers (PX-10).

Rule: a cancelled connect, and an address that loses the race, leave no socket open. asyncio's own
happy-eyeballs breaks this rule: cancelled at the wrong moment, it leaks a socket that has just
connected. Sends nothing on the connection.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import TypeVar

from aiohappyeyeballs import start_connection

_PATIENCE_S = 0.25
"""Seconds without an answer after which the next address is tried in parallel."""
_P = TypeVar("_P", bound=asyncio.BaseProtocol)


async def connect(
    host: str, port: int, protocol: _P, tls: ssl.SSLContext | None = None
) -> tuple[asyncio.Transport, _P]:
    """Transport and protocol, connected to the host. Raises OSError."""
    loop = asyncio.get_running_loop()
    sock = await reach(host, port)
    return await loop.create_connection(
        lambda: protocol, sock=sock, ssl=tls, server_hostname=host if tls is not None else None
    )


async def reach(host: str, port: int, *, patience_s: float = _PATIENCE_S) -> socket.socket:
    """A socket connected to the host. Raises OSError."""
    task = asyncio.current_task()
    asked = task.cancelling() if task is not None else 0
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not addresses:
        raise OSError(f"{host} has no address")
    sock = await start_connection(addresses, happy_eyeballs_delay=patience_s)
    if task is not None and task.cancelling() > asked:
        # It connected while the losers were being cancelled, and counted as one of them.
        sock.close()
        raise asyncio.CancelledError
    return sock
