"""Admit imported statements into a memory so that a second import changes nothing (CB-6, WM-5).

An import is not a recurrence: known facts are neither reinforced nor changed; only a weaker
source gives way to a stronger one. Forgotten texts stay forgotten, and an import never supersedes
an entry that it did not bring itself, unless the user says the statement with it. Pure: the gate
has judged and the text is redacted before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain.facts import Detail
from wm.domain.imports.foreign import id_of_text
from wm.domain.memory.acts import SOURCE_RANK
from wm.domain.memory.consolidate import MemoryEditor, fresh_id, is_users
from wm.formats.evidence import Outcome
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings
from wm.text.letters import canonical

HISTORY, UNCHANGED = "history", "unchanged"
NEW = ("promoted", "inbox", "superseded", HISTORY)
"""Outcomes that change the memory."""
SUPERSEDED: Outcome = "superseded"


class Newcomer(Struct, frozen=True):
    """An entry as it would be stored. refused: why it may not be admitted at all. bare: another
    wording that counts as the same fact, or ""."""

    entry: MemoryEntry
    refused: tuple[str, ...] = ()
    bare: str = ""
    is_statement: bool = False
    """Whether it may say something new about what an entry says: the person who accepts it is shown
    that entry."""


class ImportResult(Struct, frozen=True):
    """The outcome for one newcomer; the codes are those of `wm.api.imports.Imported`."""

    outcome: str
    entry_id: str = ""
    reason_codes: tuple[str, ...] = ()
    details: dict[str, Detail] = field(default_factory=dict)


def admit_all(
    memory: WorkspaceMemory,
    newcomers: Sequence[Newcomer],
    *,
    forgotten: Callable[[MemoryEntry], bool],
    now: datetime,
    settings: MemorySettings,
) -> tuple[WorkspaceMemory, list[ImportResult]]:
    """Admit the newcomers in order. Returns the new memory and one result per newcomer."""
    known = _EntryIndex(memory)
    again = (known.find_by_id(one.entry) for one in newcomers if is_users(one.entry))
    editor = MemoryEditor(memory, said={entry.id for entry in again if entry is not None})
    history: list[MemoryEntry] = []
    results = []
    said = {newcomer.entry.id for newcomer in newcomers}
    for newcomer in newcomers:
        newcomer = _said_again(newcomer, known, said)
        result = _check_duplicate(editor, known, newcomer, forgotten)
        if result is None and newcomer.entry.status == "superseded":
            history.append(newcomer.entry)
            result = ImportResult(HISTORY, newcomer.entry.id)
        if result is None:
            done = editor.admit(newcomer.entry, now=now, settings=settings)
            details = dict(done.details)
            result = ImportResult(done.outcome, done.entry_id, done.reason_codes, details)
        if result.outcome in NEW:
            known.add(newcomer.entry.model_copy(update={"id": result.entry_id}))
        results.append(result)
    editor.renew(_linked(editor.memory, history, results))
    for newcomer, result in zip(newcomers, results, strict=True):
        entry = editor.find(result.entry_id)
        if newcomer.is_statement and result.outcome == "inbox" and entry is not None:
            waiting = editor.with_outdated(entry.model_copy(update={"origin": "user"}))
            editor.amend(waiting.model_copy(update={"origin": entry.origin}))
    return editor.memory, results


class _EntryIndex:
    """The ids and the texts (of any type) that the memory already holds."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        self._born: dict[str, MemoryEntry] = {}
        self._texts: dict[str, MemoryEntry] = {}
        self._new: set[str] = set()
        for entry in memory.entries:
            self._born[entry.id] = entry
            # An active entry takes precedence over one in the inbox.
            if entry.status == "active" or canonical(entry.text) not in self._texts:
                self._remember(entry)

    def _remember(self, entry: MemoryEntry) -> None:
        if entry.status in ("active", "inbox") and not entry.outside:
            self._texts[canonical(entry.text)] = entry

    def add(self, entry: MemoryEntry) -> None:
        self._born[entry.id] = entry
        self._new.add(entry.id)
        self._remember(entry)

    def is_new(self, entry_id: str) -> bool:
        """Did this import bring the entry?"""
        return entry_id in self._new

    def heir(self, entry: MemoryEntry) -> MemoryEntry:
        """The last of those that replaced this entry one after another."""
        seen = {entry.id}
        while (heir := self._born.get(entry.superseded_by)) is not None and heir.id not in seen:
            seen.add(heir.id)
            entry = heir
        return entry

    def find_by_id(self, entry: MemoryEntry) -> MemoryEntry | None:
        """The entry that an earlier import made of this one; a person may have edited it since."""
        for name in (entry.id, fresh_id(entry)):
            found = self._born.get(name)
            if found is not None and _is_born_of(found, entry):
                return found
        return None

    def find_by_text(self, *texts: str) -> MemoryEntry | None:
        found = (self._texts.get(canonical(text)) for text in texts if text)
        return next((entry for entry in found if entry is not None), None)


def _said_again(newcomer: Newcomer, known: _EntryIndex, said: Collection[str]) -> Newcomer:
    """A line of the user's file that returned after another one had taken its place, which is gone
    now: the earlier entry stays as history, so this one needs an id of its own."""
    entry = newcomer.entry
    before = known.find_by_id(entry)
    if not is_users(entry) or before is None or before.status != "superseded":
        return newcomer
    heir = known.heir(before)
    line = id_of_text(heir.text)
    came = heir.id in (line, fresh_id(heir.model_copy(update={"id": line})))
    if heir.status != "active" or not came or line in said:
        return newcomer  # replaced otherwise, or the file has both lines
    return replace(newcomer, entry=entry.model_copy(update={"id": fresh_id(entry)}))


def _is_born_of(found: MemoryEntry, entry: MemoryEntry) -> bool:
    """Our ids are derived from the text; the plugin may have given one id twice."""
    if entry.id.startswith("m_") or found.created_at == entry.created_at:
        return True
    return canonical(found.text) == canonical(entry.text)


def _check_duplicate(
    editor: MemoryEditor,
    known: _EntryIndex,
    newcomer: Newcomer,
    forgotten: Callable[[MemoryEntry], bool],
) -> ImportResult | None:
    """The result for a newcomer that stays out; None if it may be admitted."""
    entry = newcomer.entry
    before = known.find_by_id(entry)
    if before is not None:
        if known.is_new(before.id):
            return ImportResult("absorbed", before.id, ("duplicate",))
        return ImportResult(UNCHANGED, before.id, ("already_present",))
    if newcomer.refused:
        return ImportResult("rejected", "", newcomer.refused)
    if forgotten(entry):
        return ImportResult("rejected", "", ("forgotten",))
    twin = known.find_by_text(entry.text, newcomer.bare)
    if twin is None and entry.status != "superseded":
        twin = next(iter(editor.twins(entry)), None)
    if twin is None or _is_replaceable(twin, entry):
        return None
    return ImportResult("absorbed", twin.id, ("duplicate",))


def _is_replaceable(twin: MemoryEntry, entry: MemoryEntry) -> bool:
    """Does the known entry give way to a newcomer that states the same fact?"""
    if entry.status != "active" or entry.tainted or twin.type != entry.type:
        return False
    stronger = SOURCE_RANK.get(entry.source, 0) > SOURCE_RANK.get(twin.source, 0)
    return twin.status != "active" or stronger


def _linked(
    memory: WorkspaceMemory, history: list[MemoryEntry], results: Sequence[ImportResult]
) -> WorkspaceMemory:
    """The memory with its history appended. Supersession links of newcomers point to that history
    only."""
    entries = (*memory.entries, *history)
    past = {e.id for e in entries if e.status == "superseded"}
    brought = {r.entry_id for r in results if r.outcome in NEW}
    if not brought:
        return memory
    heirs = {old: e.id for e in entries if e.id in brought for old in e.supersedes if old in past}
    linked = []
    for entry in entries:
        if entry.id in brought:
            kept = tuple(old for old in entry.supersedes if old in past and old != entry.id)
            entry = entry.model_copy(update={"supersedes": kept})
            if entry.status == "superseded" and not entry.superseded_by:
                heir = heirs.get(entry.id, "")
                entry = entry.model_copy(update={"superseded_by": heir if heir != entry.id else ""})
        linked.append(entry)
    return memory.model_copy(update={"entries": tuple(linked)})
