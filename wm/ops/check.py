"""Check and mend the data folder: the checker of the store, for whoever may not open it."""

from __future__ import annotations

from collections.abc import Iterator

from wm.ops.runtime import Runtime
from wm.store import check, fstype, mend
from wm.store.base import Finding
from wm.store.files import FileStore


def check_store(runtime: Runtime, *, deep: bool) -> Iterator[Finding]:
    """Every broken invariant of the formats; `deep` reads all data. Only files can break."""
    store = runtime.store
    return check.check(store, deep=deep) if isinstance(store, FileStore) else iter(())


def repair_store(runtime: Runtime) -> Iterator[Finding]:
    """Mend what `check_store` calls repairable; what was done."""
    store = runtime.store
    return mend.repair(store) if isinstance(store, FileStore) else iter(())


def folder_class(path: str) -> tuple[str, str]:
    """How far the file system of a folder keeps promises (durable, best_effort, unsupported),
    and its name."""
    found = fstype.of(path)
    return found.durability, found.kind
