"""The common input of every diagnosis: one reading of a workspace's memory and evidence.

All parts of one answer use the same reading, so its figures agree. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from msgspec import Struct

from wm.api.diag import Remark
from wm.api.protocol import Scoped, WorkspacePlace
from wm.domain.evidence_retention import ADMITTING
from wm.domain.times import parse
from wm.formats.evidence import EvidenceRecord
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.memory import anchors
from wm.ops.memory.documents import read_memory
from wm.ops.memory.render import omissions, rendered
from wm.ops.operation import A, LocatedWork, Work, located
from wm.ops.storage.evidence import read_log
from wm.store.base import LogReading
from wm.text.tables import Tables

Q = TypeVar("Q", bound=Scoped)


class DiagnosisBasis(Struct, frozen=True):
    """One consistent reading, for one answer."""

    work: LocatedWork
    memory: WorkspaceMemory
    log: LogReading

    @property
    def place(self) -> WorkspacePlace:
        return self.work.place

    @property
    def records(self) -> tuple[EvidenceRecord, ...]:
        return self.log.records

    @property
    def active(self) -> tuple[MemoryEntry, ...]:
        return tuple(e for e in self.memory.entries if e.status == "active")

    def trashed(self) -> tuple[str, ...]:
        return self.work.store.names(TrashedEntry, self.work.key)

    def shown(self) -> tuple[MemoryEntry, ...]:
        return rendered(self.work, self.memory).selection.shown

    def omitted(self, entries: Iterable[MemoryEntry]) -> dict[str, str]:
        """Why prompts omit each entry: its id -> a code, "" if they show it."""
        view = rendered(self.work, self.memory).selection
        return omissions(tuple(entries), self.work.place, view)

    def admissions(self) -> dict[str, EvidenceRecord]:
        """The record that admitted each entry: the one the entry names, else the first matching
        one."""
        by_event = {r.event_id: r for r in self.records}
        found: dict[str, EvidenceRecord] = {}
        for record in self.records:
            if record.entry and record.type in ADMITTING:
                found.setdefault(record.entry, record)
        for entry in self.memory.entries:
            if entry.admitted_by in by_event:
                found[entry.id] = by_event[entry.admitted_by]
        return found

    def prompted(self) -> dict[str, list[str]]:
        """Times at which prompts showed each entry, oldest first."""
        found: dict[str, list[str]] = {}
        for record in self.records:
            if record.type == "epoch_opened":
                for entry_id in record.details.get("included") or ():
                    found.setdefault(str(entry_id), []).append(record.created_at)
        return found


def from_basis(run: Callable[[DiagnosisBasis, Q], A]) -> Callable[[Work, Q], A]:
    """The `run` of a diagnosis: it begins with the reading of the workspace."""

    def diagnose(work: LocatedWork, request: Q) -> A:
        memory = anchors.seen(work.place, read_memory(work), request.directory)
        return run(DiagnosisBasis(work, memory, read_log(work)), request)

    return located(diagnose)


_REMARKS = Tables("wm.ops.diagnosis", "remarks.toml")


def remark(row: str, entry: str = "", **values: object) -> Remark:
    """A remark in the words of `remarks.toml`. row: report and code; values: those in braces."""
    report, code = row.split(".")
    severity, *words = _REMARKS.table(report)[code]
    sentence, *fix = (each.format(entry=entry, **values) for each in words)
    return Remark(code=code, severity=severity, sentence=sentence, entry=entry, fix="".join(fix))


def is_after(record: EvidenceRecord, begin: datetime | None) -> bool:
    """Was the record made after `begin`? True for records without a readable time."""
    at = parse(record.created_at)
    return begin is None or at is None or at >= begin
