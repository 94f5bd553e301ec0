"""Small requests beside a daemon that indexes 10,000 entries: how long they take, and when idle.

The entries lie in their file; the first search makes the daemon load what it needs for it, read
the file, index all words, embed all texts and save their vectors. What is measured lasts from
that search until the vectors are saved. Idle answers are taken before and behind it, of several
daemons one after the other, and all are looked at together: the hundredth part of those of one
daemon is a handful, and swings by half.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tests.bench.harness import Row, at_most, daemon, report, scratch, settings_for, settle
from tests.bench.idle import resident_mb
from tests.bench.request import asking, connect, receive
from wm.daemon.client import Client
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.local import open_runtime
from wm.store.base import Ref
from wm.store.identity import key_of

ENTRIES = 10_000
ROUNDS = 3
IDLE_S = 3.0
WITHIN_S = 120.0
GOAL = 4.0
TIMES = "2026-11-21T09:00:00.000Z"
WORDS = ("harbour", "berth", "crane", "tide", "ledger", "invoice", "queue", "retry", "anchor")
"""Of these the texts are made, each with a number."""


@dataclass(frozen=True)
class Round:
    """One daemon: milliseconds of its answers, seconds until the first search was answered and
    until all was saved, resident megabytes afterwards."""

    idle: list[float]
    busy: list[float]
    searched: float
    took: float
    memory: float


def main() -> bool:
    rounds = []
    for _ in range(ROUNDS):
        with scratch() as folder:
            rounds.append(measured(folder))
    idle = sorted(chain.from_iterable(one.idle for one in rounds))
    busy = sorted(chain.from_iterable(one.busy for one in rounds))
    slow, usual = share(busy, 0.99), share(idle, 0.99)
    each = ", ".join(f"{share(one.busy, 0.99) / share(one.idle, 0.99):.2g}" for one in rounds)
    rows = [
        Row("took", f"{joined(one.took for one in rounds)} s, {len(busy):,} answers meanwhile"),
        Row("first search, answered meanwhile", f"{joined(one.searched for one in rounds)} s"),
        Row("answers when idle, p50, p99", f"{share(idle, 0.5):.3g} ms, {usual:.3g} ms"),
        Row("answers meanwhile, p50", f"{share(busy, 0.5):.3g} ms"),
        at_most(
            "answers meanwhile, p99", slow / usual, GOAL, "x", f" ({slow:.3g} ms; each: {each})"
        ),
        Row("answers meanwhile, slowest", f"{joined(one.busy[-1] for one in rounds)} ms"),
        Row("memory afterwards", f"{joined(one.memory for one in rounds)} MB"),
    ]
    return report(f"{ENTRIES:,} entries indexed beside a daemon that answers", rows)


def joined(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)


def measured(folder: Path) -> Round:
    small, large = folder / "small", folder / "large"
    for project in (small, large):
        project.mkdir()
    key = fill(folder, large)
    with daemon(folder) as client:
        head = asking(client, small)
        ours = connect(folder / "wm" / "run" / "wm.sock")
        settle(client)
        resting(ours, head)
        idle = resting(ours, head)
        saved = folder / "wm" / "workspaces" / key / "vectors"
        begun = time.monotonic()
        ends: list[float] = []
        searching = threading.Thread(target=ask, args=(settings_for(folder), large, ends))
        searching.start()
        busy = waits(
            ours, head, lambda: any(saved.glob("*.rows")) or time.monotonic() - begun > WITHIN_S
        )
        took = time.monotonic() - begun
        searching.join()
        settle(client)
        idle += resting(ours, head)
        memory = resident_mb(int(client.call("status", {})["pid"]))
    return Round(sorted(idle), busy, ends[0] - begun, took, memory)


def resting(sock: socket.socket, head: bytes) -> list[float]:
    """The answers of a daemon that has nothing else to do."""
    until = time.monotonic() + IDLE_S
    return waits(sock, head, lambda: time.monotonic() > until)


def fill(folder: Path, project: Path) -> str:
    """Write a memory of many entries; the key of its workspace."""
    draw = random.Random(20261122)
    entries = tuple(
        MemoryEntry.model_validate(
            {
                "id": f"m_{number:020x}",
                "text": " ".join(draw.choices(WORDS, k=14)) + f" {number}",
                "type": "project",
                "source": "explicit",
                "createdAt": TIMES,
                "updatedAt": TIMES,
            }
        )
        for number in range(ENTRIES)
    )
    runtime = open_runtime(settings_for(folder))
    key = key_of(str(project))
    ref = Ref(WorkspaceMemory, key)
    memory = WorkspaceMemory(workspace=Workspace(root=str(project), key=key), entries=entries)
    with runtime.store.transaction([ref]) as transaction:
        transaction.put(ref, memory)
    runtime.store.close()
    return key


def ask(settings: object, project: Path, ends: list[float]) -> None:
    client = Client(settings)  # type: ignore[arg-type]
    client.call("search", {"directory": str(project), "query": "which crane stands at the berth"})
    ends.append(time.monotonic())


def waits(sock: socket.socket, head: bytes, enough: Callable[[], bool]) -> list[float]:
    """Ask again and again; milliseconds of each answer, sorted."""
    found = []
    while not enough():
        for _ in range(20):
            start = time.perf_counter()
            sock.sendall(head)
            receive(sock)
            found.append((time.perf_counter() - start) * 1e3)
            time.sleep(0.001)
    return sorted(found)


def share(found: list[float], part: float) -> float:
    return found[min(len(found) - 1, int(len(found) * part))]
