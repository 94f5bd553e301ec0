"""Rendering a prompt with 10,000 stored entries against one with 100, through the daemon."""

from __future__ import annotations

import time
from pathlib import Path

from tests.bench.harness import at_most, ratio, report, scratch, settings_for
from wm.api.sessions import PromptRequest
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.local import open_runtime
from wm.ops.operation import execute
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.session.prompt import prompt
from wm.store.base import Ref

SESSIONS = 40


def main() -> bool:
    with scratch() as folder:
        runtime = open_runtime(settings_for(folder))
        many, few = (prepare(runtime, folder, count) for count in (10_000, 100))
        numbers = iter(range(10**9))
        value, left, right = ratio(
            lambda: open_epochs(runtime, many, numbers), lambda: open_epochs(runtime, few, numbers)
        )
        runtime.store.close()
    note = f"  ({left * 1e3:.2f} ms against {right * 1e3:.2f} ms)"
    return report("rendering a new epoch", [at_most("10,000 entries", value, 3, "x 100", note)])


def prepare(runtime: Runtime, folder: Path, count: int) -> Path:
    """A workspace of `count` entries, rendered once."""
    project = folder / f"project-{count}"
    project.mkdir()
    place = locate(runtime, PromptRequest(directory=str(project), session_id="s"))
    entries = tuple(entry(number) for number in range(count))
    memory = WorkspaceMemory(workspace=Workspace(root=place.root, key=place.key), entries=entries)
    ref: Ref[WorkspaceMemory] = memory_ref(place.key)
    with runtime.store.transaction([ref]) as transaction:
        transaction.put(ref, memory)
    open_epochs(runtime, project, iter(range(-SESSIONS, 0)))
    return project


def entry(number: int) -> MemoryEntry:
    kinds = ("feedback", "decision", "project", "reference")
    moment = f"2026-{number % 11 + 1:02}-{number % 27 + 1:02}T12:00:00.000Z"
    return MemoryEntry(
        id=f"m_{number:020x}",
        type=kinds[number % 4],
        source="explicit",
        text=f"Rule {number}: bay {number * 31 % 997} opens before ramp {number}.",
        created_at=moment,
        updated_at=moment,
        retention_clock=moment,
    )


def open_epochs(runtime: Runtime, project: Path, numbers: object) -> float:
    """Seconds per first prompt of a new session."""
    begun = time.perf_counter()
    for _ in range(SESSIONS):
        session = f"session {next(numbers)}"  # type: ignore[call-overload]
        execute(runtime, prompt, PromptRequest(directory=str(project), session_id=session))
    return (time.perf_counter() - begun) / SESSIONS
