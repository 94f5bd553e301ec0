"""The user at the other end of a Unix socket (TR-1). Only our own user is served; root is not,
because root can work on the files."""

from __future__ import annotations

import os
import socket
import struct
import sys


def peer_uid(sock: socket.socket) -> int | None:
    """The user id of the connected process, from the kernel; None if it is not available."""
    try:
        if sys.platform == "darwin":
            # struct xucred: version, uid, ... (SOL_LOCAL is 0, LOCAL_PEERCRED is 1).
            raw = sock.getsockopt(0, 1, 76)
            return int(struct.unpack_from("=II", raw)[1])
        raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("=iII", raw)[1])
    except (OSError, struct.error):
        return None


def is_owner(sock: socket.socket) -> bool:
    return peer_uid(sock) == os.geteuid()
