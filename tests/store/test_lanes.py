"""Calls side by side: all are run, none waits for another caller's, and a fork begins anew."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from wm.store.lanes import Lanes


def test_all_calls_run_at_the_same_time() -> None:
    meet = threading.Barrier(3, timeout=20)
    Lanes(2).run([meet.wait, meet.wait, meet.wait])
    assert not meet.broken


def test_more_calls_than_threads_are_run_one_after_the_other() -> None:
    done: list[int] = []
    Lanes(1).run([lambda number=number: done.append(number) for number in range(5)])  # type: ignore[misc]
    assert sorted(done) == [0, 1, 2, 3, 4]


def test_a_caller_does_not_wait_for_threads_that_are_busy_with_others() -> None:
    lanes = Lanes(1)
    begun, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        assert go_on.wait(20)

    other = threading.Thread(target=lanes.run, args=([lambda: None, hang],))
    other.start()
    assert begun.wait(20)
    done: list[int] = []
    lanes.run([lambda: done.append(1), lambda: done.append(2)])
    assert done == [1, 2]
    go_on.set()
    other.join(20)


def test_the_thread_that_was_busy_last_is_the_next_one() -> None:
    lanes = Lanes(3)
    meet = threading.Barrier(4, timeout=20)
    lanes.run([meet.wait] * 4)  # now there are three
    used: list[int] = []
    for _ in range(5):
        lanes.run([lambda: None, lambda: used.append(threading.get_ident())])
    assert len(used) == 5
    assert len(set(used)) == 1


def test_a_forked_child_has_threads_of_its_own() -> None:
    lanes = Lanes(1)
    lanes.run([lambda: None, lambda: None])
    child = os.fork()
    if child == 0:
        meet = threading.Barrier(2, timeout=20)
        lanes.run([meet.wait, meet.wait])
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has batch threads")
def test_a_thread_that_is_woken_leaves_the_processor_to_who_woke_it() -> None:
    before = os.sched_getscheduler(0)
    meet = threading.Barrier(2, timeout=20)
    found: dict[int, int] = {}

    def look() -> None:
        found[threading.get_ident()] = os.sched_getscheduler(0)
        meet.wait()

    Lanes(1).run([look, look])
    here = found.pop(threading.get_ident())
    assert (here, list(found.values())) == (before, [os.SCHED_BATCH])
