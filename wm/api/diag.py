"""Requests and responses of `wm diag` (EV-3). docs/concepts/diagnosis.md describes each verb.

Computed from documents and evidence; no request here changes anything.
"""

from pydantic import Field

from wm.api.diagnosis import Happening
from wm.api.protocol import Scoped, WorkspaceAnswer
from wm.formats.base import Record
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry


class DiagRequest(Scoped):
    """One workspace."""


class Remark(Record):
    """A finding. severity: error, warning or note; fix: what can be done, or ""."""

    code: str
    severity: str
    sentence: str
    entry: str = ""
    fix: str = ""


class DiagStatus(WorkspaceAnswer):
    """verdict: ok, warning (a person should look) or degraded (something is not stored)."""

    verdict: str
    counts: dict[str, int] = Field(default_factory=dict)
    """By status, and: shown, pending, trash, stones (tombstones), sessions."""
    rejected: int = 0
    """Number of texts refused in the last 7 days."""
    evidence: int = 0
    last_kept_at: str = ""
    last_prompt_at: str = ""
    remarks: tuple[Remark, ...] = ()
    newest: tuple[Happening, ...] = ()


class RejectedRequest(Scoped):
    """since: `7d`, `12h`, a time, or "" for all. soft: only refusals with soft reasons alone."""

    since: str = ""
    reason: str = ""
    soft: bool = False
    limit: int = 50


class RejectedRow(Record):
    event: str
    at: str
    type: str
    text: str = ""
    reason_codes: tuple[str, ...] = ()
    sentence: str = ""
    soft: bool = False
    entry: str = ""


class Rejected(WorkspaceAnswer):
    """Newest first; by_reason counts all of them, not only the rows."""

    total: int = 0
    by_reason: dict[str, int] = Field(default_factory=dict)
    rows: tuple[RejectedRow, ...] = ()


class MissingRow(Record):
    """An entry that prompts do not show now. rank: its position among the active entries of this
    branch, from 1; 0 if it is not active or belongs to another branch."""

    entry: MemoryEntry
    strength: float = 0.0
    rank: int = 0
    reason: str
    sentence: str


class Missing(WorkspaceAnswer):
    shown: int = 0
    rows: tuple[MissingRow, ...] = ()
    by_reason: dict[str, int] = Field(default_factory=dict)
    pending: int = 0


class ExplainRequest(Scoped):
    id: str


class AnchorView(Record):
    """state: same, changed, gone, or unread (the file is not accessible from here)."""

    path: str
    symbol: str = ""
    state: str


class StrengthPoint(Record):
    at: str
    strength: float


class Explanation(WorkspaceAnswer):
    """The computation of one entry's strength: typeWeight × sourceWeight × importanceWeight
    × 2^(−effectiveAgeDays / halfLifeDays), times suspectRate if its code changed."""

    entry: MemoryEntry
    type_weight: float
    source_weight: float
    importance_weight: float
    age_days: float
    effective_age_days: float
    half_life_days: float
    suspect_rate: float = 1.0
    strength: float
    rank: int = 0
    of: int = 0
    shown: bool = False
    omitted: str = ""
    prompts: int = 0
    """Number of prompts that showed it, as far back as the evidence reaches."""
    first_prompt_at: str = ""
    last_prompt_at: str = ""
    admitted: EvidenceRecord | None = None
    anchors: tuple[AnchorView, ...] = ()
    sentences: tuple[str, ...] = ()
    course: tuple[StrengthPoint, ...] = ()
    """Its strength from the last reinforcement on, and as it goes on if nothing happens."""


class CommandsRequest(Scoped):
    """entry "": all."""

    entry: str = ""
    limit: int = 50


class CommandRow(Record):
    """One REINFORCE, REPLACE or unreadable line of a compaction. action: reinforce, replace or
    unreadable; obeyed: whether it changed anything."""

    event: str
    at: str
    session: str = ""
    action: str
    obeyed: bool
    entry: str = ""
    replaces: str = ""
    text: str = ""
    reason_codes: tuple[str, ...] = ()
    sentence: str = ""


class Commands(WorkspaceAnswer):
    total: int = 0
    obeyed: int = 0
    by_reason: dict[str, int] = Field(default_factory=dict)
    rows: tuple[CommandRow, ...] = ()


class QualityRow(Record):
    entry: MemoryEntry
    remarks: tuple[Remark, ...]


class Quality(WorkspaceAnswer):
    """Active entries about which today's rules have remarks; by_code counts the remarks."""

    active: int = 0
    sound: int = 0
    by_code: dict[str, int] = Field(default_factory=dict)
    rows: tuple[QualityRow, ...] = ()


class AlikePair(Record):
    """Two entries of similar meaning. code: may_be_same or may_contradict. likeness: 0 to 1."""

    entry: MemoryEntry
    other: MemoryEntry
    likeness: float
    code: str
    sentence: str


class Alike(WorkspaceAnswer):
    """Hints for a person, the most similar pair first; nothing was changed. problem: why nothing
    could be compared."""

    compared: int = 0
    pairs: tuple[AlikePair, ...] = ()
    problem: str = ""


class TraceRequest(Scoped):
    """subject: the beginning of a session's id, an event id, or "" for the newest session."""

    subject: str = ""


class Trace(WorkspaceAnswer):
    """All records that one session caused, oldest first."""

    session: str = ""
    session_id: str = ""
    agent: str = ""
    happenings: tuple[Happening, ...] = ()


class CoverageRow(Record):
    """answerable: the evidence record of its admission exists. prompted: a prompt showed it."""

    type: str
    active: int = 0
    answerable: int = 0
    shown: int = 0
    prompted: int = 0


class Coverage(WorkspaceAnswer):
    rows: tuple[CoverageRow, ...] = ()
    unanswerable: tuple[str, ...] = ()
    never_prompted: tuple[str, ...] = ()
    records: int = 0
    oldest_at: str = ""
    newest_at: str = ""


class Disappearance(Record):
    """how: forgotten, rejected, replaced, purged (deleted from the trash), hidden (no longer in
    prompts, still in the memory) or unexplained."""

    entry: str
    text: str = ""
    how: str
    at: str = ""
    sentence: str


class Disappearances(WorkspaceAnswer):
    """from_memory: admitted once and not active now; from_prompts: shown by the newest prompt, but
    not by a prompt that began now."""

    from_memory: tuple[Disappearance, ...] = ()
    from_prompts: tuple[Disappearance, ...] = ()
    unexplained: int = 0


class DocumentHealth(Record):
    document: str
    health: str
    detail: str = ""


class DiagHealth(WorkspaceAnswer):
    """Whether the files of this workspace are undamaged: the checks of `wm fsck` for one
    workspace."""

    sound: bool
    documents: tuple[DocumentHealth, ...] = ()
    records: int = 0
    damaged: int = 0
    torn_bytes: int = 0
    remarks: tuple[Remark, ...] = ()


class Audit(WorkspaceAnswer):
    """Whether memory and evidence agree."""

    sound: bool
    entries: int = 0
    records: int = 0
    remarks: tuple[Remark, ...] = ()
