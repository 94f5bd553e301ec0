"""Load and save what a workspace remembers; outside edits are taken in on the way (ST-4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from wm.domain.facts import Fact
from wm.domain.workspace import outside
from wm.domain.workspace.consolidate import Ledger
from wm.domain.workspace.entries import find, get
from wm.errors import Corrupt, NotFound, TooNew, UserError
from wm.formats.base import Document
from wm.formats.pending_journal import PendingJournal
from wm.formats.protocol import Place
from wm.formats.tombstones import Tombstones
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.base import Work
from wm.ops.place import memory_ref, workspace_of
from wm.store.base import Health, Reading, Ref

D = TypeVar("D", bound=Document)


def read_memory(work: Work, place: Place) -> WorkspaceMemory:
    """What is in force now; an empty memory where there is none yet. Writes nothing."""
    return _in_force(work.read(memory_ref(place.key)), place)


def _in_force(reading: Reading[WorkspaceMemory], place: Place) -> WorkspaceMemory:
    if reading.document is None:
        _refuse_lost(reading, memory_ref(place.key))
        return WorkspaceMemory(workspace=workspace_of(place))
    return reading.document


def load_memory(work: Work, place: Place) -> WorkspaceMemory:
    """The memory to change: what is in force, with outside edits waiting in its inbox.

    Raises Corrupt where no generation is readable and TooNew where a newer wm wrote it.
    """
    reading = work.read(memory_ref(place.key))
    if reading.health is Health.TOO_NEW:
        raise TooNew(
            f"The memory of the workspace {place.key} was written by a newer wm: {reading.detail}.",
            fix="Update wm; this version reads the file and leaves it as it is.",
        )
    in_force = _in_force(reading, place)
    if reading.outside is None:
        return in_force
    # A file that was brought here from elsewhere has nothing in force beside it: all of it waits.
    memory, facts = outside.absorb(
        in_force,
        _redacted(work, reading.outside, in_force),
        now=work.now,
        new_id=lambda: work.runtime.ids.new("m_"),
    )
    # Staged at once: evidence must never speak of proposals that were not kept.
    save_memory(work, place, memory, facts)
    return memory


def _redacted(work: Work, edited: WorkspaceMemory, in_force: WorkspaceMemory) -> WorkspaceMemory:
    """The edited document with the secrets taken out of what was changed in it (TR-1)."""
    known = {entry.id: entry for entry in in_force.entries}
    redact = work.runtime.redactor.text
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
def ledger_of(work: Work, place: Place, memory: WorkspaceMemory) -> Iterator[Ledger]:
    """The workspace's ledger, gone on to this memory; it is kept for whoever compares next."""
    with work.runtime.ledgers.lend(place.key, lambda: Ledger(memory)) as ledger:
        ledger.renew(memory)
        yield ledger


def save_memory(
    work: Work,
    place: Place,
    memory: WorkspaceMemory,
    facts: Sequence[Fact] = (),
    *,
    session: str = "",
) -> None:
    """Stage the memory with the evidence for what changed in it."""
    work.log(place.key, facts, session=session)
    updated = memory.model_copy(update={"updated_at": work.moment})
    # What is saved was loaded by `load_memory`, which takes outside edits in.
    work.put(memory_ref(place.key), updated, absorbs=True)
    work.notify(place.key, WorkspaceMemory.slug)


def journal_ref(key: str) -> Ref[PendingJournal]:
    return Ref(PendingJournal, key)


def read_journal(work: Work, place: Place) -> PendingJournal:
    ref = journal_ref(place.key)
    reading = work.read(ref)
    if reading.document is None:
        _refuse_lost(reading, ref)
        return PendingJournal(workspace=workspace_of(place))
    return reading.document


def save_journal(work: Work, place: Place, journal: PendingJournal) -> None:
    work.put(journal_ref(place.key), journal.model_copy(update={"updated_at": work.moment}))


def tombstones_ref(key: str) -> Ref[Tombstones]:
    return Ref(Tombstones, key)


def read_tombstones(work: Work, place: Place) -> Tombstones:
    ref = tombstones_ref(place.key)
    reading = work.read(ref)
    if reading.document is None:
        _refuse_lost(reading, ref)
        return Tombstones(workspace=workspace_of(place))
    return reading.document


SHORTEST_ID = 4
"""Characters of an id, without `m_`, that name an entry: `wm forget m_` must never find one."""


def full_id(wanted: str, known: Iterable[str]) -> str:
    """The one of the known ids that `wanted` is, or begins (with or without `m_`); "" for none.

    Raises UserError naming the candidates where several fit.
    """
    bare = wanted if wanted.startswith(("m_", "mem_")) else f"m_{wanted}"
    ids = tuple(known)
    if wanted in ids:
        return wanted
    exact = [name for name in ids if name == bare]
    long_enough = len(bare.partition("_")[2]) >= SHORTEST_ID
    fits = exact or [name for name in ids if long_enough and name.startswith(bare)]
    if len(fits) > 1:
        raise UserError(
            f"{wanted!r} fits {len(fits)} entries: {', '.join(fits[:5])}.",
            fix="Give more of the id.",
        )
    return fits[0] if fits else ""


def find_entry(memory: WorkspaceMemory, wanted: str) -> MemoryEntry:
    """The entry with this id, or an unambiguous beginning of it (with or without `m_`).

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
        raise NotFound(
            f"There is no entry {wanted!r} in {where}.",
            fix=f"`wm inspect --all` lists every entry with its id{need}.",
        )
    return get(memory, entry_id)


def _refuse_lost(reading: Reading[D], ref: Ref[D]) -> None:
    if reading.health is Health.LOST:
        raise Corrupt(
            f"The {ref.slug.replace('_', ' ')} of the workspace {ref.workspace} cannot be read: "
            f"{reading.detail}.",
            fix="`wm fsck` shows what is left; `wm fsck repair` moves it to quarantine.",
        )
