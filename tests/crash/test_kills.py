"""A process dies at any call; the next finds the old or the new text, and repairs the rest
(F01)."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.crash import kills, pool
from tests.crash.commands import SCENES
from tests.crash.conftest import Report
from tests.crash.faults import different, stage
from tests.crash.states import ram
from tests.crash.test_faults import named, names_of


def die(task: tuple[str, str]) -> pool.Found:
    name, how = task
    folder = Path(tempfile.mkdtemp(prefix="wm-kills-", dir=ram()))
    try:
        return kills.loop(stage(named(name), folder), how)
    finally:
        shutil.rmtree(folder)


def die_twice(name: str) -> pool.Found:
    folder = Path(tempfile.mkdtemp(prefix="wm-kills-", dir=ram()))
    try:
        made = stage(named(name), folder)
        calls = len(made.calls)
        return kills.loop_in_recovery(made, [calls // 3, calls // 2, calls * 5 // 6], every=7)
    finally:
        shutil.rmtree(folder)


@pytest.mark.crash
def test_a_process_killed_at_every_call_of_every_scene_recovers(
    folder: Path, report: Report
) -> None:
    steps = different(SCENES, folder)
    counts, problems = pool.spread(
        die, itertools.product(names_of(steps), (kills.EXIT, kills.KILL))
    )
    report("kills", {"steps": len(steps), **counts})
    assert not problems, pool.shown(problems)


@pytest.mark.crash
def test_a_process_killed_during_its_repair_recovers(folder: Path, report: Report) -> None:
    counts, problems = pool.spread(die_twice, names_of(different(SCENES, folder)))
    report("kills while mending", counts)
    assert not problems, pool.shown(problems)


@pytest.mark.parametrize("name", ["remember 1", "forget and undo 1", "session 3"])
def test_sampled_kills_lose_nothing(name: str, folder: Path) -> None:
    made = stage(named(name), folder)
    counts: Counter[str] = Counter()
    for how in (kills.EXIT, kills.KILL):
        found, problems = kills.loop(made, how, every=11)
        assert not problems, pool.shown(problems)
        counts.update(found)
    assert counts["deaths"] > 12


def test_sampled_kills_during_repair_lose_nothing(folder: Path) -> None:
    made = stage(named("sweep 1"), folder)
    counts, problems = kills.loop_in_recovery(made, [len(made.calls) // 2], every=23)
    assert not problems, pool.shown(problems)
    assert counts["second deaths"] > 3
