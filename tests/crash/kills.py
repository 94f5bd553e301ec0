"""Kill a process at each call on the data folder; the next finds the old or the new text (F01).

The child is forked, runs one step of a scene and dies by `os._exit` (its descriptors close,
nothing is flushed) or by a real SIGKILL: before call number `at`, or in the middle of it if it is a
write. It writes its acknowledgement to a pipe.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash import recovery, snapshot
from tests.crash.faults import CALLS, Stage
from tests.crash.snapshot import Allowed
from wm.store.base import Health
from wm.store.fsops import Disk, Handle

EXIT, KILL = "exit", "kill"
_DIED = 9


class DyingDisk(Disk):
    """The process ends at call number `at`."""

    parallel = False

    def __init__(self, home: Path, at: int, how: str = EXIT, *, half: bool = False) -> None:
        super().__init__(home)
        self.at = at
        self.how = how
        self.half = half
        self.count = 0

    def step(self) -> None:
        if self.due():
            self.die()

    def due(self) -> bool:
        self.count += 1
        return self.count == self.at

    def die(self) -> None:
        if self.how == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(_DIED)

    def write_some(self, file: Handle, data: memoryview) -> int:
        if self.due():
            if self.half:
                super().write_some(file, data[: max(1, len(data) // 2)])
            self.die()
        return super().write_some(file, data)


def _dying(name: str) -> Callable[..., Any]:
    original = getattr(Disk, name)

    def call(self: DyingDisk, *args: Any, **kwargs: Any) -> Any:
        self.step()
        return original(self, *args, **kwargs)

    return call


for _name in CALLS:
    if _name != "write_some":
        setattr(DyingDisk, _name, _dying(_name))


def run_and_die(act: Callable[[Callable[[], None]], None]) -> tuple[bool, bool]:
    """Run `act(acknowledge)` in a child. Returns whether it acknowledged, and whether it died
    early."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            act(lambda: _write(writing))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    acknowledged = os.read(reading, 1)
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1:
        raise AssertionError("the child failed by itself")
    died = os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == _DIED
    return bool(acknowledged), died


def _write(descriptor: int) -> None:
    os.write(descriptor, b"a")


def attempt(
    made: Stage, at: int, how: str, counts: Counter[str], *, half: bool = False
) -> tuple[bool, list[str]]:
    """One death. True when the run had no call with this number."""
    home = made.fresh()

    def act(acknowledge: Callable[[], None]) -> None:
        disk = DyingDisk(home, at, how, half=half)
        bench = made.scene.bench(home, made.project, disk, number=made.number)
        made.scene.steps[0](bench)
        acknowledge()
        bench.store.flush()

    acknowledged, died = run_and_die(act)
    if not died:
        return True, []
    counts["deaths"] += 1
    counts["acknowledged"] += acknowledged
    return False, judge(made, home, acknowledged=acknowledged)


def judge(made: Stage, home: Path, *, acknowledged: bool, recovered: bool = False) -> list[str]:
    """Open the folder as the next process would; returns the problems. recovered: a recovery began,
    which writes a line of evidence of its own into every workspace."""
    before, after = made.after if acknowledged else made.before, made.after
    bench = made.scene.bench(home, made.project)
    found = snapshot.take(bench.store)
    if recovered:
        own = frozenset((key, recovery.TOUCHED) for key in bench.store.memories())
        after = snapshot.with_evidence(after, own & found.evidence)
    problems = list(snapshot.differences(found, Allowed(before, after)))
    for path, health in found.health.items():
        fine = {Health.OK, made.before.health.get(path), made.after.health.get(path)}
        if health not in fine:
            problems.append(f"{path} is {health.value}")
    problems += recovery.problems(bench, found, bench.store)
    if temps := snapshot.left_temps(home):
        problems.append(f"left behind {temps}")
    return problems


def loop(made: Stage, how: str, every: int = 1) -> tuple[Counter[str], list[str]]:
    """Die at each call (or each `every`th) of a stage."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    at = 1
    while True:
        ended, found = attempt(made, at, how, counts)
        if at <= len(made.calls) and made.calls[at - 1] == "write_some":
            found += attempt(made, at, how, counts, half=True)[1]
        name = made.calls[at - 1] if at <= len(made.calls) else "later"
        problems += [f"{made.scene.name}, {how} at {at} ({name}): {problem}" for problem in found]
        if ended:
            return counts, problems
        at += every


def loop_in_recovery(made: Stage, deaths: list[int], every: int) -> tuple[Counter[str], list[str]]:
    """Die at each of `deaths`, then again at each `every`th call of the recovery."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for first in deaths:
        second = 1
        while True:
            home = made.fresh()
            acknowledged, died_first = run_and_die(
                lambda acknowledge, home=home, first=first: _play(made, home, first, acknowledge)
            )
            _, died = run_and_die(lambda _, home=home, second=second: _recover(made, home, second))
            if not (died_first and died):
                break
            counts["second deaths"] += 1
            problems += [
                f"{made.scene.name}, dead at {first}, again at {second}: {problem}"
                for problem in judge(made, home, acknowledged=acknowledged, recovered=True)
                if "have the id of another" not in problem
            ]
            second += every
    return counts, problems


def _play(made: Stage, home: Path, at: int, acknowledge: Callable[[], None]) -> None:
    bench = made.scene.bench(home, made.project, DyingDisk(home, at), number=made.number)
    made.scene.steps[0](bench)
    acknowledge()
    bench.store.flush()


def _recover(made: Stage, home: Path, at: int) -> None:
    recovery.recover(made.scene.bench(home, made.project, DyingDisk(home, at)).store)
