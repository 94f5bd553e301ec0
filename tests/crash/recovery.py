"""Recovery of a folder after a crash by the next process, and the rules for its result.

`recover` is the recovery: repair, then write once (which sweeps and cuts torn ends). `problems`
checks its rules: nothing unrepairable is left, no document's content changes, and a second recovery
has nothing left to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.crash import snapshot
from tests.crash.scenes import Bench
from tests.crash.snapshot import Snapshot
from wm.errors import StoreError
from wm.formats.evidence import EvidenceRecord
from wm.store.base import Finding
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore


def recover(store: FileStore) -> list[Finding]:
    """Repair, and write once into every workspace; returns what was done."""
    done = list(repair(store))
    for workspace in store.memories():
        touch(store, workspace)
    store.flush()
    return done


def touch(store: FileStore, workspace: str) -> None:
    """A write that changes no document."""
    refs = [ref for ref in snapshot.refs(store) if ref.workspace == workspace]
    with store.transaction(refs) as transaction:
        transaction.log(
            EvidenceRecord(
                event_id=TOUCHED,
                created_at="2026-11-21T19:00:00.000Z",
                workspace_key=workspace,
                type="touched",
                phase="user",
                outcome="noticed",
            )
        )


TOUCHED = "e_touched"


def problems(bench: Bench, found: Snapshot, store: FileStore) -> Iterator[str]:
    """Check and recover twice; yields each violated rule. `found` was read before."""
    try:
        yield from _unrepairable(check(store, deep=True))
        failed = [finding for finding in repair(store) if finding.severity == "error"]
        if failed:
            yield f"could not repair {failed}"
        left = [finding for finding in check(store, deep=True) if finding.repairable]
        if left:
            yield f"left to repair {left}"
        repaired = snapshot.take(store)
        yield from _changed(found, repaired)
        if more := list(repair(store)):
            yield f"repaired twice: {more}"
        if bench.key in store.workspaces():
            touch(store, bench.key)
    except StoreError as error:
        yield f"no recovery: {error}"


def _unrepairable(findings: Iterator[Finding]) -> Iterator[str]:
    for finding in findings:
        if finding.severity == "error" and not finding.repairable:
            yield f"cannot be repaired: {finding}"


def _changed(found: Snapshot, repaired: Snapshot) -> Iterator[str]:
    for path in {*found.documents, *repaired.documents}:
        if found.documents.get(path) != repaired.documents.get(path):
            yield f"repairing changed {path}"
    if found.evidence - repaired.evidence:
        yield f"repairing lost evidence {found.evidence - repaired.evidence}"
