"""What every diagnosis looks at: one reading of the memory and the evidence of a workspace."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from wm.domain.since import moment
from wm.domain.times import parse
from wm.domain.workspace.keeping import ADMITTING
from wm.errors import UserError
from wm.formats.diagnosis import Happening
from wm.formats.evidence import EvidenceRecord
from wm.formats.protocol import SINCE, Place, Scoped
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import anchors
from wm.ops.base import Work
from wm.ops.evidence import read_log, text_of
from wm.ops.memory import read_memory
from wm.ops.place import locate
from wm.ops.render import omissions, rendered
from wm.ops.words import told
from wm.store.base import LogReading


class Ground(Struct, frozen=True):
    """One reading, for one answer."""

    work: Work
    place: Place
    memory: WorkspaceMemory
    log: LogReading

    @property
    def records(self) -> tuple[EvidenceRecord, ...]:
        return self.log.records

    @property
    def active(self) -> tuple[MemoryEntry, ...]:
        return tuple(e for e in self.memory.entries if e.status == "active")

    def trashed(self) -> tuple[str, ...]:
        return self.work.runtime.store.names(TrashedEntry, self.place.key)

    def shown(self) -> tuple[MemoryEntry, ...]:
        return rendered(self.work, self.place, self.memory).selection.shown

    def omitted(self, entries: Iterable[MemoryEntry]) -> dict[str, str]:
        """Why prompts do not show these: a code by id, "" where they do."""
        view = rendered(self.work, self.place, self.memory).selection
        return omissions(tuple(entries), self.place, view)

    def admissions(self) -> dict[str, EvidenceRecord]:
        """The record that let each entry in: the one that it names, else the first that fits."""
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
        """When prompts showed each entry, oldest first."""
        found: dict[str, list[str]] = {}
        for record in self.records:
            if record.type == "epoch_opened":
                for entry_id in record.details.get("included") or ():
                    found.setdefault(str(entry_id), []).append(record.created_at)
        return found


def ground(work: Work, request: Scoped) -> Ground:
    place = locate(work.runtime, request)
    memory = anchors.seen(place, read_memory(work, place), request.directory)
    return Ground(work, place, memory, read_log(work, place))


def happening(record: EvidenceRecord) -> Happening:
    return Happening(record=record, sentence=told(record), text=text_of(record))


def since(asked: str, now: datetime) -> datetime | None:
    """The moment that `7d`, `12h`, `2w` or a time means; None for "". Raises UserError."""
    if not asked:
        return None
    found = moment(asked, now)
    if found is None:
        raise UserError(f"{asked[:60]!r} is no time.", fix=f"Give one of: {SINCE}.")
    return found


def is_after(record: EvidenceRecord, begin: datetime | None) -> bool:
    """Records without a readable time are always in."""
    at = parse(record.created_at)
    return begin is None or at is None or at >= begin
