"""The schedule: what the daemon does by itself, beside everything (GV-2, GV-3, IF-6).

A sweep of all workspaces once the start has settled and then daily, and one of a session's
workspace after so many of its events. Runs wait in a line (`wm.ops.background`), whose thread ends
behind the last, so that an idle daemon wakes up once a day and holds no thread.
Between short steps the thread sleeps twice as long as it worked. What a stop interrupts,
the next run does.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec import Struct

from wm.ops.background import Background
from wm.ops.runtime import Runtime
from wm.settings import StorageSettings

_STEP_S = 0.001
"""So long the thread works before it sleeps."""
_SLEEP_SHARE = 2
_LONGEST_SLEEP_S = 0.1
_COUNTED = 1024
"""Sessions whose events are counted; those that were silent longest are forgotten first."""

Heard = tuple[str, str]
"""Workspace and `<sid>` of a session in which something happened."""


class Job(Struct, frozen=True):
    """One run that waits. session "": all workspaces."""

    cause: str
    workspace: str = ""
    session: str = ""


class Stopped(Exception):
    """The daemon ends: so does the run."""


class Jobs:
    """All scheduled work of one daemon. Used on the event loop.

    foundation: raises StoreError where the data folder is no longer ours. report: hears about
    what failed.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        foundation: Callable[[], None],
        report: Callable[[str, Exception], None],
    ) -> None:
        self._runtime = runtime
        self._limits: StorageSettings = runtime.settings.storage
        self._foundation = foundation
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._events: OrderedDict[Heard, int] = OrderedDict()
        self._line = Background(
            self._run, self._tell, name="wm-sweep", most=_COUNTED, is_daemon=True
        )
        self._ending = threading.Event()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """The start has settled: sweep once, and every day from now on."""
        self._due("start")

    def heard(self, events: Sequence[Heard]) -> None:
        """Something happened in these sessions."""
        for event in events:
            count = self._events.pop(event, 0) + 1
            if count >= self._limits.sweep_events > 0:
                count = 0
                self._add(Job("events", *event))
            self._events[event] = count
        while len(self._events) > _COUNTED:
            self._events.popitem(last=False)

    def stop(self) -> None:
        """Begin nothing more, and end what is under way at its next step."""
        if self._timer is not None:
            self._timer.cancel()
        self._line.clear()
        self._ending.set()

    def ended(self, within_s: float) -> bool:
        """After `stop`: wait for the thread; False where it did not end in time."""
        return self._line.finish(within_s)

    def _due(self, cause: str) -> None:
        self._add(Job(cause))
        if self._limits.sweep_hours > 0:
            self._timer = self._loop.call_later(self._limits.sweep_hours * 3600, self._due, "daily")

    def _add(self, job: Job) -> None:
        if not self._ending.is_set():
            self._line.submit(job)

    # --- in the thread --------------------------------------------------------------------

    def _tell(self, job: Job, error: Exception) -> None:
        with contextlib.suppress(RuntimeError):  # the loop ended before us
            self._loop.call_soon_threadsafe(self._report, f"sweep ({job.cause})", error)

    def _run(self, job: Job) -> None:
        with contextlib.suppress(Stopped):
            self._sweep(job)

    def _sweep(self, job: Job) -> None:
        self._foundation()
        if not self._runtime.store.workspaces():
            return
        # Here, not above: nothing of it is needed before the first answer.
        from wm.ops import govern
        from wm.ops.heap import give_back

        rest = _Rest(self._ending)
        run = govern.Run(job.cause, job.session, evidence=govern.Evidence.GROWN, rest=rest)
        if job.session:
            govern.sweep_workspace(self._runtime, job.workspace, run)
        else:
            keys = govern.waiting_longest(self._runtime)[: self._limits.sweep_workspaces]
            for _log in govern.sweep_all(self._runtime, run, keys):
                rest()
        self._runtime.store.flush()
        give_back()  # what the plans of many files held


class _Rest:
    """Sleeps after each millisecond of work, and ends the run where the daemon ends."""

    def __init__(self, ending: threading.Event) -> None:
        self._ending = ending
        self._begun = time.thread_time()

    def __call__(self) -> None:
        # Of the processor: while the drive or another process is waited for, nobody waits for us.
        worked = time.thread_time() - self._begun
        if worked < _STEP_S:
            return
        if self._ending.wait(min(worked * _SLEEP_SHARE, _LONGEST_SLEEP_S)):
            raise Stopped
        self._begun = time.thread_time()
