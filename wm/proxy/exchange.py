"""One request and its answer (PX-1, PX-10).

Joins the request side, the answer side, an upstream connection and an observer. Backpressure from
either end pauses the other. A client that disconnects aborts the upstream call; an upstream that
breaks off aborts the client's answer at the same byte. An observer sees everything and can change
nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from msgspec import Struct, field

from wm.net.messages import RequestHead, ResponseHead
from wm.proxy.answer_side import AnswerSide, ClientSide
from wm.proxy.fallback import Failed, attempt
from wm.proxy.guard import Admitted, RefusedRequest
from wm.proxy.phantom_side import Passed, PhantomSide
from wm.proxy.preparing import TimedPreparer
from wm.proxy.request_side import PendingRequest, RequestSide
from wm.proxy.retry import Attempt, may_send_again
from wm.proxy.upstream import WAITING_BYTES, Pool, UpstreamConnection
from wm.wire.binding import BETA
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.policy import Prepared

_JOINED_BYTES = 64 * 1024
"""Smaller parts are joined into one write, so that they are one packet; copying a larger part
would cost more than it saves."""


class ExchangeOutcome(Enum):
    """How an exchange ended."""

    WHOLE = "whole"
    CLIENT_LEFT = "client_left"
    UPSTREAM_CUT = "upstream_cut"
    UNREACHABLE = "unreachable"


class ExchangeObserver(Protocol):
    """Observes one exchange. Called after the writes; if it raises, it is not called again."""

    def prepared(self, policy: str, made: Prepared) -> None:
        """A policy processed the request. Called before `request`."""

    def request(self, body: list[bytes], size: int) -> None:
        """The whole request was forwarded. body: its pieces as they arrived; empty for a request
        that is too long to be kept."""

    def head(self, head: ResponseHead) -> None:
        """The head of the answer was forwarded."""

    def body(self, data: bytes) -> None:
        """A piece of the answer was forwarded."""

    @property
    def buffered_bytes(self) -> int:
        """Bytes of bodies that it keeps until `conclude`."""

    def ended(self, outcome: ExchangeOutcome) -> None:
        """The exchange ended; no further event follows."""

    def conclude(self) -> None:
        """Evaluate what was observed. Called some time after the end, when other exchanges have
        been served."""


class GuardedObserver(Struct, eq=False):
    """Calls an observer until it raises. Events of the answer are delivered after the write."""

    observer: ExchangeObserver
    failed: Failed
    _broken: bool = False
    _waiting: list[Callable[[], None]] = field(default_factory=list)

    def now(self, look: Callable[[ExchangeObserver], None]) -> None:
        if not self._broken:
            attempt(lambda: look(self.observer), self._fault)

    def behind_write(self, look: Callable[[ExchangeObserver], None]) -> None:
        self._waiting.append(lambda: self.now(look))

    def written(self) -> None:
        waiting, self._waiting = self._waiting, []
        for look in waiting:
            look()

    def buffered_bytes(self) -> int:
        if self._broken:
            return 0
        return attempt(lambda: self.observer.buffered_bytes, self._fault) or 0

    def conclude(self) -> None:
        self.now(lambda observer: observer.conclude())

    def _fault(self, error: Exception) -> None:
        self._broken = True
        self.failed(error)


class Parties(Struct, frozen=True):
    """What all exchanges of a proxy share. preparer: None if nothing is changed."""

    pool: Pool
    failed: Failed
    preparer: TimedPreparer | None = None


class Exchange:
    """Driven by one client connection and one upstream connection. Runs on the event loop."""

    def __init__(
        self,
        parties: Parties,
        client: ClientSide,
        head: RequestHead,
        admitted: Admitted,
        observer: ExchangeObserver,
    ) -> None:
        preparer = parties.preparer
        if preparer is not None and not preparer.preparer.wants(head, admitted):
            preparer = None
        self._pool, self._failed = parties.pool, parties.failed
        self._preparer = preparer
        self._client = client
        self._admitted = admitted
        self._pending = PendingRequest() if preparer is not None else None
        """The request's body while it waits to be prepared."""
        self._made = Prepared(b"")
        """The prepared request."""
        self._request = RequestSide(head, self._pool.kept_request_bytes)
        self._answer = AnswerSide(client, head)
        self._phantoms = PhantomSide(PhantomAnswer(frozenset()), b"", b"", 0, parties.failed)
        """Reads the answer, once tools are offered whose calls the client must not see."""
        self._observer = GuardedObserver(observer, parties.failed)
        self._unreported = ""
        """Name of the prepared request whose outcome is not reported yet."""
        self._connection: UpstreamConnection | None = None
        self._task: asyncio.Task[None] | asyncio.Task[UpstreamConnection] | None = None
        """Prepares the request, or connects to the upstream."""
        self._client_ready = True
        self._repeated = False
        self._over = False

    # -- from the client -----------------------------------------------------------------------

    def start(self) -> None:
        if self._pending is None:
            self._begin_request(None)

    def more(self, data: bytes) -> None:
        """A piece of the request's body."""
        if self._pending is None:
            self._send(data)
        elif not self._pending.add(data):  # too long to prepare: forwarded as it arrives
            pending, self._pending = self._pending, None
            self._begin_request(None)
            self._send(pending.take())

    def end(self) -> None:
        """The request is complete."""
        if self._pending is None:
            self._request.end()
            self.flush()
            self._request_ended(self._request.pieces, self._request.size)
        elif self._preparer is not None:
            prepared = self._prepare(self._preparer, self._pending.take())
            self._task = self._pool.loop.create_task(prepared)

    def flush(self) -> None:
        """Send what has arrived since the last flush."""
        if self._connection is not None:
            self._connection.request_written = self._request.ended
            _write(self._connection, self._request.take_unsent())

    def client_left(self) -> None:
        self._finish(ExchangeOutcome.CLIENT_LEFT)

    def client_accepts(self, ready: bool) -> None:
        """Whether the client can take more of the answer now."""
        self._client_ready = ready
        if self._connection is not None:
            self._connection.accepts(ready)

    @property
    def answering(self) -> bool:
        """Whether part of an answer was sent to the client."""
        return self._answer.begun

    # -- sending the request ---------------------------------------------------------------------

    async def _prepare(self, preparer: TimedPreparer, raw: bytes) -> None:
        made = self._made = await preparer.prepare(self._request.head, self._admitted, raw)
        self._unreported = made.request
        if self._over:  # the client left
            self._report(ok=False)
            return
        self._task = self._pending = None
        if made.phantoms:
            now, most = self._pool.loop.time(), self._pool.unpacked_bytes
            answer = PhantomAnswer(made.phantoms)
            self._phantoms = PhantomSide(answer, raw, made.raw, most, self._failed, now)
        self._send_body(made.raw)
        name = preparer.preparer.name
        self._observer.now(lambda observer: observer.prepared(name, made))
        self._request_ended([raw] if len(raw) <= self._pool.kept_request_bytes else [], len(raw))

    def _send_body(self, raw: bytes) -> None:
        """Send this body in place of the client's own."""
        self._begin_request(len(raw))
        self._send(raw)
        self._request.end()
        self.flush()

    def _begin_request(self, length: int | None) -> None:
        """length: of a body that replaces the client's own, else None."""
        origin = self._pool.origin
        target = origin.target(self._admitted.target)
        beta, plain = BETA if self._made.tolerant else "", bool(self._made.phantoms)
        self._request.begin(target, origin.authority, length, beta, plain=plain)
        connection = self._pool.at_hand()
        if connection is not None:
            self._use(connection)
        else:
            self._connect()

    def _send(self, data: bytes) -> None:
        self._request.add(data)
        if self._connection is None and self._request.size > WAITING_BYTES:
            self._client.accepts(False)

    def _request_ended(self, came: list[bytes], size: int) -> None:
        self._observer.now(lambda observer: observer.request(came, size))

    def _connect(self) -> None:
        task = self._pool.loop.create_task(self._pool.connect())
        task.add_done_callback(self._connected)
        self._task = task

    def _connected(self, task: asyncio.Task[UpstreamConnection]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, OSError):
            self._unreachable(str(error) or "it did not answer in time")
        elif isinstance(error, Exception):  # such as UnicodeError for an invalid host name
            self._failed(error)
            self._unreachable("connecting failed because of a bug in wm")
        elif self._over:
            task.result().abort()
        else:
            self._use(task.result())
            self.flush()

    def _use(self, connection: UpstreamConnection) -> None:
        self._task = None
        self._connection = connection
        connection.begin(self, self._request.head.method)
        connection.accepts(self._client_ready)
        self._client.accepts(True)

    def _unreachable(self, reason: str) -> None:
        if self._over:
            return
        if self._answer.begun:
            self._deliver((None, self._phantoms.error()))
            self._end_answer()
            return
        where = self._pool.origin.authority.decode("ascii")
        refused = RefusedRequest(502, f"wm proxy cannot reach {where}: {reason}.")
        self._client.send(refused.answer(self._request.head.version))
        self._finish(ExchangeOutcome.UNREACHABLE)
        self._client.done(keep=False)

    # -- from the upstream -----------------------------------------------------------------------

    def answer_informational(self, head: ResponseHead) -> None:
        self._answer.informational(head)

    def answer_head(self, head: ResponseHead) -> None:
        self._deliver((self._phantoms.head(head), b""))
        self._request.forget()
        self._report(ok=head.status < 300)

    def answer_body(self, data: bytes) -> None:
        self._deliver(self._phantoms.body(data))

    def answer_read(self, *, last: bool) -> None:
        if last:
            self._deliver(self._phantoms.end())
            if not self._phantoms.has_calls:
                self._answer.end()
        self._flush_answer()

    def answer_ended(self) -> None:
        self._connection = None
        if self._preparer is not None and self._phantoms.has_calls:
            self._task = self._pool.loop.create_task(self._answer_calls(self._preparer))
        else:
            self._finish_complete()

    def _deliver(self, passed: Passed) -> None:
        """Pass a head and a piece of the body to the client."""
        head, data = passed
        if head is not None:
            # A client that is still sending has not finished this request.
            self._answer.head(head, keep=self._request.ended)
            self._observer.behind_write(lambda observer: observer.head(head))
        if data:
            self._answer.body(data)
            self._observer.behind_write(lambda observer: observer.body(data))

    def _flush_answer(self) -> None:
        self._answer.flush()
        self._observer.written()

    def _finish_complete(self) -> None:
        self._finish(ExchangeOutcome.WHOLE)
        self._client.done(keep=self._answer.keep)

    # -- phantom tools -----------------------------------------------------------------------------

    async def _answer_calls(self, preparer: TimedPreparer) -> None:
        """Carry out the calls of phantom tools; then the generation goes on, or the client gets the
        end of the answer."""
        phantoms, request = self._phantoms, self._made.request
        results = await preparer.carry_out(request, phantoms.came, phantoms.answer)
        if self._over:
            return
        self._task = None
        raw = phantoms.next_request(results, self._pool.loop.time())
        if raw is None:
            self._deliver(phantoms.close())
            self._end_answer()
            return
        preparer.preparer.continued(request, phantoms.answer)
        self._request = RequestSide(self._request.head, self._pool.kept_request_bytes)
        self._repeated = False
        self._send_body(raw)

    def _end_answer(self) -> None:
        """The answer ends here."""
        self._answer.end()
        self._flush_answer()
        self._finish_complete()

    def upstream_accepts(self, ready: bool) -> None:
        self._client.accepts(ready)

    def upstream_lost(self, reason: str) -> None:
        lost, self._connection = self._connection, None
        self._client.accepts(True)  # the lost connection cannot withdraw its last accepts(False)
        if self._answer.begun and not self._phantoms.is_waiting:
            self._flush_answer()
            self._finish(ExchangeOutcome.UPSTREAM_CUT)
            self._client.cut(seen=not self._answer.ends_with_connection)
        elif lost is not None and may_send_again(self._attempt(lost)):
            self._repeated = True
            self._request.rewind()
            self._connect()
        else:
            self._unreachable(reason)

    def _attempt(self, lost: UpstreamConnection) -> Attempt:
        return Attempt(
            method=self._request.head.method,
            sent=lost.sent,
            answer_begun=lost.answer_begun,
            kept=self._request.kept,
            reused=lost.used > 0,
            age_s=self._pool.loop.time() - lost.begun_at,
            repeated=self._repeated,
        )

    def _report(self, *, ok: bool) -> None:
        """Tell the preparer, once, whether the service answered with success."""
        request, self._unreported = self._unreported, ""
        if request and self._preparer is not None:
            preparer = self._preparer.preparer
            attempt(lambda: preparer.answered(request, ok=ok), self._failed)

    # -- the end -----------------------------------------------------------------------------------

    def _finish(self, outcome: ExchangeOutcome) -> None:
        if self._over:
            return
        self._over = True
        self._report(ok=False)
        if self._task is not None and self._pending is None:
            self._task.cancel()  # connecting; a preparation ends by its own deadline
        if self._connection is not None:
            self._connection.abort()
            self._connection = None
        self._request.forget()
        guarded = self._observer
        guarded.now(lambda observer: observer.ended(outcome))
        self._pool.deferred.add(guarded.conclude, guarded.buffered_bytes())


def _write(connection: UpstreamConnection, parts: list[bytes]) -> None:
    if len(parts) > 1 and sum(map(len, parts)) <= _JOINED_BYTES:
        connection.write(b"".join(parts))
    else:
        for part in parts:
            connection.write(part)
