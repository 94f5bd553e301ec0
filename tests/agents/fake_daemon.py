"""A stand-in for the daemon: a real Unix socket that records what it is asked.

For tests of the clients in front of the socket. It speaks as much HTTP/1.1 as curl, Bun and
our own hook client need, answers from a table, and can be set to hang or to go away.
"""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

WAIT_S = 30.0


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Reply = tuple[int, bytes]
Answer = Callable[[Seen], Reply]


def nothing(_seen: Seen) -> Reply:
    return 200, b""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        while (first := self.rfile.readline()).strip():
            method, path, _ = first.decode().split(" ", 2)
            headers: dict[str, str] = {}
            while (line := self.rfile.readline()).strip():
                name, _, value = line.decode("utf-8", "surrogateescape").partition(":")
                headers[name.lower()] = value.strip()
            chunked = headers.get("transfer-encoding") == "chunked"
            size = int(headers.get("content-length", "0"))
            body = self.chunks() if chunked else self.rfile.read(size)
            owner = self.server.owner
            status, text = owner.take(Seen(method, path, headers, body))
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(text)}\r\n\r\n"
            self.wfile.write(head.encode() + text)
            if headers.get("connection", "").lower() == "close":
                return

    def chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    owner: FakeDaemon

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is not an error of the stand-in."""


@dataclass
class FakeDaemon:
    """Use as a context. `answer` may be changed while it runs; `hang` holds every answer back."""

    path: Path
    answer: Answer = nothing
    seen: list[Seen] = field(default_factory=list)
    hang: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def take(self, seen: Seen) -> Reply:
        self.seen.append(seen)
        if self.hang.is_set():
            self.released.wait(WAIT_S)
        return self.answer(seen)

    def events(self) -> list[str]:
        return [seen.event for seen in self.seen]

    def of(self, event: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.event == event]

    def wait_for(self, event: str) -> Seen:
        until = time.monotonic() + WAIT_S
        while not self.of(event):
            assert time.monotonic() < until, f"no {event} among {self.events()}"
            self.released.wait(0.01)
        return self.of(event)[0]

    def __enter__(self) -> FakeDaemon:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        self._server = _Server(str(self.path), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
