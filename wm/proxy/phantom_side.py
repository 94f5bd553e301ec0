"""The answer of one exchange in which phantom tools are offered: reads it, and unites all requests
that it takes into one answer (PX-5).

Is between the upstream and `AnswerSide`. Decompresses what it must read; an answer that it
cannot read, or that is not a message, passes unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from wm.net.messages import ResponseHead
from wm.proxy.fallback import Failed, attempt
from wm.wire.answer import spelled
from wm.wire.encodings import Opener, opener
from wm.wire.interception import InterceptedStream
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.phantom_history import continued

MAX_ROUNDS = 8
"""Requests for one answer; the results of later calls wait for the client's next request."""
MAX_S = 120.0
"""After this time no further request is sent for an answer."""

_LOST = spelled(
    {
        "type": "error",
        "error": {"type": "api_error", "message": "wm proxy could not get the rest of the answer."},
    }
)
_REFUSAL = ResponseHead(502, b"Bad Gateway", [(b"Content-Type", b"application/json")])

Passed = tuple[ResponseHead | None, bytes]
"""What goes to the client now."""


class PhantomSide(Struct, eq=False):
    """came: the client's request. sent: the one that is being answered. unpacked_bytes: of an
    answer that is read; a longer one passes unread. begun_at: seconds. Without names of tools,
    every answer passes unread."""

    answer: PhantomAnswer
    came: bytes
    sent: bytes
    unpacked_bytes: int
    failed: Failed
    begun_at: float = 0.0
    rounds: int = 0
    """Requests sent after the first one."""
    is_waiting: bool = False
    """A further request was sent, and nothing of its answer came."""
    _ends_turn: bool = False
    """A limit is reached: the client has nothing to do, and nothing follows."""
    _reads: bool = False
    _is_stream: bool = False
    """What the client gets is a stream, and its head was sent."""
    _opener: Opener | None = None
    _stream: InterceptedStream | None = None
    _is_damaged: bool = False
    """It could not be decompressed, or is too long to follow a part that the client has."""
    _collected: bytearray = field(default_factory=bytearray)
    _head: ResponseHead | None = None
    """A head that is held back until the whole body is there."""

    def head(self, head: ResponseHead) -> ResponseHead | None:
        """The head for the client now, if any."""
        self.is_waiting = False
        if not self.answer.names:
            return head
        kind = (head.get(b"content-type") or b"").lower()
        streams = kind.startswith(b"text/event-stream")
        encoding = (head.get(b"content-encoding") or b"").decode("latin-1")
        self._opener = opener(encoding, self.unpacked_bytes)
        readable = head.status == 200 and self._opener is not None
        self._reads = readable and (streams or kind.startswith(b"application/json"))
        self._stream, self._collected = None, bytearray()
        if self._reads and streams and (self._is_stream or not self.rounds):
            self._stream = InterceptedStream(self.answer)
            first, self._is_stream = not self._is_stream, True
            return _unsized(head) if first else None
        if not (self._reads or self.rounds):
            return head
        self._head = head
        return None

    def body(self, data: bytes) -> Passed:
        """What goes to the client now."""
        if not (self._reads or self.rounds):
            return None, data
        if self._is_damaged:
            return None, b""
        try:
            opened = self._opener.feed(data) if self._opener is not None else data
        except ValueError as error:
            self.failed(error)
            return None, self._damaged()
        if self._stream is not None:
            return None, self._or_bypass(self._stream, opened)
        self._collected += opened
        if len(self._collected) <= self.unpacked_bytes:
            return None, b""
        if self.rounds:
            return None, self._damaged()
        # Too long to be read. Of a compressed answer the opener limits the length.
        head, self._head, self._reads = self._head, None, False
        return head, bytes(self._collected)

    def _damaged(self) -> bytes:
        """The rest is not read; a stream of which the client has a part ends here."""
        self._is_damaged = True
        return self.error() if self._is_stream else b""

    def end(self) -> Passed:
        """The upstream's answer is complete."""
        if self._is_damaged:
            head, self._head = self._head, None
            return (None, b"") if head is None else (_sized(_REFUSAL, len(_LOST)), _LOST)
        if self._stream is not None:
            return None, self._or_bypass(self._stream, None)
        head, self._head = self._head, None
        if head is None:
            return None, b""
        whole = bytes(self._collected)
        if self._is_stream:  # the client has a part of the message already
            return None, self.error(whole)
        if self._reads:
            made = attempt(lambda: self.answer.whole(whole), self.failed)
            whole = whole if made is None else made
            self._head = head if self.answer.content else None
        return (None, b"") if self._head else (_sized(head, len(whole)), whole)

    @property
    def has_calls(self) -> bool:
        """Whether calls are to be carried out before anything else."""
        return bool(self.answer.content)

    def next_request(self, results: Sequence[Any], now: float) -> bytes | None:
        """The request that goes on after these results; None if the client's turn comes first, or
        a limit is reached: then `close`."""
        content, goes_on = self.answer.content, self.answer.goes_on
        self.answer.take_results(results)
        self._ends_turn = self.rounds >= MAX_ROUNDS or now - self.begun_at > MAX_S
        if not goes_on or self._ends_turn:
            self._ends_turn &= goes_on
            return None
        self.sent = continued(self.sent, content, results)
        self.answer.go_on()
        self.rounds += 1
        self.is_waiting = True
        return self.sent

    def close(self) -> Passed:
        """The end of the answer, held back while calls were carried out."""
        data = self.answer.close("end_turn" if self._ends_turn else "")
        head, self._head = self._head, None
        return (None if head is None else _sized(head, len(data))), data

    def error(self, refusal: bytes = b"") -> bytes:
        """An event that ends a stream of which the client has a part. refusal: the body of the
        service's own error."""
        try:
            found = json.loads(refusal)
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("type") != "error":
            return b"event: error\ndata: %b\n\n" % _LOST
        return b"event: error\ndata: %b\n\n" % spelled(found)

    def _or_bypass(self, stream: InterceptedStream, data: bytes | None) -> bytes:
        made = attempt(lambda: stream.end() if data is None else stream.feed(data), self.failed)
        return stream.bypass() if made is None else made


_CODED = frozenset((b"content-encoding", b"content-length", b"transfer-encoding"))


def _unsized(head: ResponseHead) -> ResponseHead:
    """The head of a body that is changed while it passes."""
    kept = [pair for pair in head.headers if pair[0].lower() not in _CODED]
    return ResponseHead(head.status, head.reason, kept)


def _sized(head: ResponseHead, length: int) -> ResponseHead:
    bare = _unsized(head)
    return ResponseHead(
        bare.status, bare.reason, [*bare.headers, (b"Content-Length", b"%d" % length)]
    )
