"""How long work beside others pauses: who does it calls `rest` between two short steps.

Says nothing about how long: the daemon sleeps, and ends a run by raising (GV-2). What reads a
large document is told by its context, because it lies many calls below who knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Rest = Callable[[], None]
"""Called between two short steps: the place to sleep, or to end the run by raising."""


def at_once() -> None:
    """No rest: somebody waits for the answer."""


_READING: ContextVar[Rest] = ContextVar("reading", default=at_once)


@contextmanager
def reading_with(rest: Rest) -> Iterator[None]:
    """What this thread reads meanwhile, it reads with these rests."""
    before = _READING.set(rest)
    try:
        yield
    finally:
        _READING.reset(before)


def while_reading() -> Rest:
    """The rests that are in force here."""
    return _READING.get()
