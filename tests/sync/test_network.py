"""A remote that is huge, never ends or never answers: a sentence, bounded bytes and time, and local
work goes on (SY-4)."""

from __future__ import annotations

import fcntl
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sync import endless_remote, hostile
from tests.sync.clones import REF, Person, World, git
from wm.api.sync import Synced
from wm.store.git import command, mirror
from wm.store.git.mirror import QUIET_NETWORK_S, STALE_S

SHIP = "We deploy with `make ship` from the release branch."
CENTS = "Prices are stored in cents, never as floating point numbers."
FEW_BYTES = 8 * 1024 * 1024
LOCAL_S = 20.0
"""A bound for three commands that wait for nothing, on a loaded machine."""
PACKS = (endless_remote.endless_objects, endless_remote.one_endless_object)
ANSWERS = (*PACKS, endless_remote.endless_messages, endless_remote.endless_refs)


@pytest.fixture
def few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MAX_FILE_BYTES", FEW_BYTES)


def stored(person: Person) -> int:
    """The bytes in a person's data folder."""
    home = person.bench.settings.paths.home
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())


def wm(person: Person, *words: str) -> str:
    """Run a command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "wm", *words],
        cwd=person.project,
        env={**os.environ, "HOME": str(person.folder), "WM_HOME": str(home_of(person))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def home_of(person: Person) -> Path:
    return person.bench.settings.paths.home


def taken(home: Path) -> list[str]:
    """The locks below a data folder that a process has taken."""
    found = []
    for path in home.rglob("*.lock"):
        with open(path, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                found.append(path.name)
    return found


def test_no_lock_is_taken_while_a_remote_does_not_answer(world: World) -> None:
    ann = world.person("ann")
    name = ann.shared(SHIP)
    ann.sync()
    old = ann.remember(CENTS)
    results: list[Synced] = []
    with endless_remote.endless(None) as remote:
        git(ann.project, "config", "remote.origin.url", remote.url)
        waiting = threading.Thread(target=lambda: results.append(ann.sync()))
        waiting.start()
        assert remote.asked.wait(30.0)
        assert list(home_of(ann).rglob("*.lock"))
        assert taken(home_of(ann)) == []
        begun = time.monotonic()
        wm(ann, "remember", "Invoices are sent on the first day of a month.", "--type", "decision")
        assert SHIP in wm(ann, "show", name)
        wm(ann, "forget", old)
        assert time.monotonic() - begun < LOCAL_S
        assert waiting.is_alive()
        assert taken(home_of(ann)) == []
        remote.end.set()
        waiting.join()
    assert results[0].trouble
    assert ann.texts() == ["Invoices are sent on the first day of a month.", SHIP]


@pytest.mark.parametrize("body", PACKS)
def test_an_endless_pack_is_cut_and_what_is_left_of_it_is_removed(
    world: World, few_bytes: None, body: Callable[[], Iterator[bytes]]
) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    ann.sync()
    before = stored(ann)
    with endless_remote.endless(body) as remote:
        git(ann.project, "config", "remote.origin.url", remote.url)
        assert ann.sync().trouble == "it is larger than 8 MiB"
    assert stored(ann) - before < 2 * FEW_BYTES
    git(ann.project, "config", "remote.origin.url", str(world.remote))
    for path in ann.mirror.rglob("tmp_*"):
        os.utime(path, (0, time.time() - STALE_S - 60))
    ann.shared(CENTS)
    assert not ann.sync().trouble
    assert stored(ann) - before < FEW_BYTES / 8
    assert ann.tree() == world.tree()


@pytest.mark.sync
@pytest.mark.parametrize("body", ANSWERS)
def test_an_endless_answer_ends_at_the_limits(
    world: World, body: Callable[[], Iterator[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    with endless_remote.endless(body) as remote:
        git(ann.project, "config", "remote.origin.url", remote.url)
        monkeypatch.setattr(mirror, "NETWORK_S", QUIET_NETWORK_S)
        begun = time.monotonic()
        done = ann.sync()
        assert time.monotonic() - begun < QUIET_NETWORK_S + LOCAL_S
    assert done.trouble
    assert stored(ann) < 1.1 * command.MAX_FILE_BYTES
    assert ann.texts() == [SHIP]


def test_a_shared_memory_beyond_the_limit_is_refused_and_loses_nothing(
    world: World, few_bytes: None
) -> None:
    ann = world.person("ann")
    name = ann.shared(SHIP)
    ann.sync()
    good = git(world.remote, "rev-parse", REF)
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    for number in range(120):  # git has single files for fewer than a hundred
        tree.put(f"entries/aa/{number}", random.Random(number).randbytes(FEW_BYTES // 80))
    hostile.push(world.remote, tree.written(), good)
    ann.shared(CENTS)
    assert ann.sync().trouble == "it is larger than 8 MiB"
    assert ann.texts() == sorted([CENTS, SHIP])
    git(world.remote, "update-ref", REF, good)
    assert not ann.sync().trouble
    assert len(git(world.remote, "ls-tree", "-r", "--name-only", REF).splitlines()) == 3
    assert name in ann.entries


def test_what_else_a_huge_remote_contains_is_not_fetched(world: World, few_bytes: None) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    ann.sync()
    data = random.Random(1).randbytes(4 * FEW_BYTES)
    blob = git(world.remote, "hash-object", "-w", "--stdin", data=data)
    tree = hostile.Tree(world.remote)
    commit = git(
        world.remote, "commit-tree", tree.rows([("100644", "huge", blob)]), "-m", "x",
        env=hostile.WHO,
    )  # fmt: skip
    git(world.remote, "update-ref", "refs/heads/huge", commit)
    before = stored(ann)
    ann.shared(CENTS)
    assert not ann.sync().trouble
    assert stored(ann) - before < FEW_BYTES / 8
