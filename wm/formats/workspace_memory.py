"""`workspace-memory.json`: what one workspace remembers (WM-1), active, waiting and superseded.

People may edit this file; the store notices it by the checksum (ST-4). An entry's id never changes.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional

TYPES = ("feedback", "decision", "project", "reference")
SOURCES = ("explicit", "manual", "stated", "compaction")
ORIGINS = ("user", "agent", "tool", "import")
TEAM = "team:"
"""The origin of an entry that another author shared: `team:<name>` (SY-3)."""
STATUSES = ("active", "superseded", "inbox")
"""The states of an entry in the memory; forgotten entries are in the trash."""

IMPORTANCES = ("low", "normal", "high")

CONFIDENCE = {"explicit": 1.0, "manual": 0.9, "stated": 0.85, "compaction": 0.75}
"""Confidence by source (WM-1); a caller may give another one for `manual`."""


class Anchor(Record):
    """The code that an entry describes (WM-9): path from the root, sha256 of the span.

    A span is a `symbol`, or as many `lines` as given, starting at the line whose digest begins with
    `opening`; without both the anchor is the file itself.
    """

    path: str
    digest: str = optional("")
    symbol: str = optional("")
    lines: int = optional(0)
    opening: str = optional("")


class MemoryEntry(Record):
    """One remembered fact. Times are ISO 8601 in UTC; ids begin with `m_` (ID-4).

    Enumerated fields (type, source, …) are plain strings here, so that a file written by a
    newer `wm` or by hand still loads; the domain decides what an unknown word means.
    """

    id: str
    type: str
    text: str
    rationale: str = optional("")
    source: str
    confidence: float = 1.0
    origin: str = "user"
    tainted: bool = optional(False)
    status: str = "active"
    scope: str = "workspace"
    supersedes: tuple[str, ...] = optional(())
    superseded_by: str = optional("")
    since: str = optional("")
    """When it took the place of an entry that said something else (WM-8)."""
    conflicts: tuple[str, ...] = optional(())
    """Entries that may say something else; which one holds is not decided yet (WM-8)."""
    tags: tuple[str, ...] = optional(())
    created_at: str
    updated_at: str
    retention_clock: str = optional("")
    reinforcement_count: int = optional(0)
    last_reinforced_at: str = optional("")
    last_reinforced_session: str = optional("")
    user_importance: str = "normal"
    pinned: bool = optional(False)
    safety_critical: bool = optional(False)
    anchors: tuple[Anchor, ...] = optional(())
    suspect: str = optional("")
    """changed or gone: what happened to the code that the entry describes (WM-9)."""
    session: str = optional("")
    """`<sid>` of the session it came from (ID-4)."""
    admitted_by: str = optional("")
    """Id of the evidence record of its admission (EV-2)."""
    reasons: tuple[str, ...] = optional(())
    """Why it waits in the inbox: reason codes."""
    outside: str = optional("")
    """Inbox only: changed, added or deleted; `supersedes` names the entry concerned (ST-4)."""
    file: str = optional("")
    """Path of the file that an agent wrote it to, with the provider's memory tool (IF-4)."""


class DormantInterval(Record):
    """Days beyond the dormancy limit without activity (WM-2)."""

    begin: str
    end: str


class Limits(Record):
    max_rendered_chars: int = 3600
    max_entries: int = 28


class Workspace(Record):
    """Identity of a workspace (ID-2): `root` is a resolved path, `key` its 16 hex digits."""

    root: str
    key: str


class Checkout(Record):
    """What a folder claims to be a checkout of: keyed digests of the repository's first commits and
    of its remotes (ID-3)."""

    commits: tuple[str, ...] = ()
    remotes: tuple[str, ...] = optional(())


class WorkspaceMemory(Document):
    slug: ClassVar[str] = "workspace_memory"
    current_version: ClassVar[int] = 3

    version: int = 3
    workspace: Workspace
    limits: Limits = Field(default_factory=Limits)
    entries: tuple[MemoryEntry, ...] = ()
    learn: str = optional("")
    """How this workspace learns in passing: active, inbox, off; "": config.toml decides (EX-7)."""
    paging: str = optional("")
    """The paging policy of this workspace; "": config.toml decides (PX-1)."""
    learn_paused_until: str = optional("")
    """Nothing is learned in passing before this time (EX-7)."""
    without_user: bool = optional(False)
    """Prompts here show no entries of scope `user` (ID-3)."""
    checkout: Checkout | None = optional(None)
    """The repository, to recognise other checkouts of it."""
    dormant_intervals: tuple[DormantInterval, ...] = optional(())
    last_activity_at: str = optional("")
    updated_at: str = ""
