"""A socket between a proxy and its daemon: does something at one message of the proxy.

Knows the protocol only as far as the ends of messages. The daemon behind it is real, and so is
what is done to it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wm.daemon.routes import Match, Router
from wm.net.parser import END, RequestReader, ResponseReader

BEFORE, UNANSWERED, AFTER = "before", "unanswered", "after"
"""The daemon gets the message afterwards; it has done what was asked and says nothing; the answer
was passed on."""
WAITED_FOR = "append_paging of a waiting request"


class Trouble:
    """What happens to a daemon: it stops, dies, or can write to no file any more."""

    def __init__(self, kind: str, pid: int) -> None:
        self.kind, self._pid = kind, pid

    def begin(self) -> None:
        if self.kind == "full":
            self._limit(0)
        else:
            os.kill(self._pid, signal.SIGSTOP if self.kind == "hangs" else signal.SIGKILL)

    def end(self) -> None:
        """A dead daemon stays dead: the next one is started."""
        if self.kind == "full":
            self._limit(-1)
        elif self.kind == "hangs":
            os.kill(self._pid, signal.SIGCONT)

    def _limit(self, size: int) -> None:
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (size, -1))


@dataclass
class Relay:
    """path: where the proxy finds it. daemon: the real socket. calls: messages, by name."""

    path: Path
    daemon: Path
    calls: Counter[str] = field(default_factory=Counter)
    trouble: Trouble | None = None
    when: tuple[str, int, str] = ("", 0, "")
    """Name and number of the message, and the moment."""
    begun: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    """Set when the trouble is over: who is waiting for an answer is cut off."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def serving(self) -> Iterator[Relay]:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))
            listener.listen(64)
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
            try:
                yield self
            finally:
                with contextlib.suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)

    def expect(self, when: tuple[str, int, str], trouble: Trouble) -> None:
        """Count from here, and begin this trouble at that message."""
        self.calls.clear()
        self.begun.clear()
        self.over.clear()
        self.when, self.trouble = when, trouble

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as daemon, contextlib.suppress(OSError):
            daemon.connect(str(self.daemon))
            while (raw := _message(client, RequestReader(1 << 20))) is not None:
                act = self._act(raw)
                if act == BEFORE:
                    self._begin()
                daemon.sendall(raw)
                answer = _message(daemon, ResponseReader(b"POST"))
                if answer is None:
                    return
                if act == UNANSWERED:
                    self._begin()
                    self.over.wait(30.0)
                    return
                if act == AFTER:
                    self._begin()  # first: the next message may follow at once
                client.sendall(answer)

    def _begin(self) -> None:
        assert self.trouble is not None
        self.trouble.begin()
        self.begun.set()

    def _act(self, raw: bytes) -> str:
        """What to do about this message."""
        name = name_of(raw)
        with self._lock:
            self.calls[name] += 1
            if self.trouble is not None and self.when[:2] == (name, self.calls[name]):
                return self.when[2]
        return ""


def name_of(raw: bytes) -> str:
    """The operation that a message asks for, and whether a request waits for it."""
    head, _, body = raw.partition(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
    found = Router().find(method, target.partition("?")[0])
    assert isinstance(found, Match)
    operation = found.route.operation
    waits = operation == "append_paging" and json.loads(body).get("durable")
    return WAITED_FOR if waits else operation


def _message(sock: socket.socket, reader: RequestReader | ResponseReader) -> bytes | None:
    """The next whole message; None if the other side is gone."""
    raw = b""
    while data := sock.recv(1 << 16):
        raw += data
        if END in reader.feed(data):
            return raw
    return None
