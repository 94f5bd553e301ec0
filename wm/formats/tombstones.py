"""`tombstones.json`: forgotten texts that must not be learned again (WM-7); `trash/<id>.json`: the
forgotten entries. A tombstone has a digest, so the text can be deleted and stay forgotten.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional
from wm.formats.workspace_memory import MemoryEntry, Workspace


class Tombstone(Record):
    """The keyed digest of a forgotten text: it identifies the text without revealing it.

    shared_digest: of a text that was forgotten on another machine of the user, whose key is not
    ours; `digest` is then empty (SY-2).
    """

    id: str
    digest: str
    shared_digest: str = optional("")
    type: str = optional("")
    forgotten_at: str
    reason: str = optional("")


class Tombstones(Document):
    slug: ClassVar[str] = "tombstones"

    workspace: Workspace
    stones: tuple[Tombstone, ...] = ()


class TrashedEntry(Document):
    """`trash/<id>.json`: one forgotten entry, restorable until governance deletes it."""

    slug: ClassVar[str] = "trashed_entry"

    workspace: Workspace
    entry: MemoryEntry
    trashed_at: str
    trashed_by: str = optional("")
