"""A whole daemon inside the test: door, queues and server, without a process of its own."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from tests.daemon.toys import OPERATIONS, TOYS
from tests.daemon.wire import Wire
from wm.daemon.actors import Actors, Workers
from wm.daemon.changes import Hub
from wm.daemon.control import Controls
from wm.daemon.dispatch import Dispatcher
from wm.daemon.http import HttpServer
from wm.daemon.instance import bind_socket
from wm.daemon.log import DaemonLog
from wm.daemon.metrics import LagProbe, Metrics
from wm.daemon.routes import Router
from wm.ops.local import open_runtime
from wm.ops.operation import DocumentChange
from wm.ops.runtime import Runtime
from wm.settings import DaemonSettings, Settings, load

NOW = datetime(2026, 11, 21, 19, 0, tzinfo=UTC)


@dataclasses.dataclass
class Inside:
    """The parts of a running daemon, and what it published and reported."""

    settings: Settings
    runtime: Runtime
    metrics: Metrics
    workers: Workers
    actors: Actors
    hub: Hub
    server: HttpServer
    dispatcher: Dispatcher
    published: list[Sequence[DocumentChange]]
    reported: list[tuple[str, Exception]]
    stopped: list[str]

    async def connect(self) -> Wire:
        return Wire(*await asyncio.open_unix_connection(str(self.settings.paths.socket)))


@asynccontextmanager
async def inside(
    folder: Path,
    *,
    check_home: Callable[[], None] = lambda: None,
    flush_s: float = 1.0,
    **limits: object,
) -> AsyncIterator[Inside]:
    settings = load({"HOME": str(folder), "WM_HOME": str(folder / "home")})
    settings = replace(
        settings,
        daemon=replace(DaemonSettings(), **limits),
        store=replace(settings.store, relaxed_flush_s=flush_s),
    )
    settings.paths.home.mkdir(mode=0o700, exist_ok=True)
    runtime = open_runtime(settings)
    loop = asyncio.get_running_loop()
    metrics, hub, workers = Metrics(), Hub("life"), Workers(loop, 2)
    published: list[Sequence[DocumentChange]] = []
    reported: list[tuple[str, Exception]] = []
    stopped: list[str] = []

    def publish(changes: Sequence[DocumentChange]) -> None:
        published.append(changes)
        hub.publish(changes)

    actors = Actors(
        runtime,
        workers,
        metrics,
        publish=publish,
        check_home=check_home,
        report=lambda what, error: reported.append((what, error)),
    )
    log = DaemonLog(str(folder / "daemon.log"), lambda: NOW, max_bytes=100_000)
    router = Router(TOYS)
    controls = Controls(runtime, router, actors, hub, metrics, stop=lambda: stopped.append("stop"))
    door = Dispatcher(
        router,
        OPERATIONS,
        actors,
        controls.table(),
        metrics,
        log,
        LagProbe(loop, metrics.loop_lag_seconds),
    )
    server = HttpServer(door, settings.daemon)
    controls.server = server
    bound = bind_socket(settings)
    server.listen(bound.sock)
    try:
        yield Inside(
            settings,
            runtime,
            metrics,
            workers,
            actors,
            hub,
            server,
            door,
            published,
            reported,
            stopped,
        )
    finally:
        bound.remove()
        await server.drain(2.0)
        await actors.drain(2.0)
        await asyncio.to_thread(workers.close, 2.0)
        runtime.store.close()
        log.close()
