"""Any number of clones end in one tree, and no acknowledged change is lost (SY-2, SY-4)."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.domain.sync.test_merge import Model
from tests.sync.clones import REF, Person, World, git
from tests.sync.http_remote import served
from tests.sync.worker import Editor, expected, work
from wm.domain.sync.merge import canonical_bytes, parsed
from wm.domain.sync.portable import author_id, stated
from wm.formats.sharing.shared_entry import SharedEntry
from wm.store.git.objects import MAX_ENTRY_BYTES, Objects

AT_ONCE = 4
KILLED = 0.05
"""Part of the looks at a working clone that kill it."""
READ_AT_ONCE = 500
"""Files of the history that are in memory at a time."""


def entries_of(repository: Path) -> dict[str, SharedEntry]:
    objects = Objects(str(repository))
    files = objects.difference("", git(repository, "rev-parse", REF)).files
    raw = objects.read((blob for _, blob in files.values()), MAX_ENTRY_BYTES)
    return {name: parsed(raw[blob]) for (_, name), (_, blob) in files.items()}


def merged_by_model(repository: Path) -> dict[str, Any]:
    """Per entry what the model makes of every state that its file ever had in the history."""
    models: dict[str, Model] = {}
    listed = git(repository, "rev-list", "--objects", REF).splitlines()
    files = {name: Path(path) for name, _, path in (line.partition(" ") for line in listed)}
    blobs = [(name, path.stem) for name, path in files.items() if path.suffix == ".json"]
    for first in range(0, len(blobs), READ_AT_ONCE):  # 20,000 acts leave more than fits in memory
        part = dict(blobs[first : first + READ_AT_ONCE])
        objects = Objects(str(repository))  # its limit is one of a sync, not of a history
        for name, raw in objects.read(part, MAX_ENTRY_BYTES).items():
            models.setdefault(part[name], Model()).add(parsed(raw))
    return {name: model.answer() for name, model in models.items()}


def settle(persons: list[Person]) -> None:
    """Sync until no replica has anything new."""
    before = None
    for _ in range(6):
        for person in persons:
            done = person.sync()
            assert not done.trouble, (person.name, done.trouble)
        trees = [person.tree() for person in persons]
        if len(set(trees)) == 1 and trees[0] == before:
            return
        before = trees[0] if len(set(trees)) == 1 else None
    pytest.fail("the clones did not converge")


def check(persons: list[Person], remote: Path) -> int:
    """Compare the tree with what every journal acknowledged; the number of entries."""
    tree = entries_of(remote)
    plain = {name: json.loads(canonical_bytes(entry))["authors"] for name, entry in tree.items()}
    assert plain == merged_by_model(remote)
    count = 0
    for person in persons:
        author = author_id(f"{person.name}@example.org")
        for name, states in expected(person.folder / "journal").items():
            version = stated(tree[name].authors.get(author, {})) if name in tree else {}
            said = {
                "gone": not version,
                "text": version.get("text"),
                "importance": version.get("importance", "normal"),
                "replaced": "superseded_by" in version,
            }
            assert any(_fits(state, said) for state in states), (person.name, name, said, states)
            count += 1
    return count


def _fits(state: dict[str, Any], said: dict[str, Any]) -> bool:
    if state.get("gone", False) or said["gone"]:
        return bool(state.get("gone", False) == said["gone"])
    # A replacement that was not acknowledged may have happened.
    return all(said[name] == value for name, value in state.items())


def simulate(world: World, remote: str, persons: int, edits: int, seed: int) -> int:
    people = [world.person(f"p{number}") for number in range(persons)]
    for person in people:
        git(person.project, "config", "remote.origin.url", remote)
    editors = [Editor(person, seed) for person in people]
    rng = random.Random(seed)
    for number, person in enumerate(people):
        person.bench.later(days=(0, 400, -900, 1)[number % 4])
    for _ in range(edits):
        editor = rng.choice(editors)
        editor.act()
        if rng.random() < 0.1:
            editor.foreign()
        if rng.random() < 0.1:
            editor.person.sync()
    settle(people)
    for editor in editors:
        editor.close()
    return check(people, world.remote)


def test_clones_converge_and_lose_nothing(world: World) -> None:
    assert simulate(world, str(world.remote), persons=3, edits=60, seed=1) > 3


def test_clones_converge_over_http(world: World) -> None:
    with served(world.folder) as url:
        assert simulate(world, f"{url}/shop.git", persons=2, edits=20, seed=2) > 1


@pytest.mark.sync
@pytest.mark.parametrize("remote", ["file", "http"])
def test_sixteen_clones_with_kills_converge_and_lose_nothing(world: World, remote: str) -> None:
    """Each clone is a process of its own, which is killed at random moments."""
    total = int(os.environ.get("WM_TEST_EDITS", "20000")) // 2
    with served(world.folder) as url:
        target = str(world.remote) if remote == "file" else f"{url}/shop.git"
        names = [f"p{number:02}" for number in range(16)]
        for name in names:
            world.person(name).bench.store.close()
            git(world.persons[name].project, "config", "remote.origin.url", target)
        kills = run_killed(world, names, target, total // len(names))
        people = [Person(world.folder, name, target) for name in names]
        for person in people:
            person.bench.moment = person.bench.moment.replace(year=2035)
        settle(people)
        count = check(people, world.remote)
        for person in people:
            person.bench.store.close()
    acts = sum(
        json.loads(line)["state"] == "done"
        for name in names
        for line in (world.folder / name / "journal").read_text().splitlines()
    )
    print(
        f"\n{remote}: 16 clones, {acts} acknowledged acts, {kills} kills, {count} entries, 0 lost"
    )
    assert acts >= total // len(names) * len(names)


def run_killed(world: World, names: list[str], target: str, edits: int) -> int:
    """Let each clone work in a process of its own, and kill some; the number of kills."""
    rng = random.Random(3)
    # A forked process has loaded everything: thousands of starts must not cost a second each.
    processes = multiprocessing.get_context("fork")
    running: dict[str, multiprocessing.process.BaseProcess] = {}
    begun: dict[str, int] = {}
    left, kills = set(names), 0
    while left:
        for name in sorted(left - running.keys())[: AT_ONCE - len(running)]:
            running[name] = processes.Process(
                target=work, args=(world.folder, name, target, 3, edits), daemon=True
            )
            begun[name] = written(world, name)
            running[name].start()
        time.sleep(rng.uniform(0.1, 1.5))
        for name, process in list(running.items()):
            # On a busy machine a clone that is killed before its first act would never end.
            has_acted = written(world, name) > begun[name]
            if process.is_alive() and has_acted and rng.random() < KILLED:
                process.kill()
                process.join()
                kills += 1
            elif not process.is_alive():
                assert process.exitcode == 0, (name, process.exitcode)
                left.discard(name)
            if not process.is_alive():
                del running[name]
    return kills


def written(world: World, name: str) -> int:
    """Bytes in the journal of a clone."""
    journal = world.folder / name / "journal"
    return journal.stat().st_size if journal.exists() else 0
