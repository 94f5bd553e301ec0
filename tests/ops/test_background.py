"""One thread works through a line: what raises is told, and what waits behind it is done."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator
from importlib.machinery import PathFinder

import pytest

from tests.ops.conftest import Bench
from wm.formats.protocol import Place
from wm.ops.background import (
    TURN_S,
    Answering,
    Background,
    Pace,
    resting_imports,
    short_turns,
    tasks,
)
from wm.ops.heap import none_collected
from wm.ops.recalled import _Prepare
from wm.ops.runtime import Ids

WITHIN_S = 20.0


class Scene:
    """A background whose first job waits until it may go on."""

    def __init__(self, most: int = 64) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.done: list[tuple[str, str]] = []
        self.failed: list[tuple[str, str]] = []
        self.line = Background(self._do, self._failed, name="wm-scene", most=most)

    def begin(self) -> None:
        assert self.line.submit("first")
        assert self.begun.wait(WITHIN_S)

    def end(self) -> None:
        self.go_on.set()
        assert self.line.finish(WITHIN_S)

    def _do(self, job: str) -> None:
        self.begun.set()
        assert self.go_on.wait(WITHIN_S)
        if job.startswith("bad"):
            raise KeyError(job)
        self.done.append((job, threading.current_thread().name))

    def _failed(self, job: str, error: Exception) -> None:
        self.failed.append((job, repr(error)))


@pytest.fixture
def scene() -> Iterator[Scene]:
    scene = Scene()
    yield scene
    scene.end()


def test_a_job_that_raises_is_told_with_its_cause_and_the_next_is_done(scene: Scene) -> None:
    scene.begin()
    for job in ("bad", "second", "bad too", "third"):
        assert scene.line.submit(job)
    scene.end()
    assert scene.done == [(job, "wm-scene") for job in ("first", "second", "third")]
    assert scene.failed == [("bad", "KeyError('bad')"), ("bad too", "KeyError('bad too')")]


def test_a_thread_lives_while_there_is_work_only(scene: Scene) -> None:
    for _ in range(2):
        scene.begin()
        scene.end()
        assert [t for t in threading.enumerate() if t.name == "wm-scene"] == []
    assert len(scene.done) == 2


def test_a_job_waits_once_and_so_many_wait_only() -> None:
    scene = Scene(most=2)
    scene.begin()
    answers = [scene.line.submit(job) for job in ("a", "a", "b", "c")]
    scene.end()
    assert answers == [True, False, True, False]
    assert [job for job, _ in scene.done] == ["first", "a", "b"]


def test_what_did_not_begin_can_be_forgotten(scene: Scene) -> None:
    scene.begin()
    scene.line.submit("second")
    scene.line.clear()
    scene.end()
    assert [job for job, _ in scene.done] == ["first"]


def test_to_finish_waits_no_longer_than_it_may(scene: Scene) -> None:
    scene.begin()
    assert not scene.line.finish(0)


def test_a_job_that_got_no_thread_is_done_when_there_is_one_again() -> None:
    done: list[str] = []
    line = Background(done.append, name="wm-scene")
    usual = threading.stack_size(1 << 47)  # more than there are addresses
    try:
        with pytest.raises(RuntimeError):
            line.submit("first")
    finally:
        threading.stack_size(usual)
    assert line.submit("first")
    assert line.finish(WITHIN_S)
    assert done == ["first"]


def test_a_task_nobody_listens_to_is_told_where_uncaught_errors_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[str, str]] = []

    def hook(given: threading.ExceptHookArgs) -> None:
        assert given.thread is not None
        told.append((given.thread.name, repr(given.exc_value)))

    monkeypatch.setattr(threading, "excepthook", hook)
    done: list[int] = []
    line = tasks(Answering())
    for task in (lambda: done.append(1), lambda: done.append(1 // 0), lambda: done.append(2)):
        assert line.submit(task)
    assert line.finish(WITHIN_S)
    assert done == [1, 2]
    assert told == [
        ("wm-index", "ZeroDivisionError('integer division or modulo by zero')"),
    ]


def test_a_request_in_the_works_is_let_through_even_after_a_short_step() -> None:
    answering = Answering(now=True)
    rest = Pace(answering, awaited=True)
    rest()  # the first call in a thread only begins to count
    begun = time.monotonic()
    for _ in range(10):
        rest()
    slept = time.monotonic() - begun
    answering.now = False
    begun = time.monotonic()
    for _ in range(10):
        rest()
    assert slept >= 10 * 0.0004
    assert time.monotonic() - begun < slept


@pytest.mark.parametrize(("usual", "meanwhile"), [(TURN_S, 0.0001), (0.005, 0.005), (0.02, 0.02)])
def test_turns_are_short_only_in_a_process_that_serves(usual: float, meanwhile: float) -> None:
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(usual)
        with short_turns(Answering()):
            assert sys.getswitchinterval() == pytest.approx(meanwhile)
        assert sys.getswitchinterval() == pytest.approx(usual)
    finally:
        sys.setswitchinterval(before)


def test_the_loop_gets_the_lock_soon_and_keeps_it_for_its_turn() -> None:
    answering = Answering()
    before = sys.getswitchinterval()
    seen: list[float] = []
    try:
        sys.setswitchinterval(TURN_S)
        with short_turns(answering):
            for step in (answering.begin, answering.end, answering.begin):
                step()
                seen.append(sys.getswitchinterval())
            with short_turns(answering):
                answering.end()
            seen.append(sys.getswitchinterval())
        seen.append(sys.getswitchinterval())
        answering.begin()
        answering.end()
        seen.append(sys.getswitchinterval())
    finally:
        sys.setswitchinterval(before)
    assert seen == pytest.approx([TURN_S, 0.0001, TURN_S, 0.0001, TURN_S, TURN_S])


def test_a_thread_rests_before_each_module_that_it_imports_and_no_other_does() -> None:
    rests: list[int] = []
    sys.modules.pop("colorsys", None)
    sys.modules.pop("this_is_no_module", None)

    def elsewhere() -> None:
        with pytest.raises(ImportError):
            __import__("this_is_no_module")

    with resting_imports(lambda: rests.append(1)):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert rests == []
        __import__("colorsys")
    del sys.modules["colorsys"]
    __import__("colorsys")
    assert rests == [1]


class Halting:
    """Before the finder of files: lets an import go on when it is told to."""

    def __init__(self) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()

    def find_spec(self, name: str, *_: object) -> None:
        if name == "colorsys":
            self.reached.set()
            assert self.go_on.wait(WITHIN_S)


def test_what_another_thread_imports_is_found_when_the_rests_end_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    halting = Halting()
    finders = list(sys.meta_path)
    finders.insert(finders.index(PathFinder), halting)
    monkeypatch.setattr(sys, "meta_path", finders)
    sys.modules.pop("colorsys", None)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(__import__("colorsys").__name__))
    with resting_imports(lambda: None):
        thread.start()
        assert halting.reached.wait(WITHIN_S)
    halting.go_on.set()
    thread.join()
    assert found == ["colorsys"]


def test_nothing_is_collected_meanwhile_and_what_was_made_is_not_looked_through_again() -> None:
    frozen, was = gc.get_freeze_count(), gc.isenabled()
    gc.enable()
    try:
        with none_collected():
            assert not gc.isenabled()
            with none_collected():
                kept = [[] for _ in range(1000)]
            assert not gc.isenabled()
        assert gc.isenabled()
        assert gc.get_freeze_count() >= frozen + len(kept)
    finally:
        gc.unfreeze()
        if not was:
            gc.disable()


def test_a_memory_waits_to_be_made_ready_once_however_many_messages_ask(bench: Bench) -> None:
    place, other = Place(key="a" * 16, root="/x"), Place(key="b" * 16, root="/y")
    waiting = [_Prepare(p.key, bench.runtime.drawing(Ids()), p) for p in (place, place, other)]
    assert [waiting[0] == one for one in waiting] == [True, True, False]
