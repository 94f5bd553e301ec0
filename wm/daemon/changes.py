"""Server-sent events for changes (IF-1).

A subscriber that falls too far behind is disconnected. One that reconnects with the id of its
last event receives what it missed, or a `reset` event if that is no longer available; then it
must read everything again. There is no heartbeat, so an idle daemon does not wake up.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable

from msgspec import Struct

from wm.daemon.messages import Channel
from wm.ops.operation import DocumentChange

KEPT_EVENTS = 1024
MAX_BEHIND_BYTES = 1024 * 1024


class _Subscriber(Struct, frozen=True):
    channel: Channel
    workspace: str


class Hub:
    """All subscribers of one daemon. Used on the event loop only.

    life: an id that distinguishes the events of this daemon process from those of earlier ones.
    """

    def __init__(self, life: str) -> None:
        self._life = life
        self._number = 0
        self._kept: deque[tuple[int, DocumentChange]] = deque(maxlen=KEPT_EVENTS)
        self._subscribers: dict[int, _Subscriber] = {}
        self._next = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._subscribers)

    def subscribe(self, channel: Channel, workspace: str = "", last_id: str = "") -> None:
        """Send the events missed since `last_id`, then all new events of `workspace` ("": all)."""
        number = self._next
        self._next += 1
        self._subscribers[number] = _Subscriber(channel, workspace)
        channel.closed = lambda: self._forget(number)
        missed = self._since(last_id)
        word = "hello" if missed is not None else "reset"
        channel.send(b"retry: 1000\n" + self._event(word, self._number, {}))
        for at, change in missed or ():
            self._send(number, at, change)

    def publish(self, changes: Iterable[DocumentChange]) -> None:
        for change in changes:
            self._number += 1
            self._kept.append((self._number, change))
            for number in tuple(self._subscribers):
                self._send(number, self._number, change)

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

    def _send(self, number: int, at: int, change: DocumentChange) -> None:
        subscriber = self._subscribers.get(number)
        if subscriber is None or subscriber.workspace not in ("", change.workspace):
            return
        data = {"workspace": change.workspace, "slug": change.slug, "name": change.name}
        subscriber.channel.send(self._event("change", at, data))
        if subscriber.channel.waiting_bytes > MAX_BEHIND_BYTES:
            self.dropped += 1
            subscriber.channel.close(abort=True)

    def _forget(self, number: int) -> None:
        self._subscribers.pop(number, None)

    def _event(self, word: str, at: int, data: dict[str, str]) -> bytes:
        return f"id: {self._life}-{at}\nevent: {word}\ndata: {json.dumps(data)}\n\n".encode()
