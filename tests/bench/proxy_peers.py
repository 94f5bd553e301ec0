"""The other processes of `proxy`: upstream | relay PORT | parsed PORT | worker BASE NAME COUNT.

The upstream answers at once, or, where the model is `slow`, as a model does: after a pause, and
event by event.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from typing import Any

from httptools import HttpRequestParser, HttpResponseParser

EVENTS = 200
EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"x"}}\n\n'
PAUSE_S = 0.05
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%b\r\n" % (len(EVENT), EVENT)
END = b"0\r\n\r\n"


class Upstream(asyncio.Protocol):
    """Answers when the complete request has arrived."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.head = b""
        self.left = -1

    def data_received(self, data: bytes) -> None:
        if self.left < 0:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            low = self.head[:end].lower()
            self.slow = False
            size = int(low.split(b"content-length:")[1].split(b"\r\n")[0])
            data = self.head[end + 4 :]
            self.head, self.left = b"", size
        # First or last of the body: some proxies write it anew in another order.
        self.slow = self.slow or b'"slow"' in data[:512] or b'"slow"' in data[-512:]
        self.left -= len(data)
        if self.left <= 0:
            self.left = -1
            if self.slow:
                asyncio.get_running_loop().call_later(PAUSE_S, self.answer, 0)
            else:
                self.transport.write(HEAD + CHUNK * EVENTS + END)

    def answer(self, sent: int) -> None:
        """One event a turn of the loop."""
        self.transport.write((b"" if sent else HEAD) + CHUNK + (END if sent == EVENTS - 1 else b""))
        if sent < EVENTS - 1:
            asyncio.get_running_loop().call_soon(self.answer, sent + 1)


class Relay(asyncio.Protocol):
    """Bytes from one side to the other, and nothing else."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.other: Any = None
        self.waiting: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        asyncio.get_running_loop().create_task(self.join())

    async def join(self) -> None:
        loop = asyncio.get_running_loop()
        self.other, _ = await loop.create_connection(lambda: Back(self), "127.0.0.1", self.port)
        for data in self.waiting:
            self.other.write(data)
        self.waiting.clear()

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self.waiting.append(data)
        else:
            self.other.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            self.other.close()


class Back(asyncio.Protocol):
    """The relay's side to the upstream."""

    def __init__(self, front: Relay) -> None:
        self.front = front

    def data_received(self, data: bytes) -> None:
        self.front.transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.front.transport.close()


class Parsed(Relay):
    """As `Relay`, in the stack of the proxy: each message is parsed, its head written anew, its
    chunks framed anew. What every proxy does that knows where a message ends."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.parser: Any = HttpRequestParser(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.out: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)
        out, self.out = b"".join(self.out), []
        super().data_received(out)

    async def join(self) -> None:
        loop = asyncio.get_running_loop()
        self.other, _ = await loop.create_connection(
            lambda: ParsedBack(self), "127.0.0.1", self.port
        )
        for data in self.waiting:
            self.other.write(data)
        self.waiting.clear()

    def on_url(self, url: bytes) -> None:
        self.out.append(b"POST %b HTTP/1.1\r\n" % url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.out.append(b"%b: %b\r\n" % (name, value))

    def on_headers_complete(self) -> None:
        self.out.append(b"\r\n")

    def on_body(self, body: bytes) -> None:
        self.out.append(body)


class ParsedBack(asyncio.Protocol):
    """Its side to the upstream."""

    def __init__(self, front: Parsed) -> None:
        self.front = front
        self.out: list[bytes] = []
        self.body: list[bytes] = []
        self.ended = False
        self.parser: Any = HttpResponseParser(self)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)
        if body := b"".join(self.body):
            self.out.append(b"%x\r\n%b\r\n" % (len(body), body))
        if self.ended:
            self.out.append(END)
            self.ended = False
        self.front.transport.write(b"".join(self.out))
        self.out, self.body = [], []

    def on_status(self, reason: bytes) -> None:
        self.out.append(b"HTTP/1.1 %d %b\r\n" % (self.parser.get_status_code(), reason))

    def on_header(self, name: bytes, value: bytes) -> None:
        self.out.append(b"%b: %b\r\n" % (name, value))

    def on_headers_complete(self) -> None:
        self.out.append(b"\r\n")

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        self.ended = True

    def connection_lost(self, exc: Exception | None) -> None:
        self.front.transport.close()


async def serve(factory: Any) -> None:
    loop = asyncio.get_running_loop()
    terminated = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, terminated.set)
    server = await loop.create_server(factory, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await terminated.wait()


def work(base: str, name: str, count: int) -> None:
    from tests.bench.proxy import body, connect, exchange, request

    sock = connect(base)
    asked = [request(base, f"w-{name}", body(300_000, turn, "slow")) for turn in range(count)]
    exchange(sock, asked[0])
    print("ready", flush=True)
    sys.stdin.readline()
    begun = time.monotonic()
    for data in asked:
        exchange(sock, data)
    print(json.dumps({"seconds": time.monotonic() - begun}), flush=True)
    sys.stdin.read()


def main() -> None:
    words = sys.argv[1:]
    match words:
        case ["upstream"]:
            asyncio.run(serve(Upstream))
        case ["relay", port]:
            asyncio.run(serve(lambda: Relay(int(port))))
        case ["parsed", port]:
            asyncio.run(serve(lambda: Parsed(int(port))))
        case ["worker", base, name, count]:
            work(base, name, int(count))


if __name__ == "__main__":
    main()
