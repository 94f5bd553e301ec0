"""What waits until nobody is in a hurry, on a real loop."""

from __future__ import annotations

import asyncio

from tests.proxy.parts import within
from wm.proxy.later import LARGE_BYTES, MOST_BYTES, Later


async def turned(done: list[int], count: int) -> None:
    while len(done) < count:
        await asyncio.sleep(0.001)


def test_it_waits_while_something_is_under_way_and_keeps_the_order() -> None:
    async def test() -> None:
        done: list[int] = []
        later = Later(asyncio.get_running_loop(), rest_s=0.005, most_wait_s=60.0)
        later.begun()
        for number in range(3):
            later.do(lambda number=number: done.append(number), 10)  # type: ignore[misc]
        for _ in range(4):  # longer than the rest that it waits for
            await asyncio.sleep(0.005)
        assert done == []
        later.ended()
        await turned(done, 3)
        assert done == [0, 1, 2]

    within(test)


def test_where_something_always_is_under_way_it_waits_so_long_and_no_longer() -> None:
    async def test() -> None:
        done: list[int] = []
        later = Later(asyncio.get_running_loop(), rest_s=0.001, most_wait_s=0.02)
        later.begun()
        later.do(lambda: done.append(1), 10)
        await turned(done, 1)

    within(test)


def test_no_more_than_a_bound_is_held_for_it() -> None:
    async def test() -> None:
        done: list[int] = []
        later = Later(asyncio.get_running_loop(), rest_s=0.001, most_wait_s=60.0)
        later.begun()
        later.do(lambda: done.append(1), MOST_BYTES)
        later.do(lambda: done.append(2), 1)
        await turned(done, 1)
        for _ in range(5):
            await asyncio.sleep(0.001)
        assert done == [1]
        later.all()
        assert done == [1, 2]

    within(test)


def test_what_comes_faster_than_turns_of_the_loop_does_not_pile_up() -> None:
    async def test() -> None:
        done: list[int] = []
        later = Later(asyncio.get_running_loop(), rest_s=60.0, most_wait_s=60.0)
        later.begun()
        for number in range(6):
            later.do(lambda number=number: done.append(number), MOST_BYTES)  # type: ignore[misc]
        for _ in range(2):
            await asyncio.sleep(0)
        assert done[:5] == [0, 1, 2, 3, 4]

    within(test)


def test_what_holds_much_is_done_at_once_behind_all_before_it() -> None:
    async def test() -> None:
        done: list[int] = []
        later = Later(asyncio.get_running_loop(), rest_s=60.0, most_wait_s=60.0)
        later.begun()
        later.do(lambda: done.append(1), 10)
        later.do(lambda: done.append(2), LARGE_BYTES + 1)
        later.do(lambda: done.append(3), 10)
        await turned(done, 2)
        for _ in range(5):
            await asyncio.sleep(0.001)
        assert done == [1, 2]

    within(test)
