"""Load and save what a workspace remembers. Outside edits are absorbed on loading (ST-4).

All writes of the memory pass `save_memory`, which stages document and evidence together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from string import hexdigits
from typing import TYPE_CHECKING

from wm.api.protocol import Scoped, WorkspacePlace
from wm.domain.facts import Detail, Fact
from wm.domain.memory import outside_changes, questions, retention
from wm.domain.memory.entry_list import find, get
from wm.errors import Corrupt, NotFound, TooNew, UserError, WmError
from wm.formats.base import Document
from wm.formats.pending_journal import PendingJournal
from wm.formats.tombstones import Tombstones
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.operation import LocatedWork, Work
from wm.ops.place import locate, memory_ref, workspace_of
from wm.ops.runtime import Runtime
from wm.store.base import D, Health, Reading, Ref
from wm.text.letters import canonical

if TYPE_CHECKING:
    from wm.domain.memory.consolidate import MemoryEditor


def read_memory(work: LocatedWork) -> WorkspaceMemory:
    """The memory in force; an empty one if there is none. Writes nothing."""
    ref = memory_ref(work.key)
    return _in_force(work.read(ref), ref, work.place)


def _in_force(reading: Reading[D], ref: Ref[D], place: WorkspacePlace) -> D:
    """The document in force, or an empty one. Raises Corrupt if no generation is readable."""
    if reading.document is not None:
        return reading.document
    if reading.health is Health.LOST:
        raise Corrupt.of(
            "memory.unreadable",
            document=ref.slug.replace("_", " "),
            workspace=ref.workspace,
            detail=reading.detail,
        )
    return ref.model(workspace=workspace_of(place))


def load_memory(work: LocatedWork) -> WorkspaceMemory:
    """The memory to change: the one in force, with outside edits in its inbox.

    Raises Corrupt if no generation is readable, and TooNew if a newer wm wrote it.
    """
    ref = memory_ref(work.key)
    reading = work.read(ref)
    if reading.health is Health.TOO_NEW:
        raise TooNew.of("memory.newer", key=work.key, detail=reading.detail)
    in_force = _in_force(reading, ref, work.place)
    if reading.outside is None:
        return in_force
    # A file copied here from elsewhere has no document in force; all of its entries wait.
    memory, facts = outside_changes.absorb(
        in_force,
        _redacted(work, reading.outside, in_force),
        now=work.now,
        new_id=lambda: work.new_id("m_"),
    )
    # Staged at once: evidence must not mention proposals that were not stored.
    save_memory(work, memory, facts)
    return memory


def _redacted(work: Work, edited: WorkspaceMemory, in_force: WorkspaceMemory) -> WorkspaceMemory:
    """The edited document with secrets removed from the changed texts (TR-1)."""
    known = {entry.id: entry for entry in in_force.entries}
    redact = work.redact
    entries = tuple(
        entry
        if known.get(entry.id) == entry
        else entry.model_copy(
            update={
                "text": redact(entry.text),
                "rationale": redact(entry.rationale),
                "tags": tuple(map(redact, entry.tags)),
            }
        )
        for entry in edited.entries
    )
    return edited.model_copy(update={"entries": entries})


@contextmanager
def memory_editor(
    work: LocatedWork, memory: WorkspaceMemory, make: type[MemoryEditor]
) -> Iterator[MemoryEditor]:
    """The workspace's memory editor, updated to this memory. It leaves the cache while in use:
    another thread makes its own, and an editor that failed halfway is dropped. make: the class;
    it loads the rules of changes, which commands that only read do without."""
    editors = work.runtime.caches.editors
    editor: MemoryEditor = editors.pop(work.key) or make(memory)
    try:
        editor.renew(memory)
        yield editor
    except WmError:  # a refusal leaves the editor intact
        editors.put(work.key, editor)
        raise
    editors.put(work.key, editor)


def entry_details(entry: MemoryEntry) -> dict[str, Detail]:
    """What the evidence of an act says of its entry."""
    return {"source": entry.source, "origin": entry.origin, "text": entry.text}


def save_memory(
    work: LocatedWork, memory: WorkspaceMemory, facts: Sequence[Fact] = (), *, session: str = ""
) -> None:
    """Stage the memory with the evidence for its changes."""
    work.log(facts, session=session)
    if any(e.conflicts or questions.MAY_REPLACE in e.reasons for e in memory.entries):
        memory = questions.in_step(memory)
    updated = memory.model_copy(update={"updated_at": work.moment})
    # `load_memory` loaded this memory and has absorbed the outside edits.
    work.put(memory_ref(work.key), updated, absorbs=True)
    work.notify(WorkspaceMemory.slug)


def note_activity(work: LocatedWork) -> None:
    """Record activity if the last record is old; a later pause counts from now (WM-2). An
    unwritable memory must not stop anyone from working."""
    try:
        if not retention.visit_is_due(read_memory(work), now=work.now):
            return
        memory = load_memory(work)
    except (Corrupt, TooNew):
        return
    save_memory(work, retention.visit(memory, now=work.now, settings=work.settings.memory))


def journal_ref(key: str) -> Ref[PendingJournal]:
    return Ref(PendingJournal, key)


def read_journal(work: LocatedWork) -> PendingJournal:
    ref = journal_ref(work.key)
    return _in_force(work.read(ref), ref, work.place)


def save_journal(work: LocatedWork, journal: PendingJournal) -> None:
    work.put(journal_ref(work.key), journal.model_copy(update={"updated_at": work.moment}))


def tombstones_ref(key: str) -> Ref[Tombstones]:
    return Ref(Tombstones, key)


def read_tombstones(work: LocatedWork) -> Tombstones:
    ref = tombstones_ref(work.key)
    return _in_force(work.read(ref), ref, work.place)


def memory_refs(runtime: Runtime, request: Scoped) -> Sequence[Ref[Document]]:
    """The memory and the tombstones of a request's workspace. Files of the trash are locked once
    their names are known (`Undeclared`)."""
    key = locate(runtime, request).key
    return (memory_ref(key), tombstones_ref(key))


def lift_tombstones(work: LocatedWork, entry: MemoryEntry) -> tuple[str, ...]:
    """Delete the tombstones of an entry, so that its text can be learned again; their ids."""
    stones = read_tombstones(work)
    digest = work.store.digest(canonical(entry.text)) if stones.stones else ""
    gone = [s for s in stones.stones if s.id == entry.id or s.digest == digest]
    if gone:
        kept = tuple(stone for stone in stones.stones if stone not in gone)
        work.put(tombstones_ref(work.key), stones.model_copy(update={"stones": kept}))
    return tuple(stone.id for stone in gone)


SHORTEST_ID = 4
"""Minimum digits of an abbreviated id, without `m_`: `wm forget m_` must never match an entry."""


def full_id(wanted: str, known: Iterable[str]) -> str:
    """The known id that equals `wanted` or starts with it (with or without `m_`); "" for none.

    Raises UserError naming the candidates if several match.
    """
    ids = tuple(known)
    if wanted in ids:
        return wanted
    wanted = wanted.rstrip(".,:;…").lower()  # as a sentence or a table shows it
    bare = wanted if wanted.startswith(("m_", "mem_")) else f"m_{wanted}"
    exact = [name for name in ids if name.lower() == bare]
    long_enough = len(bare.partition("_")[2]) >= SHORTEST_ID
    fits = exact or [name for name in ids if long_enough and name.lower().startswith(bare)]
    if len(fits) > 1:
        raise UserError.of(
            "entry.several", wanted=wanted, count=len(fits), names=", ".join(fits[:5])
        )
    return fits[0] if fits else ""


_MOST_WORDS = 80
"""Characters of words that a message repeats."""


def _is_words(wanted: str) -> bool:
    """Whether words of an entry were given in place of its id."""
    words = wanted.split()
    return (
        len(wanted) <= _MOST_WORDS
        and all(word.isalpha() for word in words)
        and not set(wanted.lower()) <= set(hexdigits)
    )


def find_entry(memory: WorkspaceMemory, wanted: str) -> MemoryEntry:
    """The entry with this id or unambiguous id prefix (with or without `m_`).

    Raises NotFound, or UserError naming the candidates.
    """
    exact = find(memory, wanted)
    if exact is not None:
        return exact
    entry_id = full_id(wanted, (entry.id for entry in memory.entries))
    if not entry_id:
        where = memory.workspace.root or f"the workspace {memory.workspace.key}"
        short = 0 < len(wanted.rpartition("_")[2]) < SHORTEST_ID
        need = f"; give at least {SHORTEST_ID} digits" if short else ""
        by_words = f"; `wm search {wanted}` finds entries by words" if _is_words(wanted) else ""
        raise NotFound.of("entry.unknown", wanted=wanted, where=where, need=need, by_words=by_words)
    return get(memory, entry_id)
