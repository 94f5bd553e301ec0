"""The contents of a data folder, and whether they are the old ones, the new ones, or neither.

`take` opens the folder like a new process and reads everything that the store serves.
`differences` is the rule of all crash tools: each document is an acknowledged one or the one being
written, acknowledged evidence is there, and no fact is lost.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wm.formats.base import Document
from wm.formats.pending_journal import PendingJournal
from wm.formats.sweep_log import SweepLog
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import WorkspaceMemory
from wm.store import paths
from wm.store.base import Health, Ref
from wm.store.files import FileStore
from wm.store.paths import RELAXED


@dataclass(frozen=True)
class Snapshot:
    """documents: path -> the document in force. facts: texts that some document holds. evidence:
    (workspace, event id)."""

    documents: Mapping[str, Document]
    relaxed: frozenset[str]
    evidence: frozenset[tuple[str, str]]
    facts: frozenset[str]
    health: Mapping[str, Health]
    damaged_records: int
    by_user: frozenset[tuple[str, str]] = frozenset()
    """The evidence of a person's acts."""
    paging: frozenset[str] = frozenset()
    """Stored steps, and records that are flushed before their request leaves."""
    dangling: frozenset[str] = frozenset()
    """Handles in decisions whose steps are not stored."""


def with_evidence(one: Snapshot, more: frozenset[tuple[str, str]]) -> Snapshot:
    return dataclasses.replace(one, evidence=one.evidence | more)


def refs(store: FileStore) -> Iterator[Ref[Document]]:
    """Every document that has a file."""
    for workspace in ("", *store.memories()):
        for model, row in paths.LAYOUT.items():
            if row.in_home == (workspace == ""):
                for name in store.names(model, workspace):
                    yield Ref(model, workspace, name)


def take(store: FileStore) -> Snapshot:
    documents: dict[str, Document] = {}
    health: dict[str, Health] = {}
    relaxed: set[str] = set()
    facts: set[str] = set()
    for ref in refs(store):
        if issubclass(ref.model, SweepLog):
            continue  # describes one run, so it differs between two equal runs
        path = paths.place(ref).path
        reading = store.read(ref)
        health[path] = reading.health
        for document in (reading.document, reading.outside):
            facts.update(_facts(document))
        if reading.document is not None:
            documents[path] = reading.document
            if ref.model in RELAXED:
                relaxed.add(path)
    evidence: set[tuple[str, str]] = set()
    by_user: set[tuple[str, str]] = set()
    damaged = 0
    for workspace in store.memories():
        log = store.evidence(workspace)
        damaged += log.damaged
        for record in log.records:
            evidence.add((workspace, record.event_id))
            if record.phase == "user":
                by_user.add((workspace, record.event_id))
    steps, decided, dangling = _paging(store)
    return Snapshot(
        documents,
        frozenset(relaxed),
        frozenset(evidence),
        frozenset(facts),
        health,
        damaged,
        frozenset(by_user),
        frozenset(steps | decided),
        frozenset(dangling),
    )


HANDLE = re.compile(r"o_[0-9a-f]{12}")


def _paging(store: FileStore) -> tuple[set[str], set[str], set[str]]:
    """Steps, durable records and dangling handles, each with its session."""
    steps: set[str] = set()
    decided: set[str] = set()
    named: set[str] = set()
    for workspace in store.workspaces():
        for session in store.sessions_with(workspace, *paths.PAGING):
            steps |= {f"{session} {one}" for one in store.object_ids(workspace, session)}
            for record in store.ledger(workspace, session):
                if record.kind in {"decided", "policy"}:
                    decided.add(f"{session} {record.kind} {record.request}{record.policy}")
                for decision in record.decisions:
                    named |= {f"{session} {one}" for one in HANDLE.findall(decision.text)}
    return steps, decided, named - steps


def _facts(document: Document | None) -> Iterator[str]:
    if isinstance(document, WorkspaceMemory):
        yield from (entry.text for entry in document.entries)
    elif isinstance(document, PendingJournal):
        yield from (pending.entry.text for pending in document.entries)
    elif isinstance(document, TrashedEntry):
        yield document.entry.text


@dataclass(frozen=True)
class Allowed:
    """The allowed contents: `before` was acknowledged, `after` was being written. since: the
    snapshots back to the last flush of class relaxed. evidence: what must be in the logs."""

    before: Snapshot
    after: Snapshot
    since: Sequence[Snapshot] = ()
    evidence: frozenset[tuple[str, str]] | None = None


def differences(found: Snapshot, allowed: Allowed) -> Iterator[str]:
    """One sentence for each thing that is neither the old nor the new."""
    before, after = allowed.before, allowed.after
    known = (before, after, *allowed.since)
    relaxed = frozenset().union(*(one.relaxed for one in known))
    for path in sorted({*found.documents, *before.documents, *after.documents}):
        fits = (before, after) if path not in relaxed else known
        if not any(found.documents.get(path) == one.documents.get(path) for one in fits):
            yield f"{path} is neither old nor new: {_about(found.documents.get(path))}"
    wanted = before.evidence if allowed.evidence is None else allowed.evidence
    wanted -= before.evidence - after.evidence  # records that a purge was about to remove
    if lost := wanted - found.evidence:
        yield f"evidence is lost: {sorted(lost)}"
    if more := found.evidence - after.evidence - before.evidence:
        yield f"evidence of nothing: {sorted(more)}"
    if gone := (before.paging & after.paging) - found.paging:
        yield f"paging is lost: {sorted(gone)}"
    if added := found.paging - before.paging - after.paging:
        yield f"paging from nowhere: {sorted(added)}"
    if dangling := found.dangling - before.dangling - after.dangling:
        yield f"decisions name steps that are not stored: {sorted(dangling)}"
    if nowhere := (before.facts & after.facts) - found.facts:
        yield f"facts are nowhere: {sorted(nowhere)}"
    if invented := found.facts - before.facts - after.facts:
        yield f"facts from nowhere: {sorted(invented)}"


def _about(document: Document | None) -> str:
    return "missing" if document is None else f"generation {document.generation}, {document!r:.300}"


def left_temps(home: Path) -> list[str]:
    return sorted(str(file.relative_to(home)) for file in home.rglob("*.tmp"))


def descriptors() -> dict[str, str]:
    """The open descriptors of this process, and their targets."""
    found: dict[str, str] = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            continue
    return found
