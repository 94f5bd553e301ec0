"""The threads for disk work: order of jobs, and no job is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.daemon.wire import run
from wm.daemon.actors import Workers


def job(workers: Workers, work: Callable[[], Any]) -> asyncio.Future[Any]:
    """Submit a job; what it ends with."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    workers.submit(work, future.set_result)
    return future


def test_jobs_wait_for_a_thread_in_order() -> None:
    async def scenario() -> None:
        workers = Workers(asyncio.get_running_loop(), 1)
        done: list[int] = []
        jobs = [job(workers, lambda number=number: done.append(number)) for number in range(5)]  # type: ignore[misc]
        await asyncio.gather(*jobs)
        assert done == [0, 1, 2, 3, 4]
        assert workers.close(20.0)

    run(scenario)


def test_a_shutdown_runs_after_the_waiting_jobs() -> None:
    async def scenario() -> None:
        workers = Workers(asyncio.get_running_loop(), 2)
        done: list[int] = []
        for number in range(6):
            job(workers, lambda number=number: done.append(number))  # type: ignore[misc]
        assert await asyncio.to_thread(workers.close, 20.0)
        assert sorted(done) == [0, 1, 2, 3, 4, 5]

    run(scenario)


def test_an_exception_of_a_job_is_its_result() -> None:
    async def scenario() -> None:
        workers = Workers(asyncio.get_running_loop(), 1)
        assert isinstance(await job(workers, lambda: 1 // 0), ZeroDivisionError)
        assert workers.close(20.0)

    run(scenario)
