"""Passes a streamed answer through an interceptor, event by event. Pure (PX-2, PX-5, PX-6).

Owns the bytes that the interceptor has not returned yet. Rule: a fault of the interceptor loses no
byte; from there on the stream passes unchanged.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from msgspec import Struct, field

from wm.wire.sse import Cutter, StreamEvent


class StreamInterceptor(Protocol):
    """Receives one answer event by event, and returns the bytes for the client."""

    def event(self, raw: bytes, event: StreamEvent | None) -> bytes:
        """The bytes for the client; return `raw` to leave the event unchanged. event: None for
        bytes without data, such as a comment."""

    def ended(self) -> bytes:
        """The remaining bytes at the end of the stream."""

    def unreturned(self) -> bytes:
        """The bytes of earlier events that it has not returned, unchanged."""


class InterceptedStream(Struct, eq=False):
    """One answer that passes through an interceptor."""

    interceptor: StreamInterceptor | None
    _cutter: Cutter = field(default_factory=Cutter)
    _cut: deque[tuple[bytes, StreamEvent | None]] = field(default_factory=deque)
    _done: list[bytes] = []

    def feed(self, piece: bytes) -> bytes:
        """The bytes for the client now. Raises the interceptor's errors; then call `bypass`."""
        if self.interceptor is None:
            return piece
        self._cut.extend(self._cutter.feed(piece))
        while self._cut:
            self._done.append(self.interceptor.event(*self._cut[0]))
            self._cut.popleft()
        return self._take()

    def end(self) -> bytes:
        """The last bytes for the client. Raises the interceptor's errors."""
        if self.interceptor is None:
            return b""
        if rest := self._cutter.rest():
            self._cut.append((rest, None))
            self._done.append(self.interceptor.event(rest, None))
            self._cut.clear()
        self._done.append(self.interceptor.ended())
        return self._take()

    def bypass(self) -> bytes:
        """Stop using the interceptor. Returns the bytes that it has not returned, unchanged."""
        if self.interceptor is not None:
            self._done.append(self.interceptor.unreturned())
        self.interceptor = None
        self._done += [raw for raw, _ in self._cut]
        self._cut.clear()
        self._done.append(self._cutter.rest())
        return self._take()

    def _take(self) -> bytes:
        done, self._done = b"".join(self._done), []
        return done
