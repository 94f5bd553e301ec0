"""The other processes of `proxy`: upstream | relay PORT | worker BASE NAME COUNT.

The upstream answers at once, or, where the path says `slow`, as a model does: after a pause, and
event by event.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from typing import Any

EVENTS = 200
EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"x"}}\n\n'
PAUSE_S = 0.05
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%b\r\n" % (len(EVENT), EVENT)
END = b"0\r\n\r\n"


class Upstream(asyncio.Protocol):
    """Answers when the whole request is there."""

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
            self.slow = b"/slow/" in low.split(b"\r\n")[0]
            size = int(low.split(b"content-length:")[1].split(b"\r\n")[0])
            data = self.head[end + 4 :]
            self.head, self.left = b"", size
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


async def serve(factory: Any) -> None:
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    server = await loop.create_server(factory, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await told.wait()


def work(base: str, name: str, count: int) -> None:
    from tests.bench.proxy import body, connect, exchange, request

    sock = connect(base)
    asked = [request(base, f"w-{name}", body(300_000, turn), "/slow") for turn in range(count)]
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
        case ["worker", base, name, count]:
            work(base, name, int(count))


if __name__ == "__main__":
    main()
