"""One TCP or Unix connection: pausable reading, one timer, a close that the peer can observe.

Base of client connections and of connections to an upstream. It parses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Peer(asyncio.Protocol):
    """The other end of a connection. Used on the event loop."""

    transport: asyncio.Transport

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.is_open = False
        self._pauses: set[str] = set()
        """The reasons for which reading is paused."""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.is_open = True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.is_open = False
        self.stop_timer()

    @property
    def usable(self) -> bool:
        """Open, and not about to close."""
        return self.is_open and not self.transport.is_closing()

    def pause(self, reason: str) -> None:
        """Stop reading until every reason is removed. Meanwhile a disconnect goes unnoticed."""
        if not self._pauses and self.usable:
            self.transport.pause_reading()
        self._pauses.add(reason)

    def resume(self, reason: str) -> None:
        """Remove one reason."""
        if reason in self._pauses:
            self._pauses.remove(reason)
            if not self._pauses and self.usable:
                self.transport.resume_reading()

    def start_timer(self, after_s: float, work: Callable[[], None]) -> None:
        """Run `work` later; replaces the timer that is set."""
        self.stop_timer()
        self._timer = self.loop.call_later(after_s, self._fire, work)

    def stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fire(self, work: Callable[[], None]) -> None:
        self._timer = None
        work()

    def close(self) -> None:
        """Close after everything is written."""
        if self.is_open:
            self.transport.close()

    def abort(self) -> None:
        if self.is_open:
            self.transport.abort()

    def close_gently(self, linger_s: float) -> None:
        """Close the sending half, and the connection `linger_s` later, after everything is written.

        Until then reading continues: a close with unread bytes would reset the connection before
        the peer has read the last answer.
        """
        if not self.is_open:
            return
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.start_timer(linger_s, lambda: self._lingered(linger_s))

    def _lingered(self, linger_s: float) -> None:
        if self.transport.get_write_buffer_size():  # a slow reader receives its whole answer
            self.start_timer(linger_s, lambda: self._lingered(linger_s))
        else:
            self.transport.abort()
