"""The listening socket of the page: loopback only, and only for processes of this user (UI-1).

On Linux /proc/net/tcp names the user of a loopback connection. Elsewhere only the secrets of
`access` keep other users out.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

from wm.errors import UserError

LOOPBACK = "127.0.0.1"
_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""IPv6 too: an IPv6 socket can connect to an IPv4 address."""
_LOCAL, _REMOTE, _UID = 1, 2, 7
"""Columns of these tables."""


class SameUserListener(socket.socket):
    """Accepts connections of this user; closes others before a byte is read."""

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        """Raises ConnectionAbortedError for another user, which an event loop ignores."""
        connection, address = super().accept()
        if not _is_same_user(address[1], self.getsockname()[1]):
            connection.close()
            raise ConnectionAbortedError
        return connection, address


def listen(port: int) -> SameUserListener:
    """A listener on this port of the loopback; 0: any free one. Raises UserError."""
    listener = SameUserListener(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
        raise UserError.of("open.cannot_listen", address=LOOPBACK, port=port, why=why) from None
    listener.setblocking(False)
    return listener


def _is_same_user(client_port: int, server_port: int) -> bool:
    """Whether a process of this user holds the client's end; True where the system does not say."""
    tables = [lines for table in _TABLES if (lines := _lines(table)) is not None]
    if not tables:
        return True
    owners = {uid for lines in tables for uid in owners_of(lines, client_port, server_port)}
    return owners == {os.geteuid()}


def owners_of(lines: Iterable[str], client_port: int, server_port: int) -> Iterator[int]:
    """The users of the client's end of a connection, in lines of /proc/net/tcp. Pure."""
    ends = (f":{client_port:04X}", f":{server_port:04X}")
    for line in lines:
        columns = line.split()
        if len(columns) > _UID and (columns[_LOCAL][-5:], columns[_REMOTE][-5:]) == ends:
            yield int(columns[_UID])


def _lines(table: Path) -> list[str] | None:
    try:
        return table.read_text("ascii").splitlines()[1:]
    except OSError:
        return None
