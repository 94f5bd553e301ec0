"""Passes the daemon's changes on to the open tabs of the page (UI-1).

One connection to the daemon serves all tabs. It is made again while the daemon restarts; the tabs
keep their streams and learn what they may have missed.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable

from wm.daemon.client import Client, ServerEvent
from wm.errors import WmError
from wm.settings import Settings

GATHER_S = 0.2
"""Changes of this long reach a tab together: an agent at work causes several a second."""
PING_S = 30.0
"""How often a silent stream sends a comment, so that a broken tunnel is noticed."""
RETRY_S = 1.0
"""Pause before the daemon is asked again for its changes."""

EVERYTHING = "everything"
"""In place of a document's slug: anything may have changed."""


class Follower(threading.Thread):
    """Follows the daemon's changes in a thread until `stop`. on_event: receives each event, and
    None when the connection ends; called in this thread."""

    def __init__(self, settings: Settings, on_event: Callable[[ServerEvent | None], None]) -> None:
        super().__init__(name="changes", daemon=True)
        self._client = Client(settings)
        self._on_event = on_event
        self._stopped = threading.Event()

    def run(self) -> None:
        last = ""
        while not self._stopped.is_set():
            try:
                for event in self._client.changes(last_id=last):
                    last = event.id
                    self._on_event(event)
            except WmError:
                pass  # no daemon at present
            if not self._stopped.is_set():
                self._on_event(None)
            self._stopped.wait(RETRY_S)

    def stop(self) -> None:
        self._stopped.set()
        self._client.close()


class Tabs:
    """The open streams of the page. Used on the event loop only."""

    def __init__(self) -> None:
        self.live = True
        """The daemon reports its changes."""
        self.received = 0
        """Number of events so far; a tab that was rendered at another number is out of date."""
        self._queues: set[asyncio.Queue[tuple[str, str] | None]] = set()

    def receive(self, event: ServerEvent | None) -> None:
        """Take an event of the daemon; None: the connection ended."""
        self.live = event is not None
        self.received += 1
        if event is not None and event.event == "change":
            self._send((str(event.data.get("workspace", "")), str(event.data.get("slug", ""))))
        else:  # a connection begins or ends: what happened before is unknown
            self._send(("", EVERYTHING))

    def close(self) -> None:
        """End all streams."""
        self._send(None)

    async def stream(self, workspace: str, proof: str) -> AsyncIterator[bytes]:
        """The stream of one tab. proof: a secret of the page that a stranger who took over its port
        does not know."""
        queue: asyncio.Queue[tuple[str, str] | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield b"retry: 1000\n" + _event("hello", {"proof": proof, **self._state()})
            while True:
                try:
                    first = await asyncio.wait_for(queue.get(), PING_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                await asyncio.sleep(GATHER_S)
                batch = [first, *(queue.get_nowait() for _ in range(queue.qsize()))]
                if None in batch:
                    return
                slugs = {slug for where, slug in filter(None, batch) if _concerns(where, workspace)}
                if slugs:
                    yield _event("change", {"slugs": sorted(slugs), **self._state()})
        finally:
            self._queues.discard(queue)

    def _state(self) -> dict[str, object]:
        return {"live": self.live, "received": self.received}

    def _send(self, change: tuple[str, str] | None) -> None:
        for queue in self._queues:
            queue.put_nowait(change)


def _concerns(where: str, workspace: str) -> bool:
    """Changes without a workspace, and those of the user, concern every workspace."""
    return where in ("", "user", workspace)


def _event(word: str, data: dict[str, object]) -> bytes:
    return f"event: {word}\ndata: {json.dumps(data)}\n\n".encode()
