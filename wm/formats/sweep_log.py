"""What a sweep of one workspace examined and deleted (GV-2): `sweep.json`, and
`sessions/<sid>_sweep.json` for a sweep that a session's events started."""

from typing import ClassVar

from wm.formats.base import Document, Record, optional


class SweptFile(Record):
    """One deleted file. path: below the data folder. rule: the rule that deleted it."""

    path: str
    rule: str
    bytes: int = 0


class RuleCount(Record):
    """What one rule deleted."""

    rule: str
    files: int = 0
    bytes: int = 0


class SweepError(Record):
    """A file that was not deleted. reason: locked or changed (the next sweep tries again), or a
    sentence."""

    path: str
    reason: str


class PurgedEvidence(Record):
    """What was purged from the workspace's log. bytes: of its files afterwards. busy: files that
    others changed meanwhile. at: when it was last examined; the figures stay the same until the
    next examination."""

    at: str = ""
    records: int = 0
    purged: int = 0
    bytes_before: int = 0
    bytes: int = 0
    busy: int = 0


class SweepLog(Document):
    slug: ClassVar[str] = "sweep_log"

    workspace_key: str
    session: str = optional("")
    """The `<sid>` whose events started it."""
    cause: str = ""
    """start, daily, events or asked."""
    started_at: str = ""
    finished_at: str = ""
    scanned: int = 0
    deleted: int = 0
    bytes: int = 0
    kept_bytes: int = 0
    over: int = optional(0)
    """Bytes beyond the quota that no rule may delete."""
    rules: tuple[RuleCount, ...] = ()
    files: tuple[SweptFile, ...] = ()
    unlisted: int = optional(0)
    """Number of deleted files that are not listed."""
    errors: tuple[SweepError, ...] = ()
    evidence: PurgedEvidence | None = optional(None)


class SessionSweepLog(SweepLog):
    """The log of a sweep that a session started, beside that session's files."""
