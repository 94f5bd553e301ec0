"""One queue of updates per workspace, and the worker threads that write (IF-1, ST-1, ST-7).

Group commit: updates that wait for the same workspace run in one transaction and share its
flush. A disk flush runs in a worker, so it never blocks the event loop. Queries need no queue,
because reading the store takes no lock.

Rules: an answer is sent after the commit, never before; every queue is bounded; a bug in one
update does not fail the other updates of its batch.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from msgspec import Struct, field

from wm.daemon.metrics import Metrics
from wm.errors import Busy, HostError, StoreError, Unanswered
from wm.ops.operation import DocumentChange, Done, Operation, execute_batch
from wm.ops.runtime import Runtime
from wm.settings import DaemonSettings

Answered = Callable[[Done[Any]], None]
_Job = Callable[[], Any]

_FLUSH_RETRY = 5
"""Flush intervals between a failed relaxed flush and the next try."""


_GATHER_SHARE = 0.4
"""The next batch waits at most this share of the previous batch's duration."""


class Workers:
    """A few threads for work that blocks on the disk. Used on the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, size: int) -> None:
        self._loop = loop
        self._pool = ThreadPoolExecutor(size, "wm-worker")
        self._running: set[Future[Any]] = set()

    def submit(self, job: _Job, done: Callable[[Any], None]) -> None:
        """Run `job` in a thread, then `done` with its result or its exception on the loop."""

        def ended(future: Future[Any]) -> None:
            result = future.exception() or future.result()
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(landed, result)

        def landed(result: Any) -> None:
            self._running.discard(future)
            done(result)

        future = self._pool.submit(job)
        self._running.add(future)
        future.add_done_callback(ended)

    def close(self, within_s: float) -> bool:
        """Wait until the threads have finished their jobs; False if one did not finish in time."""
        self._pool.shutdown(wait=False)
        return not wait(self._running, within_s).not_done


class _QueuedCall(Struct, eq=False):
    operation: Operation[Any, Any]
    request: Any
    answered: Answered
    queued: float
    deadline: float
    early: bool = False
    """Whether it was answered when it was queued; then it has no deadline."""
    open: bool = True

    def answer(self, done: Done[Any]) -> None:
        if self.open:
            self.open = False
            self.answered(done)


class _Queue(Struct):
    waiting: deque[_QueuedCall] = field(default_factory=deque)
    running: Sequence[_QueuedCall] = ()
    timer: asyncio.TimerHandle | None = None
    gathering: asyncio.TimerHandle | None = None
    """Set while the next batch waits a moment for the clients that were just answered."""
    expected: int = 0


class Actors(Struct, eq=False):
    """All queues of one daemon. Used on the event loop; the work itself runs in `workers`. Requests
    are parsed already (`Operation.parse`).

    publish: receives the changes of every commit. on_recorded: receives the sessions in which
    events were recorded. check_home: raises StoreError if the data folder is no longer the one that
    this daemon started on. report: receives failures for which no client waits.
    """

    runtime: Runtime
    workers: Workers
    metrics: Metrics
    publish: Callable[[Sequence[DocumentChange]], None] = lambda _changes: None
    on_recorded: Callable[[Sequence[tuple[str, str]]], None] = lambda _events: None
    check_home: Callable[[], None] = lambda: None
    report: Callable[[str, Exception], None] = lambda _what, _error: None
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _queues: dict[str, _Queue] = field(default_factory=dict)
    _flush_timer: asyncio.TimerHandle | None = None
    _flushing: bool = False
    _empty: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def _limits(self) -> DaemonSettings:
        return self.runtime.settings.daemon

    @property
    def waiting(self) -> int:
        return sum(len(queue.waiting) for queue in self._queues.values())

    @property
    def unfinished(self) -> int:
        """Number of updates that wait or run."""
        return sum(len(q.waiting) + len(q.running) for q in self._queues.values())

    def update(
        self,
        operation: Operation[Any, Any],
        request: Any,
        answered: Answered,
        *,
        soon: bool = False,
    ) -> None:
        """Queue an update. `answered` is called once, on the loop.

        soon: no client waits for it, so it starts after the current iteration of the loop. A worker
        that wakes earlier would compete for the processor with the answer being sent.

        Raises HostError (503) if the queue of the workspace is full, and whatever the operation
        raises for a request without a workspace.
        """
        key = operation.queue(self.runtime, request)
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = _Queue()
        if len(queue.waiting) >= self._limits.queue_requests:
            self.metrics.queue_refusals += 1
            busy = HostError.of("daemon.too_busy", count=len(queue.waiting))
            raise busy.with_status(503, "too_busy")
        now = time.monotonic()
        deadline = now + self._limits.request_timeout_s
        queue.waiting.append(_QueuedCall(operation, request, answered, now, deadline, soon))
        if queue.gathering is not None:
            if len(queue.waiting) >= queue.expected:
                self._gathered(key, queue)
        elif soon:
            self._loop.call_soon(self._begin, key, queue)
        elif not queue.running:
            self._start(key, queue)

    def query(self, operation: Operation[Any, Any], request: Any, answered: Answered) -> None:
        """Answer a query in a worker thread; subscribers learn what it added to a log."""

        def finished(result: Any) -> None:
            done = Done(None, result) if isinstance(result, Exception) else result[0]
            if done.effects.changes:
                self.publish(done.effects.changes)
            answered(done)

        self.workers.submit(lambda: self._execute([(operation, request)]), finished)

    def query_now(self, operation: Operation[Any, Any], request: Any) -> Done[Any]:
        """Answer a query on the loop; for queries that are faster than a hand-over to a thread."""
        return execute_batch(self.runtime, [(operation, request)])[0]

    async def drain(self, within_s: float) -> bool:
        """Wait until every queue is empty."""
        try:
            async with asyncio.timeout(within_s):
                while self._queues or self._flushing:
                    self._empty.clear()
                    await self._empty.wait()
        except TimeoutError:
            return False
        finally:
            if self._flush_timer is not None:
                self._flush_timer.cancel()
                self._flush_timer = None
        return True

    # -- batches -----------------------------------------------------------------------------

    def _begin(self, key: str, queue: _Queue) -> None:
        """Start the waiting batch unless it has started already."""
        if queue.waiting and not queue.running and queue.gathering is None:
            self._start(key, queue)

    def _start(self, key: str, queue: _Queue) -> None:
        now = time.monotonic()
        batch: list[_QueuedCall] = []
        while queue.waiting and len(batch) < self._limits.batch_requests:
            call = queue.waiting.popleft()
            if call.open:
                self.metrics.queue_seconds.observe(now - call.queued)
                batch.append(call)
        if not batch:
            self._retire(key, queue)
            return
        queue.running = batch
        self.metrics.batch_sizes.observe(len(batch))
        if queue.timer is None:
            queue.timer = self._loop.call_at(
                self._loop.time() + batch[0].deadline - now, self._expire, queue
            )
        calls = [(call.operation, call.request) for call in batch]
        self.workers.submit(
            lambda: self._execute(calls), lambda result: self._finished(key, queue, now, result)
        )

    def _execute(self, calls: list[tuple[Operation[Any, Any], Any]]) -> list[Done[Any]]:
        """Run a batch in a worker. A bug rolls back the complete transaction, so the calls then run
        again one by one."""
        try:
            self.check_home()
            return execute_batch(self.runtime, calls)
        except (OSError, StoreError) as error:
            return [Done(None, error) for _ in calls]
        except Exception as error:  # noqa: BLE001 - the dispatcher answers and logs it
            if len(calls) == 1:
                return [Done(None, error)]
            return [done for call in calls for done in self._execute([call])]

    def _finished(self, key: str, queue: _Queue, begin: float, result: Any) -> None:
        batch, queue.running = queue.running, ()
        self.metrics.commit_seconds.observe(time.monotonic() - begin)
        if queue.timer is not None:
            queue.timer.cancel()
            queue.timer = None
        if isinstance(result, Exception):
            result = [Done(None, result)] * len(batch)
        for call, done in zip(batch, result, strict=True):
            if done.effects.changes:
                self.publish(done.effects.changes)
            if done.effects.recorded:
                self.on_recorded(done.effects.recorded)
            call.answer(done)
        if len(batch) + len(queue.waiting) > 1:
            self._gather(key, queue, len(batch), time.monotonic() - begin)
        else:
            self._retire(key, queue)
        self._arm_flush()

    def _gather(self, key: str, queue: _Queue, answered: int, took_s: float) -> None:
        """With several active clients, wait briefly for those just answered to send again, so that
        one flush carries all of them. A single client never waits."""
        queue.expected = len(queue.waiting) + answered
        wait_s = min(self._limits.gather_s, took_s * _GATHER_SHARE)
        queue.gathering = self._loop.call_later(wait_s, self._gathered, key, queue)

    def _gathered(self, key: str, queue: _Queue) -> None:
        if queue.gathering is not None:
            queue.gathering.cancel()
            queue.gathering = None
        self._start(key, queue)

    def _retire(self, key: str, queue: _Queue) -> None:
        if self._queues.get(key) is queue and not queue.waiting and not queue.running:
            if queue.timer is not None:
                queue.timer.cancel()
            del self._queues[key]
            self._empty.set()

    def _expire(self, queue: _Queue) -> None:
        """Answer the updates whose deadline has passed: a hanging disk must not block clients."""
        queue.timer = None
        now = time.monotonic()
        for call in (*queue.running, *queue.waiting):
            if call.early and call.deadline <= now:
                call.deadline = now + self._limits.request_timeout_s
        for call in queue.running:
            if call.deadline <= now:
                call.answer(Done(None, _still_running()))
        for call in queue.waiting:
            if call.deadline <= now:
                call.answer(Done(None, _not_begun()))
        left = [c.deadline for c in (*queue.running, *queue.waiting) if c.open]
        if left:
            queue.timer = self._loop.call_at(
                self._loop.time() + min(left) - now, self._expire, queue
            )

    # -- relaxed documents -------------------------------------------------------------------

    def _arm_flush(self, intervals: int = 1) -> None:
        """Flush relaxed documents within a second; no timer runs without need."""
        if self._flush_timer is None and not self._flushing and self.runtime.store.dirty():
            self._flush_timer = self._loop.call_later(
                self.runtime.settings.store.relaxed_flush_s * intervals, self._flush
            )

    def _flush(self) -> None:
        self._flush_timer = None
        self._flushing = True
        self.workers.submit(self._flush_store, self._flushed)

    def _flush_store(self) -> None:
        self.check_home()
        self.runtime.store.flush()

    def _flushed(self, result: Any) -> None:
        self._flushing = False
        self._empty.set()
        if isinstance(result, Exception):
            self.metrics.flush_failures += 1
            self.report("flush", result)
            self._arm_flush(_FLUSH_RETRY)
        else:
            self.metrics.flushes += 1
            self._arm_flush()


def _still_running() -> Unanswered:
    return Unanswered.of("daemon.still_running")


def _not_begun() -> Busy:
    return Busy.of("daemon.not_begun")
