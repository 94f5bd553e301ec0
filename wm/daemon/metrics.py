"""Counters and histograms of the daemon, as Prometheus text (IF-1).

Plain numbers, changed on the event loop only. Labels are routes and statuses from our own table,
never text that a client sent, so their number is bounded.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
COUNTS = (1, 2, 4, 8, 16, 32, 64)
_PROBE_EVERY_S = 0.05


class Histogram:
    """Observations in fixed buckets."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str) -> Iterable[str]:
        running = 0
        for bound, count in zip(self.bounds, self.counts, strict=False):
            running += count
            yield f'{name}_bucket{{le="{bound}"}} {running}'
        running += self.counts[-1]
        yield f'{name}_bucket{{le="+Inf"}} {running}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {running}"


class Metrics(Struct, eq=False):
    """All metrics of one daemon."""

    requests: dict[tuple[str, int], int] = field(default_factory=dict)
    batch_sizes: Histogram = field(default_factory=lambda: Histogram(COUNTS))
    commit_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    queue_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    loop_lag_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    flushes: int = 0
    flush_failures: int = 0
    incidents: int = 0
    lost_events: int = 0
    """Updates that were answered when queued, and then not written. last_loss: the last reason."""
    last_loss: str = ""
    queue_refusals: int = 0
    dropped_subscribers: int = 0

    def answered(self, route: str, status: int) -> None:
        key = (route, status)
        self.requests[key] = self.requests.get(key, 0) + 1

    def text(
        self,
        gauges: Mapping[str, float],
        notices: Mapping[tuple[str, str], int] | None = None,
        zones: Mapping[str, int] | None = None,
    ) -> str:
        """The exposition format, version 0.0.4. notices: number of pressure notices by event and
        level (PS-3). zones: recent conversations of proxies by zone (PS-2)."""
        lines = ["# TYPE wm_requests_total counter"]
        for (route, status), count in sorted(self.requests.items()):
            lines.append(f'wm_requests_total{{route="{route}",status="{status}"}} {count}')
        for name, value in (
            ("wm_flushes_total", self.flushes),
            ("wm_flush_failures_total", self.flush_failures),
            ("wm_incidents_total", self.incidents),
            ("wm_lost_events_total", self.lost_events),
            ("wm_queue_refusals_total", self.queue_refusals),
            ("wm_dropped_subscribers_total", self.dropped_subscribers),
        ):
            lines += [f"# TYPE {name} counter", f"{name} {value}"]
        if notices:
            lines.append("# TYPE wm_pressure_total counter")
        for (event, level), count in sorted((notices or {}).items()):
            kind = event.removeprefix("pressure_")
            lines.append(f'wm_pressure_total{{event="{kind}",level="{level}"}} {count}')
        if zones:
            lines.append("# TYPE wm_conversations gauge")
        for zone, count in sorted((zones or {}).items()):
            lines.append(f'wm_conversations{{zone="{zone}"}} {count}')
        for name, gauge in gauges.items():
            lines += [f"# TYPE {name} gauge", f"{name} {gauge:g}"]
        for name, histogram in (
            ("wm_batch_requests", self.batch_sizes),
            ("wm_commit_seconds", self.commit_seconds),
            ("wm_queue_seconds", self.queue_seconds),
            ("wm_loop_lag_seconds", self.loop_lag_seconds),
        ):
            lines += [f"# TYPE {name} histogram", *histogram.lines(name)]
        return "\n".join(lines) + "\n"


class LagProbe(Struct, eq=False):
    """How long a ready callback waits for its turn on the loop.

    It measures only after work, and at most every 50 ms, so it does not wake an idle daemon.
    """

    loop: asyncio.AbstractEventLoop
    histogram: Histogram
    clock: Callable[[], float] = time.perf_counter
    _last: float = 0.0

    def touch(self) -> None:
        """After work: measure the delay of the ready queue once."""
        now = self.clock()
        if now - self._last >= _PROBE_EVERY_S:
            self._last = now
            self.loop.call_soon(self._landed, now)

    def _landed(self, begin: float) -> None:
        self.histogram.observe(self.clock() - begin)
