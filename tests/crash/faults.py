"""Fail each call on the data folder, in every way, in every scene (ST-5, F06-F10).

A `Fault` says which call fails, with which error, whether the call did its work before the error,
and whether all later calls fail too (a full disk stays full). After each fault: a typed error, or
a success that is really on disk; the old or the new text; no open descriptor; free locks. Once the
fault is over the same process continues, and leaves no temporary file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.crash import snapshot
from tests.crash.scenes import Scene
from tests.crash.snapshot import Allowed, Snapshot
from wm.errors import StoreError, UserError
from wm.formats.home import Aliases
from wm.store.base import Health, Ref
from wm.store.fsops import Disk, Handle

ERRORS = (
    *(errno.ENOSPC, errno.EIO, errno.EMFILE, errno.EACCES, errno.EROFS, errno.EDQUOT),
    errno.EINTR,
)
# Calls that may have changed something before they report an error; all others only read.
ACTING = (
    *("make_home", "mkdir", "create", "open_lock", "write_some", "truncate", "rename"),
    *("link", "unlink", "chmod", "flush"),
)
LOOKING = ("folder", "list", "names", "read", "has", "open", "read_at", "stat", "status")
CALLS = (*ACTING, *LOOKING)


@dataclass(frozen=True)
class Fault:
    """code 0: no error, only short writes. done: the call did its work, and then failed."""

    code: int
    sticky: bool = False
    done: bool = False
    short: bool = False

    def __str__(self) -> str:
        words = [errno.errorcode.get(self.code, "no error")]
        words += [word for word in ("sticky", "done", "short") if getattr(self, word)]
        return " ".join(words)


FAULTS = (
    *(Fault(code, sticky) for code in ERRORS for sticky in (False, True)),
    *(Fault(code, sticky, done=True) for code in ERRORS[:2] for sticky in (False, True)),
    *(Fault(0, sticky, short=True) for sticky in (False, True)),
    *(Fault(errno.ENOSPC, sticky, short=True) for sticky in (False, True)),
)


class FaultDisk(Disk):
    """Counts the calls, and fails the call number `at` (and all after it, if sticky)."""

    parallel = False

    def __init__(self, home: Path, at: int = 0, fault: Fault | None = None) -> None:
        super().__init__(home)
        self.at = at
        self.fault = fault or Fault(0)
        self.log: list[str] = []

    def heal(self) -> None:
        self.at = 0

    def due(self, name: str) -> bool:
        """Count a call; returns whether it must fail."""
        self.log.append(name)
        count = len(self.log)
        return 0 < self.at <= count and (self.fault.sticky or count == self.at)

    def os_error(self) -> OSError:
        return OSError(self.fault.code, os.strerror(self.fault.code))

    def write_some(self, file: Handle, data: memoryview) -> int:
        if not self.due("write_some"):
            return super().write_some(file, data)
        if self.fault.short:
            done = super().write_some(file, data[: max(1, len(data) // 2)])
            if self.fault.code == 0:
                return done
        elif self.fault.done:
            super().write_some(file, data)
        raise self.os_error()


def _failing(name: str) -> Callable[..., Any]:
    original = getattr(Disk, name)

    def call(self: FaultDisk, *args: Any, **kwargs: Any) -> Any:
        if not self.due(name) or self.fault.short:
            return original(self, *args, **kwargs)
        if self.fault.done and name in ACTING:
            result = original(self, *args, **kwargs)
            if isinstance(result, Handle):
                os.close(result.fd)
        raise self.os_error()

    return call


for _name in CALLS:
    if _name != "write_some":
        setattr(FaultDisk, _name, _failing(_name))


@dataclass
class Stage:
    """One step of a scene, its folder before the step, and a snapshot before and after."""

    scene: Scene
    project: Path
    folder: Path
    before: Snapshot
    after: Snapshot
    calls: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        return len(self.scene.before)

    @property
    def template(self) -> Path:
        return self.folder / "template"

    def fresh(self, name: str = "home") -> Path:
        """A new copy of the folder as it is before the step; the project is as it was, too."""
        home = self.folder / name
        shutil.rmtree(home, ignore_errors=True)
        for file in self.project.iterdir():
            shutil.rmtree(file) if file.is_dir() else file.unlink()
        shutil.copytree(self.folder / "project before", self.project, dirs_exist_ok=True)
        if self.template.exists():
            shutil.copytree(self.template, home, symlinks=True)
        return home


def stage(scene: Scene, folder: Path) -> Stage:
    """Run the single step of a scene once, without faults."""
    folder.mkdir(parents=True, exist_ok=True)
    project = folder / "project"
    project.mkdir(exist_ok=True)
    template = folder / "template"
    scene.prepare(template, project)
    shutil.copytree(project, folder / "project before")
    before = snapshot.take(scene.bench(template, project).store)
    made = Stage(scene, project, folder, before, before)
    home = made.fresh()
    disk = FaultDisk(home)
    bench = scene.bench(home, project, disk, number=made.number)
    scene.steps[0](bench)
    made.calls = list(disk.log)
    bench.store.flush()
    made.after = snapshot.take(scene.bench(home, project).store)
    return made


def different(scenes: Iterable[Scene], folder: Path) -> list[Scene]:
    """The single steps of all scenes, without those that make the same calls as an earlier one."""
    found: dict[tuple[str, ...], Scene] = {}
    steps = (step for scene in scenes for step in scene.single_steps())
    for number, step in enumerate(steps):
        found.setdefault(tuple(stage(step, folder / str(number)).calls), step)
    return list(found.values())


def loop(
    made: Stage, fault: Fault, every: int = 1, start: int = 1
) -> tuple[Counter[str], list[str]]:
    """Fail each call (or each `every`th, from `start` on) of a stage; returns counts and the
    problems found."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    at = start
    while True:
        ended, found = attempt(made, at, fault, counts)
        name = made.calls[at - 1] if at <= len(made.calls) else "later"
        problems += [
            f"{made.scene.name}, {fault}, call {at} ({name}): {problem}" for problem in found
        ]
        if ended:
            return counts, problems
        at += every


def attempt(made: Stage, at: int, fault: Fault, counts: Counter[str]) -> tuple[bool, list[str]]:
    """One run with one fault. True when the run had no call with this number."""
    home = made.fresh()
    open_before = snapshot.descriptors()
    disk = FaultDisk(home, at, fault)
    refusal: Exception | None = None
    bench = None
    try:
        bench = made.scene.bench(home, made.project, disk, number=made.number)
        made.scene.steps[0](bench)
        bench.store.flush()
    except (StoreError, UserError) as error:
        refusal = error
    except Exception as error:  # noqa: BLE001  # anything else is what we look for
        return False, [f"raised {type(error).__name__}: {error}"]
    if len(disk.log) < at:
        return True, []
    counts["runs"] += 1
    counts["refused" if refusal else "done"] += 1
    disk.heal()
    return False, list(_judge(made, home, refusal, bench, open_before))


def _judge(
    made: Stage, home: Path, refusal: Exception | None, bench: Any, open_before: dict[str, str]
) -> Iterator[str]:
    if isinstance(refusal, UserError):
        yield f"blamed the user: {refusal}"
    if refusal is not None and not str(refusal).endswith((".", ")")):
        yield f"no sentence: {refusal}"
    leaked = {n: t for n, t in snapshot.descriptors().items() if n not in open_before}
    if leaked:
        yield f"leaked {sorted(leaked.values())}"
    before = made.before if refusal else made.after
    found = snapshot.take(made.scene.bench(home, made.project).store)
    yield from snapshot.differences(found, Allowed(before, made.after))
    is_done = (found.documents, found.health) == (made.after.documents, made.after.health)
    is_done &= found.evidence <= made.after.evidence  # else a purge is still to be done
    yield from _goes_on(made, home, bench, is_done=is_done)


def _goes_on(made: Stage, home: Path, bench: Any, *, is_done: bool) -> Iterator[str]:
    """The fault is over: the same process continues, and so does a new one. is_done: the step is
    not repeated, because not every step may be: a second undo undoes something else."""
    try:
        again = bench or made.scene.bench(home, made.project, number=made.number)
        if not is_done:
            with contextlib.suppress(UserError):  # it was done already
                made.scene.steps[0](again)
        with again.store.transaction([*snapshot.refs(again.store), Ref(Aliases)]):
            pass  # what the step may not have needed: a writer, who removes temporary files
        again.store.flush()
        if temps := snapshot.left_temps(home):
            yield f"left behind {temps}"
        other = made.scene.bench(home, made.project)
        with other.store.transaction(list(snapshot.refs(other.store))):
            pass
    except StoreError as error:
        yield f"does not go on: {error}"
        return
    end = snapshot.take(other.store)
    bad = {path: health for path, health in end.health.items() if health is not Health.OK}
    if {p: h for p, h in bad.items() if made.after.health.get(p) is not h}:
        yield f"not healthy at the end: {bad}"
    # A session that starts again begins a prompt epoch of its own; the sweep deletes the old one.
    others = set(end.documents) ^ set(made.after.documents)
    if others := {path for path in others if "/epochs/" not in path}:
        yield f"other documents at the end: {others}"
    if lost := made.after.facts - end.facts:
        yield f"lost at the end: {sorted(lost)}"
    if end.damaged_records > made.after.damaged_records:
        yield f"{end.damaged_records} damaged records at the end"
