"""Collects sizes and identities of exchanges, never contents (PX-10).

A request is parsed some time after its answer was forwarded (`wm.proxy.deferred`), so that no byte
waits for it. The result is reported to the daemon, which stores it; without a daemon it is lost.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from wm.net.messages import RequestHead, ResponseHead
from wm.proxy.exchange import ExchangeOutcome
from wm.proxy.fallback import Failed
from wm.proxy.guard import Admitted
from wm.proxy.heads import texts
from wm.settings import ProxySettings
from wm.wire import history as histories
from wm.wire import outline
from wm.wire.body import Body, index, unread
from wm.wire.encodings import Opener, TooLong, opener
from wm.wire.history import ConversationHistory, HistoryChange, MessageIdentity
from wm.wire.identity import MESSAGES, Conversations, RequestIdentity, identify
from wm.wire.policy import Prepared
from wm.wire.rows import Measure
from wm.wire.usage import AnswerReader, AnswerSummary, ChatReader, Usage

RECORDED_BYTES = 32 * 1024 * 1024
"""A larger answer is not recorded; the service accepts no larger request."""

_CHAT = "/chat/completions"
"""The end of the path; what is before it differs among services."""
NO_POLICY = "none"
_KEPT_BYTES = 2 * 1024 * 1024
"""Limit on the last bodies, kept so that only the new part of a conversation's next body is parsed.
Each takes twice its bytes in memory, because its blocks are separate bytes objects."""
_MAX_LINES_BYTES = 160 * 1024
"""Limit on the messages in one note; the last ones stay. A resumed history may have thousands."""


class Bodies(Struct, frozen=True):
    """What was sent and received, as transferred; an incomplete answer up to where it broke off.
    at: when the request began, seconds since 1970."""

    request: Body
    answer: tuple[bytes, ...]
    encoding: str
    kind: str
    at: float

    @property
    def size(self) -> int:
        return len(self.request.raw) + sum(map(len, self.answer))


class Note(Struct, frozen=True):
    """One finished exchange. fields: of `wm.formats.flow.FlowNote`, names as on the socket."""

    identity: RequestIdentity
    fields: Mapping[str, Any]
    bodies: Bodies | None = None
    unrecorded: str = ""
    """Why bodies are missing that should have been recorded."""
    request: str = ""
    """Its name in `wm.wire.policy.Prepared`; "" if it was not prepared."""


Report = Callable[[Note], None]
"""Receives each note; must not block."""

Used = Callable[[str, Usage | None], None]
"""Receives the name of a prepared request and the figures of its answer; must not block."""


class Identified(Struct, frozen=True):
    """What a request states about itself: its identity, its history, how it continues the previous
    one, and its index."""

    identity: RequestIdentity
    history: ConversationHistory = ConversationHistory("", ())
    change: HistoryChange = HistoryChange(histories.Continuation.FIRST, 0)
    body: Body | None = None


class TrafficTotals(Struct):
    """Totals over the life of a proxy. Owned by the event loop."""

    requests: int = 0
    failed: int = 0
    faults: int = 0
    """Faults of ours that did not affect the bytes."""
    usage: Usage = field(default_factory=Usage)


class Observer(Struct, eq=False):
    """Observes all exchanges of one proxy. Runs on the event loop."""

    report: Report
    on_fault: Failed
    clock: Callable[[], float] = time.monotonic
    record: bool = False
    """Attach bodies to the notes."""
    measure: Measure = outline.quick
    """Counts the tokens of a block."""
    unpacked_bytes: int = ProxySettings().unpacked_bytes
    """Limit for a decompressed answer."""
    used: Used = lambda _request, _usage: None
    """Called once the client has an answer, before its next request."""
    tally: TrafficTotals = field(default_factory=TrafficTotals)
    _conversations: Conversations = field(default_factory=Conversations)
    _bodies: OrderedDict[str, tuple[Body, ConversationHistory]] = field(default_factory=OrderedDict)
    _kept_bytes: int = 0

    def observe(self, head: RequestHead, admitted: Admitted) -> ObservedExchange:
        self.tally.requests += 1
        return ObservedExchange(self, head, admitted)

    def failed(self, error: Exception) -> None:
        self.tally.faults += 1
        self.on_fault(error)

    def ended(self, note: Note, summary: AnswerSummary, *, well: bool) -> None:
        self.tally.usage += summary.usage or Usage()
        self.tally.failed += not well
        self.report(note)

    def identified(
        self, path: str, headers: Mapping[str, str], raw: bytes, workspace: str
    ) -> Identified:
        """raw: the request's body, empty if it was not kept."""
        known = headers.get("x-claude-code-session-id") or headers.get("x-session-id", "")
        key = f"{known}/{headers.get('x-claude-code-agent-id', '')}"
        before = self._bodies.get(key)
        body = index(raw, before[0] if before else None)
        found = identify(path, headers, body, workspace=workspace)
        if body is None:
            return Identified(found)
        now = histories.history(body, before)
        if body.messages and found.is_turn:
            self._keep(key, body, now)
        identity, change = self._conversations.follow(found, now)
        return Identified(identity, now, change, body)

    def _keep(self, key: str, body: Body, now: ConversationHistory) -> None:
        old = self._bodies.pop(key, None)
        self._kept_bytes += len(body.raw) - (len(old[0].raw) if old else 0)
        self._bodies[key] = (unread(body), now)
        while self._kept_bytes > _KEPT_BYTES and len(self._bodies) > 1:
            _, (gone, _) = self._bodies.popitem(last=False)
            self._kept_bytes -= len(gone.raw)


class ObservedExchange:
    """Observes one exchange."""

    def __init__(self, observer: Observer, asked: RequestHead, admitted: Admitted) -> None:
        self._observer = observer
        self._begun = observer.clock()
        self.path = admitted.path
        self.workspace = admitted.workspace
        self._asked = asked
        self._method = asked.method.decode("latin-1")
        self._reader_of = _reader_of(self.path) if self._method == "POST" else None
        self._request: list[bytes] = []
        self._prepared: tuple[str, Prepared] = (NO_POLICY, Prepared(b""))
        self._unused = ""
        """Name of the prepared request whose figures were not passed on yet."""
        self._status = 0
        self._outcome = ExchangeOutcome.WHOLE
        self._request_bytes = self._answer_bytes = 0
        self._times = {"sent": 0.0, "firstByte": 0.0, "ended": 0.0}
        self._opener: Opener | None = None
        self._reader: AnswerReader | None = None
        self._answer: list[bytes] | None = [] if observer.record else None
        self._encoding = self._kind = self._unread = ""
        self._at = time.time()

    def prepared(self, policy: str, made: Prepared) -> None:
        self._prepared = policy, replace(made, raw=b"")
        self._unused = made.request

    def request(self, body: list[bytes], size: int) -> None:
        self._times["sent"] = self._since()
        self._request_bytes = size
        if self.path.startswith(MESSAGES):
            self._request = body

    def head(self, head: ResponseHead) -> None:
        self._times["firstByte"] = self._since()
        self._status = head.status
        self._encoding = (head.get(b"content-encoding") or b"").decode("latin-1")
        self._kind = (head.get(b"content-type") or b"").decode("latin-1").lower()
        if self._reader_of is not None:
            self._opener = opener(self._encoding, self._observer.unpacked_bytes)
            self._unread = "" if self._opener else "encoding"
            self._reader = self._reader_of(stream=self._kind.startswith("text/event-stream"))

    def body(self, data: bytes) -> None:
        self._answer_bytes += len(data)
        if self._answer is not None:
            self._answer.append(data)
            if self._answer_bytes > RECORDED_BYTES:
                self._answer.clear()  # nothing of it is kept
        if self._reader is not None and self._opener is not None:
            try:
                self._reader.feed(self._opener.feed(data))
            except TooLong:
                self._opener, self._unread = None, "too_long"
            except ValueError:  # not valid in its declared encoding: forwarded, and noted unread
                self._opener, self._unread = None, "damaged"
            if self._reader.is_complete:  # a client need not wait for the end of the transfer
                self._use()

    @property
    def buffered_bytes(self) -> int:
        return sum(map(len, (*self._request, *(self._answer or ()))))

    def ended(self, outcome: ExchangeOutcome) -> None:
        self._times["ended"] = self._since()
        self._outcome = outcome
        self._use()

    def _use(self) -> None:
        """Pass the figures of the answer on, once."""
        request, self._unused = self._unused, ""
        if request:
            usage = self._reader.summary().usage if self._reader is not None else None
            self._observer.used(request, usage)

    def conclude(self) -> None:
        summary = self._reader.summary() if self._reader is not None else AnswerSummary()
        raw, self._request = b"".join(self._request), []
        found = self._observer.identified(
            self.path, texts(self._asked.headers), raw, self.workspace
        )
        well = self._outcome is ExchangeOutcome.WHOLE
        well = well and self._status < 400 and not summary.error
        asked = self._observer.record and self.path.startswith(MESSAGES) and self._request_bytes > 0
        note = Note(
            found.identity,
            self._fields(found, summary),
            self._bodies(found.body),
            "no request" if asked and found.body is None else "",
            self._prepared[1].request,
        )
        self._observer.ended(note, summary, well=well)

    def _bodies(self, body: Body | None) -> Bodies | None:
        answer, self._answer = self._answer, None
        if answer is None or body is None:
            return None
        read = tuple(answer) if self._unread != "too_long" else ()
        return Bodies(body, read, self._encoding, self._kind, self._at)

    def _fields(self, found: Identified, summary: AnswerSummary) -> Mapping[str, Any]:
        identity, now, change = found.identity, found.history, found.change
        policy, made = self._prepared
        return {
            "agent": identity.agent,
            "call": identity.call,
            "subagent": identity.subagent,
            "method": self._method,
            "path": self.path,
            "model": summary.model or identity.model,
            "stream": identity.stream,
            "status": self._status,
            "outcome": self._outcome.value,
            "error": summary.error,
            "unread": self._unread,
            "stopReason": summary.stop_reason,
            "policy": policy,
            "decisions": [one.block for one in made.decisions],
            "unprepared": made.trouble,
            "requestBytes": self._request_bytes,
            "answerBytes": self._answer_bytes,
            "messages": len(now.lines),
            "change": change.kind.value if now.lines else "",
            "common": change.common,
            "head": now.head,
            **self._outlined(found),
            "startedAt": iso(self._at),
            "usage": to_builtins(summary.usage),
            "times": {name: round(value, 3) for name, value in self._times.items()},
        }

    def _outlined(self, found: Identified) -> dict[str, Any]:
        """The structure of a request, without its contents."""
        body, now, change = found.body, found.history, found.change
        if body is None:
            return {"lines": []}
        measure = self._observer.measure
        fresh = zip(now.lines[change.common :], body.messages[change.common :], strict=True)
        lines = [_line(line, outline.sizes(message, measure)) for line, message in fresh]
        outlined = {"lines": _fitting(lines), "marks": outline.marks(body)}
        if change.head_changed or change.kind in (
            histories.Continuation.FIRST,
            histories.Continuation.RESTARTED,
        ):
            blocks = {"tools": body.tools, "system": body.system}
            outlined["before"] = [
                {"role": role, "blocks": [b.identity for b in blocks[role]], "sizes": sizes}
                for role, sizes in outline.before(body, measure)
            ]
        return {**outlined, "modes": outline.modes_of(body)}

    def _since(self) -> float:
        return (self._observer.clock() - self._begun) * 1000


def _reader_of(path: str) -> type[AnswerReader] | None:
    """What reads the answers of a path; None if nothing does."""
    if path == MESSAGES:
        return AnswerReader
    return ChatReader if path.endswith(_CHAT) else None


def _line(line: MessageIdentity, sizes: list[int]) -> dict[str, Any]:
    return {"role": line.role, "blocks": list(line.blocks), "sizes": sizes}


def _fitting(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last lines that fit into a note."""
    left = _MAX_LINES_BYTES
    for number in range(len(lines) - 1, -1, -1):
        left -= 60 + 28 * len(lines[number]["blocks"])
        if left < 0:
            return lines[number + 1 :]
    return lines


def iso(seconds: float) -> str:
    """A timestamp in the format of our files."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
