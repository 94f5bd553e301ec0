"""Threads that run several blocking calls at once: every commit flushes files side by side.

They begin at the first need, stay, and sleep without a timeout; a commit that had to start
threads would pay a tenth of a millisecond for it. After a fork the child begins anew. What
happens in a call is the caller's business: calls must not raise.
"""

from __future__ import annotations

import _thread
import os
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
        beside, here = calls[1 : 1 + lanes], (calls[0], *calls[1 + lanes :])
        rest = _Rest(lanes)
        for call in beside:
            self._calls.put((call, rest))
        for call in here:
            call()
        rest.wait()
        with self._guard:
            self._busy -= lanes

    def _begin_anew(self) -> None:
        self._process = os.getpid()
        self._guard = _thread.allocate_lock()
        self._calls: SimpleQueue[tuple[Call, _Rest]] = SimpleQueue()
        self._started = self._busy = 0

    def _take(self, wanted: int) -> int:
        """How many calls find a thread of their own; starts what is missing and can be had."""
        if self._process != os.getpid():
            self._begin_anew()
        with self._guard:
            while self._started < min(self._busy + wanted, self._size):
                try:
                    _thread.start_new_thread(_serve, (self._calls,))
                except RuntimeError:  # no thread to be had: slower, not wrong
                    break
                self._started += 1
            taken = min(wanted, self._started - self._busy)
            self._busy += taken
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


def _serve(calls: SimpleQueue[tuple[Call, _Rest]]) -> None:
    while True:
        call, rest = calls.get()
        try:
            call()
        finally:
            rest.ended()
        del call, rest  # keep nothing alive meanwhile
