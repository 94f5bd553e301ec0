"""What nobody waits for: one thread that works through a bounded line and ends behind it.

Python code holds the interpreter's lock, and a daemon must go on answering meanwhile: so long
work calls its `Pace` between short steps. Work that a process began is finished before the
process ends, unless it asks `is_ending` and stops.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from msgspec import Struct, field

from wm.store.rest import at_once

TURN_S = 0.0005
"""A thread that computes gives the interpreter's lock to who waits after this long, in a process
that serves others. Python's own 5 ms would be felt."""
_SHORT_TURN_S = 0.0001
_STEP_S = 0.00015
"""So long one works before it sleeps: each call of the system gives the lock away, and who makes
several of them waits for one step each."""
_SHORT_PAUSE_S = 0.0002
_PAUSE_S = 0.0003
_AWAITED_STEP_S = 0.002
_AWAITED_PAUSE_S = 0.00002
"""Where somebody waits for the work itself: whoever waits for the lock gets it all the same."""
_SOON = 100
"""After so many steps the pauses are long: what is small was done by then, and of what is large
others must not notice anything."""
_LET_ANSWER_S = 0.0004
"""So long one sleeps where a request is in the works, most of which are answered by then: who
came back sooner would take the lock away in the middle of one."""

J = TypeVar("J")
Task = Callable[[], None]


class Answering(Struct, eq=False):
    """Whether the loop of this process is at work on requests `now`. It says so itself.

    While somebody computes beside it, the interpreter's turns are short where the loop waits for
    the lock, and usual where the others wait for the loop: a request is done in one turn, and
    who computes gives the lock away soon after one came.
    """

    now: bool = False
    _beside: int = 0
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """The loop is at work."""
        self.now = True
        if self._beside:
            self.count_beside(0)

    def end(self) -> None:
        """It waits for the next request."""
        self.now = False
        if self._beside:
            self.count_beside(0)

    def count_beside(self, more: int) -> None:
        """So many more threads compute beside the loop."""
        with self._guard:
            self._beside += more
            is_short = self._beside and not self.now
            sys.setswitchinterval(_SHORT_TURN_S if is_short else TURN_S)


class Pace:
    """Called between short steps: sleeps a moment after each that was long enough, and where a
    request is in the works, so that who waits for the interpreter's lock gets it. For one thread
    at a time. awaited: somebody waits for the end of this, so the pauses stay short."""

    def __init__(self, answering: Answering, *, awaited: bool = False) -> None:
        self._answering = answering
        self._pauses = (_AWAITED_PAUSE_S,) * 2 if awaited else (_SHORT_PAUSE_S, _PAUSE_S)
        self._step = _AWAITED_STEP_S if awaited else _STEP_S
        self._thread = self._steps = 0
        self._begun = 0.0

    def __call__(self) -> None:
        # Of the processor: while something else is waited for, the lock is free.
        if self._thread != threading.get_ident():
            self._thread, self._begun = threading.get_ident(), time.thread_time()
        elif self._answering.now:
            time.sleep(_LET_ANSWER_S)
            self._begun = time.thread_time()
        elif time.thread_time() - self._begun >= self._step:
            self._steps += 1
            time.sleep(self._pauses[self._steps > _SOON])
            self._begun = time.thread_time()


@contextmanager
def short_turns(answering: Answering) -> Iterator[None]:
    """Meanwhile this thread gives the lock away to the loop after a tenth of a millisecond: for
    what computes long without a rest of its own, imports above all. Not always, because whoever
    serves many at once works longer for each when its threads take turns more often. Changes
    nothing in a process that serves nobody.
    """
    if sys.getswitchinterval() > TURN_S:
        yield
        return
    answering.count_beside(1)
    try:
        yield
    finally:
        answering.count_beside(-1)


@contextmanager
def resting_imports(rest: Callable[[], None]) -> Iterator[None]:
    """What this thread imports meanwhile, it imports with a rest before each module: a package of
    a hundred is a tenth of a second otherwise."""
    finder = _finder()
    before, finder.rest = finder.rest, rest
    try:
        yield
    finally:
        finder.rest = before


@contextmanager
def beside_others(answering: Answering, rest: Callable[[], None]) -> Iterator[None]:
    """For what computes long and imports a package first."""
    with short_turns(answering), resting_imports(rest):
        yield


class _Resting(threading.local):
    """Finds no module: the next finder is asked. rest: of each thread its own."""

    def __init__(self) -> None:
        self.rest: Callable[[], None] = at_once

    def find_spec(self, *_: object) -> None:
        self.rest()


def _finder() -> _Resting:
    """It stays: the list of finders must not become shorter while another thread goes through it,
    for that one would miss the last of them, and the module that it imports."""
    for known in sys.meta_path:
        if isinstance(known, _Resting):
            return known
    made = _Resting()
    sys.meta_path.insert(0, made)
    return made


def uncaught(_job: object, error: Exception) -> None:
    """Told where whatever ends a thread is told: in a daemon in the background, its log."""
    thread = threading.current_thread()
    threading.excepthook(
        threading.ExceptHookArgs((type(error), error, error.__traceback__, thread))
    )


class Background(Generic[J]):
    """Does jobs in one thread, one after the other. Safe for several threads.

    failed: hears there what a job raised; those behind it are done all the same. most: so many
    wait. is_daemon: the process ends without waiting for the thread.
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
        self._line: deque[J] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, job: J) -> bool:
        """Do it when there is time; False where the line is full or it waits there already."""
        with self._guard:
            if len(self._line) >= self._most or job in self._line:
                return False
            if self._thread is None:
                thread = threading.Thread(
                    target=self._work, name=self._name, daemon=self._is_daemon
                )
                thread.start()  # a system that has none left is asked again for the next job
                self._thread = thread
            self._line.append(job)
            return True

    def clear(self) -> None:
        """Forget what did not begin."""
        with self._guard:
            self._line.clear()

    def finish(self, within_s: float | None = None) -> bool:
        """Wait until all that was submitted so far is done; False where that took longer."""
        thread = self._thread
        if thread is not None:
            thread.join(within_s)
        return thread is None or not thread.is_alive()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._do(job)
            except Exception as error:  # noqa: BLE001 - the thread's door: others wait behind it
                self._failed(job, error)

    def _next(self) -> J | None:
        with self._guard:
            if self._line:
                return self._line.popleft()
            self._thread = None
            return None


def tasks(answering: Answering) -> Background[Task]:
    """For what is a function without arguments."""

    def beside(task: Task) -> None:
        with short_turns(answering):
            task()

    return Background(beside, name="wm-index")


def is_ending() -> bool:
    """Whether this process is about to end."""
    return not threading.main_thread().is_alive()
