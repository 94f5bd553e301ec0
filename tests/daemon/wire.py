"""A server inside the test, and raw connections to it."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from wm.daemon.http import HttpServer
from wm.daemon.messages import Handler, HttpRequest, Reply, Response
from wm.settings import DaemonSettings

LIMITS = DaemonSettings(drain_s=2.0)


def run(scenario: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Run a scenario on a loop of its own, 20 s at most."""

    async def bounded() -> Any:
        async with asyncio.timeout(20):
            return await scenario(*arguments)

    return asyncio.run(bounded())


def echo(request: HttpRequest, reply: Reply) -> None:
    """Answers method, target and body."""
    text = f"{request.method} {request.target} ".encode() + request.body
    reply(Response(200, text, "text/plain"))


@dataclasses.dataclass
class Wire:
    """One raw connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, *, head_only: bool = False) -> tuple[int, dict[str, str], bytes]:
        """The next answer: status, headers, body. Raises IncompleteReadError at the end."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        length = 0 if head_only else int(headers.get("content-length", "0"))
        return int(head[0].split()[1]), headers, await self.reader.readexactly(length)

    async def rest(self) -> bytes:
        try:
            return await self.reader.read()
        except ConnectionResetError:
            return b""

    async def close(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()


@dataclasses.dataclass
class Served:
    """A listening server and the connections that the test made."""

    server: HttpServer
    path: Path
    wires: list[Wire] = dataclasses.field(default_factory=list)

    async def connect(self) -> Wire:
        wire = Wire(*await asyncio.open_unix_connection(str(self.path), limit=2**22))
        self.wires.append(wire)
        return wire


@asynccontextmanager
async def serving(
    folder: Path, handler: Handler = echo, limits: DaemonSettings = LIMITS, **options: Any
) -> AsyncIterator[Served]:
    path = folder / "s"
    path.unlink(missing_ok=True)
    server = HttpServer(handler, limits, **options)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    server.listen(listener)
    served = Served(server, path)
    try:
        yield served
    finally:
        for wire in served.wires:
            await wire.close()
        await server.drain(2.0)


async def turns() -> None:
    """Let everybody have their turn who is ready to go on: enough of them to show who does not."""
    for _ in range(50):
        await asyncio.sleep(0)


async def until(fact: Callable[[], bool], within_s: float = 5.0) -> None:
    """Wait for a fact, with a bound."""
    async with asyncio.timeout(within_s):
        while not fact():
            await asyncio.sleep(0.002)
