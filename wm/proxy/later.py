"""What may wait, while exchanges are under way: one loop serves them all (PX-1, PX-10).

What is made of a request that has passed takes longer than passing it on. So it waits until
nothing is under way for a moment, and is done a piece at a time, with a look at the sockets
between two pieces. Where something always is under way, a piece is done once it has waited long
enough, or once too much waits. The order stays.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

REST_S = 0.05
"""Nothing was under way for so long: nobody is in a hurry."""
MOST_WAIT_S = 2.0
MOST_BYTES = 1024 * 1024
"""Of requests that are held only to be looked at."""
LARGE_BYTES = 256 * 1024
"""One that holds so much does not wait, nor do those before it: memory would grow by each."""


class Later:
    """Of one proxy. On the event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        rest_s: float = REST_S,
        most_wait_s: float = MOST_WAIT_S,
    ) -> None:
        self._loop = loop
        self._rest_s = rest_s
        self._most_wait_s = most_wait_s
        self._waiting: deque[tuple[float, int, Callable[[], None]]] = deque()
        self._bytes = 0
        self._large = 0
        self._under_way = 0
        self._last_end = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begun(self) -> None:
        self._under_way += 1

    def ended(self) -> None:
        self._under_way -= 1
        self._last_end = self._loop.time()

    def do(self, work: Callable[[], None], size: int) -> None:
        """Do this later; it holds so many bytes, and raises nothing."""
        self._waiting.append((self._loop.time(), size, work))
        self._bytes += size
        self._large += size > LARGE_BYTES
        if self._hurries and self._timer is not None:
            self._timer.cancel()
            self._timer = self._loop.call_later(0.0, self._turn)
        elif self._timer is None:
            wait = 0.0 if self._hurries else self._rest_s
            self._timer = self._loop.call_later(wait, self._turn)

    def all(self) -> None:
        """Do all of it now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            self._one()

    def _turn(self) -> None:
        self._timer = None
        wait = self._wait()
        if wait <= 0:
            self._one()
            while self._bytes > MOST_BYTES:  # requests come faster than one a turn of the loop
                self._one()
            wait = 0.0
        if self._waiting:
            self._timer = self._loop.call_later(wait, self._turn)

    def _wait(self) -> float:
        """Seconds until the first piece may be looked at again; 0 for now."""
        now, (since, _, _) = self._loop.time(), self._waiting[0]
        if self._hurries:
            return 0.0
        rest = self._rest_s if self._under_way else self._last_end + self._rest_s - now
        return min(rest, since + self._most_wait_s - now)

    def _one(self) -> None:
        _, size, work = self._waiting.popleft()
        self._bytes -= size
        self._large -= size > LARGE_BYTES
        work()

    @property
    def _hurries(self) -> bool:
        return self._large > 0 or self._bytes > MOST_BYTES
