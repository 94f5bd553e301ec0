"""Requests and responses of the socket (IF-1), and of every use case behind it.

`wm.daemon.routes` says which request travels on which path; the same models serve callers
that work on the files without a daemon. Names on the wire are camelCase.
"""

from collections.abc import Callable
from typing import Any, Self, TypeVar

from pydantic import Field, PrivateAttr

from wm.formats.base import Record, optional
from wm.formats.events import Event
from wm.formats.evidence import EvidenceRecord
from wm.formats.flow import FlowNote, FlowSum
from wm.formats.models import UsedModel
from wm.formats.pressure import Pressure
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry

M = TypeVar("M")


class Scoped(Record):
    """Which workspace: the `workspace` key, or the one that `directory` belongs to.

    explicit: a person named this very directory, so it may be their home folder (ID-2).
    """

    directory: str = ""
    workspace: str = ""
    explicit: bool = False


class Place(Record):
    """A resolved workspace: key, identity root, and the branch that is checked out there."""

    key: str
    root: str
    branch: str = ""


SINCE = "90m, 2h, 3d, 1w, 6 months, yesterday, last week, 2026-11-21, or 2026-11-21T14:30Z"
"""What may be said for a moment, for messages and help."""


# --- entries ---------------------------------------------------------------------------


class RememberRequest(Scoped):
    """Keep `text`. type "": inferred. source: explicit (a person asked) or manual."""

    text: str
    type: str = ""
    rationale: str = ""
    source: str = "explicit"
    origin: str = "user"
    branch_only: bool = False
    tags: tuple[str, ...] = ()
    importance: str = "normal"
    session: str = ""
    anchors: tuple[str, ...] = ()
    """Code that it speaks of: `path`, `path:symbol` or `path:12-40` (WM-9)."""


class Remembered(Record):
    """outcome: promoted, absorbed, inbox, retryable or rejected; `message` says it in words."""

    outcome: str
    entry: MemoryEntry | None = None
    reason_codes: tuple[str, ...] = ()
    message: str = ""


class EntriesRequest(Scoped):
    """status "": active only; "all": everything that is kept."""

    status: str = ""
    type: str = ""


class EntryView(Record):
    """An entry as people see it: its strength now, and whether a prompt would show it."""

    entry: MemoryEntry
    strength: float
    shown: bool
    omitted: str = ""


class SessionSummary(Record):
    session_id: str
    agent: str = ""
    updated_at: str = ""
    ended: bool = False
    open_errors: int = 0
    active_files: int = 0
    epoch_number: int = 0
    compactions: int = 0
    core_blocks: int = 0
    working_items: int = 0
    pressure: str = ""
    """Level of its context, "" where it was never measured; and the share of what fits."""
    context_percent: float = 0.0


class Conversation(Record):
    """How full a conversation was at the last exchange that a proxy saw (PS-2): what the model
    read and what it added, by the service's own count.

    session_id: the `<sid>` where no hook told of the session. percentage: of the window, rounded
    down to a tenth. zone: normal, caution, warning, critical
    or emergency. assumed: nobody knows the model; the window is the one that most have. current:
    the session has not ended, and the exchange is recent.
    """

    session_id: str
    agent: str = optional("")
    model: str = optional("")
    at: str
    tokens: int
    window: int
    assumed: bool = optional(False)
    percentage: float
    zone: str
    current: bool = optional(False)


class Inspection(Record):
    """What a workspace remembers and what a prompt would show of it (`wm inspect`)."""

    place: Place
    health: str = "ok"
    detail: str = ""
    generation: int = 0
    entries: tuple[EntryView, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    shown_entries: int = 0
    shown_chars: int = 0
    max_chars: int = 0
    max_entries: int = 0
    pending: int = 0
    sessions: tuple[SessionSummary, ...] = ()
    last_activity_at: str = ""
    dormant_days: float = 0.0
    conversations: tuple[Conversation, ...] = optional(())
    """Those that a proxy saw last, newest first."""


class EntryRequest(Scoped):
    """One entry by its id, or by an unambiguous beginning of the id."""

    id: str


class EditRequest(EntryRequest):
    """Change what is not None."""

    text: str | None = None
    rationale: str | None = None
    type: str | None = None
    importance: str | None = None
    pinned: bool | None = None
    anchors: tuple[str, ...] | None = None


class ForgetRequest(EntryRequest):
    reason: str = ""


class EntryAnswer(Record):
    """The entry after the request, and a sentence for people."""

    entry: MemoryEntry
    message: str = ""


class AcceptOutsideRequest(Scoped):
    """Accept every change that was made to the file outside wm (ST-4)."""


class Noticed(Record):
    """How many edits made outside wm wait in the inbox now."""

    waiting: int = 0


class Accepted(Record):
    accepted: tuple[str, ...] = ()


class WhyRequest(Scoped):
    """What is known about an entry (by id) or a text."""

    subject: str


class WhyAnswer(Record):
    subject: str
    entry: MemoryEntry | None = None
    strength: float = 0.0
    shown: bool = False
    omitted: str = ""
    records: tuple[EvidenceRecord, ...] = ()
    sentences: tuple[str, ...] = ()


class SearchRequest(Scoped):
    """limit: hits at most; None for the daemon's own `recall.max_hits`. The rest narrows: path is
    that of any code anchor, one that the text names, or a folder above it; since and until are
    times, dates, or spans back from now such as `2 weeks` or `last week`."""

    query: str
    limit: int | None = None
    type: str = ""
    status: str = ""
    tag: str = ""
    path: str = ""
    scope: str = ""
    origin: str = ""
    session: str = ""
    since: str = ""
    until: str = ""


class SearchHit(Record):
    """score is comparable within one answer only; `why` says what matched."""

    entry: MemoryEntry
    score: float
    why: str


class Passage(Record):
    """Whole sentences of one entry, word for word."""

    entry: str
    text: str


class SearchAnswer(Record):
    """answer: what answers the query, where one entry stands clear; None otherwise. standing:
    pinned entries, which come with every reply whatever was asked; of more than fit into it,
    `standing_omitted` counts the rest. searched: entries that were looked at. model: whose vectors
    took part; none where words answered alone."""

    hits: tuple[SearchHit, ...] = ()
    answer: Passage | None = None
    standing: tuple[MemoryEntry, ...] = ()
    standing_omitted: int = 0
    searched: int = 0
    model: UsedModel | None = optional(None)


class ExportAnswer(Record):
    """Everything that is kept of one workspace, as plain documents."""

    place: Place
    exported_at: str
    documents: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[EvidenceRecord, ...] = ()


# --- tools of a model --------------------------------------------------------------------


class ToolRequest(Scoped):
    """A model calls one of `wm.formats.tools`. session: the agent's own id of it, if known."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    session: str = ""


class ToolAnswer(Record):
    """What the model reads, and the same for programs. Refusals are problems, not answers."""

    text: str
    structured: dict[str, Any] = Field(default_factory=dict)


class MemoryFilesRequest(Scoped):
    """One command of the provider's memory tool, as the model wrote it (`/memories`)."""

    command: dict[str, Any] = Field(default_factory=dict)
    session: str = ""


class MemoryFilesAnswer(Record):
    """The text of the tool's result. failed: the command was not carried out, and why."""

    text: str
    failed: bool = False


# --- sessions --------------------------------------------------------------------------


class SessionScoped(Scoped):
    session_id: str
    agent: str = ""


class EventRequest(SessionScoped):
    """Something happened in a session (`wm.formats.events`)."""

    event: Event


class PrunedOutput(Record):
    """What the model is to read instead of a long output; the original is kept as `handle`."""

    text: str
    handle: str
    kind: str
    mode: str
    lines: int
    kept_lines: int


class OutputRequest(Scoped):
    """A kept tool output. id: its handle, or the beginning of it. lines: `A:B`; grep: an
    expression that a line must hold."""

    id: str
    lines: str = ""
    grep: str = ""


class OutputAnswer(Record):
    """numbers: of the lines in `text`, where that is not the whole output."""

    id: str
    tool: str = ""
    command: str = ""
    kind: str = ""
    created_at: str = ""
    total_lines: int = 0
    whole: bool = True
    numbers: tuple[int, ...] = ()
    text: str


class EventAnswer(Record):
    """What the rules made of it: memories by outcome, words for the user, and the output that
    the model is to read instead of a long one, if any."""

    remembered: tuple[Remembered, ...] = ()
    open_errors: int = 0
    instructions: str = ""
    notices: tuple[str, ...] = ()
    pruned: PrunedOutput | None = None


class PromptRequest(SessionScoped):
    """The text for a call of this session. call: main, title, summary or subagent (EP-2)."""

    call: str = "main"
    refresh: bool = False


class PromptText(Record):
    name: str
    text: str
    sha256: str


class PromptAnswer(Record):
    """The blocks of the current epoch, byte for byte the same until it ends (EP-1)."""

    epoch: str = ""
    number: int = 0
    opened: bool = False
    """This call opened the epoch: a client that keeps what it is given does not have it yet."""
    blocks: tuple[PromptText, ...] = ()


class SessionAnswer(Record):
    """A session's state, and hot state, core blocks and working memory as a prompt shows them."""

    state: SessionState
    hot: str = ""
    core: str = ""
    working: str = ""
    pressure: Pressure | None = None
    """How full its context is; None where it was never measured."""
    passed: FlowSum | None = None
    """What a proxy passed on for it; None where none did."""


class HookRequest(Record):
    """An agent's own payload, untouched. project: what the agent says its project folder is."""

    agent: str
    name: str
    payload: dict[str, Any]
    project: str = ""
    _meaning: Any = PrivateAttr(default=None)
    _unheard: bool = PrivateAttr(default=False)

    @property
    def unheard(self) -> bool:
        """The hook was answered before it was carried out: nobody reads what it brings."""
        return self._unheard

    def not_waited_for(self) -> None:
        self._unheard = True

    def meaning(self, find: Callable[[Self], M]) -> M:
        """What `find` makes of the payload. Queue, locks and work all ask; it is found once."""
        if self._meaning is None:
            self._meaning = find(self)
        found: M = self._meaning
        return found


class HookAnswer(Record):
    """The bytes that the hook must print, and their type."""

    content_type: str = "application/json"
    body: str = ""


class StatuslineRequest(Record):
    """The agent's own payload, and what it says its project folder is."""

    payload: dict[str, Any] = Field(default_factory=dict)
    project: str = ""


# --- workspaces and the whole ------------------------------------------------------------


class WorkspaceSummary(Record):
    key: str
    root: str = ""
    active: int = 0
    inbox: int = 0
    sessions: int = 0
    last_activity_at: str = ""
    health: str = "ok"
    exists: bool = True


class Workspaces(Record):
    workspaces: tuple[WorkspaceSummary, ...] = ()


class MoveRequest(Record):
    """`old` and `new` are folders (or workspace keys); `new` adopts the memory of `old`."""

    old: str
    new: str


class Moved(Record):
    key: str
    target: str
    message: str = ""


class NoRequest(Record):
    """A request without fields."""


class FinishRequest(SessionScoped):
    """A proxy tells of an exchange that ended. session_id: the client's own."""

    note: FlowNote


class RecordRequest(SessionScoped):
    """A proxy hands over the bodies of an exchange, as they were: what is kept has no secrets.

    exchange: the id of its flow. parts: of the request, without the first `keep` parts of `base`,
    an earlier exchange. more: the rest follows; then the name is a passing one, and the base of
    what follows.
    """

    exchange: str
    at: str = ""
    base: str = ""
    keep: int = Field(default=0, ge=0)
    parts: tuple[str, ...] = ()
    more: bool = False
    answer: tuple[str, ...] = ()
    answer_kind: str = ""


class RecordAnswer(Record):
    """reason: why nothing was recorded: base_unknown (all of the request is needed), full, or
    not_json. "" where it was."""

    place: Place
    reason: str = ""


class FinishAnswer(Record):
    """Where it was written."""

    place: Place
    flow_id: str
