"""`workspaces/<key>/contract-record.json`: the last known state of a project's session contract.

Anybody may edit the contract, because it is a file of the project. This record shows whether
its legal reviews were only appended to, and whether its count fell (CT-2). It keeps digests
of the reviews, not their text. `ops.contract.contract` writes it, after the contract.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

KEPT = 40
"""Most contracts (one per worktree and branch) recorded for a workspace; the oldest are dropped."""


class CountedSession(Record):
    """A session whose compactions up to number `count` are counted in the contract."""

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
    """A request to give the handoff to the next new session below `folder`."""

    folder: str
    at: str = ""


class ContractRecord(Document):
    slug: ClassVar[str] = "contract_record"

    contracts: tuple[KnownContract, ...] = ()
    asked: tuple[AskedHandoff, ...] = optional(())
