"""`pending-journal.json`: memories that wait for promotion (WM-6).

An entry is here only while `workspace-memory.json` cannot take it. Each counts its attempts, so
that it goes to the inbox after the third.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional
from wm.formats.workspace_memory import MemoryEntry, Workspace


class PendingMemory(Record):
    """An entry that could not be promoted yet, with its session and its attempts."""

    entry: MemoryEntry
    owner_session: str = optional("")
    attempts: int = optional(0)
    last_attempt_at: str = optional("")
    last_failure: str = optional("")


class PendingJournal(Document):
    slug: ClassVar[str] = "pending_journal"

    workspace: Workspace
    entries: tuple[PendingMemory, ...] = ()
    updated_at: str = ""
