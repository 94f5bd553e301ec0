"""One request and its answer as events that come in and commands that go out. Pure (PX-2).

It knows in which order things happen, not how: a request that a policy may change waits until it
is whole, until the policy has decided and until what it decided is on disk; then it goes. Every
fault of ours has a way out that ends with the bytes that came. Who runs the commands keeps their
order.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple, Protocol

from wm.wire.policy import Decision, Prepared
from wm.wire.sse import Cutter, Event

MAX_HELD_BYTES = 64 * 1024 * 1024
"""Twice of what the service takes: a longer request goes on as it comes."""


class Begin(NamedTuple):
    """The request sets out. length: of its body, None where it is the client's own."""

    length: int | None


class Forward(NamedTuple):
    """These bytes of the request go upstream."""

    data: bytes


class End(NamedTuple):
    """The request is whole."""


class Prepare(NamedTuple):
    """Have a policy decide; the answer is `Turn.prepared`. new: else by known decisions only."""

    raw: bytes
    new: bool


class Keep(NamedTuple):
    """Have these on disk; the answer is `Turn.kept`."""

    decisions: tuple[Decision, ...]


class Hand(NamedTuple):
    """These bytes of the answer go to the client."""

    data: bytes


Command = Begin | Forward | End | Prepare | Keep | Hand
Commands = tuple[Command, ...]
"""In their order. `Prepare` and `Keep` come alone."""


class Ear(Protocol):
    """Listens to one answer, event by event, and says what the client gets of it."""

    def heard(self, raw: bytes, event: Event | None) -> bytes:
        """The bytes for the client: `raw` for an event that goes on as it came. event: None for
        bytes that say nothing, such as a comment."""

    def ended(self) -> bytes:
        """What is left to be said at the end."""


class Turn:
    """One exchange that a policy may change: the request waits until it is whole and was
    prepared. Without an ear, every piece of the answer goes on as the very object that came."""

    def __init__(self, *, ear: Ear | None = None) -> None:
        self._held: list[bytes] | None = []
        """None: it waits no longer."""
        self._size = 0
        self._raw = b""
        self._made: Prepared | None = None
        self._new = True
        self._ear = ear
        self._cutter: Cutter | None = None
        self._cut: deque[tuple[bytes, Event | None]] = deque()
        self._said: list[bytes] = []

    def came(self, piece: bytes) -> Commands:
        """A piece of the request's body came."""
        if self._held is None:
            return (Forward(piece),)
        self._held.append(piece)
        self._size += len(piece)
        if self._size <= MAX_HELD_BYTES:
            return ()
        held, self._held = self._held, None
        return (Begin(None), *map(Forward, held))

    def whole(self) -> Commands:
        """The request is whole."""
        if self._held is None:
            return (End(),)
        self._raw = b"".join(self._held)
        return (Prepare(self._raw, new=True),)

    def prepared(self, made: Prepared) -> Commands:
        if not (self._new and made.decisions):
            return self._go(made.raw)
        self._made = made
        return (Keep(made.decisions),)

    def kept(self, done: bool) -> Commands:
        """Where nothing can be written down, only what already is may be done."""
        return self._go(self._made.raw) if done and self._made else self.failed()

    def failed(self) -> Commands:
        """A fault of ours. What was decided before is still done; if that cannot be, nothing."""
        if not self._new:
            return self._go(self._raw)
        self._new = False
        return (Prepare(self._raw, new=False),)

    def _go(self, raw: bytes) -> Commands:
        self._held, self._raw, self._made = None, b"", None
        return (Begin(len(raw)), Forward(raw), End())

    def answered(self, *, events: bool) -> None:
        """The head of the answer came. events: the body is a plain stream of events."""
        if self._ear is not None and events:
            self._cutter = Cutter()

    def answer(self, piece: bytes) -> Commands:
        """A piece of the answer's body came."""
        if self._cutter is None or self._ear is None:
            return (Hand(piece),)
        self._cut.extend(self._cutter.feed(piece))
        while self._cut:
            self._said.append(self._ear.heard(*self._cut[0]))
            self._cut.popleft()
        return self._hand()

    def answer_ended(self) -> Commands:
        """The answer came to its end."""
        if self._cutter is None or self._ear is None:
            return ()
        if rest := self._cutter.rest():
            self._said.append(self._ear.heard(rest, None))
        return self._hand(self._ear.ended())

    def deaf(self) -> Commands:
        """A fault of the ear: what it has not answered for, and all behind, goes on as it came."""
        self._said += [raw for raw, _ in self._cut]
        rest = self._cutter.rest() if self._cutter is not None else b""
        self._cut.clear()
        self._ear = self._cutter = None
        return self._hand(rest)

    def _hand(self, last: bytes = b"") -> Commands:
        said, self._said = b"".join((*self._said, last)), []
        return (Hand(said),) if said else ()
