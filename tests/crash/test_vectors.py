"""Saved vectors that are damaged, and processes that are killed while they save them (RC-3)."""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.conftest import Report
from tests.crash.saver import KEY, LIMITS, asked, memory_of
from tests.store import damage
from wm.models.embed import EMBEDDED
from wm.models.worker import EmbedWorker
from wm.ops.shelf import maker_of
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.check import check
from wm.store.files import FileStore
from wm.store.mend import repair

ROOT = Path(__file__).resolve().parents[2]
MEMORY = memory_of(120)


@pytest.fixture(scope="module")
def worker() -> EmbedWorker:
    return EmbedWorker(EMBEDDED, LIMITS)


def opened(folder: Path) -> FileStore:
    return FileStore(folder / "home", StoreSettings())


def saved(folder: Path, worker: EmbedWorker) -> tuple[FileStore, list[tuple[str, float]]]:
    """A store with the vectors of the memory, and what is answered through them."""
    store = opened(folder)
    answer = asked(store, worker, MEMORY)
    assert len(answer) == 10
    assert files_of(store, worker) == {"rows", "graph"}
    return store, answer


def files_of(store: FileStore, worker: EmbedWorker) -> set[str]:
    assert worker.card is not None
    found = store.vectors(KEY, maker_of(worker.card))
    return set() if found is None else {"rows"} if found.graph is None else {"rows", "graph"}


# --- damage -------------------------------------------------------------------------------------


@pytest.mark.crash
@pytest.mark.parametrize("first", range(0, 5000, 1000))
def test_5000_damaged_sets_never_end_the_process(folder: Path, first: int, report: Report) -> None:
    command = [sys.executable, "-m", "tests.store.damage", str(folder / "home")]
    done = subprocess.run(
        [*command, str(first), "1000"], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stderr) == (0, "")
    report("damaged vectors", {"read as": done.stdout.strip()})


OF_ANY_FILE = {"_flip", "_cut", "_grow", "_empty", "_zeros", "_noise", "_of_another_user", "_link"}
DAMAGES = tuple(found for found in damage.DAMAGES if found.__name__ in OF_ANY_FILE)


def answers_stay(folder: Path, worker: EmbedWorker, count: int) -> None:
    """Damage what was saved, ask as a new process would, and again of what that one saved."""
    store, answer = saved(folder, worker)
    draw = random.Random(20261122)
    for number in range(count):
        names = sorted(file for file in damage.folder_of(store).iterdir() if not file.is_symlink())
        files = [file for file in names if paths.is_vectors(file.name) and file.is_file()]
        what = DAMAGES[number % len(DAMAGES)]
        what(store, draw.choice(files), draw)
        assert asked(opened(folder), worker, MEMORY) == answer, f"{number}: {what.__name__}"
        for file in damage.folder_of(store).iterdir():
            if not file.is_file() or file.is_symlink():
                file.unlink()
        if files_of(store, worker) != {"rows", "graph"}:
            store.discard_vectors(KEY)
            assert asked(store, worker, MEMORY) == answer
    store.close()


def test_damage_changes_no_answer(folder: Path, worker: EmbedWorker) -> None:
    answers_stay(folder, worker, 5)


@pytest.mark.crash
def test_100_damaged_sets_change_no_answer(folder: Path, worker: EmbedWorker) -> None:
    answers_stay(folder, worker, 100)


# --- death --------------------------------------------------------------------------------------


def lines(process: subprocess.Popen[str], count: int) -> Iterator[str]:
    assert process.stdout is not None
    for _ in range(count):
        line = process.stdout.readline()
        if not line:
            raise AssertionError("it ended by itself")
        yield line


def killed(folder: Path, draw: random.Random) -> None:
    """Let a process make and save vectors, and kill it somewhere in the middle of it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.saver", str(folder / "home")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        list(lines(process, draw.randrange(1, 6)))
        # A bounded wait for something that does not come: it dies wherever it is by then.
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        select.select([], [], [], draw.random() * 0.15)
    finally:
        process.kill()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


def deaths(folder: Path, worker: EmbedWorker, count: int) -> dict[str, int]:
    """What was left of the vectors after each kill; the answers are always the same."""
    store, answer = saved(folder, worker)
    draw = random.Random(20261122)
    told: dict[str, int] = {}
    for _ in range(count):
        killed(folder, draw)
        left = "+".join(sorted(files_of(store, worker))) or "nothing"
        told[left] = told.get(left, 0) + 1
        assert asked(opened(folder), worker, MEMORY) == answer
        list(repair(store))
        found = [f for f in check(store, deep=True) if paths.VECTORS in f.path]
        assert found == []
    store.close()
    return told


def test_a_process_that_is_killed_while_it_saves_costs_nothing(
    folder: Path, worker: EmbedWorker
) -> None:
    deaths(folder, worker, 1)


@pytest.mark.crash
def test_30_kills_while_vectors_are_saved(
    folder: Path, worker: EmbedWorker, report: Report
) -> None:
    report("killed while saving", deaths(folder, worker, 30))
