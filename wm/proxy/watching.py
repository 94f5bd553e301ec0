"""What the proxy notes of the exchanges that pass: figures, never contents (PX-10)."""

from __future__ import annotations

from dataclasses import dataclass, field

from wm.proxy.exchange import Outcome
from wm.proxy.guard import Admitted
from wm.proxy.heads import RequestHead, ResponseHead
from wm.wire.encodings import Opener, opener
from wm.wire.usage import AnswerReader, Told, Usage

MESSAGES = b"/v1/messages"


@dataclass
class Tally:
    """Sums over the life of a proxy. One owner: the event loop."""

    requests: int = 0
    failed: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    faults: int = 0
    """Of ours, beside the path of the bytes."""
    usage: Usage = field(default_factory=Usage)

    def fault(self, error: Exception) -> None:  # noqa: ARG002
        self.faults += 1

    def add(self, told: Told) -> None:
        more = told.usage
        if more is not None:
            was = self.usage
            self.usage = Usage(
                input=was.input + more.input,
                output=was.output + more.output,
                cache_read=was.cache_read + more.cache_read,
                cache_write_5m=was.cache_write_5m + more.cache_write_5m,
                cache_write_1h=was.cache_write_1h + more.cache_write_1h,
            )


class Watched:
    """One exchange, seen from beside."""

    def __init__(self, tally: Tally, asked: RequestHead, admitted: Admitted) -> None:
        self._tally = tally
        self._is_message = asked.method == b"POST" and _path(admitted.target) == MESSAGES
        self._status = 0
        self._opener: Opener | None = None
        self._reader: AnswerReader | None = None
        tally.requests += 1

    def request(self, body: list[bytes]) -> None:
        self._tally.sent_bytes += sum(map(len, body))

    def head(self, head: ResponseHead) -> None:
        self._status = head.status
        if self._is_message and head.status == 200:
            self._opener = opener((head.get(b"content-encoding") or b"").decode("latin-1"))
            kind = (head.get(b"content-type") or b"").lower()
            self._reader = AnswerReader(stream=kind.startswith(b"text/event-stream"))

    def body(self, data: bytes) -> None:
        self._tally.received_bytes += len(data)
        if self._reader is not None and self._opener is not None:
            self._reader.feed(self._opener.feed(data))

    def ended(self, outcome: Outcome) -> None:
        told = self._reader.told() if self._reader is not None else Told()
        self._tally.add(told)
        well = outcome is Outcome.WHOLE and self._status < 400 and not told.error
        self._tally.failed += not well


def _path(target: bytes) -> bytes:
    return target.partition(b"?")[0]
