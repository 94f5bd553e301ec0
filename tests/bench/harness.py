"""What all measurements share: rounds, medians, the table, processes that start together."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from wm.daemon.client import Client
from wm.errors import Unavailable
from wm.settings import Settings, load

SOURCE = Path(__file__).resolve().parent
ROOT = SOURCE.parents[1]


@dataclass(frozen=True)
class Row:
    """One line of a report: a figure, its goal as text, and whether it is met (None: no goal)."""

    name: str
    figure: str
    goal: str = ""
    met: bool | None = None


def report(title: str, rows: Sequence[Row]) -> bool:
    """Print the table; True if every goal is met."""
    print(f"\n{title}")
    wide = max(len(row.name) for row in rows)
    for row in rows:
        mark = {True: "ok  ", False: "MISS", None: "    "}[row.met]
        goal = f"   goal {row.goal}" if row.goal else ""
        print(f"  {mark} {row.name:<{wide}}  {row.figure}{goal}")
    return all(row.met is not False for row in rows)


def at_most(name: str, value: float, goal: float, unit: str = "x", note: str = "") -> Row:
    return Row(name, f"{value:.3g} {unit}{note}", f"<= {goal:g} {unit}", value <= goal)


def at_least(name: str, value: float, goal: float, unit: str = "x", note: str = "") -> Row:
    return Row(name, f"{value:.3g} {unit}{note}", f">= {goal:g} {unit}", value >= goal)


def ratio(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int = 5
) -> tuple[float, float, float]:
    """Median of ours/theirs over interleaved rounds, and the median of each side."""
    left, right = [], []
    for number in range(rounds):
        order = ((left, ours), (right, theirs)) if number % 2 else ((right, theirs), (left, ours))
        for values, measure in order:
            values.append(measure())
    ratios = [a / b for a, b in zip(left, right, strict=True)]
    return median(ratios), median(left), median(right)


@contextmanager
def scratch(*, in_memory: bool = False) -> Iterator[Path]:
    """A folder that is gone afterwards; `in_memory`: where the system keeps files in memory.

    With flushes replaced by pauses nothing is ever clean, and a rename over a dirty file makes
    ext4 write it out there and then: a cost that no real update has. In memory there is none.
    """
    place = "/dev/shm" if in_memory and Path("/dev/shm").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="wm-bench-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process that must not see this user's data."""
    keep = {
        k: v
        for k, v in os.environ.items()
        if k in ("PATH", "LANG", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
    }
    return {
        **keep,
        "HOME": str(folder),
        "WM_HOME": str(folder / "wm"),
        "PYTHONPATH": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
    }


def settings_for(folder: Path) -> Settings:
    return load(environment(folder))


@contextmanager
def daemon(folder: Path, extra: dict[str, str] | None = None) -> Iterator[Client]:
    """A daemon in the foreground of a process of its own."""
    env = {**environment(folder), **(extra or {})}
    process = subprocess.Popen(
        [sys.executable, "-m", "wm.daemon"],
        env=env,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    settings = settings_for(folder)
    try:
        # Not `lifecycle.start`: its daemon could win the race, and it would lack `extra`.
        wait_for_answer(settings)
        with Client(settings) as client:
            yield client
    finally:
        process.terminate()
        process.wait(20)


def wait_for_answer(settings: Settings, bound_s: float = 20.0) -> None:
    """Return once the daemon answers."""
    end = time.monotonic() + bound_s
    with Client(settings) as client:
        while True:
            try:
                client.call("status", {})
                return
            except Unavailable:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)


def settle(client: Client, bound_s: float = 20.0) -> None:
    """Return once a fresh daemon has done what it leaves for after its first answers."""
    pid = int(client.call("status", {})["pid"])
    end = time.monotonic() + bound_s
    spent, since = -1, time.monotonic()
    while time.monotonic() < end:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if (now := int(words[11]) + int(words[12])) != spent:
            spent, since = now, time.monotonic()
        elif time.monotonic() - since > 1.5:
            return
        time.sleep(0.1)
    raise SystemExit("The daemon of the measurement does not come to rest.")


def flush_shim(folder: Path) -> dict[str, str]:
    """Compile the shim; the environment that turns it on."""
    library = folder / "flush_shim.so"
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("This measurement needs a C compiler (cc).")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", library, SOURCE / "flush_shim.c"], check=True
    )
    return {"LD_PRELOAD": str(library), "WM_BENCH_FLUSH_US": "2000"}


def read_count(path: Path) -> int:
    return int(struct.unpack("q", path.read_bytes())[0])


def together(commands: Sequence[Sequence[str]], env: dict[str, str]) -> list[dict[str, Any]]:
    """Run processes that begin at the same moment; the line of JSON that each prints when it is
    done. All of them stay until the last is: an interpreter that ends takes ten milliseconds of
    a processor from those that are still measured."""
    running = [
        subprocess.Popen(
            list(command),
            env=env,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    for process in running:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise SystemExit("A worker of the measurement did not start.")
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [json.loads(process.stdout.readline()) for process in running if process.stdout]
    for process in running:
        process.communicate()
    return results
