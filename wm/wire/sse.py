"""Parses server-sent events from pieces of any size. Pure.

Rule: the events are the same however the stream is cut, and the bytes of all of them joined are
the original stream.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""A longer event is forwarded unparsed: no service sends one, and memory stays bounded."""

_END = rb"(?:\r\n|\n|\r(?!\n))"
_BLANK_LINE = re.compile(_END + _END)
"""Two consecutive line ends; the second may be the first half of a `\r\n` that is cut. Not written
as `{2}`, which the regex engine searches six times slower."""
_LINE_END = re.compile(rb"\r\n|\n|\r")


class StreamEvent(Struct, frozen=True):
    """name: of the `event:` line, or "". data: its `data:` lines, joined by newlines."""

    name: str
    data: bytes


class Cutter(Struct, eq=False):
    """Splits a stream: returns the bytes of each complete event, with the event.

    Bytes without data, such as a comment, come with None.
    """

    _rest: bytearray = field(default_factory=bytearray)
    _searched: int = 0
    _too_long: bool = False
    """The current event is too long; its bytes so far were returned."""

    def feed(self, piece: bytes) -> list[tuple[bytes, StreamEvent | None]]:
        """The events that this piece completes."""
        return [(raw, _event(raw) if complete else None) for raw, complete in self.cut(piece)]

    def cut(self, piece: bytes) -> list[tuple[bytes, bool]]:
        """The bytes that this piece completes, and whether they are a complete event."""
        self._rest += piece
        found: list[tuple[bytes, bool]] = []
        at = 0
        while end := self._end(max(at, self._searched)):
            raw = bytes(self._rest[at:end])
            found.append((raw, not self._too_long))
            self._too_long = False
            at = end
        del self._rest[:at]
        # The last three bytes may be the beginning of a blank line.
        self._searched = max(0, len(self._rest) - 3)
        if len(self._rest) > MAX_EVENT_BYTES:
            self._too_long = True
            found.append((bytes(self._rest[: self._searched]), False))
            del self._rest[: self._searched]
            self._searched = 0
        return found

    def rest(self) -> bytes:
        """The bytes of an incomplete event."""
        left = bytes(self._rest)
        self._rest.clear()
        return left

    def _end(self, start: int) -> int:
        """The end of the event searched from `start`; 0 if it has not arrived."""
        found = _BLANK_LINE.search(self._rest, start)
        if found is None:
            return 0
        cut = found.end() == len(self._rest) and self._rest.endswith(b"\r")
        return 0 if cut else found.end()


class Decoder(Struct, eq=False):
    """Like `Cutter`, but returns events only. words: events without any of these are skipped; some
    others may still be returned."""

    words: tuple[bytes, ...] = (b"",)
    _cutter: Cutter = field(default_factory=Cutter)

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """The events that this piece completes."""
        raws = [raw for raw, complete in self._cutter.cut(piece) if complete]
        found = [_event(raw) for raw in raws if any(word in raw for word in self.words)]
        return [event for event in found if event is not None]

    def end(self) -> list[StreamEvent]:
        """The event that the end of the stream completes: its last `\r` waited for a `\n`."""
        rest = self._cutter.rest()
        event = _event(rest) if rest.endswith(b"\r") and _BLANK_LINE.search(rest) else None
        return [event] if event is not None else []


def _event(raw: bytes) -> StreamEvent | None:
    """The event in these lines; None without data."""
    name, data = b"", []
    for line in _LINE_END.split(raw):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    return StreamEvent(name.decode("utf-8", "replace"), b"\n".join(data)) if data else None
