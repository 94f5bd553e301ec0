"""Queues: order, group commit, deadlines, bugs, and the relaxed flush."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.inside import Inside, inside
from tests.daemon.toys import OPERATIONS, NoteRequest, NotesRequest
from tests.daemon.wire import run, until
from wm.errors import Busy, HostError, NotFound, StoreError, Unanswered
from wm.ops.operation import Done, execute


def note(daemon: Inside, text: str, **fields: Any) -> asyncio.Future[Done[Any]]:
    """Queue a note; its answer."""
    future: asyncio.Future[Done[Any]] = asyncio.get_running_loop().create_future()
    request = NoteRequest(text=text, **fields)
    daemon.actors.update(OPERATIONS["note"], request, future.set_result)
    return future


def texts(daemon: Inside) -> list[str]:
    return list(execute(daemon.runtime, OPERATIONS["notes"], NotesRequest()).texts)


def test_waiting_updates_are_one_batch_in_order(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            gate = tmp_path / "gate"
            first = note(daemon, "0", gate=str(gate))
            others = [note(daemon, str(number)) for number in range(1, 10)]
            assert daemon.actors.waiting == 9
            gate.touch()
            await asyncio.gather(first, *others)
            assert texts(daemon) == [str(number) for number in range(10)]
            assert daemon.metrics.batch_sizes.total == 10
            assert sum(daemon.metrics.batch_sizes.counts) == 2
            assert len(daemon.published) == 10
            assert daemon.actors.waiting == 0

    run(scenario)


def test_an_early_answered_event_runs_after_its_answer_and_before_the_next_event(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            future: asyncio.Future[Done[Any]] = asyncio.get_running_loop().create_future()
            request = NoteRequest(text="first")
            daemon.actors.update(OPERATIONS["note"], request, future.set_result, soon=True)
            assert daemon.metrics.batch_sizes.total == 0
            await asyncio.gather(future, note(daemon, "second"))
            assert texts(daemon) == ["first", "second"]

            future = asyncio.get_running_loop().create_future()
            daemon.actors.update(OPERATIONS["note"], request, future.set_result, soon=True)
            await future
            assert daemon.metrics.batch_sizes.total == 3

    run(scenario)


def test_an_answered_event_is_run_even_after_its_deadline(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path, request_timeout_s=0.2) as daemon:
            gate = tmp_path / "gate"
            slow = note(daemon, "slow", gate=str(gate))
            future: asyncio.Future[Done[Any]] = asyncio.get_running_loop().create_future()
            request = NoteRequest(text="received")
            daemon.actors.update(OPERATIONS["note"], request, future.set_result, soon=True)
            assert isinstance((await slow).error, Unanswered)
            late = note(daemon, "late")
            assert isinstance((await late).error, Busy)
            assert not future.done()
            gate.touch()
            assert (await future).error is None
            assert texts(daemon) == ["slow", "received"]

    run(scenario)


def test_a_batch_is_not_larger_than_allowed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path, batch_requests=4) as daemon:
            gate = tmp_path / "gate"
            calls = [note(daemon, str(n), gate=str(gate) if n == 0 else "") for n in range(10)]
            gate.touch()
            await asyncio.gather(*calls)
            assert sum(daemon.metrics.batch_sizes.counts) == 4  # 1, 4, 4, 1

    run(scenario)


def test_workspaces_do_not_wait_for_each_other(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            gate = tmp_path / "gate"
            held = note(daemon, "held", gate=str(gate))
            await note(daemon, "free", workspace="f" * 16)
            assert not held.done()
            gate.touch()
            await held

    run(scenario)


def test_nothing_is_answered_or_published_before_it_is_on_disk(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            seen: list[list[str]] = []
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

            def answered(_done: Done[Any]) -> None:
                seen.append(texts(daemon))
                future.set_result(None)

            request = NoteRequest(text="x")
            daemon.actors.update(OPERATIONS["note"], request, answered)
            await future
            assert seen == [["x"]]

    run(scenario)


def test_a_failed_update_does_not_fail_the_others(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            gate = tmp_path / "gate"
            head = note(daemon, "0", gate=str(gate))
            batch = [note(daemon, text) for text in ("1", "missing", "2", "bug", "3")]
            gate.touch()
            await head
            done = await asyncio.gather(*batch)
            assert [type(one.error) for one in done] == [
                type(None),
                NotFound,
                type(None),
                RuntimeError,
                type(None),
            ]
            assert texts(daemon) == ["0", "1", "2", "3"]

    run(scenario)


def test_a_full_queue_refuses_updates_with_503(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path, queue_requests=2) as daemon:
            gate = tmp_path / "gate"
            calls = [note(daemon, str(n), gate=str(gate)) for n in range(3)]
            with pytest.raises(HostError) as caught:
                note(daemon, "too many")
            assert (caught.value.status, caught.value.code) == (503, "too_busy")
            assert daemon.metrics.queue_refusals == 1
            gate.touch()
            await asyncio.gather(*calls)

    run(scenario)


def test_a_deadline_ends_the_wait_and_reports_what_is_known(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path, request_timeout_s=0.2) as daemon:
            gate = tmp_path / "gate"
            under_way = note(daemon, "under way", gate=str(gate))
            behind = note(daemon, "behind")
            assert isinstance((await under_way).error, Unanswered)
            assert isinstance((await behind).error, Busy)
            gate.touch()
            await until(lambda: not daemon.actors._queues)
            assert texts(daemon) == ["under way"]

    run(scenario)


def test_a_lost_data_folder_refuses_updates_before_any_write(tmp_path: Path) -> None:
    def gone() -> None:
        raise StoreError("The data folder is gone.")

    async def scenario() -> None:
        async with inside(tmp_path, check_home=gone) as daemon:
            done = await note(daemon, "x")
            assert isinstance(done.error, StoreError)
            assert texts(daemon) == []

    run(scenario)


def touch(daemon: Inside) -> asyncio.Future[Done[Any]]:
    future: asyncio.Future[Done[Any]] = asyncio.get_running_loop().create_future()
    daemon.actors.update(OPERATIONS["touch"], NotesRequest(), future.set_result)
    return future


def test_relaxed_documents_are_flushed_by_one_timer_that_ends(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path, flush_s=0.05) as daemon:
            assert daemon.actors._flush_timer is None
            await touch(daemon)
            await touch(daemon)
            assert daemon.runtime.store.dirty()
            assert daemon.actors._flush_timer is not None
            await until(lambda: daemon.metrics.flushes == 1)
            assert not daemon.runtime.store.dirty()
            assert daemon.actors._flush_timer is None

    run(scenario)


def test_a_failed_flush_is_reported_and_retried(tmp_path: Path) -> None:
    asked: list[None] = []

    def check_home() -> None:
        asked.append(None)
        if len(asked) in (2, 3):  # the update itself asks first
            raise StoreError("The disk is away.")

    async def scenario() -> None:
        async with inside(tmp_path, flush_s=0.01, check_home=check_home) as daemon:
            await touch(daemon)
            await until(lambda: daemon.metrics.flushes == 1)
            assert [what for what, _ in daemon.reported] == ["flush", "flush"]
            assert daemon.metrics.flush_failures == 2
            assert len(asked) == 4
            assert not daemon.runtime.store.dirty()

    run(scenario)


def test_draining_waits_for_queued_updates(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            gate = tmp_path / "gate"
            calls = [note(daemon, str(n), gate=str(gate)) for n in range(3)]
            assert not await daemon.actors.drain(0.05)
            draining = asyncio.ensure_future(daemon.actors.drain(5.0))
            gate.touch()
            assert await draining
            assert all(call.done() for call in calls)

    run(scenario)


def test_a_query_in_a_worker_thread_is_answered_like_one_on_the_loop(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            await note(daemon, "x")
            future: asyncio.Future[Done[Any]] = asyncio.get_running_loop().create_future()
            daemon.actors.query(OPERATIONS["notes"], NotesRequest(), future.set_result)
            now = daemon.actors.query_now(OPERATIONS["notes"], NotesRequest())
            assert (await future).response == now.response

    run(scenario)
