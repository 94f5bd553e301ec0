"""Processes update one folder while some of them are frozen and killed (F28, F55, TR-2).

Each worker adds 1 to its own counter in one shared document (and logs it as evidence), and reports
on a pipe when an update was acknowledged. The parent keeps freezing, thawing and killing random
workers, and restarts the killed ones. At the end no acknowledged update may be missing, and a kill
may have added at most the one update that was under way.
"""

from __future__ import annotations

import os
import random
import select
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from wm.formats.evidence import EvidenceRecord
from wm.formats.home import AllowedDigests
from wm.formats.workspace_memory import Workspace, WorkspaceMemory
from wm.settings import StoreSettings
from wm.store.base import Health, Ref
from wm.store.check import check
from wm.store.files import FileStore

KEY = "0123456789abcdef"
COUNTERS = Ref(AllowedDigests)
"""Shared by all: name of the worker -> its count."""
MEMORY = Ref(WorkspaceMemory, KEY)

_ACKNOWLEDGED = b"a"
_PAUSES_S = (0.005, 0.04)
"""Bounds of the pause between two disturbances."""
_KILLS = 0.4
"""Share of disturbances that kill; the others freeze a worker until the next one."""


@dataclass
class Worker:
    """A child process. lives: number of starts; acknowledged: updates that it reported."""

    name: str
    pid: int = 0
    pipe: int = -1
    acknowledged: int = 0
    killed: int = 0
    frozen: bool = False


@dataclass
class Race:
    """The result of a race."""

    updates: int
    seconds: float = 0.0
    acknowledged: int = 0
    present: int = 0
    killed: int = 0
    frozen: int = 0
    problems: list[str] = field(default_factory=list)


def race(
    home: Path, workers: int, updates: int, *, seed: int, pauses_s: tuple[float, float] = _PAUSES_S
) -> Race:
    """Run `workers` workers until each had `updates` updates acknowledged."""
    began = time.monotonic()
    chance = random.Random(seed)
    crowd = [Worker(f"w{number}") for number in range(workers)]
    for worker in crowd:
        _start(worker, home, updates)
    result = Race(updates)
    due = time.monotonic()
    while any(worker.pid for worker in crowd):
        _listen(crowd)
        for worker in crowd:
            _reap(worker, home, updates)
        if time.monotonic() >= due:
            _disturb(crowd, chance, result)
            due = time.monotonic() + chance.uniform(*pauses_s)
    result.seconds = time.monotonic() - began
    result.acknowledged = sum(worker.acknowledged for worker in crowd)
    result.killed = sum(worker.killed for worker in crowd)
    _judge(home, crowd, result)
    return result


def _start(worker: Worker, home: Path, updates: int) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            _work(home, worker.name, updates - worker.acknowledged, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    worker.pid, worker.pipe, worker.frozen = pid, reading, False


def _work(home: Path, name: str, updates: int, pipe: int) -> None:
    store = FileStore(home, StoreSettings(lock_wait_s=120))
    for _ in range(updates):
        update(store, name)
        os.write(pipe, _ACKNOWLEDGED)


def update(store: FileStore, name: str) -> None:
    with store.transaction([COUNTERS, MEMORY]) as transaction:
        kept = transaction.read(COUNTERS).document or AllowedDigests()
        count = int(kept.digests.get(name, "0")) + 1
        digests = {**kept.digests, name: str(count)}
        transaction.put(COUNTERS, kept.model_copy(update={"digests": digests}))
        memory = transaction.read(MEMORY).document
        memory = memory or WorkspaceMemory(workspace=Workspace(root="/src/app", key=KEY))
        transaction.put(MEMORY, memory.model_copy(update={"updated_at": f"{name} {count}"}))
        transaction.log(
            EvidenceRecord(
                event_id=f"e_{name}_{count}", created_at="", workspace_key=KEY,
                type="counted", phase="user", outcome="changed",
            )
        )  # fmt: skip


def _listen(crowd: list[Worker]) -> None:
    pipes = {worker.pipe: worker for worker in crowd if worker.pipe >= 0}
    if not pipes:
        return
    ready, _, _ = select.select(list(pipes), [], [], 0.005)
    for pipe in ready:
        _count(pipes[pipe])


def _count(worker: Worker) -> None:
    with suppress(BlockingIOError):
        while received := os.read(worker.pipe, 4096):
            worker.acknowledged += len(received)


def _reap(worker: Worker, home: Path, updates: int) -> None:
    """Collect an ended worker; restart it if it was killed before its last update."""
    if not worker.pid:
        return
    pid, status = os.waitpid(worker.pid, os.WNOHANG)
    if not pid:
        return
    _count(worker)
    os.close(worker.pipe)
    worker.pid, worker.pipe = 0, -1
    if os.WIFSIGNALED(status):
        worker.killed += 1
    elif os.WEXITSTATUS(status):
        raise AssertionError(f"worker {worker.name} failed by itself")
    if worker.acknowledged < updates:
        _start(worker, home, updates)


def _disturb(crowd: list[Worker], chance: random.Random, result: Race) -> None:
    """Thaw the frozen worker; freeze or kill another one, so that work continues."""
    living = [worker for worker in crowd if worker.pid]
    chosen = chance.choice(living) if living else None
    for worker in living:
        if worker.frozen:
            _signal(worker, signal.SIGCONT)
            worker.frozen = False
            chosen = None if chosen is worker else chosen
    if chosen is None:
        return
    if chance.random() < _KILLS:
        _signal(chosen, signal.SIGKILL)
    else:
        _signal(chosen, signal.SIGSTOP)
        chosen.frozen = True
        result.frozen += 1


def _signal(worker: Worker, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(worker.pid, number)


def _judge(home: Path, crowd: list[Worker], result: Race) -> None:
    store = FileStore(home, StoreSettings())
    problems = result.problems
    reading = store.read(COUNTERS)
    for ref in (COUNTERS, MEMORY):
        if store.read(ref).health is not Health.OK:
            problems.append(f"{ref.slug}: {store.read(ref).detail}")
    counts = reading.document.digests if reading.document is not None else {}
    log = store.evidence(KEY)
    events = [record.event_id for record in log.records]
    if len(set(events)) != len(events):
        problems.append("evidence is there twice")
    if log.damaged:
        problems.append(f"{log.damaged} damaged records")
    for worker in crowd:
        present = int(counts.get(worker.name, "0"))
        result.present += present
        if not worker.acknowledged <= present <= worker.acknowledged + worker.killed:
            problems.append(
                f"{worker.name}: {present} present, {worker.acknowledged} acknowledged, "
                f"{worker.killed} times killed"
            )
        logged = sum(event.startswith(f"e_{worker.name}_") for event in events)
        if logged < worker.acknowledged:
            problems.append(f"{worker.name}: {logged} logged of {worker.acknowledged}")
    problems += [f"{finding}" for finding in check(store, deep=True) if finding.severity == "error"]


def hold(home: Path) -> tuple[int, int]:
    """Start a child that takes the lock of the memory and holds it; returns its pid, and a pipe
    that reports when it has the lock."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            store = FileStore(home, StoreSettings())
            with store.transaction([MEMORY]):
                os.write(writing, _ACKNOWLEDGED)
                signal.pause()
        finally:
            os._exit(0)
    os.close(writing)
    return pid, reading
