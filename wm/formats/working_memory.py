"""`sessions/<sid>_working.json`: slots and pool of one session (CB-2, CB-3).

Items are one line each, with their origin in the event count. Never copied to the workspace memory.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional


class SlotItem(Record):
    """One line of a slot. by: its source: tool, user, agent or import.

    key: what a newer item replaces: the fingerprint of an open error, the file of a manifest.
    """

    text: str
    by: str = "tool"
    at: str = ""
    key: str = optional("")


class PoolItem(Record):
    """One item of the pool. kind: path or note.

    event: the session's event count when it was added. mentions: number of later mentions;
    weight: the sum of their weights at the event `seen`, the last of them.
    """

    text: str
    kind: str = "note"
    by: str = "tool"
    at: str = ""
    event: int = 0
    mentions: int = optional(0)
    weight: float = optional(0.0)
    seen: int = optional(0)


class WorkingMemory(Document):
    slug: ClassVar[str] = "working_memory"

    session_id: str
    events: int = 0
    """The session's event count at the last change: the pool's clock."""
    slots: dict[str, tuple[SlotItem, ...]] = Field(default_factory=dict)
    """Slot -> its items, oldest first."""
    pool: tuple[PoolItem, ...] = ()
    updated_at: str = ""
