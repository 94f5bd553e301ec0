"""The entries of a memory by their ids: find one, change it where it stands, take it out (WM-1).

Every act begins and ends with these, so they look no further than they must. An id that a person
gave to two entries by hand names the first of them, and the other stays as it is.
"""

from __future__ import annotations

from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory


def find(memory: WorkspaceMemory, entry_id: str) -> MemoryEntry | None:
    """The entry with this id, None where there is none."""
    for entry in memory.entries:
        if entry.id == entry_id:
            return entry
    return None


def get(memory: WorkspaceMemory, entry_id: str) -> MemoryEntry:
    """The entry with this id. Raises KeyError where there is none."""
    entry = find(memory, entry_id)
    if entry is None:
        raise KeyError(entry_id)
    return entry


def replaced(memory: WorkspaceMemory, entry: MemoryEntry) -> WorkspaceMemory:
    """The memory with `entry` in the place of the one with its id. Raises KeyError where no
    entry has it."""
    entries = memory.entries
    for at, old in enumerate(entries):
        if old.id == entry.id:
            return memory.model_copy(update={"entries": (*entries[:at], entry, *entries[at + 1 :])})
    raise KeyError(entry.id)


def removed(memory: WorkspaceMemory, entry: MemoryEntry) -> WorkspaceMemory:
    """The memory without this very entry; another one of its id stays."""
    kept = tuple(e for e in memory.entries if e is not entry)
    return memory.model_copy(update={"entries": kept})
