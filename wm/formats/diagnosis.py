"""Requests and responses of what looks back: history, undo, trash, why-not, diag (EV-2, EV-3).

Every answer is made from documents and evidence and changes neither, except `undo`. A sentence
beside a code is for people; programs go by the codes.
"""

from wm.formats.base import Record
from wm.formats.evidence import EvidenceRecord
from wm.formats.protocol import Place, Scoped
from wm.formats.workspace_memory import MemoryEntry

# --- history, undo, trash ------------------------------------------------------------------


class HistoryRequest(Scoped):
    """id "": the whole workspace. before: the `next` of the page before, "" for the newest."""

    id: str = ""
    before: str = ""
    limit: int = 20


class Happening(Record):
    """One record and what it says. undone_by: the record that took it back, if one did."""

    record: EvidenceRecord
    sentence: str
    text: str = ""
    undone_by: str = ""


class History(Record):
    """Newest first. next: what to ask for with `before`, "" at the end."""

    place: Place
    entry: MemoryEntry | None = None
    happenings: tuple[Happening, ...] = ()
    total: int = 0
    next: str = ""
    damaged: int = 0
    """Records of the log that could not be read; each costs itself only."""


class ActsRequest(Scoped):
    limit: int = 20


class ActView(Record):
    """One act of a person, an agent or a compaction. can_undo: whether `wm undo` would take it
    back now; if not, why_not says it in a sentence."""

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


class Acts(Record):
    """Newest first; newest: the event that a bare `wm undo` would take back."""

    place: Place
    acts: tuple[ActView, ...] = ()
    total: int = 0
    newest: str = ""


class UndoRequest(Scoped):
    """act: an event id, an entry id (its newest act), or "" for the newest act of a person.

    anyone: what an agent or a compaction did counts too (`wm diag revert`).
    """

    act: str = ""
    anyone: bool = False


class Undone(Record):
    """applied: False where this is only the plan. event: the record of the undo itself."""

    act: ActView
    entry: MemoryEntry | None = None
    applied: bool = False
    event: str = ""
    message: str = ""


class TrashRequest(Scoped):
    """The trash of one workspace."""


class TrashView(Record):
    """blocked: a tombstone keeps agents from learning this text again."""

    entry: MemoryEntry
    trashed_at: str
    reason: str = ""
    blocked: bool = False


class Trash(Record):
    """Newest first. stones: how many texts are not learned again, also of entries that the
    trash does not hold any more."""

    place: Place
    entries: tuple[TrashView, ...] = ()
    stones: int = 0


# --- why-not -------------------------------------------------------------------------------


class WhyNotRequest(Scoped):
    """Why is this text not in the memory? type "": inferred."""

    text: str
    type: str = ""


class Check(Record):
    """One rule that a text was run against. stops: it keeps the text out, or did."""

    rule: str
    stops: bool
    reason_codes: tuple[str, ...] = ()
    sentence: str = ""
    entry: str = ""


class WhyNotAnswer(Record):
    """verdict: shown, hidden, waiting, replaced, forgotten, refused, known, asked_only or
    nothing; `checks` in the order in which the rules speak, the deciding one first."""

    text: str
    type: str = ""
    verdict: str
    sentence: str
    entry: MemoryEntry | None = None
    checks: tuple[Check, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    sentences: tuple[str, ...] = ()
