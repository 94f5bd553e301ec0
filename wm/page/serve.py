"""The process behind `wm open`: serves the page, opens the browser, ends after the last tab (UI-1).

It ends some minutes after the last tab was closed, and at Ctrl-C, and leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config, Server

from wm.daemon.client import ServerEvent
from wm.daemon.client_async import AsyncClient
from wm.ops.runtime import utc_now
from wm.page.access import ENTER, new_access
from wm.page.app import application
from wm.page.listener import LOOPBACK, listen
from wm.page.rendering import render
from wm.page.source import Source
from wm.page.tabs import Follower, Tabs
from wm.page.visit import Page
from wm.settings import Settings

TOKEN_BYTES = 24
CONNECT_S = 3.0


class Opened(Struct, frozen=True):
    """A page that is being served. address: with the ticket, so only for its user's eyes. file: an
    HTML file that leads there, so that no command line shows it."""

    port: int
    address: str
    file: Path


def serve(settings: Settings, key: str, *, port: int, opened: Callable[[Opened], None]) -> None:
    """Serve the page, beginning with the workspace `key`, until its last tab is closed. opened:
    called in a thread once the page can be reached.

    Raises UserError if the port cannot be used.
    """
    asyncio.run(_serve(settings, key, port, opened))


async def _serve(settings: Settings, key: str, port: int, opened: Callable[[Opened], None]) -> None:
    listener = listen(port)
    number = int(listener.getsockname()[1])
    access, ticket, tabs = new_access(number, _token), _token(), Tabs()
    address = f"http://{LOOPBACK}:{number}/{access.path}/{ENTER}?ticket={ticket}"
    with _redirect_file(address) as file:
        # A refused connection fails at once; a busy machine may take longer to accept one.
        patient = replace(settings.daemon, connect_timeout_s=CONNECT_S)
        async with AsyncClient(replace(settings, daemon=patient)) as client:
            source = Source(settings, client)
            page = Page(access, source, tabs, key, utc_now, ticket, entered=file.unlink)
            idle = Idle(application(page), settings.page.idle_s)
            server = _server(idle)
            idle.end = partial(_end, server, tabs)
            idle.arm()
            shown = asyncio.create_task(asyncio.to_thread(opened, Opened(number, address, file)))
            with _following(settings, tabs), _signals(idle):
                await server.serve(sockets=[listener])
            await shown


def _token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


class Idle:
    """Calls `end` when nothing was in progress for `idle_s`. The stream of an open tab is a request
    in progress."""

    def __init__(self, app: ASGIApp, idle_s: float) -> None:
        self.end: Callable[[], None] = lambda: None
        self._app, self._idle_s = app, idle_s
        self._in_progress = 0
        self._timer: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._in_progress += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._in_progress -= 1
            self.arm()

    def arm(self) -> None:
        """Begin to wait, if nothing is in progress."""
        if self._timer is not None:
            self._timer.cancel()
        if not self._in_progress:
            self._timer = asyncio.get_running_loop().call_later(self._idle_s, self._expire)

    def _expire(self) -> None:
        if not self._in_progress:
            self.end()


class _Server(Server):
    """Leaves the signals to `_signals`, which ends the streams as well."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def _server(app: ASGIApp) -> _Server:
    config = Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        http="httptools",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    return _Server(config)


def _end(server: Server, tabs: Tabs) -> None:
    """Streams never end on their own, so they are closed first."""
    tabs.close()
    server.should_exit = True


@contextlib.contextmanager
def _signals(idle: Idle) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the page."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, idle.end)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextlib.contextmanager
def _following(settings: Settings, tabs: Tabs) -> Iterator[None]:
    """The daemon's changes reach the tabs."""
    loop = asyncio.get_running_loop()

    def on_event(event: ServerEvent | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tabs.receive, event)

    follower = Follower(settings, on_event)
    follower.start()
    try:
        yield
    finally:
        follower.stop()


@contextlib.contextmanager
def _redirect_file(address: str) -> Iterator[Path]:
    """A file that only this user can read, in a folder that only this user can enter."""
    with tempfile.TemporaryDirectory(prefix="wm-open-") as folder:
        file = Path(folder) / "open.html"
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(render("enter.html", {"address": address}))
        yield file
