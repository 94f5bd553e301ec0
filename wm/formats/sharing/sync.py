"""`sync.json`: what a workspace shares, with which remote, and what it last saw of it (SY-1).

Holds no text and no URL with a password. Without this file nothing leaves: only entries marked
here are shared.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional
from wm.formats.workspace_memory import Workspace


class SharedRecord(Record):
    """One entry of the tree, as this machine last handled it.

    author: whose version is in force. digest: of the local entry when it last agreed with the tree;
    `gone` if it was not there. seen: author -> digest of the version that was handled. shared: the
    user shared it from here, so that its changes leave; withdrawn: and does not any more.
    """

    author: str
    digest: str = optional("")
    seen: dict[str, str] = Field(default_factory=dict)
    shared: bool = optional(False)
    withdrawn: bool = optional(False)

    @property
    def is_shared(self) -> bool:
        return self.shared and not self.withdrawn


class Remote(Record):
    """Where a person agreed to sync with. name: of the project's remote, or the URL. shown: host
    and path. digest: keyed, of the URL: another URL under this name needs a new agreement. pushes:
    the person saw what leaves, and agreed."""

    name: str
    shown: str
    digest: str
    approved_at: str
    pushes: bool = optional(False)


class Replica(Record):
    """One tree and this workspace's part in it. space: its folder in the tree. applied: the commit
    that the memory reflects; author: this user's id in the tree."""

    space: str = ""
    remote: Remote | None = optional(None)
    author: str = optional("")
    applied: str = optional("")
    synced_at: str = optional("")
    trouble: str = optional("")
    """Why the last sync did not finish, as a sentence."""
    records: dict[str, SharedRecord] = Field(default_factory=dict)
    recaps: bool = optional(False)
    """The user shares the recaps of the sessions here."""


class Sync(Document):
    slug: ClassVar[str] = "sync"

    workspace: Workspace
    node: str = ""
    """Names this data folder in clocks: 8 random hex digits."""
    team: Replica = Field(default_factory=Replica)
    """The project's own repository."""
    mine: Replica = Field(default_factory=Replica)
    """The repository for all own memory; its remote is in the document of `user`."""
    authors: dict[str, str] = Field(default_factory=dict)
    """Author -> name: foreign text."""
