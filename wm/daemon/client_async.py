"""The asynchronous client of the socket: `wm.daemon.client` in threads (IF-1).

For the proxy, which must not block its event loop. Starts no daemon and repeats no request.

It has its own threads. When it shared those of the event loop, calls to a daemon that hung
filled them, and a request that needed one to look up its upstream's address waited for 5 s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from msgspec import Struct, field

from wm.daemon.client import Answer, Client, Fields, ServerEvent
from wm.daemon.routes import Router
from wm.settings import Settings

_T = TypeVar("_T")
_MOST_AT_ONCE = 8
"""Calls; later ones wait, and one that is cancelled meanwhile is not made."""


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MOST_AT_ONCE, "daemon-call")


class AsyncClient(Struct):
    """Keep-alive connections to the daemon; several calls may run at once, each in a thread. A call
    that is cancelled ends on its own, within its deadline."""

    settings: Settings
    _free: list[Client] = field(default_factory=list)
    _closed: bool = False
    _router: Router = field(default_factory=Router)
    _threads: ThreadPoolExecutor = field(default_factory=_threads)

    async def call(
        self, operation: str, fields: Fields | None = None, *, deadline_s: float | None = None
    ) -> Any:
        """See `Client.call`."""
        return await self._run(lambda one: one.call(operation, fields, deadline_s=deadline_s))

    async def request(
        self, method: str, target: str, body: Any = None, *, deadline_s: float | None = None
    ) -> Answer:
        """See `Client.request`."""
        return await self._run(lambda one: one.request(method, target, body, deadline_s=deadline_s))

    async def changes(self, workspace: str = "", last_id: str = "") -> AsyncIterator[ServerEvent]:
        """Follow the changes until the daemon ends the stream."""
        with Client(self.settings, _router=self._router) as client:
            events = client.changes(workspace, last_id)
            while event := await asyncio.to_thread(next, events, None):
                yield event

    async def close(self) -> None:
        """Close idle connections. Calls in progress finish; their connections are closed after."""
        self._closed = True
        self._threads.shutdown(wait=False)
        self._threads = _threads()
        while self._free:
            self._free.pop().close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def _run(self, work: Callable[[Client], _T]) -> _T:
        def run() -> _T:
            client = self._client()
            try:
                return work(client)
            finally:
                self._free.append(client)
                if self._closed:
                    client.close()

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)

    def _client(self) -> Client:
        try:
            return self._free.pop()
        except IndexError:
            return Client(self.settings, _router=self._router)
