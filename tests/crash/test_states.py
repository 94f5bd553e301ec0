"""After a power cut at any moment, with any drive behaviour, no acknowledged write is lost
(F02)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.crash import pool, states
from tests.crash.commands import BY_NAME, SCENES
from tests.crash.conftest import Report
from tests.crash.trace import Flush, TraceDisk
from tests.crash.tree import Node, Tree, load, store_to
from wm.ops.catalogue import OPERATIONS
from wm.store.fsops import Handle

FULL_LIMIT = 160
"""States per moment and model in the full run: about 200,000 altogether."""


def explore(task: tuple[str, bool]) -> pool.Found:
    name, closes = task
    result = states.run(BY_NAME[name], limit=FULL_LIMIT, second_every=100, closes=closes)
    return result.counts, result.problems


@pytest.mark.crash
@pytest.mark.parametrize("closes", [False, True], ids=["daemon", "commands"])
def test_all_crash_states_of_all_scenes_recover(report: Report, closes: bool) -> None:
    names = sorted(BY_NAME, key=lambda name: len(BY_NAME[name].steps), reverse=True)
    counts, problems = pool.spread(explore, [(name, closes) for name in names])
    explored = sum(counts[f"explored {model}"] for model in states.MODELS)
    report("crash states", {"scenes": len(names), "explored": explored, **counts})
    assert not problems, pool.shown(problems)
    assert counts["explored weak"] > 60_000


def test_a_sample_of_the_crash_states_recovers() -> None:
    explored = distinct = 0
    for name in ("first write", "remember", "hot state", "migrate"):
        result = states.run(BY_NAME[name], limit=8, second_every=150, files_every=500)
        assert not result.problems, pool.shown(result.problems)
        explored += sum(result.counts[f"explored {model}"] for model in states.MODELS)
        distinct += result.counts["distinct"]
    assert explored > 900
    assert distinct > 300


class NoFolderFlush(TraceDisk):
    """A disk whose fault the explorer must find: names are never flushed."""

    def flush_all(self, handles: Sequence[Handle]) -> None:
        nodes = [self.node(handle) for handle in handles]
        self.trace.ops.append(Flush(frozenset(n.number for n in nodes if not n.is_folder)))


class NoFileFlush(TraceDisk):
    """Bytes are never flushed."""

    def flush_all(self, handles: Sequence[Handle]) -> None:
        nodes = [self.node(handle) for handle in handles]
        self.trace.ops.append(Flush(frozenset(n.number for n in nodes if n.is_folder)))


class NoPreviousCopyName(TraceDisk):
    """The name of a previous copy is never flushed: a commit flushes its files and their folder,
    which holds the names of the commit before it; the flush after it would flush the folder alone.
    """

    def flush_all(self, handles: Sequence[Handle]) -> None:
        if not all(handle.is_folder for handle in handles):
            super().flush_all(handles)


@pytest.mark.parametrize("closes", [False, True], ids=["daemon", "commands"])
@pytest.mark.parametrize(("disk", "older"), [(TraceDisk, False), (NoPreviousCopyName, True)])
def test_the_previous_copy_is_never_older_than_what_was_flushed(
    disk: type[TraceDisk], older: bool, closes: bool, folder: Path
) -> None:
    played = states.play(BY_NAME["remember"], folder, disk, closes=closes)
    counts: Counter[str] = Counter()
    for state in states.explore(played.trace, "weak", 20, random.Random(1)):
        list(states.older_texts(played, state, counts))
    assert counts["damaged"] > 0
    assert bool(counts["older text served"]) is older


@pytest.mark.parametrize(
    ("disk", "model"), [(NoFolderFlush, "weak"), (NoFileFlush, "ordered"), (NoFileFlush, "weak")]
)
def test_the_explorer_finds_a_missing_flush(
    disk: type[TraceDisk], model: str, folder: Path
) -> None:
    played = states.play(BY_NAME["remember"], folder, disk)
    problems: list[str] = []
    for state in states.explore(played.trace, model, 10, random.Random(1)):
        bench = played.bench(state.tree)
        problems += states.verdict(played, bench, played.allowed(state), model)
    assert any("neither old nor new" in one for one in problems), problems


def test_a_tree_survives_a_round_trip_through_files(folder: Path) -> None:
    tree = Tree()
    inner = Node(7, entries={"b": Node(8, b"two")})
    tree.root.entries = {"a": Node(5, b"one"), "d": inner}
    store_to(tree, folder / "copy")
    assert load(folder / "copy").content() == tree.content()
    assert tree.content() == {("a", b"one"), ("d", None), ("d/b", b"two")}


def test_every_use_case_that_writes_has_a_scene(folder: Path) -> None:
    called: set[str] = set()
    for scene in SCENES:
        place = folder / scene.name
        (place / "project").mkdir(parents=True)
        scene.prepare(place / "home", place / "project")
        bench = scene.bench(place / "home", place / "project", number=len(scene.before))
        for step in scene.steps:
            step(bench)
            bench.number += 1
        bench.store.close()
        called.update(bench.called)
    assert {name for name in OPERATIONS if OPERATIONS[name].writes} - called == set()
