"""After a power cut at any moment, whatever the drive kept: nothing acknowledged is lost (F02)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.crash import pool, states
from tests.crash.conftest import Report
from tests.crash.scenes import BY_NAME, SCENES
from tests.crash.states import Result
from tests.crash.trace import Flush, TraceDisk
from tests.crash.tree import Node, Tree, load, store_to
from wm.store.fsops import Handle

FULL_LIMIT = 160
"""States of one moment and model in the full run: about 100,000 altogether."""


def explore(name: str) -> pool.Found:
    result = states.run(BY_NAME[name], limit=FULL_LIMIT, second_every=100)
    return result.counts, result.problems


@pytest.mark.crash
def test_all_crash_states_of_all_scenes(report: Report) -> None:
    names = sorted(BY_NAME, key=lambda name: len(BY_NAME[name].steps), reverse=True)
    counts, problems = pool.spread(explore, names)
    explored = sum(counts[f"explored {model}"] for model in states.MODELS)
    report("crash states", {"scenes": len(names), "explored": explored, **counts})
    assert not problems, pool.shown(problems)
    assert explored > 80_000


def test_a_slice_of_the_crash_states() -> None:
    explored = distinct = 0
    for name in ("first write", "remember", "hot state", "migrate"):
        result = states.run(BY_NAME[name], limit=8, second_every=150, files_every=500)
        assert not result.problems, pool.shown(result.problems)
        explored += sum(result.counts[f"explored {model}"] for model in states.MODELS)
        distinct += result.counts["distinct"]
    assert explored > 900
    assert distinct > 300


class NoFolderFlush(TraceDisk):
    """What an explorer must find fault with: names are never brought to the drive."""

    def flush_all(self, handles: Sequence[Handle]) -> None:
        nodes = [self.node(handle) for handle in handles]
        self.trace.ops.append(Flush(frozenset(n.number for n in nodes if not n.is_folder)))


class NoFileFlush(TraceDisk):
    """Bytes are never brought to the drive."""

    def flush_all(self, handles: Sequence[Handle]) -> None:
        nodes = [self.node(handle) for handle in handles]
        self.trace.ops.append(Flush(frozenset(n.number for n in nodes if n.is_folder)))


@pytest.mark.parametrize(
    ("disk", "model"),
    [(NoFolderFlush, "weak"), (NoFileFlush, "ordered"), (NoFileFlush, "weak")],
)
def test_the_explorer_finds_a_missing_flush(
    disk: type[TraceDisk], model: str, folder: Path
) -> None:
    played = states.play(BY_NAME["remember"], folder, disk)
    told: list[str] = []
    for state in states.explore(played.trace, model, 10, random.Random(1)):
        bench = played.bench(state.tree)
        told += states.verdict(played, bench, played.allowed(state), model)
    assert any("neither old nor new" in one for one in told), told


def test_a_tree_goes_to_files_and_back(folder: Path) -> None:
    tree = Tree()
    inner = Node(7, entries={"b": Node(8, b"two")})
    tree.root.entries = {"a": Node(5, b"one"), "d": inner}
    store_to(tree, folder / "copy")
    assert load(folder / "copy").content() == tree.content()
    assert tree.content() == {("a", b"one"), ("d", None), ("d/b", b"two")}


def test_every_scene_of_several_documents_is_explored() -> None:
    asked = {"remember", "promote", "compact", "replace", "forget and undo", "session delete"}
    assert asked | {"sweep", "storage", "import", "migrate"} <= set(BY_NAME)
    assert len(SCENES) > 15
    assert Result().problems == []
