"""Server-sent events, whatever pieces their bytes arrive in. Pure.

The rule it protects: the events told are the same for every way of cutting the stream.
"""

from __future__ import annotations

import re

from msgspec import Struct

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""A longer event is skipped whole: nobody sends one, and memory is not for filling."""

_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
"""Two line ends in a row; the second may be the first half of one that is cut."""


class Event(Struct, frozen=True):
    """name: of the `event:` line, "" without one. data: its `data:` lines, joined by newlines."""

    name: str
    data: bytes


class Decoder:
    """Feed it pieces; it tells the events that are complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = b""
        self._data: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._skipping = False

    def feed(self, piece: bytes) -> list[Event]:
        """The events that this piece completes."""
        if self._after_cr and piece:
            self._after_cr = False
            if piece[:1] == b"\n":  # the second half of a line end
                piece = piece[1:]
        text = self._rest + piece if self._rest else piece
        if b"\r" in piece:
            self._after_cr = text.endswith(b"\r")
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = text.split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_EVENT_BYTES:
            self._rest = b""
            self._skipping = True
        events: list[Event] = []
        for line in lines:
            if line:
                self._line(line)
            else:
                self._end(events)
        return events

    def _line(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._size += len(value)
            if self._size > MAX_EVENT_BYTES:
                self._skipping = True
                self._data.clear()
            elif not self._skipping:
                self._data.append(value)
        elif field == b"event":
            self._name = value

    def _end(self, events: list[Event]) -> None:
        if self._data and not self._skipping:
            name = self._name.decode("utf-8", "replace")
            events.append(Event(name, b"\n".join(self._data)))
        self._name, self._data, self._size, self._skipping = b"", [], 0, False


class Skimmer:
    """As a `Decoder`, for who wants to hear of few events: what holds none of its words is passed
    over as bytes. Events that hold one by chance are told too."""

    def __init__(self, words: tuple[bytes, ...]) -> None:
        self._words = words
        self._rest = b""
        self._decoder: Decoder | None = None

    def feed(self, piece: bytes) -> list[Event]:
        """Events that this piece completes."""
        if self._decoder is not None:
            return self._decoder.feed(piece)
        text = self._rest + piece if self._rest else piece
        if b"\r" in piece or len(text) > MAX_EVENT_BYTES:  # lines that do not simply end in \n
            self._decoder = Decoder()
            self._rest = b""
            return self._decoder.feed(text)
        end = text.rfind(b"\n\n") + 2
        if end < 2:
            self._rest = text
            return []
        self._rest = text[end:]
        if any(text.find(word, 0, end) >= 0 for word in self._words):
            return Decoder().feed(text[:end])
        return []


class Cutter:
    """Feed it pieces; it gives the bytes of each event that is complete, with the event.

    All bytes together are the stream as it came. Bytes that say nothing come with None.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._looked_at = 0
        self._gave_up = False

    def feed(self, piece: bytes) -> list[tuple[bytes, Event | None]]:
        """What this piece completes."""
        if self._gave_up:
            return [(piece, None)]
        self._rest += piece
        found: list[tuple[bytes, Event | None]] = []
        at = 0
        while end := self._end(max(at, self._looked_at)):
            raw = bytes(self._rest[at:end])
            told = Decoder().feed(raw)
            found.append((raw, told[0] if told else None))
            at = end
        del self._rest[:at]
        # The last three bytes may be the beginning of a blank line.
        self._looked_at = max(0, len(self._rest) - 3)
        if len(self._rest) > MAX_EVENT_BYTES:
            self._gave_up = True
            found.append((self.rest(), None))
        return found

    def rest(self) -> bytes:
        """What is left without an end."""
        left = bytes(self._rest)
        self._rest.clear()
        return left

    def _end(self, start: int) -> int:
        """Where the event ends that is searched from `start`; 0 while its end is not there."""
        found = _BLANK_LINE.search(self._rest, start)
        if found is None:
            return 0
        cut = found.end() == len(self._rest) and self._rest.endswith(b"\r")
        return 0 if cut else found.end()
