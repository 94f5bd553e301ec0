"""Requests and responses of shared memory: what leaves, what arrives, who shares (SY-1..4)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from wm.api.protocol import Scoped, WorkspaceAnswer
from wm.formats.base import Record, optional
from wm.formats.sharing.shared_entry import ID, SharedEntry
from wm.formats.sharing.sync import Remote
from wm.formats.workspace_memory import MemoryEntry

Word = Annotated[str, StringConstraints(pattern=r"^[0-9a-z_]{0,64}$")]
EntryId = Annotated[str, StringConstraints(pattern=f"^{ID}$")]
"""What is noted as it is, without redaction, must have the form of an id or a digest."""


class ShareRequest(Scoped):
    """Share entries with the project's repository, or end that: by id, or all active ones of
    `type`, or the recaps of all sessions here. Without all three: only list what is shared."""

    ids: tuple[str, ...] = ()
    type: str = ""
    recaps: bool = False
    end: bool = False


class ShareProblem(Record):
    """An entry that may not be shared, and why."""

    id: str
    reason: str
    message: str


class SharedEntries(WorkspaceAnswer):
    """entries: those of the request, or all that are shared. problems: those that may not be.
    replaced: entries that replaced a shared one and are not shared themselves. recaps: whether
    recaps of sessions are shared."""

    entries: tuple[MemoryEntry, ...] = ()
    problems: tuple[ShareProblem, ...] = ()
    replaced: tuple[str, ...] = ()
    recaps: bool = False
    remote: Remote | None = None


class ReplicaRequest(Scoped):
    """mine: the user's own repository instead of the project's. everything: also what did not
    change since the last sync. again: these entries also then."""

    mine: bool = False
    everything: bool = False
    again: tuple[str, ...] = ()


class Leaving(Record):
    """An entry that changed here since the last sync. fields: as they leave, redacted; empty: it
    was forgotten, or is not shared any more. cleared: the digest of the forgotten text, or "".
    author: whose entry it is, "" for the user's. digest: of the local entry."""

    id: str
    fields: dict[str, bool | str] = Field(default_factory=dict)
    cleared: str = ""
    created_at: str = ""
    updated_at: str = ""
    author: str = ""
    digest: str


class Outgoing(WorkspaceAnswer):
    """What one workspace has to send. applied: the commit that its memory reflects. lost: shared
    entries that are neither here nor forgotten."""

    node: str
    applied: str = ""
    leaving: tuple[Leaving, ...] = ()
    lost: tuple[str, ...] = ()


class Arriving(Record):
    """A file of the tree. signed: author -> the fields of its version that a signature covers."""

    entry: SharedEntry
    signed: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class SentEntry(Record):
    """What was written to the tree: digests of the local entry and of the author's version; the
    latter is "" if the version also says what the memory does not know yet."""

    digest: Word
    version: Word


class ArriveRequest(ReplicaRequest):
    """Take in files, and note the state of the sync. node: as `outgoing` gave it. applied: the
    commit that the files lead to."""

    entries: tuple[Arriving, ...] = ()
    sent: dict[EntryId, SentEntry] = Field(default_factory=dict)
    node: Word = ""
    author: Word = ""
    space: Word = ""
    applied: Word = ""
    remote: Remote | None = optional(None)
    trouble: str = ""


class Arrived(Record):
    """counts: what became of the files, by outcome. unsent: entries that were changed here
    meanwhile; they have to be sent before the change from there is taken."""

    counts: dict[str, int] = Field(default_factory=dict)
    unsent: tuple[str, ...] = ()


class TeamRequest(Scoped):
    """leave: end the sync of this project and move what came to the trash; keep: but keep it."""

    leave: bool = False
    keep: bool = False


class TeamMember(Record):
    """Another author: how many of its entries are active here, and how many wait."""

    name: str
    active: int = 0
    waiting: int = 0


class Team(WorkspaceAnswer):
    """Who shares in this project. accept: how entries of others enter. shared: own entries that
    are shared; unsent: of those, the changed ones; recaps: whether those of sessions are."""

    remote: Remote | None = None
    accept: str = "inbox"
    synced_at: str = ""
    trouble: str = ""
    shared: int = 0
    unsent: int = 0
    recaps: bool = False
    members: tuple[TeamMember, ...] = ()
    message: str = ""


class SyncPart(Record):
    """What a sync did for one workspace. sent: ids. received: outcome -> number of entries."""

    key: str
    sent: tuple[str, ...] = ()
    received: dict[str, int] = Field(default_factory=dict)


class Synced(Record):
    """The result of one sync. remote: as shown to people. trouble: why it did not finish.
    pushed: the remote took something, which may be what an earlier sync could not send. held_back:
    entries that were not sent, because the first push was not confirmed. left_out: paths of the
    fetched tree that are not shared entries, as far as listed. apart: the folder of the
    command, if its memory is not in the user's own repository."""

    remote: str
    parts: tuple[SyncPart, ...] = ()
    dry_run: bool = False
    trouble: str = ""
    pushed: bool = False
    held_back: int = 0
    left_out: tuple[str, ...] = ()
    left_out_count: int = 0
    apart: str = ""
