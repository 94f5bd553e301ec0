"""Every invariant of the files, told as findings; and the mending of those that can be (ST-3).

Reads through the store only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wm.formats.base import Document
from wm.store import paths
from wm.store.base import Finding, Health, Ref

if TYPE_CHECKING:
    from wm.store.files import FileStore

_CODES = {
    Health.OUTSIDE: ("changed_outside", "note"),
    Health.RESTORED: ("restored", "warning"),
    Health.LOST: ("unreadable", "error"),
    Health.TOO_NEW: ("too_new", "warning"),
}


def check(store: FileStore, deep: bool) -> Iterator[Finding]:
    """What is wrong with the documents, and with `deep` in the evidence too."""
    for ref in _refs(store):
        reading = store.read(ref)
        if reading.health in _CODES:
            code, severity = _CODES[reading.health]
            path = paths.place(ref).path
            yield Finding(code, severity, path, reading.detail, reading.health is Health.RESTORED)
    for workspace in store.workspaces() if deep else ():
        log = store.evidence(workspace)
        if log.damaged:
            path = paths.evidence_folder(workspace)
            yield Finding("damaged_records", "warning", path, f"{log.damaged} do not verify")


def repair(store: FileStore) -> Iterator[Finding]:
    """Write every restored document back; its damaged file goes to quarantine."""
    for ref in _refs(store):
        if store.read(ref).health is not Health.RESTORED:
            continue
        with store.transaction([ref]) as transaction:
            reading = transaction.read(ref)
            if reading.health is Health.RESTORED and reading.document is not None:
                transaction.put(ref, reading.document)
        yield Finding("restored", "note", paths.place(ref).path, reading.detail)


def _refs(store: FileStore) -> Iterator[Ref[Document]]:
    for model, row in paths.LAYOUT.items():
        for workspace in ("",) if row.in_home else store.workspaces():
            for name in store.names(model, workspace):
                yield Ref(model, workspace, name)
