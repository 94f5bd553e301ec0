"""Tells the daemon what passed, beside the exchanges and never in their way (PX-1).

A note that the daemon cannot take in time is dropped and counted: a figure is not worth a
request that waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from wm.daemon.client_async import AsyncClient
from wm.errors import WmError
from wm.proxy.watching import Note
from wm.settings import Settings
from wm.wire.prices import price_of

_MOST_WAITING = 256
_DEADLINE_S = 5.0


class Reporter:
    """One task that empties a queue. On the event loop."""

    def __init__(self, settings: Settings) -> None:
        self._client = AsyncClient(settings)
        self._notes: deque[Note] = deque()
        self._task: asyncio.Task[None] | None = None
        self.told = 0
        self.dropped = 0

    def __call__(self, note: Note) -> None:
        """Queue a note. One that names no session or no place is of no use to anybody."""
        if not note.identity.session or not self._place(note):
            return
        if len(self._notes) >= _MOST_WAITING:
            self.dropped += 1
            return
        self._notes.append(note)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._tell())

    async def close(self, within_s: float) -> None:
        """Tell what waits, but not for longer."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=within_s)
            if self._task is not None:
                self._task.cancel()
        await self._client.close()

    async def _tell(self) -> None:
        while self._notes:
            note = self._notes.popleft()
            identity = note.identity
            whose = {**self._place(note), "sessionId": identity.session, "agent": identity.agent}
            told: list[tuple[str, Any]] = [
                ("finish_request", {**whose, "note": dict(note.fields)}),
            ]
            if (event := _measured(note)) is not None:
                told.append(("record_event", {**whose, "event": event}))
            try:
                for name, fields in told:
                    await self._client.call(name, fields, deadline_s=_DEADLINE_S)
                self.told += 1
            except WmError:
                self.dropped += 1
        self._task = None

    @staticmethod
    def _place(note: Note) -> dict[str, str]:
        identity = note.identity
        if identity.workspace:
            return {"workspace": identity.workspace}
        return {"directory": identity.folder} if identity.folder else {}


def _measured(note: Note) -> dict[str, Any] | None:
    """How full the context of the conversation is by the service's own count (PS-1): what the
    model read and what it added."""
    usage = note.fields["usage"]
    if note.identity.call != "main" or usage is None:
        return None
    model = str(note.fields["model"])
    return {
        "kind": "usage_reported",
        "tokens": sum(usage.values()),
        "limit": price_of(model).window,
        "model": model,
        "source": "proxy",
    }
