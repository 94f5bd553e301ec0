"""The daemon sweeps by itself: after its start, daily, and after so many events (GV-2)."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.daemon.process import Home
from wm.api.governance import SweepRequest
from wm.api.sessions import EventRequest
from wm.daemon.jobs import Job, Jobs, Stopped, _Throttle
from wm.formats.sweep_log import SessionSweepLog, SweepLog
from wm.formats.tool_output import ToolOutput, file_name
from wm.ops.local import open_runtime
from wm.ops.operation import execute, execute_batch
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.session.record_event import record_event
from wm.ops.storage.sweep import sweep_storage
from wm.settings import Settings, load
from wm.store.base import Ref
from wm.store.paths import sid

WITHIN_S = 20.0


def settings_in(folder: Path, **limits: Any) -> Settings:
    found = load({"HOME": str(folder), "WM_HOME": str(folder / "home")})
    return replace(found, storage=replace(found.storage, **limits))


def keep(runtime: Runtime, project: Path, count: int) -> str:
    """Outputs of an hour ago; the workspace's key."""
    request = EventRequest(
        directory=str(project),
        session_id="s-1",
        event={"kind": "session_started"},  # type: ignore[arg-type]
    )
    execute_batch(runtime, [(record_event, request)])
    key = locate(runtime, request).key
    for number in range(count):
        one = ToolOutput(id=f"t_{number:020x}", session=sid("s-1"), text="a", chars=1)
        runtime.store.keep(Ref(ToolOutput, key, file_name(one.id, one.session)), one)
    runtime.store.flush()
    old = time.time() - 3600
    for path in (runtime.settings.paths.home / "workspaces" / key / "cache").rglob("*.json"):
        os.utime(path, (old, old))
    return key


def outputs(runtime: Runtime, key: str) -> int:
    return len(runtime.store.names(ToolOutput, key))


async def until(fact: Callable[[], bool]) -> None:
    for _ in range(int(WITHIN_S * 100)):
        if fact():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


def made(folder: Path, count: int, **limits: Any) -> tuple[Runtime, str]:
    project = folder / "project"
    project.mkdir()
    runtime = open_runtime(settings_in(folder, **limits))
    return runtime, keep(runtime, project, count)


def jobs_of(runtime: Runtime, reported: list[tuple[str, Exception]]) -> Jobs:
    return Jobs(
        runtime, check_home=lambda: None, report=lambda what, error: reported.append((what, error))
    )


def test_a_start_sweeps_and_leaves_no_thread(tmp_path: Path) -> None:
    runtime, key = made(tmp_path, 8, max_outputs=3)

    async def scene() -> None:
        jobs = jobs_of(runtime, [])
        jobs.begin()
        await until(lambda: runtime.store.read(Ref(SweepLog, key)).document is not None)
        await until(lambda: jobs.ended(0))
        jobs.stop()

    asyncio.run(scene())
    log = runtime.store.read(Ref(SweepLog, key)).document
    assert log is not None
    assert (log.cause, log.deleted, outputs(runtime, key)) == ("start", 5, 3)
    assert not runtime.store.dirty()
    assert not [t for t in threading.enumerate() if t.name == "wm-sweep"]


def test_enough_events_of_one_session_sweep_its_workspace(tmp_path: Path) -> None:
    runtime, key = made(tmp_path, 8, max_outputs=3, sweep_events=5)

    async def scene() -> None:
        jobs = jobs_of(runtime, [])
        jobs.count_events([(key, sid("s-2"))] * 4)
        jobs.count_events([(key, sid("s-1"))] * 4)
        assert jobs.ended(0)
        jobs.count_events([(key, sid("s-1"))])
        await until(lambda: jobs.ended(0))
        jobs.stop()

    asyncio.run(scene())
    log = runtime.store.read(Ref(SessionSweepLog, key, sid("s-1"))).document
    assert log is not None
    assert (log.cause, log.session, log.deleted) == ("events", sid("s-1"), 5)
    assert runtime.store.read(Ref(SweepLog, key)).document is None


def test_only_stored_events_count_towards_a_sweep(tmp_path: Path) -> None:
    runtime, key = made(tmp_path, 0)
    request = EventRequest(
        directory=str(tmp_path / "project"),
        session_id="s-1",
        event={"kind": "session_ended"},  # type: ignore[arg-type]
    )
    nameless = request.model_copy(update={"session_id": ""})
    done = execute_batch(runtime, [(record_event, request), (record_event, nameless)])
    assert [one.effects.recorded for one in done] == [[(key, sid("s-1"))], []]


def test_a_stopped_sweep_is_completed_by_the_next(tmp_path: Path) -> None:
    runtime, key = made(tmp_path, 40, max_outputs=3)

    async def scene() -> None:
        jobs = jobs_of(runtime, [])
        jobs._ending.set()  # the first rest meets it
        jobs._line.submit(Job("start"))
        await until(lambda: jobs.ended(0))
        assert outputs(runtime, key) == 40
        begun = jobs_of(runtime, [])
        begun.begin()
        await until(lambda: begun.ended(0))
        begun.stop()

    asyncio.run(scene())
    assert outputs(runtime, key) == 3


def test_a_pause_ends_the_sweep_when_the_daemon_stops() -> None:
    ending = threading.Event()
    rest = _Throttle(ending, lambda: False)
    rest()
    ending.set()
    rest._begun -= 0.01
    try:
        rest()
    except Stopped:
        return
    raise AssertionError("it went on")


def swept(runtime: Runtime, project: Path, *, dry_run: bool) -> SweepLog:
    request = SweepRequest(directory=str(project), dry_run=dry_run)
    done = execute(runtime, sweep_storage, request)
    return done.logs[0]


def test_a_sweep_of_the_schedule_does_not_come_between_a_dry_run_and_its_gc(tmp_path: Path) -> None:
    runtime, key = made(tmp_path, 8, max_outputs=3)

    async def scene() -> None:
        jobs = jobs_of(runtime, [])
        planned = swept(runtime, tmp_path / "project", dry_run=True)
        jobs.begin()
        jobs.count_events([(key, sid("s-1"))] * runtime.settings.storage.sweep_events)
        await until(lambda: jobs.ended(0))
        assert outputs(runtime, key) == 8
        done = swept(runtime, tmp_path / "project", dry_run=False)
        assert (done.deleted, done.files) == (5, planned.files)
        keep(runtime, tmp_path / "project", 9)
        jobs._due("daily")
        await until(lambda: outputs(runtime, key) == 3)
        jobs.stop()

    asyncio.run(scene())


def test_a_sweep_under_way_ends_at_its_next_step_for_a_dry_run_and_runs_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, key = made(tmp_path, 60, max_outputs=3)
    turns = runtime.signals.sweeps
    monkeypatch.setattr(turns, "PAUSE_S", 0.5, raising=False)
    first, go = threading.Event(), threading.Event()

    def check_home() -> None:
        if not first.is_set():
            first.set()
            assert go.wait(WITHIN_S)

    async def scene() -> None:
        jobs = Jobs(runtime, check_home=check_home, report=lambda _what, _error: None)
        jobs.begin()
        await until(first.is_set)
        asked = asyncio.create_task(
            asyncio.to_thread(swept, runtime, tmp_path / "project", dry_run=True)
        )
        await until(turns.is_paused)
        go.set()
        planned = await asked
        assert planned.deleted == outputs(runtime, key) - 3 == 57
        await until(lambda: outputs(runtime, key) == 3)
        jobs.stop()

    asyncio.run(scene())


@pytest.mark.parametrize("error", [OSError("the drive is gone"), KeyError("a bug of ours")])
def test_a_failed_job_is_reported_and_the_next_one_runs(tmp_path: Path, error: Exception) -> None:
    runtime, key = made(tmp_path, 5, max_outputs=3)
    reported: list[tuple[str, Exception]] = []
    waiting, broken = threading.Event(), [error]

    def check_home() -> None:
        if broken:
            assert waiting.wait(WITHIN_S)
            raise broken.pop()

    async def scene() -> None:
        jobs = Jobs(
            runtime,
            check_home=check_home,
            report=lambda what, error: reported.append((what, error)),
        )
        jobs.begin()
        jobs._due("daily")
        waiting.set()
        await until(lambda: outputs(runtime, key) == 3)
        await until(lambda: jobs.ended(0))
        await until(lambda: bool(reported))
        jobs.stop()

    asyncio.run(scene())
    assert reported == [("sweep (start)", error)]


def test_a_daemon_sweeps_after_its_start_and_stops_cleanly(tmp_path: Path) -> None:
    place = Home(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    runtime = open_runtime(place.settings)
    key = keep(runtime, project, 310)
    try:
        child = place.foreground()
        deadline = time.monotonic() + WITHIN_S
        while outputs(runtime, key) > 300 and time.monotonic() < deadline:
            threading.Event().wait(0.02)
        assert outputs(runtime, key) == 300
        child.terminate()
        assert child.wait(WITHIN_S) == 0
    finally:
        place.kill()
    assert place.log()[-1]["event"] == "stopped"
