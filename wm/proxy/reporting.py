"""Reports exchanges to the daemon in the background, never delaying a request (PX-1).

A note that the daemon cannot take in time is dropped and counted: a statistic does not justify a
request that waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from msgspec.structs import replace

from wm.daemon.client_async import AsyncClient
from wm.errors import StoreError, Unanswered, Unavailable, WmError
from wm.proxy.handover import Handover
from wm.proxy.ledger import place_of
from wm.proxy.observing import Note
from wm.settings import Settings
from wm.wire.prices import window_of

_MOST_WAITING = 256
_DEADLINE_S = 5.0
_MOST_WAITING_BYTES = 64 * 1024 * 1024
"""Limit on bodies that wait to be recorded; above it notes are queued without them."""


class Reporter:
    """One task that empties a queue. Runs on the event loop. folder: the folder of requests
    that name none, for the daemon does not know the key of a workspace without memory."""

    def __init__(self, settings: Settings, folder: str = "") -> None:
        self._folder = folder
        self._client = AsyncClient(settings)
        self._notes: deque[Note] = deque()
        self._task: asyncio.Task[None] | None = None
        self.handover = Handover(self._client, settings.proxy.unpacked_bytes)
        self._waiting_bytes = 0
        self.reported = 0
        self.dropped = 0
        self.trouble: WmError | None = None
        """The daemon's last refusal because its disk accepts no writes."""

    def __call__(self, note: Note) -> None:
        """Queue a note. One without a session or a place is dropped, as it cannot be used."""
        left = self.handover.left
        if not note.identity.session or not place_of(note.identity, self._folder):
            left["without a session or a folder"] += note.bodies is not None
            return
        if len(self._notes) >= _MOST_WAITING:
            self.dropped += 1
            left["the daemon was too slow"] += note.bodies is not None
            return
        size = note.bodies.size if note.bodies is not None else 0
        if self._waiting_bytes + size > _MOST_WAITING_BYTES:
            note, size = replace(note, bodies=None, unrecorded="too much at a time"), 0
        self._waiting_bytes += size
        self._notes.append(note)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._send_all())

    async def close(self, within_s: float) -> None:
        """Report what is queued, within this time limit."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=within_s)
            if self._task is not None:
                self._task.cancel()
        late = sum(note.bodies is not None for note in self._notes)
        self.handover.left["the proxy ended before"] += late
        await self._client.close()

    async def _send_all(self) -> None:
        try:
            while self._notes:
                await self._send_next(self._notes.popleft())
        finally:  # a fault of ours costs one note, not all later ones
            self._task = None

    async def _send_next(self, note: Note) -> None:
        identity = note.identity
        place = place_of(identity, self._folder)
        whose = {**place, "sessionId": identity.session, "agent": identity.agent}
        self._waiting_bytes -= note.bodies.size if note.bodies is not None else 0
        try:
            await self._report(note, whose)
            self.reported += 1
        except WmError as error:
            self.dropped += 1
            if error.code == StoreError.code:  # other refusals may quote text of a client
                self.trouble = error
            self.handover.left[_why(error)] += note.bodies is not None

    async def _report(self, note: Note, whose: dict[str, Any]) -> None:
        call = self._client.call
        finish = {**whose, "note": dict(note.fields)}
        finished = await call("finish_request", finish, deadline_s=_DEADLINE_S)
        if (event := _measured(note)) is not None:
            await call("record_event", {**whose, "event": event}, deadline_s=_DEADLINE_S)
        await self.handover.hand_over(note, whose, str(finished["flowId"]), _DEADLINE_S)


def _why(error: WmError) -> str:
    """Why bodies were not recorded, in a few words."""
    if isinstance(error, Unavailable):
        return "no daemon took them"
    if isinstance(error, Unanswered):
        return "the daemon did not answer"
    return f"the daemon could not keep them ({error.code.replace('_', ' ')})"


def _measured(note: Note) -> dict[str, Any] | None:
    """The context size by the service's own count (PS-1): the tokens that the model read, plus
    those that it wrote."""
    usage = note.fields["usage"]
    if note.identity.call != "main" or usage is None:
        return None
    model = str(note.fields["model"])
    prompt = sum(usage.values()) - usage["output"]
    return {
        "kind": "usage_reported",
        "tokens": sum(usage.values()),
        "limit": window_of(model, prompt),
        "model": model,
        "source": "proxy",
    }
