"""What the proxy notes of the exchanges that pass: figures and identities, never contents (PX-10).

A request is looked at when its answer has gone on and nothing else is under way
(`wm.proxy.later`), so that no byte waits for it. What was found is told to the daemon, which writes
it down; without a daemon it is not written.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from msgspec import Struct, field

from wm.proxy.exchange import Failed, Outcome
from wm.proxy.guard import Admitted
from wm.proxy.heads import RequestHead, ResponseHead, texts
from wm.settings import ProxySettings
from wm.wire import history as histories
from wm.wire import outline
from wm.wire.body import Body, index, unread
from wm.wire.encodings import Opener, TooLong, opener
from wm.wire.history import Change, History, Line, identity
from wm.wire.identity import Conversations, Identity, identify
from wm.wire.rows import Measure
from wm.wire.usage import AnswerReader, Told, Usage

RECORDED_BYTES = 32 * 1024 * 1024
"""No larger answer is recorded; the service takes no larger request."""

MESSAGES = "/v1/messages"
NO_POLICY = "none"
_KEPT_BYTES = 2 * 1024 * 1024
"""Of the last bodies, so that the next one of a conversation is read from where it goes on. Each
takes twice its bytes in memory, since its blocks are bytes of their own."""
_MAX_LINES_BYTES = 160 * 1024
"""Of messages in one note, those at the end count; a resumed history may have thousands."""


class Bodies(Struct, frozen=True):
    """What was sent and what came, as it went over the line; an answer that is not whole to where
    it broke off. at: when the request began, seconds since 1970."""

    request: Body
    answer: tuple[bytes, ...]
    encoding: str
    kind: str
    at: float

    @property
    def size(self) -> int:
        return len(self.request.raw) + sum(map(len, self.answer))


class Note(Struct, frozen=True):
    """One exchange that ended. fields: of `wm.formats.flow.FlowNote`, names as on the socket."""

    identity: Identity
    fields: Mapping[str, Any]
    bodies: Bodies | None = None
    unrecorded: str = ""
    """Why there are none where there should be."""


class Report(Protocol):
    """Gets each note; it must not wait."""

    def __call__(self, note: Note, /) -> None: ...


class Tally(Struct):
    """Sums over the life of a proxy. One owner: the event loop."""

    requests: int = 0
    failed: int = 0
    faults: int = 0
    """Of ours, beside the path of the bytes."""
    usage: Usage = field(default_factory=Usage)

    def add(self, told: Told) -> None:
        more, was = told.usage, self.usage
        if more is not None:
            self.usage = Usage(
                input=was.input + more.input,
                output=was.output + more.output,
                cache_read=was.cache_read + more.cache_read,
                cache_write_5m=was.cache_write_5m + more.cache_write_5m,
                cache_write_1h=was.cache_write_1h + more.cache_write_1h,
            )


class Observer:
    """Watches all exchanges of one proxy. record: bodies go along with the notes. measure: what
    a token is, in the sizes that are noted. unpacked_bytes: so much is read of a compressed answer.
    On the event loop."""

    def __init__(
        self,
        report: Report,
        failed: Failed,
        clock: Callable[[], float] = time.monotonic,
        *,
        record: bool = False,
        measure: Measure = outline.quick,
        unpacked_bytes: int = ProxySettings().unpacked_bytes,
    ) -> None:
        self.tally = Tally()
        self.unpacked_bytes = unpacked_bytes
        self.measure = measure
        self.record = record
        self._report = report
        self._failed = failed
        self._clock = clock
        self._conversations = Conversations()
        self._bodies: OrderedDict[str, tuple[Body, History]] = OrderedDict()
        self._kept_bytes = 0

    def watch(self, head: RequestHead, admitted: Admitted) -> Watched:
        self.tally.requests += 1
        return Watched(self, head, admitted, self._clock)

    def failed(self, error: Exception) -> None:
        self.tally.faults += 1
        self._failed(error)

    def ended(self, note: Note, told: Told, *, well: bool) -> None:
        self.tally.add(told)
        self.tally.failed += not well
        self._report(note)

    def identified(
        self, path: str, headers: Mapping[str, str], raw: bytes, workspace: str
    ) -> tuple[Identity, History, Change, Body | None]:
        """Whose request it is, what it holds, how it goes on, and where it all stands."""
        known = headers.get("x-claude-code-session-id") or headers.get("x-session-id", "")
        key = f"{known}/{headers.get('x-claude-code-agent-id', '')}"
        before = self._bodies.get(key)
        body = index(raw, before[0] if before else None)
        found = identify(path, headers, body, workspace=workspace)
        if body is None:
            return found, History("", ()), Change(histories.Kind.FIRST, 0), None
        now = histories.history(body, before)
        if body.messages and found.call in ("main", "subagent"):
            self._keep(key, body, now)
        identity, change = self._conversations.follow(found, now)
        return identity, now, change, body

    def _keep(self, key: str, body: Body, now: History) -> None:
        old = self._bodies.pop(key, None)
        self._kept_bytes += len(body.raw) - (len(old[0].raw) if old else 0)
        self._bodies[key] = (unread(body), now)
        while self._kept_bytes > _KEPT_BYTES and len(self._bodies) > 1:
            _, (gone, _) = self._bodies.popitem(last=False)
            self._kept_bytes -= len(gone.raw)


class Watched:
    """One exchange, seen from beside."""

    def __init__(
        self,
        observer: Observer,
        asked: RequestHead,
        admitted: Admitted,
        clock: Callable[[], float],
    ) -> None:
        self._observer = observer
        self._clock = clock
        self._begun = clock()
        self.path = admitted.target.partition(b"?")[0].decode("latin-1")
        self.workspace = admitted.workspace
        self._asked = asked
        self._method = asked.method.decode("latin-1")
        self._is_message = self._method == "POST" and self.path == MESSAGES
        self._request: list[bytes] = []
        self._decided: tuple[str, tuple[str, ...]] = (NO_POLICY, ())
        self._status = 0
        self._outcome = Outcome.WHOLE
        self._sizes = [0, 0]
        self._times = {"sent": 0.0, "firstByte": 0.0, "ended": 0.0}
        self._opener: Opener | None = None
        self._reader: AnswerReader | None = None
        self._answer: list[bytes] | None = [] if observer.record else None
        self._encoding = self._kind = self._unread = ""
        self._at = time.time()

    def decided(self, policy: str, blocks: tuple[str, ...]) -> None:
        self._decided = policy, blocks

    def request(self, body: list[bytes], size: int) -> None:
        self._times["sent"] = self._since()
        self._sizes[0] = size
        if self.path.startswith(MESSAGES):
            self._request = body

    def head(self, head: ResponseHead) -> None:
        self._times["firstByte"] = self._since()
        self._status = head.status
        self._encoding = (head.get(b"content-encoding") or b"").decode("latin-1")
        self._kind = (head.get(b"content-type") or b"").decode("latin-1").lower()
        if self._is_message:
            self._opener = opener(self._encoding, self._observer.unpacked_bytes)
            self._unread = "" if self._opener else "encoding"
            self._reader = AnswerReader(stream=self._kind.startswith("text/event-stream"))

    def body(self, data: bytes) -> None:
        self._sizes[1] += len(data)
        if self._answer is not None:
            if self._sizes[1] <= RECORDED_BYTES:
                self._answer.append(data)
            else:
                self._answer.clear()  # it is too large, so nothing of it is kept
        if self._reader is not None and self._opener is not None:
            try:
                self._reader.feed(self._opener.feed(data))
            except TooLong:
                self._opener, self._unread = None, "too_long"
            except ValueError:  # not in the encoding that it names: passed on, and noted unread
                self._opener, self._unread = None, "damaged"

    @property
    def held_bytes(self) -> int:
        answer = self._sizes[1] if self._answer else 0
        return sum(map(len, self._request)) + answer

    def ended(self, outcome: Outcome) -> None:
        self._times["ended"] = self._since()
        self._outcome = outcome

    def conclude(self) -> None:
        outcome = self._outcome
        told = self._reader.told() if self._reader is not None else Told()
        identity, now, change, body = self._identified()
        well = outcome is Outcome.WHOLE and self._status < 400 and not told.error
        asked = self._observer.record and self.path.startswith(MESSAGES) and self._sizes[0] > 0
        note = Note(
            identity,
            self._fields(identity, now, change, told, outcome, body),
            self._bodies(body),
            "no request" if asked and body is None else "",
        )
        self._observer.ended(note, told, well=well)

    def _bodies(self, body: Body | None) -> Bodies | None:
        answer, self._answer = self._answer, None
        if answer is None or body is None:
            return None
        readable = self._sizes[1] <= RECORDED_BYTES and self._unread != "too_long"
        whole = tuple(answer) if readable else ()
        return Bodies(body, whole, self._encoding, self._kind, self._at)

    def _identified(self) -> tuple[Identity, History, Change, Body | None]:
        raw, self._request = b"".join(self._request), []
        headers = texts(self._asked.headers)
        if raw:
            return self._observer.identified(self.path, headers, raw, self.workspace)
        found = identify(self.path, headers, None, workspace=self.workspace)
        return found, History("", ()), Change(histories.Kind.FIRST, 0), None

    def _fields(
        self,
        identity: Identity,
        now: History,
        change: Change,
        told: Told,
        outcome: Outcome,
        body: Body | None,
    ) -> Mapping[str, Any]:
        return {
            "agent": identity.agent,
            "call": identity.call,
            "subagent": identity.subagent,
            "method": self._method,
            "path": self.path,
            "model": told.model or identity.model,
            "stream": identity.stream,
            "status": self._status,
            "outcome": outcome.value,
            "error": told.error,
            "unread": self._unread,
            "stopReason": told.stop_reason,
            "policy": self._decided[0],
            "decisions": list(self._decided[1]),
            "requestBytes": self._sizes[0],
            "answerBytes": self._sizes[1],
            "messages": len(now.lines),
            "change": change.kind.value if now.lines else "",
            "common": change.common,
            "head": now.head,
            **self._outlined(body, now, change),
            "startedAt": iso(self._at),
            "usage": None if told.usage is None else _usage(told.usage),
            "times": {name: round(value, 3) for name, value in self._times.items()},
        }

    def _outlined(self, body: Body | None, now: History, change: Change) -> dict[str, Any]:
        """What a request is made of, without its contents."""
        if body is None:
            return {"lines": []}
        measure = self._observer.measure
        fresh = zip(now.lines[change.common :], body.messages[change.common :], strict=True)
        lines = [_line(line, outline.sizes(message, measure)) for line, message in fresh]
        told = {"lines": _fitting(lines), "marks": outline.marks(body)}
        if change.head_changed or change.kind in (histories.Kind.FIRST, histories.Kind.RESTARTED):
            blocks = {"tools": body.tools, "system": body.system}
            told["before"] = [
                {"role": role, "blocks": [identity(b) for b in blocks[role]], "sizes": sizes}
                for role, sizes in outline.before(body, measure)
            ]
        return {**told, "modes": outline.modes_of(body)}

    def _since(self) -> float:
        return (self._clock() - self._begun) * 1000


def _line(line: Line, sizes: list[int]) -> dict[str, Any]:
    return {"role": line.role, "blocks": list(line.blocks), "sizes": sizes}


def _fitting(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines at the end that fit into a note."""
    left = _MAX_LINES_BYTES
    for number in range(len(lines) - 1, -1, -1):
        left -= 60 + 28 * len(lines[number]["blocks"])
        if left < 0:
            return lines[number + 1 :]
    return lines


def iso(seconds: float) -> str:
    """A time of the clock as files have it."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite5m": usage.cache_write_5m,
        "cacheWrite1h": usage.cache_write_1h,
    }
