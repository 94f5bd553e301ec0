"""A scripted upstream on raw sockets, a raw client, and a proxy between the two."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from wm.net.messages import RequestHead, ResponseHead
from wm.proxy.exchange import ExchangeOutcome
from wm.proxy.guard import Admitted
from wm.proxy.managing import ManagingPreparer
from wm.proxy.preparing import RequestPreparer
from wm.proxy.serve import Running, running
from wm.settings import ProxySettings
from wm.wire.policy import Prepared

TOKEN = "token-of-a-test"

Play = Callable[["Visit"], Awaitable[None]]


@dataclass
class Visit:
    """One connection as the upstream has it. `raw`: all that came so far."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    raw: bytearray = field(default_factory=bytearray)

    async def head(self) -> bytes:
        """Read to the end of the next head."""
        got = await self.reader.readuntil(b"\r\n\r\n")
        self.raw += got
        return got

    async def body(self, size: int) -> bytes:
        got = await self.reader.readexactly(size)
        self.raw += got
        return got

    async def gone(self) -> bytes:
        """Wait until the other side is gone; what it sent until then."""
        try:
            rest = await self.reader.read()
        except ConnectionResetError:
            rest = b""
        self.raw += rest
        return rest

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


@dataclass
class Upstream:
    """Plays one script per connection, the last one again and again."""

    scripts: list[Play]
    visits: list[Visit] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)
    port: int = 0
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[Upstream]:
        def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.tasks.append(asyncio.create_task(self._serve(reader, writer)))

        server = await asyncio.start_server(come, "127.0.0.1", 0, limit=2**26)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for visit in self.visits:
                visit.writer.close()
            await asyncio.gather(*self.tasks)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = Visit(reader, writer)
        self.visits.append(visit)
        script = self.scripts[min(len(self.visits), len(self.scripts)) - 1]
        try:
            await script(visit)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            self.faults.append(error)
        finally:
            writer.close()


@dataclass
class Seen:
    """What an observer saw of one exchange."""

    asked: RequestHead
    admitted: Admitted
    sent: bytes = b""
    sent_bytes: int = 0
    answer: ResponseHead | None = None
    received: bytearray = field(default_factory=bytearray)
    outcome: ExchangeOutcome | None = None
    decisions: tuple[str, ...] = ()
    trouble: str = ""
    request_name: str = ""
    preparer: object = None
    concluded: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def prepared(self, policy: str, made: Prepared) -> None:
        self.decisions = tuple(one.block for one in made.decisions)
        self.trouble, self.request_name = made.trouble, made.request

    def request(self, body: list[bytes], size: int) -> None:
        self.sent, self.sent_bytes = b"".join(body), size

    def head(self, head: ResponseHead) -> None:
        self.answer = head

    def body(self, data: bytes) -> None:
        self.received += data

    @property
    def buffered_bytes(self) -> int:
        return len(self.sent) + len(self.received)

    def ended(self, outcome: ExchangeOutcome) -> None:
        self.outcome = outcome
        self.over.set()

    def conclude(self) -> None:
        self.concluded = True
        if isinstance(self.preparer, ManagingPreparer):
            self.preparer.used(self.request_name, None)
            self.preparer.conclude(self.request_name)


@dataclass
class Bench:
    """A proxy between a client of the test and the scripted upstream."""

    upstream: Upstream
    proxy: Running
    seen: list[Seen]
    failures: list[Exception]
    clients: list[Visit] = field(default_factory=list)

    def target(self, path: str) -> str:
        return f"/t/{TOKEN}{path}"

    async def connect(self, limit: int = 2**26) -> Visit:
        """limit: the client reads no further ahead of its test."""
        sock = socket.socket()
        sock.setblocking(False)
        if limit < 2**16:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, limit)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self.proxy.port))
        streams = await asyncio.open_connection(sock=sock, limit=limit)
        self.clients.append(Visit(*streams))
        return self.clients[-1]

    def head(self, line: str, *headers: str) -> bytes:
        """A request head through the proxy: `POST /v1/messages`."""
        method, _, path = line.partition(" ")
        lines = [f"{method} {self.target(path)} HTTP/1.1", f"Host: 127.0.0.1:{self.proxy.port}"]
        return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1")

    async def ask(self, *sent: bytes, limit: int = 2**26) -> Visit:
        """A client that has sent this."""
        client = await self.connect(limit)
        for data in sent:
            await client.say(data)
        return client


@contextlib.asynccontextmanager
async def bench(
    *scripts: Play,
    preparer: RequestPreparer | None = None,
    prepare_deadline_s: float = 15.0,
    **options: object,
) -> AsyncIterator[Bench]:
    """prepare_deadline_s: so long that a busy machine does not meet it by chance."""
    seen: list[Seen] = []
    failures: list[Exception] = []

    def observe(head: RequestHead, admitted: Admitted) -> Seen:
        seen.append(Seen(head, admitted, preparer=preparer))
        return seen[-1]

    async with Upstream(list(scripts)).serving() as upstream:
        address = f"http://127.0.0.1:{upstream.port}"
        settings = ProxySettings(**{"upstream": address, "drain_s": 0.5, **options})  # type: ignore[arg-type]
        async with running(
            settings,
            TOKEN,
            port=0,
            observe=observe,
            failed=failures.append,
            preparer=preparer,
            prepare_deadline_s=prepare_deadline_s,
        ) as proxy:
            made = Bench(upstream, proxy, seen, failures)
            try:
                yield made
            finally:
                for client in made.clients:
                    client.writer.close()
    if isinstance(preparer, ManagingPreparer):
        await preparer.close(5.0)


def play(*answers: bytes, body: int = 0) -> Play:
    """Answer as many requests with these bytes, one after the other; each has a body of `body`."""

    async def script(visit: Visit) -> None:
        for answer in answers:
            await visit.head()
            await visit.body(body)
            await visit.say(answer)
        await visit.gone()

    return script


def within(work: Callable[[], Awaitable[None]], bound_s: float = 20.0) -> None:
    """Run a test on a loop of its own, with a bound."""

    async def bounded() -> None:
        async with asyncio.timeout(bound_s):
            await work()

    asyncio.run(bounded())
