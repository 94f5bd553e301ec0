"""Durable updates of one 5 KB document by 1, 8 and 32 agents, against sqlite (WAL, FULL).

Every agent is a process of its own with a fixed number of updates to make, connected before it
begins; the rate counts until the last agent is done. Ours sends each update through the daemon's
socket, on a keep-alive connection, and waits for the acknowledgement; sqlite's does read, change,
write in one transaction of its own. Every flush costs a fixed 2 ms on both sides.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from tests.bench.harness import (
    Row,
    at_least,
    at_most,
    daemon,
    environment,
    flush_shim,
    read_count,
    report,
    scratch,
    settle,
    together,
)
from tests.bench.updates_worker import make_database

UPDATES = {1: 300, 8: 40, 32: 10}
"""Per agent: about three hundred in all, as a burst of tool calls makes them."""
GOALS = {1: 0.4, 8: 2.0, 32: 10.0}
"""Agents at once -> updates a second, times those of sqlite with FULL (docs/adr/0037)."""
WAIT_GOAL = 1 / 20


def measure(agents: int, side: str, shim: dict[str, str]) -> tuple[float, float, float]:
    """Updates per second, longest wait in seconds, flushes per update."""
    with scratch(in_memory=True) as folder:
        counter = folder / "flushes"
        counter.write_bytes(bytes(8))
        extra = {**shim, "WM_BENCH_FLUSH_COUNT": str(counter)}
        if side == "wm":
            with daemon(folder, extra) as client:
                project = folder / "project"
                project.mkdir()
                entries = seed(client, project)
                settle(client)
                before = read_count(counter)
                results = together(
                    [
                        worker("wm", str(project), entries[n % len(entries)], agents)
                        for n in range(agents)
                    ],
                    environment(folder),
                )
                flushes = read_count(counter) - before
        else:
            database = str(folder / "db")
            make_database(database)
            results = together(
                [worker("sqlite", database, "", agents)] * agents, {**environment(folder), **extra}
            )
            flushes = read_count(counter)
    done = agents * UPDATES[agents]
    rate = done / max(result["seconds"] for result in results)
    return rate, max(result["longest"] for result in results), flushes / done


def seed(client: object, project: Path) -> list[str]:
    """Fourteen entries, so that the file is about 5 KB; their ids."""
    ids = []
    for number in range(11):
        text = f"The loading bay number {number} is served by ramp {number * 7} on weekdays only."
        answer = client.call(  # type: ignore[attr-defined]
            "remember", {"directory": str(project), "text": text, "type": "project"}
        )
        ids.append(answer["entry"]["id"])
    return ids


def worker(side: str, where: str, entry: str, agents: int) -> list[str]:
    module = [sys.executable, "-m", "tests.bench.updates_worker"]
    return [*module, side, where, entry, str(UPDATES[agents])]


def main() -> bool:
    rows: list[Row] = []
    with scratch(in_memory=True) as folder:
        shim = flush_shim(folder)
        for agents, goal in GOALS.items():
            rounds = [
                (measure(agents, "wm", shim), measure(agents, "sqlite", shim)) for _ in range(3)
            ]
            rate = median(ours[0] / theirs[0] for ours, theirs in rounds)
            wait = median(ours[1] / theirs[1] for ours, theirs in rounds)
            ours, theirs = rounds[0]
            note = f"  ({ours[0]:.0f}/s against {theirs[0]:.0f}/s)"
            rows.append(at_least(f"{agents} agents, rate", rate, goal, "x sqlite", note))
            flushes = median(o[2] for o, _ in rounds)
            rows.append(
                Row(
                    f"{agents} agents, flushes per update",
                    f"{flushes:.2f} (sqlite {theirs[2]:.2f})",
                )
            )
            note = f"  ({ours[1] * 1000:.0f} ms against {theirs[1] * 1000:.0f} ms)"
            if agents > 1:
                rows.append(
                    at_most(f"{agents} agents, longest wait", wait, WAIT_GOAL, "x sqlite", note)
                )
    return report("durable updates, 2 ms a flush", rows)
