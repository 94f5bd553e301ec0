"""Server-sent events for changes (IF-1).

A subscriber that falls too far behind is disconnected. One that reconnects with the id of its
last event receives what it missed, or a `reset` event if that is no longer available; then it
must read everything again. There is no heartbeat, so an idle daemon does not wake up.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable

from wm.daemon.messages import Channel
from wm.ops.operation import DocumentChange

KEPT_EVENTS = 1024
MAX_BEHIND_BYTES = 1024 * 1024


class Hub:
    """All subscribers of one daemon. Used on the event loop only.

    life: an id that distinguishes the events of this daemon process from those of earlier ones.
    """

    def __init__(self, life: str) -> None:
        self._life = life
        self._number = 0
        self._kept: deque[tuple[int, DocumentChange]] = deque(maxlen=KEPT_EVENTS)
        self._subscribers: dict[Channel, str] = {}
        """The workspace that each channel is about, "" for all."""
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._subscribers)

    def subscribe(self, channel: Channel, workspace: str = "", last_id: str = "") -> None:
        """Send the events missed since `last_id`, then all new events of `workspace` ("": all)."""
        self._subscribers[channel] = workspace
        channel.closed = lambda: self._forget(channel)
        missed = self._since(last_id)
        word = "hello" if missed is not None else "reset"
        channel.send(b"retry: 1000\n" + self._event(word, self._number, {}))
        for at, change in missed or ():
            self._send(channel, at, change)

    def publish(self, changes: Iterable[DocumentChange]) -> None:
        for change in changes:
            self._number += 1
            self._kept.append((self._number, change))
            for channel in tuple(self._subscribers):
                self._send(channel, self._number, change)

    def _since(self, last_id: str) -> list[tuple[int, DocumentChange]] | None:
        """Events after that id; None where some may be missing."""
        if not last_id:
            return []
        life, _, text = last_id.partition("-")
        if life != self._life or not text.isdecimal():
            return None
        last = int(text)
        oldest = self._kept[0][0] if self._kept else self._number + 1
        if last > self._number or last + 1 < oldest:
            return None
        return [(number, change) for number, change in self._kept if number > last]

    def _send(self, channel: Channel, at: int, change: DocumentChange) -> None:
        if self._subscribers.get(channel) not in ("", change.workspace):
            return
        data = {"workspace": change.workspace, "slug": change.slug, "name": change.name}
        channel.send(self._event("change", at, data))
        if channel.waiting_bytes > MAX_BEHIND_BYTES:
            self.dropped += 1
            channel.close(abort=True)

    def _forget(self, channel: Channel) -> None:
        self._subscribers.pop(channel, None)

    def _event(self, word: str, at: int, data: dict[str, str]) -> bytes:
        return f"id: {self._life}-{at}\nevent: {word}\ndata: {json.dumps(data)}\n\n".encode()
