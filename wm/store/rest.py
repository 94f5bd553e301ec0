"""How long work beside others pauses: who does it calls `rest` between two short steps.

Says nothing about how long: the daemon sleeps, and ends a run by raising (GV-2).
"""

from __future__ import annotations

from collections.abc import Callable

Rest = Callable[[], None]
"""Called between two short steps: the place to sleep, or to end the run by raising."""


def at_once() -> None:
    """No rest: somebody waits for the answer."""
