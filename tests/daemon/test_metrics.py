"""Counters, histograms and the lag probe."""

from __future__ import annotations

import asyncio

from wm.daemon.metrics import Histogram, LagProbe, Metrics


def test_a_histogram_counts_up_to_each_bound() -> None:
    histogram = Histogram((1, 2))
    for value in (0.5, 1, 1.5, 2, 9):
        histogram.observe(value)
    assert list(histogram.lines("h")) == [
        'h_bucket{le="1"} 2',
        'h_bucket{le="2"} 4',
        'h_bucket{le="+Inf"} 5',
        "h_sum 14.000000",
        "h_count 5",
    ]


def test_the_text_is_valid_for_prometheus() -> None:
    metrics = Metrics()
    metrics.answered("GET /v1/status", 200)
    metrics.answered("GET /v1/status", 200)
    metrics.answered("none", 404)
    lines = metrics.text({"wm_connections": 3}).splitlines()
    assert lines[:3] == [
        "# TYPE wm_requests_total counter",
        'wm_requests_total{route="GET /v1/status",status="200"} 2',
        'wm_requests_total{route="none",status="404"} 1',
    ]
    assert "wm_connections 3" in lines
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(names) == len(set(names))


def test_with_a_proxy_conversations_are_a_gauge_by_zone() -> None:
    lines = Metrics().text({}, None, {"warning": 1, "caution": 2}).splitlines()
    begin = lines.index("# TYPE wm_conversations gauge")
    assert lines[begin + 1 : begin + 3] == [
        'wm_conversations{zone="caution"} 2',
        'wm_conversations{zone="warning"} 1',
    ]
    assert "wm_conversations" not in Metrics().text({}, None, {})


def test_the_probe_runs_only_after_work_and_at_most_once_per_interval() -> None:
    async def scenario() -> None:
        histogram = Histogram((1,))
        ticks = iter([10.0, 10.01, 10.02, 11.0, 11.5])
        probe = LagProbe(asyncio.get_running_loop(), histogram, lambda: next(ticks))
        probe.touch()  # at 10.0; it lands at 10.01
        await asyncio.sleep(0)
        probe.touch()  # at 10.02: too soon
        await asyncio.sleep(0)
        assert sum(histogram.counts) == 1
        probe.touch()  # at 11.0; it lands at 11.5
        await asyncio.sleep(0)
        assert sum(histogram.counts) == 2
        assert round(histogram.total, 6) == 0.51

    asyncio.run(scenario())
