"""The asynchronous client of the socket, with the guarantees of `wm.daemon.client` (IF-1).

For the proxy, which must not block its event loop. Starts no daemon and repeats no request.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator, Mapping
from typing import Any

from msgspec import Struct, field

from wm.daemon.client import (
    SAFE,
    Answer,
    Chunks,
    Events,
    Fields,
    ServerEvent,
    checked,
    encode,
    ours,
    parse_head,
    patience,
    plain,
    turned_away,
    unanswered,
    unreachable,
)
from wm.daemon.routes import Router, compose
from wm.errors import Unavailable
from wm.settings import Settings

_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncClient(Struct):
    """Keep-alive connections to the daemon; several calls may run at once."""

    settings: Settings
    _free: list[_Streams] = field(default_factory=list)
    _closed: bool = False
    _router: Router = field(default_factory=Router)

    async def call(
        self, operation: str, fields: Fields | None = None, *, deadline_s: float | None = None
    ) -> Any:
        """Run a use case by its name; return its response as plain JSON values (text as str)."""
        route = self._router.named(operation)
        target, body = compose(route, plain(fields))
        answer = await self.request(route.method, target, body, deadline_s=deadline_s)
        if answer.headers.get("content-type", "").startswith("application/json") and not route.text:
            return answer.json()
        return answer.body.decode("utf-8", "replace")

    async def request(
        self, method: str, target: str, body: Any = None, *, deadline_s: float | None = None
    ) -> Answer:
        """One request by method and path."""
        data = encode(method, target, body)
        try:
            async with asyncio.timeout(patience(self.settings, deadline_s)) as limit:
                answer = await self._answered(method, data, limit.when() or 0.0)
        except TimeoutError:
            late = Unavailable("The daemon did not answer in time.")
            raise (late if method in SAFE else unanswered(late)) from None
        return checked(answer)

    async def _answered(self, method: str, data: bytes, until: float) -> Answer:
        """The first answer that is not "no capacity, try again"."""
        loop = asyncio.get_running_loop()
        while True:
            streams = self._idle() or await self._connect()
            answer = await self._exchange(streams, method, data)
            pause = turned_away(answer)
            if pause is None or loop.time() + pause >= until:
                return answer
            await asyncio.sleep(pause)

    async def changes(self, workspace: str = "", last_id: str = "") -> AsyncIterator[ServerEvent]:
        """Follow the changes until the daemon ends the stream."""
        pairs = {"workspace": workspace, "lastEventId": last_id}
        target, _ = compose(self._router.named("changes"), {k: v for k, v in pairs.items() if v})
        reader, writer = await self._connect()
        try:
            writer.write(encode("GET", target))
            status, headers = await _head(reader)
            if status >= 400:
                checked(Answer(status, headers, await _body(reader, headers)))
            chunks, events = Chunks(), Events()
            while not chunks.ended:
                data = await reader.read(65536)
                if not data:
                    return
                for event in events.feed(chunks.feed(data)):
                    yield event
        finally:
            writer.close()

    async def close(self) -> None:
        """Close idle connections. Calls in progress finish; their connections are closed after."""
        self._closed = True
        while self._free:
            self._free.pop()[1].close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def _exchange(self, streams: _Streams, method: str, data: bytes) -> Answer:
        reader, writer = streams
        kept = False
        try:
            writer.write(data)
            status, headers = await _head(reader)
            body = b"" if method == "HEAD" else await _body(reader, headers)
            kept = headers.get("connection", "").lower() != "close"
        except (OSError, asyncio.IncompleteReadError) as error:
            broken = Unavailable(f"The connection to the daemon broke: {error}.")
            raise (broken if method in SAFE else unanswered(broken)) from error
        finally:
            if kept and not self._closed:
                self._free.append(streams)
            else:
                writer.close()
        return Answer(status, headers, body)

    def _idle(self) -> _Streams | None:
        while self._free:
            reader, writer = self._free.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return None

    async def _connect(self) -> _Streams:
        loop = asyncio.get_running_loop()
        until = loop.time() + self.settings.daemon.connect_timeout_s
        path = os.fspath(self.settings.paths.socket)
        pause = 0.001
        while True:
            # A Unix socket connects at once or fails, so nothing blocks here. The loop's own
            # connect takes EAGAIN for "in progress" and returns a socket without a peer.
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sock.setblocking(False)
            try:
                sock.connect(path)
                return await asyncio.open_unix_connection(sock=ours(sock, path))
            except OSError as error:
                sock.close()
                # EAGAIN: the listener's queue is full, and connect returns at once instead of
                # waiting.
                if error.errno != errno.EAGAIN or loop.time() >= until:
                    raise unreachable(path, error) from error
            await asyncio.sleep(pause * (0.5 + os.urandom(1)[0] / 256))
            pause = min(pause * 2, 0.05)


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            status, headers = parse_head(head[:-4])
            if status != 100:
                return status, headers
    except asyncio.IncompleteReadError:
        raise ConnectionError("it ended without an answer") from None
    except asyncio.LimitOverrunError:
        raise Unavailable("The server on the socket does not speak HTTP.") from None


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    return await reader.readexactly(int(headers.get("content-length", "0")))
