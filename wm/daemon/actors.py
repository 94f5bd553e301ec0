"""One queue of updates per workspace, and the worker threads that write (IF-1, ST-1, ST-7).

Updates that wait together for one workspace run in one transaction and share its flush: the
group commit. A flush of the disk never blocks the event loop, because it happens in a worker.
Queries need no queue: a read of the store takes no lock.

The rules it protects: an answer is given after the commit, never before; a queue is bounded;
a bug in one update does not take the others of its batch with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

from msgspec import Struct, field

from wm.daemon.metrics import Metrics
from wm.errors import Busy, HostError, StoreError, Unanswered
from wm.formats.base import Record
from wm.ops.base import Change, Done, Operation, execute_batch
from wm.ops.runtime import Runtime
from wm.settings import DaemonSettings

Answered = Callable[[Done[Any]], None]
_Job = Callable[[], Any]
_Task = tuple[_Job, Callable[[Any], None]]

_FLUSH_RETRY = 5
"""A failed relaxed flush is tried again after this many flush intervals."""


_GATHER_SHARE = 0.4
"""The next batch waits at most this share of what the last one took."""


class _Worker:
    """One thread and what it is given to do: None to end."""

    def __init__(self, work: Callable[[_Worker], None]) -> None:
        self.jobs: SimpleQueue[_Task | None] = SimpleQueue()
        self.thread = threading.Thread(target=work, args=(self,), name="wm-worker", daemon=True)
        self.thread.start()


class Workers:
    """A few threads for what waits for the disk. They sleep without a timeout when idle.

    The thread that was busy last gets the next job: batch after batch on the same one finds
    its memory at hand. Where two take turns, the daemon works a tenth longer for each update.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, size: int) -> None:
        self._loop = loop
        self._size = size
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._waiting: deque[_Task] = deque()

    def submit(self, job: _Job, done: Callable[[Any], None]) -> None:
        """Run `job` in a thread, then `done` with its result or its exception on the loop."""
        if self._idle:
            self._idle.pop().jobs.put((job, done))
        elif len(self._workers) < self._size:
            worker = _Worker(self._work)
            self._workers.append(worker)
            worker.jobs.put((job, done))
        else:
            self._waiting.append((job, done))

    def close(self, within_s: float) -> bool:
        """Let the threads end behind their jobs; False where one did not in time."""
        waiting, self._waiting = self._waiting, deque()
        for number, task in enumerate(waiting):
            self._workers[number % len(self._workers)].jobs.put(task)
        for worker in self._workers:
            worker.jobs.put(None)
        until = time.monotonic() + within_s
        for worker in self._workers:
            worker.thread.join(max(0.0, until - time.monotonic()))
        return not any(worker.thread.is_alive() for worker in self._workers)

    def _work(self, worker: _Worker) -> None:
        while True:
            item = worker.jobs.get()
            if item is None:
                return
            job, done = item
            try:
                result = job()
            except Exception as error:  # noqa: BLE001 - handed to the dispatch door, which logs it
                result = error
            with contextlib.suppress(RuntimeError):  # the loop ended before us
                self._loop.call_soon_threadsafe(self._landed, worker, done, result)
            item = job = done = result = None  # type: ignore[assignment]  # keep nothing alive

    def _landed(self, worker: _Worker, done: Callable[[Any], None], result: Any) -> None:
        if self._waiting:
            worker.jobs.put(self._waiting.popleft())
        else:
            self._idle.append(worker)
        done(result)


class _Call(Struct, eq=False):
    operation: Operation[Any, Any]
    request: Record
    answered: Answered
    queued: float
    deadline: float
    early: bool = False
    """Whether its answer was given when it was queued: then it has no deadline."""
    open: bool = True

    def answer(self, done: Done[Any]) -> None:
        if self.open:
            self.open = False
            self.answered(done)


class _Queue(Struct):
    waiting: deque[_Call] = field(default_factory=deque)
    running: Sequence[_Call] = ()
    timer: asyncio.TimerHandle | None = None
    gathering: asyncio.TimerHandle | None = None
    """Set while the next batch waits a moment for those who were just answered."""
    expected: int = 0


class Actors:
    """All queues of one daemon. Used on the event loop; the work itself runs in `workers`.

    publish: gets the changes of every commit; heard: the sessions in which it took something in.
    foundation: raises StoreError where the data folder is no longer the one that this daemon was
    started on. report: hears about failures that nobody waits for.
    """

    def __init__(
        self,
        runtime: Runtime,
        workers: Workers,
        metrics: Metrics,
        *,
        publish: Callable[[Sequence[Change]], None] = lambda _changes: None,
        heard: Callable[[Sequence[tuple[str, str]]], None] = lambda _events: None,
        foundation: Callable[[], None] = lambda: None,
        report: Callable[[str, Exception], None] = lambda _what, _error: None,
    ) -> None:
        self._runtime = runtime
        self._limits: DaemonSettings = runtime.settings.daemon
        self._flush_s = runtime.settings.store.relaxed_flush_s
        self._workers = workers
        self._metrics = metrics
        self._publish = publish
        self._heard = heard
        self._foundation = foundation
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._queues: dict[str, _Queue] = {}
        self._flush_timer: asyncio.TimerHandle | None = None
        self._flushing = False
        self._empty = asyncio.Event()

    @property
    def waiting(self) -> int:
        return sum(len(queue.waiting) for queue in self._queues.values())

    @property
    def unfinished(self) -> int:
        """What waits, and what runs."""
        return sum(len(q.waiting) + len(q.running) for q in self._queues.values())

    def update(
        self,
        operation: Operation[Any, Any],
        request: Record,
        answered: Answered,
        *,
        soon: bool = False,
    ) -> None:
        """Queue an update. `answered` is called once, on the loop.

        soon: nobody waits for it, so it begins behind what the loop does now: a worker that wakes
        up meanwhile would take the processor from the answer that is given in its place.

        Raises HostError (503) where the workspace's queue is full, and what the operation
        raises for a request without a workspace.
        """
        key = operation.queue(self._runtime, request)
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = _Queue()
        if len(queue.waiting) >= self._limits.queue_requests:
            self._metrics.queue_refusals += 1
            raise HostError(
                f"{len(queue.waiting)} updates wait for this workspace already.",
                fix="Come back in a moment.",
                status=503,
                code="too_busy",
            )
        now = time.monotonic()
        deadline = now + self._limits.request_timeout_s
        queue.waiting.append(_Call(operation, request, answered, now, deadline, soon))
        if queue.gathering is not None:
            if len(queue.waiting) >= queue.expected:
                self._gathered(key, queue)
        elif soon:
            self._loop.call_soon(self._begin, key, queue)
        elif not queue.running:
            self._start(key, queue)

    def early(self, operation: Operation[Any, Any], request: Record) -> Record | None:
        """The answer for a request that nobody waits for; None: it is waited for."""
        if operation.at_once is None:
            return None
        found: Record | None = operation.at_once(self._runtime, request)
        return found

    def query(self, operation: Operation[Any, Any], request: Record, answered: Answered) -> None:
        """Answer a query beside the loop."""

        def finished(result: Any) -> None:
            answered(Done(None, result) if isinstance(result, Exception) else result[0])

        self._workers.submit(lambda: self._execute([(operation, request)]), finished)

    def query_now(self, operation: Operation[Any, Any], request: Record) -> Done[Any]:
        """Answer a query on the loop: for those that take less than a thread's hand-over."""
        return execute_batch(self._runtime, [(operation, request)])[0]

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
        """Start what waits, unless that has happened meanwhile."""
        if queue.waiting and not queue.running and queue.gathering is None:
            self._start(key, queue)

    def _start(self, key: str, queue: _Queue) -> None:
        now = time.monotonic()
        batch: list[_Call] = []
        while queue.waiting and len(batch) < self._limits.batch_requests:
            call = queue.waiting.popleft()
            if call.open:
                self._metrics.queue_seconds.observe(now - call.queued)
                batch.append(call)
        if not batch:
            self._retire(key, queue)
            return
        queue.running = batch
        self._metrics.batch_sizes.observe(len(batch))
        if queue.timer is None:
            queue.timer = self._loop.call_at(
                self._loop.time() + batch[0].deadline - now, self._expire, queue
            )
        calls = [(call.operation, call.request) for call in batch]
        self._workers.submit(
            lambda: self._execute(calls), lambda result: self._finished(key, queue, now, result)
        )

    def _execute(self, calls: list[tuple[Operation[Any, Any], Record]]) -> list[Done[Any]]:
        """In a worker. A bug rolls the whole transaction back, so the others run again alone."""
        try:
            self._foundation()
            return execute_batch(self._runtime, calls)
        except (OSError, StoreError) as error:
            return [Done(None, error) for _ in calls]
        except Exception as error:  # noqa: BLE001 - the dispatch door answers and logs it
            if len(calls) == 1:
                return [Done(None, error)]
            return [done for call in calls for done in self._execute([call])]

    def _finished(self, key: str, queue: _Queue, begin: float, result: Any) -> None:
        batch, queue.running = queue.running, ()
        self._metrics.commit_seconds.observe(time.monotonic() - begin)
        if queue.timer is not None:
            queue.timer.cancel()
            queue.timer = None
        if isinstance(result, Exception):
            result = [Done(None, result)] * len(batch)
        for call, done in zip(batch, result, strict=True):
            if done.changes:
                self._publish(done.changes)
            if done.heard:
                self._heard(done.heard)
            call.answer(done)
        if len(batch) + len(queue.waiting) > 1:
            self._gather(key, queue, len(batch), time.monotonic() - begin)
        else:
            self._retire(key, queue)
        self._arm_flush()

    def _gather(self, key: str, queue: _Queue, answered: int, took_s: float) -> None:
        """Several clients are at work: give those just answered a moment to come back, so that
        one flush carries all of them and not each part in turn. A lone client never waits."""
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
        """The oldest deadline has passed: nobody is kept waiting for a disk that hangs."""
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
        """What is class relaxed reaches the disk within a second; no timer without need."""
        if self._flush_timer is None and not self._flushing and self._runtime.store.dirty():
            self._flush_timer = self._loop.call_later(self._flush_s * intervals, self._flush)

    def _flush(self) -> None:
        self._flush_timer = None
        self._flushing = True
        self._workers.submit(self._flush_store, self._flushed)

    def _flush_store(self) -> None:
        self._foundation()
        self._runtime.store.flush()

    def _flushed(self, result: Any) -> None:
        self._flushing = False
        self._empty.set()
        if isinstance(result, Exception):
            self._metrics.flush_failures += 1
            self._report("flush", result)
            self._arm_flush(_FLUSH_RETRY)
        else:
            self._metrics.flushes += 1
            self._arm_flush()


def _still_running() -> Unanswered:
    return Unanswered(
        "The update is still under way after its deadline and may yet succeed.",
        fix="Look at the result before you repeat it.",
    )


def _not_begun() -> Busy:
    return Busy("The update waited in vain for its turn; nothing was done.", fix="Try again.")
