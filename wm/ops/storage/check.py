"""Check and repair the data folder through the store's checker (ST-3).

A repair leaves a record in the evidence of its workspace. The rules are in `wm.store.check`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from wm.domain.facts import Detail, Fact
from wm.errors import StoreError
from wm.ops.operation import Work
from wm.ops.place import unrooted
from wm.ops.runtime import Runtime
from wm.store import check, fstype
from wm.store.base import Finding
from wm.store.check import repair
from wm.store.paths import owner


def check_store(runtime: Runtime, *, deep: bool) -> Iterator[Finding]:
    """Yield every broken invariant; `deep` reads all data."""
    return check.check(runtime.store, deep=deep)


def repair_store(runtime: Runtime) -> Iterator[Finding]:
    """Repair what `check_store` marks repairable, and yield what was done. Each repair is recorded
    in the evidence of its workspace (EV-1)."""
    for finding in repair.repair(runtime.store):
        if finding.severity == "note":
            _log_repair(runtime, finding)
        yield finding


def _log_repair(runtime: Runtime, finding: Finding) -> None:
    """Record one repair in the log of its workspace. The repair counts even if the log cannot be
    written; that failure is a separate finding."""
    workspace, name = owner(finding.path)
    if not workspace or not name:
        return
    details: dict[str, Detail] = {"path": name, "done": finding.message}
    fact = Fact("store_repaired", "store", "repaired", "", (finding.code,), details)
    with contextlib.suppress(StoreError), runtime.store.transaction([]) as transaction:
        work = Work(runtime, runtime.now(), transaction)
        work.at(unrooted(workspace)).log([fact])


def folder_class(path: str) -> tuple[str, str]:
    """The durability class of a folder's file system (durable, best_effort, unsupported), and its
    name."""
    found = fstype.of(path)
    return found.durability, found.kind
