"""Any call fails, in any way: a typed error, the old or the new text, and work continues (ST-5)."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from msgspec import structs

from tests.crash import pool, snapshot
from tests.crash.commands import BY_NAME, SCENES
from tests.crash.conftest import Report
from tests.crash.faults import FAULTS, Fault, FaultDisk, different, loop, stage
from tests.crash.scenes import Scene
from tests.crash.states import ram
from wm.store.fsops import Disk

FAST = ("remember 1", "forget and undo 1", "session 3", "repair", "rescope 1")


def named(name: str) -> Scene:
    steps = (step for scene in SCENES for step in scene.single_steps())
    return next(step for step in steps if step.name == name)


def names_of(steps: list[Scene]) -> list[str]:
    return [step.name for step in steps]


def attempt(task: tuple[str, Fault]) -> pool.Found:
    name, fault = task
    folder = Path(tempfile.mkdtemp(prefix="wm-faults-", dir=ram()))
    try:
        return loop(stage(named(name), folder), fault)
    finally:
        shutil.rmtree(folder)


@pytest.mark.crash
def test_every_failure_of_every_call_in_every_scene_recovers(folder: Path, report: Report) -> None:
    steps = different(SCENES, folder)
    counts, problems = pool.spread(attempt, itertools.product(names_of(steps), FAULTS))
    report("faults", {"steps": len(steps), "kinds": len(FAULTS), **counts})
    assert not problems, pool.shown(problems)


@pytest.mark.parametrize("name", FAST)
def test_sampled_faults_lose_nothing(name: str, folder: Path) -> None:
    made = stage(named(name), folder)
    counts: Counter[str] = Counter()
    for number, fault in enumerate(FAULTS):
        found, problems = loop(made, fault, every=len(made.calls) // 2, start=3 * number + 2)
        assert not problems, pool.shown(problems)
        counts.update(found)
    assert counts["runs"] > 30


def test_a_disk_that_loses_writes_is_detected(folder: Path) -> None:
    """Tests the tool itself: a disk that silently loses the document's bytes must fail. A lost
    rename alone is no loss: the update counts from the next-generation file."""

    class Liar(FaultDisk):
        def write(self, *args: object, **kwargs: object) -> None:
            return None

    made = stage(named("remember 1"), folder)
    home = made.fresh()
    bench = made.scene.bench(home, made.project, Liar(home), number=made.number)
    made.scene.steps[0](bench)
    found = snapshot.take(made.scene.bench(home, made.project).store)
    problems = list(snapshot.differences(found, snapshot.Allowed(made.after, made.after)))
    assert any("neither old nor new" in one for one in problems)


def test_an_error_on_close_loses_nothing(folder: Path) -> None:
    disk = Disk(folder)
    with disk.folder("") as home, disk.create(home, "a") as file:
        closed = structs.replace(file)
    with pytest.raises(OSError, match="descriptor") as raised:
        disk.close(closed)
    assert raised.value.errno == errno.EBADF
    assert closed.fd == -1
    assert os.listdir(folder) == ["a"]


def test_every_scene_has_a_unique_name() -> None:
    assert len(BY_NAME) == len(SCENES)
