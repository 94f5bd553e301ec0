"""Any number of clones end in one tree, and no acknowledged change is lost (SY-2, SY-4)."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.sync.clones import REF, Person, World, git
from tests.sync.http_remote import served
from tests.sync.worker import Editor, expected
from wm.domain.sync.merge import parsed
from wm.domain.sync.portable import author_id, stated
from wm.formats.sharing.shared_entry import SharedEntry

ROOT = Path(__file__).resolve().parents[2]


def entries_of(repository: Path) -> dict[str, SharedEntry]:
    names = git(repository, "ls-tree", "-r", "--name-only", REF).splitlines()
    found = {}
    for name in names:
        if name != "version":
            entry_id = Path(name).stem
            found[entry_id] = parsed(git(repository, "show", f"{REF}:{name}").encode(), entry_id)
    return found


def settle(persons: list[Person]) -> None:
    """Sync until nobody has anything new."""
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
    rng = random.Random(3)
    running: dict[str, subprocess.Popen[bytes]] = {}
    left, kills = set(names), 0
    while left:
        for name in sorted(left - running.keys())[: 4 - len(running)]:
            words = [str(world.folder), name, target, "3", str(edits)]
            running[name] = subprocess.Popen(
                [sys.executable, "-m", "tests.sync.worker", *words], cwd=ROOT
            )
        time.sleep(rng.uniform(0.1, 1.5))
        for name, process in list(running.items()):
            code = process.poll()
            if code is None and rng.random() < 0.05:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                del running[name]
            elif code is not None:
                assert code == 0, (name, code)
                left.discard(name)
                del running[name]
    return kills
