"""Background work of a process: a bounded job queue, and pauses within long Python work.

Python code holds the interpreter lock, and a daemon must keep answering; so long work calls its
`Pace` between short steps. A process waits for running work before it exits, unless the work checks
`is_ending` and stops.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

SLICE_S = 0.0002
"""Work for this long, then pause. A request needs the lock a few times and waits this long each
time."""
PAUSE_S = 0.0002
"""Enough for a waiting thread to take the lock; `sleep(0)` would take it back at once."""

J = TypeVar("J")
Task = Callable[[], None]


class Pace:
    """Call between short steps of long work; pauses after each slice, so that other threads get the
    interpreter lock."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._begun >= SLICE_S:
            time.sleep(PAUSE_S)
            self._begun = time.monotonic()


def uncaught(_job: object, error: Exception) -> None:
    """Report an error like one that ended a thread; the daemon logs it."""
    thread = threading.current_thread()
    threading.excepthook(
        threading.ExceptHookArgs((type(error), error, error.__traceback__, thread))
    )


class Background(Generic[J]):
    """A bounded job queue with one thread, which ends when the queue is empty. Thread-safe.

    Not a ThreadPoolExecutor: that one waits for every job when the process exits, and a command
    would wait for the index of a memory that it searched only once (`is_ending`).

    failed: called with the error of a job; later jobs still run. most: length of the queue.
    is_daemon: the process exits without waiting for the thread.
    """

    def __init__(
        self,
        do: Callable[[J], None],
        failed: Callable[[J, Exception], None] = uncaught,
        *,
        name: str,
        most: int = 64,
        is_daemon: bool = False,
    ) -> None:
        self._do, self._failed = do, failed
        self._name, self._most, self._is_daemon = name, most, is_daemon
        self._guard = threading.Lock()
        self._jobs: deque[J] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, job: J) -> bool:
        """Queue a job; False if the queue is full or already contains this job."""
        with self._guard:
            if len(self._jobs) >= self._most or job in self._jobs:
                return False
            if self._thread is None:
                thread = threading.Thread(
                    target=self._work, name=self._name, daemon=self._is_daemon
                )
                thread.start()  # raises if the system has no thread left; the next job retries
                self._thread = thread
            self._jobs.append(job)
            return True

    def clear(self) -> None:
        """Drop the jobs that have not started."""
        with self._guard:
            self._jobs.clear()

    def finish(self, within_s: float | None = None) -> bool:
        """Wait until all jobs are done; False on timeout."""
        thread = self._thread
        if thread is not None:
            thread.join(within_s)
        return thread is None or not thread.is_alive()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._do(job)
            except Exception as error:  # noqa: BLE001 - the thread's door: other jobs wait
                self._failed(job, error)

    def _next(self) -> J | None:
        with self._guard:
            if self._jobs:
                return self._jobs.popleft()
            self._thread = None
            return None


def tasks(name: str = "wm-index", *, most: int = 64, is_daemon: bool = False) -> Background[Task]:
    """A queue for functions without arguments."""
    return Background(lambda task: task(), name=name, most=most, is_daemon=is_daemon)


def is_ending() -> bool:
    """Whether this process is exiting."""
    return not threading.main_thread().is_alive()
