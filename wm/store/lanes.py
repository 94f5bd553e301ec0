"""Threads that run several blocking calls at once: every commit flushes files side by side.

They begin at the first need, stay, and sleep without a timeout; a commit that had to start
threads would pay a tenth of a millisecond for it. After a fork the child begins anew. What
happens in a call is the caller's business: calls must not raise.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from queue import SimpleQueue

Call = Callable[[], object]


class Lanes:
    """At most `size` threads beside those of the callers. Safe for several callers at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._begin_anew()

    def run(self, calls: Sequence[Call]) -> None:
        """Run all of them, the first in this thread, and return when the last is done."""
        lanes = self._take(len(calls) - 1)
        beside, here = calls[1 : 1 + len(lanes)], (calls[0], *calls[1 + len(lanes) :])
        rest = _Rest(len(lanes))
        for lane, call in zip(lanes, beside, strict=True):
            lane.put((call, rest))
        for call in here:
            call()
        rest.wait()
        with self._guard:
            self._idle += lanes

    def _begin_anew(self) -> None:
        self._process = os.getpid()
        self._guard = _thread.allocate_lock()
        self._idle: list[_Lane] = []
        self._started = 0

    def _take(self, wanted: int) -> list[_Lane]:
        """A lane for each of so many calls, as far as one can be had; starts what is missing.
        Those that were busy last come first: they find their memory at hand."""
        if self._process != os.getpid():
            self._begin_anew()
        with self._guard:
            while len(self._idle) < wanted and self._started < self._size:
                lane: _Lane = SimpleQueue()
                try:
                    _thread.start_new_thread(_serve, (lane,))
                except RuntimeError:  # no thread to be had: slower, not wrong
                    break
                self._started += 1
                self._idle.append(lane)
            kept = max(0, len(self._idle) - wanted)
            taken = self._idle[kept:]
            del self._idle[kept:]
            return taken


class _Rest:
    """How many calls are still to end. Who waits for them wakes up once, not once for each."""

    def __init__(self, calls: int) -> None:
        self._left = calls
        self._guard = _thread.allocate_lock()
        self._over = _thread.allocate_lock()
        if calls:
            self._over.acquire()

    def ended(self) -> None:
        with self._guard:
            self._left -= 1
            over = not self._left
        if over:
            self._over.release()

    def wait(self) -> None:
        self._over.acquire()


def _let_wakers_go_on() -> None:
    """Who wakes this thread holds the interpreter's lock: to take the processor from it would only
    be to wait for that lock. A batch thread does not. Where the system has or grants no such
    thing, it costs time and nothing else."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


_Lane = SimpleQueue[tuple[Call, _Rest]]
"""A thread, by what it is given to do."""


def _serve(lane: _Lane) -> None:
    _let_wakers_go_on()
    while True:
        call, rest = lane.get()
        try:
            call()
        finally:
            rest.ended()
        del call, rest  # keep nothing alive meanwhile
