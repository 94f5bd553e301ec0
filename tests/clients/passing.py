"""A proxy of wm between the real clients and the upstream, with a recorder on each side of it.

Each recorder is a plain TCP relay that keeps every byte. What it kept is read back by the rules
of HTTP/1.1, independently of the proxy's own parser.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.clients.harness import Machine
from tests.listening import listening
from tests.proxy.scripted import by_the_upstream
from wm.proxy.exchange import Parties
from wm.proxy.guard import Guard, hosts_of
from wm.proxy.listener import Server
from wm.proxy.observing import Note, Observer
from wm.proxy.origin import parse_origin
from wm.proxy.upstream import Pool
from wm.settings import ProxySettings

TOKEN = "token-of-the-proxy"
ONE_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"te", b"expect", b"host"}


@dataclass(frozen=True)
class Message:
    """A request or an answer: start line, headers without those of the hop, content."""

    start: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    content: bytes
    whole: bool


@dataclass
class Line:
    """One connection, both directions."""

    up: bytearray = field(default_factory=bytearray)
    down: bytearray = field(default_factory=bytearray)


@dataclass
class Relay:
    """Passes bytes between its port and `target`, and keeps them."""

    target: int
    lines: list[Line] = field(default_factory=list)
    port: int = 0
    _open: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def __enter__(self) -> Relay:
        self.port = self._open.enter_context(listening(self._serve))
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    def _serve(self, client: socket.socket) -> None:
        line = Line()
        self.lines.append(line)
        _both_ways(client, socket.create_connection(("127.0.0.1", self.target)), line)

    def exchanges(self) -> list[tuple[Message, Message]]:
        """Every request with its answer, in the order in which the lines were opened."""
        found = []
        for line in self.lines:
            requests = read(bytes(line.up))
            bodiless = [request.start.startswith(b"HEAD ") for request in requests]
            found += list(zip(requests, read(bytes(line.down), bodiless), strict=False))
        return found


def _both_ways(client: socket.socket, server: socket.socket, line: Line) -> None:
    with client, server:
        back = threading.Thread(target=_pass, args=(server, client, line.down), daemon=True)
        back.start()
        _pass(client, server, line.up)
        back.join()


def _pass(source: socket.socket, goal: socket.socket, kept: bytearray) -> None:
    try:
        while data := source.recv(65536):
            kept += data
            goal.sendall(data)
    except OSError:
        pass
    for side in (source, goal):
        # The end of one direction ends both, as a cut of the real line would.
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)


def read(stream: bytes, bodiless: list[bool] | None = None) -> list[Message]:
    """The messages of one direction of a connection."""
    found: list[Message] = []
    at = 0
    while at < len(stream):
        end = stream.find(b"\r\n\r\n", at)
        if end < 0:
            break
        start, *lines = stream[at:end].split(b"\r\n")
        pairs = [(name, value.strip()) for name, _, value in (x.partition(b":") for x in lines)]
        headers = {name.lower(): value for name, value in pairs}
        if bodiless is not None and len(found) < len(bodiless) and bodiless[len(found)]:
            content, at, whole = b"", end + 4, True
        else:
            content, at, whole = _content(stream, end + 4, headers)
        kept = tuple((name, value) for name, value in pairs if name.lower() not in ONE_HOP)
        found.append(Message(start, kept, content, whole))
    return found


def _content(stream: bytes, at: int, headers: dict[bytes, bytes]) -> tuple[bytes, int, bool]:
    if headers.get(b"transfer-encoding", b"").lower() == b"chunked":
        return _chunks(stream, at)
    size = int(headers.get(b"content-length", b"0"))
    return stream[at : at + size], at + size, at + size <= len(stream)


def _chunks(stream: bytes, at: int) -> tuple[bytes, int, bool]:
    content = b""
    while True:
        end = stream.find(b"\r\n", at)
        if end < 0:
            return content, len(stream), False
        size = int(stream[at:end].split(b";")[0], 16)
        at = end + 2
        content += stream[at : at + size]
        if size and at + size + 2 > len(stream):
            return content, len(stream), False
        at += size + 2
        if not size:
            return content, at, True


@dataclass
class Passing:
    """The whole chain: client, recorder, proxy, recorder, upstream."""

    near: Relay
    far: Relay
    observer: Observer
    notes: list[Note]
    faults: list[Exception]

    def differences(self) -> list[str]:
        """What left the proxy otherwise than it came, in either direction."""
        prefix = f"/t/{TOKEN}".encode()
        near = [
            (Message(q.start.replace(prefix, b"", 1), q.headers, q.content, q.whole), a)
            for q, a in self.near.exchanges()
        ]
        far = self.far.exchanges()
        unmatched = list(far)
        wrong = []
        for pair in near:
            if pair in unmatched:
                unmatched.remove(pair)
            else:
                wrong.append(f"not found upstream: {pair[0].start!r} {pair[1].start!r}")
        return wrong + [f"only upstream: {q.start!r} {a.start!r}" for q, a in unmatched]


@contextlib.contextmanager
def passing(machine: Machine) -> Iterator[Passing]:
    """Both clients of the machine speak through the proxy."""
    upstream = urlsplit(machine.upstream.url).port
    assert upstream is not None
    with Relay(upstream) as far, _Proxy(far.port) as proxy, Relay(proxy.port) as near:
        proxy.serve(near.port)
        url = f"http://127.0.0.1:{near.port}/t/{TOKEN}"
        machine.environment["ANTHROPIC_BASE_URL"] = url
        config = machine.home / ".config/opencode/opencode.json"
        settings = json.loads(config.read_text())
        settings["provider"]["anthropic"]["options"]["baseURL"] = f"{url}/v1"
        config.write_text(json.dumps(settings))
        yield Passing(near, far, proxy.observer, proxy.notes, proxy.faults)


class _Proxy:
    """The proxy's server on a loop of its own. The name in `Host` is the recorder's port."""

    def __init__(self, upstream: int) -> None:
        self.faults: list[Exception] = []
        self.notes: list[Note] = []
        self.observer = Observer(self.notes.append, self.faults.append, measure=by_the_upstream)
        self._settings = ProxySettings(upstream=f"http://127.0.0.1:{upstream}", drain_s=1.0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._server: Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def serve(self, host_port: int) -> None:
        asyncio.run_coroutine_threadsafe(self._serve(host_port), self._loop).result(10)

    async def _serve(self, host_port: int) -> None:
        pool = Pool(parse_origin(self._settings.upstream), self._settings)
        guard = Guard(TOKEN.encode(), hosts_of(host_port))
        observer = self.observer
        parties = Parties(pool, observer.failed)
        self._server = Server(parties, guard, observer.observe, self._settings)
        await self._server.listen(self._listener)

    def __enter__(self) -> _Proxy:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._server is not None:
            drained = self._server.drain(1.0)
            asyncio.run_coroutine_threadsafe(drained, self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
