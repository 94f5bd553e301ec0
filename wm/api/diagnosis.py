"""Requests and responses of history, undo, rollback, trash and why-not (EV-2, EV-3, TR-3).

Every answer is computed from documents and evidence and changes neither, except `undo`. The
sentence beside a code is for people; programs read the codes.
"""

from wm.api.protocol import Scoped, WorkspaceAnswer
from wm.formats.base import Record
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry

# --- history, undo, trash ------------------------------------------------------------------


class HistoryRequest(Scoped):
    """id "": the whole workspace. before: the `next` of the previous page, "" for the newest."""

    id: str = ""
    before: str = ""
    limit: int = 20


class Happening(Record):
    """One record in words. undone_by: the record that reversed it, if any."""

    record: EvidenceRecord
    sentence: str
    text: str = ""
    undone_by: str = ""


class HistoryPage(WorkspaceAnswer):
    """Newest first. next: the value of `before` for the next page, "" at the end."""

    entry: MemoryEntry | None = None
    happenings: tuple[Happening, ...] = ()
    total: int = 0
    next: str = ""
    damaged: int = 0
    """Records of the log that could not be read; the others are unaffected."""


class ActsRequest(Scoped):
    limit: int = 20


class ActView(Record):
    """One act of a person, an agent or a compaction. can_undo: whether `wm undo` can reverse it
    now; if not, why_not gives the reason in a sentence. An import is one act."""

    event: str
    at: str
    act: str
    by: str
    entry: str = ""
    text: str = ""
    undoes: str = ""
    undone_by: str = ""
    can_undo: bool = False
    why_not: str = ""


class Acts(WorkspaceAnswer):
    """Newest first; newest: the event that `wm undo` without arguments reverses."""

    acts: tuple[ActView, ...] = ()
    total: int = 0
    newest: str = ""


class UndoRequest(Scoped):
    """act: an event id, an entry id (its newest act), or "" for the newest act of a person.

    anyone: include acts of agents and compactions (`wm diag revert`).
    """

    act: str = ""
    anyone: bool = False


class RolledBack(Record):
    """One act that was, or would be, reversed. becomes: the resulting state of its entry."""

    act: ActView
    becomes: str
    event: str = ""


class Undone(Record):
    """applied: False if this is only the plan. event: the record of the undo itself.

    Of a command that changed several entries: taken, the reversed acts; kept, those that cannot be
    reversed, each with `why_not`; sessions, the imported sessions whose own memory was deleted.
    """

    act: ActView
    entry: MemoryEntry | None = None
    applied: bool = False
    event: str = ""
    message: str = ""
    taken: tuple[RolledBack, ...] = ()
    kept: tuple[ActView, ...] = ()
    sessions: tuple[str, ...] = ()


# --- rollback: reverse what models taught the memory since a moment (TR-3) --------------------


class RollbackRequest(Scoped):
    """since: a span (`2h`), a date or a time, as a person writes it."""

    since: str


class Rollback(WorkspaceAnswer):
    """applied: False for the plan, which lists exactly what the run does.

    taken: reversed acts, newest first, in this order. kept: learned since then but not reversed,
    each with `why_not`. yours: acts of people since then, which are not reversed either.
    """

    since: str
    applied: bool = False
    taken: tuple[RolledBack, ...] = ()
    kept: tuple[ActView, ...] = ()
    yours: tuple[ActView, ...] = ()
    more: int = 0
    """Acts beyond the most that one run examines."""


class TrashRequest(Scoped):
    """The trash of one workspace."""


class TrashView(Record):
    """blocked: a tombstone keeps agents from learning this text again."""

    entry: MemoryEntry
    trashed_at: str
    reason: str = ""
    blocked: bool = False


class Trash(WorkspaceAnswer):
    """Newest first. stones: number of tombstones (texts that are not learned again), also of
    entries that are no longer in the trash."""

    entries: tuple[TrashView, ...] = ()
    stones: int = 0


# --- why-not -------------------------------------------------------------------------------


class WhyNotRequest(Scoped):
    """Why is this text not in the memory? type "": inferred."""

    text: str
    type: str = ""


class RuleCheck(Record):
    """One rule that was applied to a text. stops: it keeps the text out, or did."""

    rule: str
    stops: bool
    reason_codes: tuple[str, ...] = ()
    sentence: str = ""
    entry: str = ""


class WhyNotAnswer(Record):
    """verdict: shown, hidden, waiting, replaced, forgotten, refused, known, asked_only, passing
    (a request keeps it, a remark does not) or nothing; `checks` in the order of the rules, the
    deciding one first."""

    text: str
    type: str = ""
    verdict: str
    sentence: str
    entry: MemoryEntry | None = None
    checks: tuple[RuleCheck, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    sentences: tuple[str, ...] = ()
