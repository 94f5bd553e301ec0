"""Check and mend the data folder: the checker of the store, for whoever may not open it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from wm.domain.facts import Detail, Fact
from wm.errors import StoreError
from wm.ops.base import Work
from wm.ops.runtime import Runtime
from wm.store import check, fstype, mend
from wm.store.base import Finding
from wm.store.files import FileStore


def check_store(runtime: Runtime, *, deep: bool) -> Iterator[Finding]:
    """Every broken invariant of the formats; `deep` reads all data. Only files can break."""
    store = runtime.store
    return check.check(store, deep=deep) if isinstance(store, FileStore) else iter(())


def repair_store(runtime: Runtime) -> Iterator[Finding]:
    """Mend what `check_store` calls repairable; what was done. The evidence of a workspace tells
    what was mended in it (EV-1)."""
    store = runtime.store
    if not isinstance(store, FileStore):
        return
    for finding in mend.repair(store):
        if finding.severity == "note":
            _tell(runtime, finding)
        yield finding


def _tell(runtime: Runtime, finding: Finding) -> None:
    """One record in the log of the workspace that the mended file belongs to. What was mended is
    mended, also where the log cannot be written; that is a finding of its own."""
    above, _, rest = finding.path.partition("/")
    workspace, _, name = rest.partition("/")
    if above != "workspaces" or not name:
        return
    details: dict[str, Detail] = {"path": name, "done": finding.message}
    fact = Fact("store_repaired", "store", "repaired", "", (finding.code,), details)
    with contextlib.suppress(StoreError), runtime.store.transaction([]) as transaction:
        Work(runtime, runtime.now(), transaction).log(workspace, [fact])


def folder_class(path: str) -> tuple[str, str]:
    """How far the file system of a folder keeps promises (durable, best_effort, unsupported),
    and its name."""
    found = fstype.of(path)
    return found.durability, found.kind
