"""Work that is deferred until answers are sent, on a real loop."""

from __future__ import annotations

import asyncio

from tests.proxy.parts import within
from wm.proxy.deferred import MAX_WAITING_BYTES, DeferredWork


async def until_done(done: list[int], count: int) -> None:
    while len(done) < count:
        await asyncio.sleep(0.001)


def test_deferred_work_runs_in_order() -> None:
    async def test() -> None:
        done: list[int] = []
        deferred = DeferredWork(asyncio.get_running_loop(), rest_s=0.005)
        for number in range(3):
            deferred.add(lambda number=number: done.append(number), 10)  # type: ignore[misc]
        await asyncio.sleep(0)
        assert done == []
        await until_done(done, 3)
        assert done == [0, 1, 2]
        deferred.add(lambda: done.append(3), 10)
        await until_done(done, 4)

    within(test)


def test_one_job_runs_per_loop_iteration() -> None:
    async def test() -> None:
        done: list[int] = []
        deferred = DeferredWork(asyncio.get_running_loop(), rest_s=0)
        for number in range(5):
            deferred.add(lambda number=number: done.append(number), 10)  # type: ignore[misc]
        while not done:
            await asyncio.sleep(0)
        assert done == [0]
        await until_done(done, 5)

    within(test)


def test_the_number_of_waiting_jobs_is_bounded() -> None:
    async def test() -> None:
        done: list[int] = []
        deferred = DeferredWork(asyncio.get_running_loop(), rest_s=60.0)
        deferred.add(lambda: done.append(1), 10)
        deferred.add(lambda: done.append(2), MAX_WAITING_BYTES - 1024)
        assert done == [1]
        deferred.add(lambda: done.append(3), 1)
        assert done == [1, 2]
        for number in range(4, 2000):
            deferred.add(lambda number=number: done.append(number), 0)  # type: ignore[misc]
        assert 1999 - len(done) == 1024
        deferred.do_all()
        assert done == list(range(1, 2000))

    within(test)
