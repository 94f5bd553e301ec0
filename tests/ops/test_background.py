"""One thread runs a queue of jobs: a failure is reported, and the next job runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.ops.conftest import Bench
from wm.api.protocol import WorkspacePlace
from wm.ops.background import PAUSE_S, SLICE_S, Background, Pace, tasks
from wm.ops.runtime import Ids
from wm.ops.session.prompt_recall import _Prepare

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


def test_a_failing_job_is_reported_and_the_next_one_runs(scene: Scene) -> None:
    scene.begin()
    for job in ("bad", "second", "bad too", "third"):
        assert scene.line.submit(job)
    scene.end()
    assert scene.done == [(job, "wm-scene") for job in ("first", "second", "third")]
    assert scene.failed == [("bad", "KeyError('bad')"), ("bad too", "KeyError('bad too')")]


def test_the_thread_exists_only_while_there_is_work(scene: Scene) -> None:
    for _ in range(2):
        scene.begin()
        scene.end()
        assert [t for t in threading.enumerate() if t.name == "wm-scene"] == []
    assert len(scene.done) == 2


def test_a_job_is_queued_once_and_the_queue_is_bounded() -> None:
    scene = Scene(most=2)
    scene.begin()
    answers = [scene.line.submit(job) for job in ("a", "a", "b", "c")]
    scene.end()
    assert answers == [True, False, True, False]
    assert [job for job, _ in scene.done] == ["first", "a", "b"]


def test_a_queued_job_can_be_cancelled(scene: Scene) -> None:
    scene.begin()
    scene.line.submit("second")
    scene.line.clear()
    scene.end()
    assert [job for job, _ in scene.done] == ["first"]


def test_finish_waits_at_most_its_timeout(scene: Scene) -> None:
    scene.begin()
    assert not scene.line.finish(0)


def test_a_job_without_a_thread_runs_when_one_is_available() -> None:
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


def test_an_unobserved_failure_is_reported_as_an_uncaught_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reports: list[tuple[str, str]] = []

    def hook(given: threading.ExceptHookArgs) -> None:
        assert given.thread is not None
        reports.append((given.thread.name, repr(given.exc_value)))

    monkeypatch.setattr(threading, "excepthook", hook)
    done: list[int] = []
    line = tasks()
    for task in (lambda: done.append(1), lambda: done.append([][0]), lambda: done.append(2)):
        assert line.submit(task)
    assert line.finish(WITHIN_S)
    assert done == [1, 2]
    assert reports == [("wm-index", "IndexError('list index out of range')")]


def test_long_work_pauses_after_each_slice_and_short_work_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, slept = [0.0], []
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(time, "sleep", slept.append)
    rest = Pace()
    for step_s in (SLICE_S / 2, SLICE_S / 2, SLICE_S / 2, SLICE_S * 3):
        clock[0] += step_s
        rest()
    assert slept == [PAUSE_S, PAUSE_S]


def test_an_index_is_prepared_once_for_many_messages(bench: Bench) -> None:
    place, other = WorkspacePlace(key="a" * 16, root="/x"), WorkspacePlace(key="b" * 16, root="/y")
    waiting = [_Prepare(p.key, replace(bench.runtime, ids=Ids()), p) for p in (place, place, other)]
    assert [waiting[0] == one for one in waiting] == [True, True, False]
