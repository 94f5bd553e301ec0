"""HTTP over the daemon's Unix socket by the standard library: nothing of ours reads the answer."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path


class OnSocket(http.client.HTTPConnection):
    def __init__(self, path: Path | str, timeout_s: float = 60.0) -> None:
        super().__init__("wm", timeout=timeout_s)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
