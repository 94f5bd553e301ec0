"""A daemon that sweeps 100,000 files: how long its answers take meanwhile, and when it is idle."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.harness import Row, at_most, daemon, report, scratch, settings_for
from tests.bench.idle import resident_mb
from wm.daemon.client import Client
from wm.formats.tool_output import ToolOutput, file_name
from wm.ops.local import open_runtime
from wm.ops.session.tool_outputs import output_ref
from wm.store.identity import key_of
from wm.store.paths import sid

FILES = 100_000
KEPT = 300
GOAL_MS = 100.0
IDLE_S = 5.0
PAUSE_S = 0.003
WITHIN_S = 300.0


def main() -> bool:
    with scratch() as folder:
        project = folder / "project"
        project.mkdir()
        with daemon(folder) as client:
            client.call("remember", {"directory": str(project), "text": "We ship with make."})
            until = time.monotonic() + IDLE_S
            idle = waits(client, lambda: time.monotonic() > until)
        key = key_of(str(project))
        cache = fill(folder, key)
        log = cache.parents[1] / "sweep.json"
        log.unlink(missing_ok=True)
        begun = time.monotonic()
        with daemon(folder) as client:
            swept = waits(client, lambda: log.exists() or time.monotonic() - begun > WITHIN_S)
            took = time.monotonic() - begun
            pid = int(client.call("status", {})["pid"])
            memory = resident_mb(pid)
        left = sum(1 for name in os.listdir(cache))
    rows = [
        Row("files left", f"{left:,} of {FILES:,}", f"{KEPT}", left == KEPT),
        Row("took", f"{took:.1f} s, {len(swept):,} answers meanwhile"),
        Row("answers when idle, p99", f"{share(idle, 0.99):.3g} ms"),
        Row("answers when idle, slowest", f"{idle[-1]:.3g} ms"),
        Row("answers meanwhile, p99", f"{share(swept, 0.99):.3g} ms"),
        at_most("answers meanwhile, slowest", swept[-1], GOAL_MS, "ms"),
        Row("memory afterwards", f"{memory:.3g} MB"),
    ]
    return report("a sweep of 100,000 files beside a daemon that answers", rows)


def fill(folder: Path, key: str) -> Path:
    """Outputs of an hour and more ago: one is written by the store, the others are its copies
    under other names. Their folder."""
    runtime = open_runtime(settings_for(folder))
    one = ToolOutput(id=f"t_{0:020x}", session=sid("s"), text="The quay is swept. " * 20, chars=380)
    runtime.store.keep(output_ref(key, file_name(one.id, one.session)), one)
    runtime.store.close()
    cache = settings_for(folder).paths.home / "workspaces" / key / "cache" / "tool-outputs"
    raw = (cache / f"{file_name(one.id, one.session)}.json").read_bytes()
    now = time.time()
    for number in range(FILES):
        path = cache / f"{file_name(f't_{number:020x}', one.session)}.json"
        path.write_bytes(raw)
        path.chmod(0o600)
        os.utime(path, (now - 3600 - number,) * 2)
    return cache


def waits(client: Client, enough: Callable[[], bool]) -> list[float]:
    """Ask for the status again and again; milliseconds of each answer, sorted."""
    found = []
    while not enough():
        start = time.perf_counter()
        client.call("status", {})
        found.append((time.perf_counter() - start) * 1e3)
        time.sleep(PAUSE_S)
    return sorted(found)


def share(found: list[float], part: float) -> float:
    return found[min(len(found) - 1, int(len(found) * part))]
