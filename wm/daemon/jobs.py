"""The schedule: background work of the daemon (GV-2, GV-3, HM-1, IF-6, SY-1).

All workspaces are swept shortly after the start and then daily; the workspace of a session also
after a number of its events. An event of a session also lets its workspace sync with the remote
that a person agreed to, if the last sync is long enough ago: without a session nothing syncs. After
a turn of a paged session, a helper model summarises what its requests lost, in a second queue.
Runs wait in a queue (`wm.ops.background`) whose thread ends after the last one, so an idle daemon
wakes once a day and keeps no thread. After each short step of work a sweep sleeps twice as long. A
run that a shutdown interrupts is done by the next one.
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
"""How long the thread works before it sleeps."""
_SLEEP_SHARE = 2
_LONGEST_SLEEP_S = 0.1
_COUNTED = 1024
"""Number of sessions whose events are counted; those silent longest are dropped first."""

SYNC = "sync"
"""The cause of a job that syncs instead of sweeping."""

SUMMARIES = "summaries"
"""The cause of a job that asks the helper model for summaries."""

SessionName = tuple[str, str]
"""Workspace and `<sid>` of a session in which an event was recorded."""


class Job(Struct, frozen=True):
    """One queued run. session "": all workspaces."""

    cause: str
    workspace: str = ""
    session: str = ""


class Stopped(Exception):
    """Raised in a run to end it: the daemon ends, or a person runs `wm gc`."""


class Jobs:
    """All scheduled work of one daemon. Used on the event loop.

    check_home: raises StoreError if the data folder is no longer ours. report: receives failures.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        check_home: Callable[[], None],
        report: Callable[[str, Exception], None],
    ) -> None:
        self._runtime = runtime
        self._limits: StorageSettings = runtime.settings.storage
        self._check_home = check_home
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._events: OrderedDict[SessionName, int] = OrderedDict()
        self._syncs: dict[str, float] = {}
        """Workspace -> when it last tried to sync, by the loop's clock."""
        self._line = Background(
            self._run, self._report_failure, name="wm-sweep", most=_COUNTED, is_daemon=True
        )
        self._helper = Background(
            self._run, self._report_failure, name="wm-helper", most=_COUNTED, is_daemon=True
        )
        """Its jobs wait for a server, and no sweep may wait for them."""
        self._ending = threading.Event()
        if runtime.settings.helper.model:
            runtime.signals.turns.listener = self._turn_finished
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Called shortly after the start: sweep once now, and daily from now on."""
        self._due("start")

    def count_events(self, events: Sequence[SessionName]) -> None:
        """Count events of these sessions."""
        for event in events:
            count = self._events.pop(event, 0) + 1
            if count >= self._limits.sweep_events > 0:
                count = 0
                self._add(Job("events", *event))
            self._events[event] = count
            self._let_sync(event[0])
        while len(self._events) > _COUNTED:
            self._events.popitem(last=False)

    def _let_sync(self, workspace: str) -> None:
        every_s = self._runtime.settings.team.sync_minutes * 60
        now = self._loop.time()
        if every_s and now - self._syncs.get(workspace, -every_s) >= every_s:
            self._syncs[workspace] = now
            if self._runtime.is_shared(workspace):
                self._add(Job(SYNC, workspace))

    def _turn_finished(self, workspace: str, session: str) -> None:
        """Called in the thread that wrote the ledger."""
        if not self._ending.is_set():
            self._helper.submit(Job(SUMMARIES, workspace, session))

    def stop(self) -> None:
        """Start nothing more, and end the current run at its next step. A call to the helper model
        is not waited for."""
        if self._timer is not None:
            self._timer.cancel()
        self._line.clear()
        self._helper.clear()
        self._ending.set()

    def ended(self, within_s: float) -> bool:
        """After `stop`: wait for the thread; False if it did not end in time."""
        return self._line.finish(within_s)

    def _due(self, cause: str) -> None:
        self._add(Job(cause))
        if self._limits.sweep_hours > 0:
            self._timer = self._loop.call_later(self._limits.sweep_hours * 3600, self._due, "daily")

    def _add(self, job: Job) -> None:
        if not self._ending.is_set():
            self._line.submit(job)

    # --- in the thread --------------------------------------------------------------------

    def _report_failure(self, job: Job, error: Exception) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            what = job.cause if job.cause in (SYNC, SUMMARIES) else f"sweep ({job.cause})"
            self._loop.call_soon_threadsafe(self._report, what, error)

    def _run(self, job: Job) -> None:
        if job.cause in (SYNC, SUMMARIES):
            self._check_home()
            # Only a project that is shared, or a helper model, needs these rules.
            from wm.ops import scheduled

            if job.cause == SYNC:
                scheduled.sync_quietly(self._runtime, job.workspace)
            else:
                ends = self._ending.is_set
                scheduled.summarise(self._runtime, job.workspace, job.session, ends)
                if not ends():
                    scheduled.propose_merge(self._runtime, job.workspace)
            return
        turns = self._runtime.signals.sweeps
        is_done = False
        with turns.scheduled() as free, contextlib.suppress(Stopped):
            if free:
                self._sweep(job)
                is_done = True
        if not is_done and not self._ending.is_set():
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(
                    self._loop.call_later, turns.PAUSE_S, self._add, job
                )

    def _sweep(self, job: Job) -> None:
        self._check_home()
        if not self._runtime.store.workspaces():
            return
        # Imported here because nothing of it is needed before the first answer.
        from wm.ops.storage import sweep

        pause = _Throttle(self._ending, self._runtime.signals.sweeps.is_paused)
        run = sweep.SweepRun(job.cause, job.session, evidence=sweep.Evidence.GROWN, pause=pause)
        if job.session:
            sweep.sweep_workspace(self._runtime, job.workspace, run)
        else:
            keys = sweep.waiting_longest(self._runtime)[: self._limits.sweep_workspaces]
            for _log in sweep.sweep_all(self._runtime, run, keys):
                pause()
        self._runtime.store.flush()


class _Throttle:
    """Sleeps after each millisecond of work, and ends the run when the daemon ends or a person's
    sweep takes its turn."""

    def __init__(self, ending: threading.Event, is_paused: Callable[[], bool]) -> None:
        self._ending = ending
        self._is_paused = is_paused
        self._begun = time.thread_time()

    def __call__(self) -> None:
        if self._is_paused():
            raise Stopped
        # Processor time only: waiting for the drive or for another process blocks no client.
        worked = time.thread_time() - self._begun
        if worked < _STEP_S:
            return
        if self._ending.wait(min(worked * _SLEEP_SHARE, _LONGEST_SLEEP_S)):
            raise Stopped
        self._begun = time.thread_time()
