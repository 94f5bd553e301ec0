"""Damage saved vectors and kill the processes that write them: answers stay the same (RC-3, RC-4).

    python -m tests.crash.index_damage --damaged 5000 --kills 30 --daemons 30

Damaged sets: one file of saved vectors is damaged and a new process searches; its answer must be
the one of the undamaged files. Kills: a process that computes, saves and discards the vectors of a
memory in a loop is killed at any point. Daemons: a daemon that takes entries, indexes and saves is
killed at any point; the next one must find each acknowledged entry. Any count may be 0.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tests.bench.harness import environment, settings_for, wait_for_answer
from tests.crash.saver import KEY, LIMITS, asked, memory_of
from tests.crash.states import ram
from tests.store import damage
from wm.daemon.client import Client
from wm.errors import WmError
from wm.models.embed import EMBEDDED
from wm.models.worker import EmbedWorker
from wm.ops.search.vector_cache import maker_of
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore
from wm.store.identity import key_of

ROOT = Path(__file__).resolve().parents[2]
MEMORY = memory_of(120)
SEED = 20261122
Answer = Sequence[tuple[str, float]]

OF_ANY_FILE = {"_flip", "_cut", "_grow", "_empty", "_zeros", "_noise", "_of_another_user", "_link"}
DAMAGES = tuple(found for found in damage.DAMAGES if found.__name__ in OF_ANY_FILE)


def same(answer: Answer, other: Answer) -> bool:
    """The same entries in the same order, with the same scores except for the rounding of another
    order of summation."""
    return [i for i, _ in answer] == [i for i, _ in other] and all(
        abs(a - b) < 1e-4 for (_, a), (_, b) in zip(answer, other, strict=True)
    )


def opened(folder: Path) -> FileStore:
    return FileStore(folder / "home", StoreSettings())


def saved(folder: Path, worker: EmbedWorker) -> tuple[FileStore, Answer]:
    """A store with the vectors of the memory, and the answer that uses them."""
    store = opened(folder)
    answer = asked(store, worker, MEMORY)
    assert len(answer) == 10
    assert files_of(store, worker) == {"rows", "graph"}
    return store, answer


def files_of(store: FileStore, worker: EmbedWorker) -> set[str]:
    assert worker.card is not None
    found = store.vectors(KEY, maker_of(worker.card))
    return set() if found is None else {"rows"} if found.graph is None else {"rows", "graph"}


def answers_stay(folder: Path, worker: EmbedWorker, count: int) -> dict[str, int]:
    """Damage what was saved and search as a new process would; returns the count of each damage."""
    store, answer = saved(folder, worker)
    whole = {file.name: file.read_bytes() for file in files(store)}
    draw = random.Random(SEED)
    counts: dict[str, int] = {}
    for number in range(count):
        what = DAMAGES[number % len(DAMAGES)]
        what(store, draw.choice(files(store)), draw)
        assert same(asked(opened(folder), worker, MEMORY), answer), f"{number}: {what.__name__}"
        counts[what.__name__] = counts.get(what.__name__, 0) + 1
        shutil.rmtree(damage.folder_of(store))
        damage.folder_of(store).mkdir(0o700)
        for name, raw in whole.items():
            (damage.folder_of(store) / name).write_bytes(raw)
        if number % 500 == 499:
            print(f"  {number + 1:,} damaged sets: same answers", flush=True)
    store.close()
    return counts


def files(store: FileStore) -> list[Path]:
    return sorted(f for f in damage.folder_of(store).iterdir() if paths.is_vectors(f.name))


# --- a process that saves -----------------------------------------------------------------------


def deaths(folder: Path, worker: EmbedWorker, count: int) -> dict[str, int]:
    """What each kill left of the vectors; the answers must always be the same."""
    store, answer = saved(folder, worker)
    draw = random.Random(SEED)
    counts: dict[str, int] = {}
    for _ in range(count):
        killed(folder, draw)
        left = "+".join(sorted(files_of(store, worker))) or "nothing"
        counts[left] = counts.get(left, 0) + 1
        assert same(asked(opened(folder), worker, MEMORY), answer)
        list(repair(store))
        found = [f for f in check(store, deep=True) if paths.VECTORS in f.path]
        assert found == []
    store.close()
    return counts


def killed(folder: Path, draw: random.Random) -> None:
    """Start a process that computes and saves vectors, and kill it at a random point."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.saver", str(folder / "home")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        list(lines(process, draw.randrange(1, 6)))
        # A wait with a bound for output that does not come: the process is killed wherever it is.
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        select.select([], [], [], draw.random() * 0.15)
    finally:
        process.kill()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


def lines(process: subprocess.Popen[str], count: int) -> Iterator[str]:
    assert process.stdout is not None
    for _ in range(count):
        line = process.stdout.readline()
        if not line:
            raise AssertionError("it ended by itself")
        yield line


# --- a daemon -----------------------------------------------------------------------------------

CONFIG = "[recall]\ngraph_from = 40\n"
"""A low limit, so that the graph is computed, saved and loaded, too."""


class Daemons:
    """One data folder, and one daemon after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.project.mkdir()
        config = folder / ".config" / "wm"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(CONFIG)
        self.vectors = folder / "wm" / paths.vectors_folder(key_of(str(self.project)))
        self.acknowledged: dict[str, str] = {}
        """The unique word of each entry."""
        self.more = threading.Condition()

    def begin(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "wm.daemon"],
            env=environment(self.folder),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for_answer(settings_for(self.folder), 60.0)
        return process

    def write(self, number: int) -> None:
        """Add entries, and search, until the daemon is gone."""
        with Client(settings_for(self.folder)) as client, suppress(WmError, OSError):
            for at in itertools.count():
                word = f"crane{number:03}x{at:03}"
                text = f"The berth with {word} takes {number * 1000 + at} tons."
                made = client.call("remember", self.arguments(text=text))
                with self.more:
                    self.acknowledged[made["entry"]["id"]] = word
                    self.more.notify_all()
                if at % 4 == 0:
                    client.call("search", self.arguments(query=f"what takes {word}"))

    def wait(self, count: int, bound_s: float = 60.0) -> None:
        """Return once `count` entries were acknowledged."""
        with self.more:
            assert self.more.wait_for(lambda: len(self.acknowledged) >= count, bound_s)

    def arguments(self, **words: str) -> dict[str, str]:
        return {"directory": str(self.project), **words}

    def found(self, some: Sequence[str]) -> int:
        """Search each of these entries by its word. AssertionError for a lost one."""
        with Client(settings_for(self.folder)) as client:
            for name in some:
                query = self.acknowledged[name]
                hits = client.call("search", self.arguments(query=query))["hits"]
                assert name in [hit["entry"]["id"] for hit in hits], f"{name} ({query}) is lost"
        return len(some)


def daemon_deaths(folder: Path, count: int) -> dict[str, int]:
    """Kill a daemon again and again while it takes entries, indexes and saves. Every third one
    starts without saved vectors."""
    daemons, draw = Daemons(folder), random.Random(SEED)
    counts = {"deaths": 0, "found": 0, "vectors there": 0}
    known = 0
    for number in range(count):
        process = daemons.begin()
        try:
            counts["found"] += daemons.found(list(daemons.acknowledged)[known:])
            known = len(daemons.acknowledged)
            writer = threading.Thread(target=daemons.write, args=(number,))
            writer.start()
            daemons.wait(known + draw.randrange(2, 12))
            # Not a wait for an event: the daemon is killed wherever it is.
            writer.join(draw.random() * 0.2)
        finally:
            process.kill()
            process.wait(20)
        writer.join(60)
        counts["deaths"] += 1
        counts["vectors there"] += any(daemons.vectors.glob("*.rows"))
        if number % 3 == 2:
            shutil.rmtree(daemons.vectors, ignore_errors=True)
    process = daemons.begin()
    try:
        daemons.found(list(daemons.acknowledged))
    finally:
        process.kill()
        process.wait(20)
    return {**counts, "acknowledged": len(daemons.acknowledged), "lost": 0}


# --- all of it ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.index_damage", description=__doc__)
    parser.add_argument("--damaged", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--daemons", type=int, default=30)
    wanted = parser.parse_args(argv)
    worker = EmbedWorker(EMBEDDED, LIMITS)
    runs = {
        "damaged sets, same answers": (wanted.damaged, lambda f, n: answers_stay(f, worker, n)),
        "killed while saving": (wanted.kills, lambda f, n: deaths(f, worker, n)),
        "daemons killed": (wanted.daemons, daemon_deaths),
    }
    for name, (count, run) in runs.items():
        folder = Path(tempfile.mkdtemp(prefix="wm-index-", dir=ram()))
        begun = time.monotonic()
        try:
            counts = run(folder, count) if count else {}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        words = ", ".join(f"{key.strip('_')} {value}" for key, value in counts.items())
        print(f"{name}: {count:,} in {time.monotonic() - begun:.0f} s ({words})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
