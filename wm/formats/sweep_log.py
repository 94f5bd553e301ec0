"""What a sweep of one workspace looked at and took away (GV-2): `sweep.json`, and
`sessions/<sid>_sweep.json` for one that a session's events set off."""

from typing import ClassVar

from wm.formats.base import Document, Record, optional


class SweptFile(Record):
    """path: below the data folder. rule: why it went."""

    path: str
    rule: str
    bytes: int = 0


class RuleCount(Record):
    """What one rule took."""

    rule: str
    files: int = 0
    bytes: int = 0


class SweepError(Record):
    """reason: locked or changed (it is looked at again the next time), or a sentence."""

    path: str
    reason: str


class PurgedEvidence(Record):
    """What became of the workspace's log. bytes: of its files afterwards. at: when it was last
    looked through; the same figures stay until it is again."""

    at: str = ""
    records: int = 0
    purged: int = 0
    bytes_before: int = 0
    bytes: int = 0
    busy: int = 0


class SweepLog(Document):
    slug: ClassVar[str] = "sweep_log"

    version: int = 1
    workspace_key: str
    session: str = optional("")
    """The `<sid>` whose events set it off."""
    cause: str = ""
    """start, daily, events or asked."""
    started_at: str = ""
    finished_at: str = ""
    scanned: int = 0
    deleted: int = 0
    bytes: int = 0
    kept_bytes: int = 0
    over: int = optional(0)
    """Bytes beyond the quota that no rule may take."""
    rules: tuple[RuleCount, ...] = ()
    files: tuple[SweptFile, ...] = ()
    unlisted: int = optional(0)
    """Files that went beyond those listed."""
    errors: tuple[SweepError, ...] = ()
    evidence: PurgedEvidence | None = optional(None)


class SessionSweepLog(SweepLog):
    """The same beside the other files of a session."""
