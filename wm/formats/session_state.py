"""`sessions/<sid>.json`: the hot state of one session (HS-1…3), and its compactions.

Hot state may be lost: after a crash the last second can be missing, and an unreadable file starts
empty. Nothing that a user asked to keep is stored only here.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional
from wm.formats.pressure import SeenContext
from wm.formats.recaps import Recap

NEWEST = "newest"
"""A name for the session with the newest event."""

ACTIONS = ("edit", "write", "grep", "read")


class ActiveFile(Record):
    """A file that the agent touched; `path` is relative to the root if it is inside."""

    path: str
    action: str
    count: int = 1
    last_seen_at: str = ""


class OpenError(Record):
    """An error that a failed command showed (HS-2).

    fingerprint: first 12 hex digits of sha256(category + summary without line numbers).
    category: typecheck, test, lint, build, runtime, or one of the user's own. status: open, or
    maybe_fixed after its file was edited.
    command, target: what a later success must match to clear it.
    """

    fingerprint: str
    category: str
    summary: str
    file: str = optional("")
    line: int = optional(0)
    command: str = optional("")
    target: str = optional("")
    status: str = "open"
    count: int = 1
    first_seen_at: str = ""
    last_seen_at: str = ""


class SessionDecision(Record):
    text: str
    at: str = ""
    origin: str = "agent"


class PendingNote(Record):
    """A memory that this session's frozen prompt does not show yet."""

    id: str = optional("")
    type: str
    text: str
    at: str = ""


class RecalledNote(Record):
    """An entry that the session received with a message; epoch: the number of the epoch then."""

    id: str
    epoch: int = 0


class WordOrigins(Record):
    """Where the words of the session first appeared, as digests that do not reveal them (TR-3).

    foreign: set of words, and of pairs of neighbours, that tools, files, pages and pasted text
    showed first. said: sentences of the user and of the model. Both are compressed bytes in base64.
    distrust: why the model's own words count as foreign from now on: addressed, hidden_text,
    unread_text, unheard_text. instance: the process that recorded the last event; another process
    may have missed some.
    """

    foreign: str = optional("")
    said: str = optional("")
    distrust: tuple[str, ...] = optional(())
    instance: str = optional("")


class SessionState(Document):
    slug: ClassVar[str] = "session_state"

    session_id: str
    agent: str = ""
    root: str = ""
    """Where the agent runs: the base of relative paths in its tool calls."""
    workspace_key: str = ""
    parent_session: str = optional("")
    transcript: str = optional("")
    """The agent's own record of the session: the session can be resumed while this file exists."""
    subagent: bool = optional(False)
    last_answer: str = optional("")
    """The end of the agent's last words, which the user's next message may correct (EX-7)."""
    offer: str = optional("")
    """The end of the agent's last words, until the user has answered what they propose (EX-7)."""
    learn_paused: bool = optional(False)
    """Nothing is learned in passing in this session (EX-7)."""
    learned: str = optional("")
    """What the last message taught, in one line with its undo, for the status line."""
    started_at: str = ""
    updated_at: str = ""
    ended_at: str = optional("")
    epoch: str = optional("")
    """Id of the current prompt epoch, "" before the first."""
    epoch_number: int = optional(0)
    compactions: int = optional(0)
    events: int = optional(0)
    """Number of messages, answers and tool calls so far: the clock of the pool (CB-3)."""
    seen_messages: tuple[str, ...] = optional(())
    """Digests of the last user messages, so that a message sent twice counts once."""
    active_files: tuple[ActiveFile, ...] = ()
    open_errors: tuple[OpenError, ...] = ()
    recent_decisions: tuple[SessionDecision, ...] = ()
    pending_memories: tuple[PendingNote, ...] = ()
    recalled: tuple[RecalledNote, ...] = optional(())
    """Entries that are not in its prompt and that messages of the user recalled."""
    origins: WordOrigins | None = optional(None)
    seen_context: SeenContext | None = optional(None, alias="heard")
    """Files of all versions call it `heard`."""
    recap: Recap | None = optional(None)
    """What the session did so far; moved to `recaps.json` at its end."""


class MemoryRef(Record):
    """`M3` of one compaction: the entry, and the digest of its text at that time."""

    ref: str
    id: str
    digest: str


class CompactionKept(Record):
    """What one compaction kept of core, slots and pool, and what it dropped from the pool (CB-5).

    core: block -> characters. slots: slot -> items. pool: how many items stayed. dropped: the
    texts of the dropped items. snapshot: the list that this compaction was given.
    """

    number: int
    at: str
    snapshot: str = optional("")
    core: dict[str, int] = Field(default_factory=dict)
    slots: dict[str, int] = Field(default_factory=dict)
    pool: int = 0
    dropped: tuple[str, ...] = ()


class CompactionState(Document):
    """`sessions/<sid>_compaction.json`: the numbered list that a compaction was given (EX-2), and
    the log of what compactions kept (CB-5)."""

    slug: ClassVar[str] = "compaction"

    session_id: str
    count: int = 0
    snapshot_id: str = optional("")
    snapshot_at: str = optional("")
    epoch: str = optional("")
    """The epoch that was open when the list was given."""
    refs: tuple[MemoryRef, ...] = optional(())
    last_summary_digest: str = optional("")
    """A summary that arrives twice (two hooks, a retry) is processed once."""
    log: tuple[CompactionKept, ...] = optional(())
    """The last compactions, newest last."""
    updated_at: str = ""
