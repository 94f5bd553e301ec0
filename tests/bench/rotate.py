"""Purging a 5 MB evidence log, and what an update that runs beside it waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from tests.bench.harness import Row, at_most, report, scratch, settings_for
from wm.api.protocol import RememberRequest
from wm.domain.times import iso
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.learning.remember import remember
from wm.ops.local import open_runtime
from wm.ops.operation import execute
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.storage.evidence_rotation import rotate
from wm.store.base import Ref

LOG_BYTES = 5_000_000
KEPT = 400
"""Entries that exist; a record of each stays for ever."""
ROUNDS = 5
UPDATES = 10


def main() -> bool:
    took, cpu, waits, quiet = [], [], [], []
    for _ in range(ROUNDS):
        with scratch() as folder:
            runtime = open_runtime(settings_for(folder))
            project = folder / "project"
            project.mkdir()
            key = prepare(runtime, project)
            begun, used = time.perf_counter(), time.thread_time()
            found = rotate(runtime, key)
            took.append(time.perf_counter() - begun)
            cpu.append(time.thread_time() - used)
            runtime.store.close()
        with scratch() as folder:
            runtime = open_runtime(settings_for(folder))
            project = folder / "project"
            project.mkdir()
            key = prepare(runtime, project)
            quiet.append(updates(runtime, project, lambda number: number >= UPDATES))
            waits.append(beside(runtime, project, key))
            runtime.store.close()
    size = f"{found.bytes_before / 1e6:.2f} MB, {found.records:,} records, {found.purged:,} purged"
    rows = [
        at_most("rotation", median(took) * 1e3, 100, "ms", f"  ({size})"),
        at_most("of it on the processor", median(cpu) * 1e3, 100, "ms"),
        Row("slowest update beside it", f"{median(waits) * 1e3:.3g} ms"),
        Row("slowest update without it", f"{median(quiet) * 1e3:.3g} ms"),
    ]
    return report("rotating a 5 MB evidence log", rows)


def prepare(runtime: Runtime, project: Path) -> str:
    """A workspace whose log is as large as that, half of it too old."""
    place = locate(runtime, RememberRequest(directory=str(project), text="x"))
    entries = tuple(entry(number) for number in range(KEPT))
    memory = WorkspaceMemory(workspace=Workspace(root=place.root, key=place.key), entries=entries)
    ref: Ref[WorkspaceMemory] = memory_ref(place.key)
    written = number = 0
    now = datetime.now(UTC)
    with runtime.store.transaction([ref]) as transaction:
        transaction.put(ref, memory)
    while written < LOG_BYTES:
        with runtime.store.transaction([]) as transaction:
            for _ in range(200):
                made = record(place.key, number, now - timedelta(days=160 - number / 60))
                transaction.log(made)
                written += len(made.model_dump_json())
                number += 1
    return place.key


def entry(number: int) -> MemoryEntry:
    return MemoryEntry(
        id=f"m_{number:020x}",
        type="project",
        source="explicit",
        text=f"Bay {number} opens before ramp {number * 7}.",
        created_at="2026-01-01T00:00:00.000Z",
        updated_at="2026-01-01T00:00:00.000Z",
    )


def record(key: str, number: int, at: datetime) -> EvidenceRecord:
    admits = number < KEPT
    return EvidenceRecord(
        event_id=f"e_{number:020x}",
        created_at=iso(at),
        workspace_key=key,
        producer_version="1",
        type="memory_promoted" if admits else "candidate_rejected",
        phase="promotion" if admits else "gate",
        outcome="promoted" if admits else "rejected",
        entry=f"m_{number:020x}" if admits else "",
        session=f"{number % 97:032x}",
        reason_codes=() if admits else ("progress_snapshot", "temporary_status"),
        details={"text": f"Step {number}: " + "the quay is swept and the gate is painted. " * 9},
    )


def beside(runtime: Runtime, project: Path, key: str) -> float:
    """Rotate in one thread and remember in this one; seconds of the slowest update."""
    done = threading.Event()

    def purge() -> None:
        rotate(runtime, key)
        done.set()

    thread = threading.Thread(target=purge)
    thread.start()
    slowest = updates(runtime, project, lambda number: number > 1 and done.is_set())
    thread.join()
    return slowest


def updates(runtime: Runtime, project: Path, enough: Callable[[int], bool]) -> float:
    """Remember one fact after the other; seconds of the slowest."""
    waits: list[float] = []
    while not enough(len(waits)):
        text = f"Ship {len(waits)} lies at berth {len(waits) * 3} in winter."
        request = RememberRequest(directory=str(project), text=text)
        start = time.perf_counter()
        execute(runtime, remember, request)
        waits.append(time.perf_counter() - start)
    return max(waits)
