"""Find, replace and remove entries of a memory by id (WM-1).

Every act uses these functions, so they read no further than necessary. If a person gave one id to
two entries by hand, it names the first; the second stays unchanged.
"""

from __future__ import annotations

from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.text.letters import canonical


def find(memory: WorkspaceMemory, entry_id: str) -> MemoryEntry | None:
    """The entry with this id, or None."""
    for entry in memory.entries:
        if entry.id == entry_id:
            return entry
    return None


def get(memory: WorkspaceMemory, entry_id: str) -> MemoryEntry:
    """The entry with this id. Raises KeyError if there is none."""
    entry = find(memory, entry_id)
    if entry is None:
        raise KeyError(entry_id)
    return entry


def replaced(memory: WorkspaceMemory, entry: MemoryEntry) -> WorkspaceMemory:
    """The memory with `entry` in place of the one with its id. Raises KeyError if there is none."""
    entries = memory.entries
    for at, old in enumerate(entries):
        if old.id == entry.id:
            return memory.model_copy(update={"entries": (*entries[:at], entry, *entries[at + 1 :])})
    raise KeyError(entry.id)


def added(memory: WorkspaceMemory, entry: MemoryEntry) -> WorkspaceMemory:
    """The memory with one more entry."""
    return memory.model_copy(update={"entries": (*memory.entries, entry)})


def removed(memory: WorkspaceMemory, entry: MemoryEntry) -> WorkspaceMemory:
    """The memory without this object; another entry with its id stays."""
    kept = tuple(e for e in memory.entries if e is not entry)
    return memory.model_copy(update={"entries": kept})


def is_in_force(memory: WorkspaceMemory, text: str) -> bool:
    """Whether an active entry has this canonical text, in any scope. Such a text gets no tombstone:
    the question whether it replaces another, and the offer to keep it after its branch, repeat it.
    """
    wanted = canonical(text)
    return any(e.status == "active" and canonical(e.text) == wanted for e in memory.entries)
