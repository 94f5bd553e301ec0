"""`workspaces/<key>/contract-record.json`: what the project's session contract said last.

The contract is a file of the project, which anybody may edit; that its legal reviews are only
ever appended to, and that its count never falls, can be told from what is kept here (CT-2).
Digests of the reviews are kept, not their text.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

KEPT = 40
"""Contracts (worktrees and branches) of one workspace that are known; the oldest leave."""


class CountedSession(Record):
    """A session whose compactions up to the `count`th are in the contract."""

    sid: str
    count: int


class KnownContract(Record):
    """One contract file on one branch, as `wm` last wrote or accepted it."""

    path: str
    branch: str = optional("")
    reviews: tuple[str, ...] = ()
    compaction_count: int = 0
    at: str = ""
    sessions: tuple[CountedSession, ...] = optional(())


class AskedHandoff(Record):
    """The next new session below `folder` is given the handoff."""

    folder: str
    at: str = ""


class ContractRecord(Document):
    slug: ClassVar[str] = "contract_record"

    version: int = 1
    contracts: tuple[KnownContract, ...] = ()
    asked: tuple[AskedHandoff, ...] = optional(())
