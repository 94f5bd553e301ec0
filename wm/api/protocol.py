"""Requests and responses of the socket (IF-1), and of every use case behind it.

`wm.daemon.routes` maps requests to paths; callers that work on the files without a daemon use
the same models. Names in JSON are camelCase.
"""

from typing import Any

from pydantic import Field

from wm.api.models import HelperState, UsedModel
from wm.formats.base import Record, optional
from wm.formats.evidence import EvidenceRecord
from wm.formats.ledger import Uncut
from wm.formats.recaps import Recap
from wm.formats.workspace_memory import MemoryEntry


class Scoped(Record):
    """The workspace: by its key `workspace`, or the workspace of `directory`. With both the key
    counts; the directory finds it if nothing of it is stored yet.

    explicit: a person named this very directory, so it may be their home folder (ID-2).
    """

    directory: str = ""
    workspace: str = ""
    explicit: bool = False


class WorkspacePlace(Record):
    """A resolved workspace: key, identity root, and the branch that is checked out there."""

    key: str
    root: str
    branch: str = ""


class WorkspaceAnswer(Record):
    """An answer about one workspace."""

    place: WorkspacePlace


SINCE = "90m, 2h, 3d, 1w, 6 months, yesterday, last week, 2026-11-21, or 2026-11-21T14:30Z"
"""Accepted forms of a moment, for messages and help."""


# --- entries ---------------------------------------------------------------------------


class RememberRequest(Scoped):
    """Store `text`. type "": inferred. source: explicit (a person asked) or manual."""

    text: str
    type: str = ""
    rationale: str = ""
    source: str = "explicit"
    origin: str = "user"
    branch_only: bool = False
    user: bool = False
    """Keep it for all workspaces of the user (ID-3)."""
    typed: bool = False
    """A person typed it in a terminal: kept with a warning where the gate has doubts (EX-3)."""
    tags: tuple[str, ...] = ()
    importance: str = "normal"
    session: str = ""
    anchors: tuple[str, ...] = ()
    """Code that it describes: `path`, `path:symbol` or `path:12-40` (WM-9)."""


class LearningRequest(Scoped):
    """Read how this workspace learns in passing, or set it. mode: active, inbox, off, default
    (config.toml decides), pause, resume; "" only reads (EX-7). until: when a pause ends, a time as
    `since` takes it, or a span ("2h") from now; "" lasts until `resume`. session: pause or resume
    only this session, by its id or the beginning of it."""

    mode: str = ""
    until: str = ""
    session: str = ""
    user: bool | None = None
    """Whether prompts here show the entries of scope `user`; None: as before."""


class Learning(Record):
    """chosen: this workspace has a mode of its own. set_by: workspace, config.toml, upgrade or
    default. paused_until: a time, "" while learning is not paused. paused_sessions: `<sid>` of the
    sessions that are paused."""

    mode: str
    chosen: bool = False
    set_by: str = "default"
    paused_until: str = ""
    paused_sessions: tuple[str, ...] = ()
    user: bool = True
    """Prompts here show the entries of scope `user`."""


class Remembered(Record):
    """outcome: promoted, absorbed, inbox, retryable or rejected; `message` explains it in words."""

    outcome: str
    entry: MemoryEntry | None = None
    reason_codes: tuple[str, ...] = ()
    message: str = ""


class RecapRequest(Scoped):
    """What the last sessions did. last: how many, 0: five, or all since `since`. team: also those
    that others share."""

    last: int = 0
    since: str = ""
    team: bool = False


class RecapAnswer(Record):
    """recaps: newest first. texts: of the entries that they name, by id, while they hold."""

    recaps: tuple[Recap, ...] = ()
    texts: dict[str, str] = Field(default_factory=dict)


class EntriesRequest(Scoped):
    """status "": active only; "all": everything that is stored. order: strength (also ""), shown
    (what prompts show comes first, then by strength) or newest. limit: most entries, from the
    `offset`th on; None: all. all_sessions: list all sessions, not only the newest."""

    status: str = ""
    type: str = ""
    scope: str = ""
    order: str = ""
    offset: int = Field(default=0, ge=0)
    limit: int | None = Field(default=None, ge=0)
    all_sessions: bool = False


class EntryView(Record):
    """An entry as people see it: its strength now, and whether a prompt would show it."""

    entry: MemoryEntry
    strength: float
    shown: bool
    omitted: str = ""


class SessionSummary(Record):
    """asked: the first words that its user typed."""

    session_id: str
    asked: str = optional("")
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
    """Level of its context, "" if it was never measured; and the used share of the limit."""
    context_percent: float = 0.0


class PagingTotals(Record):
    """What paging did in a session.

    removed: tokens that the last request lacked. uncut: why it had no cut; it may have one of
    earlier requests. saved: what requests cost less than the client's own, before their cuts;
    spent: what these cuts cost, and what requests cost more for another reason; fault_cost: what
    restoring removed content cost; credit: what the next cut may cost. All in dollars per million
    tokens, unless unpriced names models without a known price: those count an input token as one.
    misses: requests whose reported cache reads fell short of the prediction. passages: texts of
    removed content that were appended before the model asked; saved and spent have their cost.
    dropped: times that decisions were lost, or given up after `off`, so that the client's own
    request was sent. phantoms: answers whose calls of phantom tools the proxy carried out;
    phantom_cost: what the further requests for them cost, beside saved and spent. repeatedly: steps
    that were needed again more than once (OB-5). added: tokens of our tools and injected texts in
    the last request; added_cost: what they cost in all, with or without paging.
    """

    session: str
    policy: str = ""
    requests: int = 0
    cuts: int = 0
    uncut: Uncut | None = optional()
    removed: int = 0
    saved: float = 0.0
    spent: float = 0.0
    fault_cost: float = 0.0
    faults: int = 0
    restored: int = 0
    repeatedly: int = optional(0)
    misses: int = 0
    emergencies: int = 0
    dropped: int = 0
    credit: float = 0.0
    passages: int = optional(0)
    phantoms: int = optional(0)
    phantom_cost: float = optional(0.0)
    added: int = optional(0)
    added_cost: float = optional(0.0)
    unpriced: tuple[str, ...] = optional(())


class ConversationUsage(Record):
    """How full a conversation was at its last exchange through a proxy (PS-2): the tokens that the
    model read and added, as the service counted them.

    session_id: the `<sid>` if no hook reported the session. percentage: of the window, rounded
    down to a tenth. zone: normal, caution, warning, critical
    or emergency. assumed: the model is unknown; the most common window is assumed. current:
    the session has not ended, and the exchange is recent. paging: what paging did in its session;
    None if no request was sent with it.
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
    paging: PagingTotals | None = optional(None)


class Inspection(WorkspaceAnswer):
    """What a workspace remembers and what a prompt would show of it (`wm inspect`). matching: the
    entries that the request describes, of which `entries` may be a part."""

    health: str = "ok"
    detail: str = ""
    generation: int = 0
    entries: tuple[EntryView, ...] = ()
    matching: int = 0
    counts: dict[str, int] = Field(default_factory=dict)
    user_inbox: int = optional(0)
    """Entries that wait in the user's memory for all projects, if this is not it."""
    shown_entries: int = 0
    shown_chars: int = 0
    max_chars: int = 0
    max_entries: int = 0
    pending: int = 0
    learn: str = optional("")
    """How it learns in passing; `off` also while that is paused."""
    sessions: tuple[SessionSummary, ...] = ()
    """The newest 50, unless the request wants all."""
    session_count: int = 0
    last_activity_at: str = ""
    dormant_days: float = 0.0
    conversations: tuple[ConversationUsage, ...] = optional(())
    """The last conversations through a proxy, newest first."""
    helper: HelperState | None = optional()
    """The helper model; none without one."""


class EntryRequest(Scoped):
    """One entry by its id, or by an unambiguous beginning of the id."""

    id: str


class EditRequest(EntryRequest):
    """Change the fields that are not None."""

    text: str | None = None
    rationale: str | None = None
    type: str | None = None
    importance: str | None = None
    pinned: bool | None = None
    anchors: tuple[str, ...] | None = None


class ForgetRequest(EntryRequest):
    reason: str = ""


class ScopeRequest(EntryRequest):
    """Move an entry to the scope `user`, or from there to this workspace (ID-3)."""

    scope: str


class EntryAnswer(Record):
    """The entry after the request, and a sentence for people."""

    entry: MemoryEntry
    message: str = ""


class DecideRequest(Scoped):
    """Accept or reject several entries of the inbox, as one act."""

    ids: tuple[str, ...]
    accept: bool


class Decided(Record):
    """done: the entries that were decided about. left: ids for which `accept_entry` or
    `reject_entry` says why not. event: the record of the act, which `undo` takes."""

    done: tuple[EntryAnswer, ...] = ()
    left: tuple[str, ...] = ()
    event: str = ""


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
    """limit: most hits; None for the daemon's `recall.max_hits`. The other fields filter: path is
    the path of a code anchor, a path in the text, or a folder above one; since and until are
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
    """score is comparable within one answer only; `why` says what matched. confidence: how probably
    the entry is relevant, 0 to 1, if every second query has an answer."""

    entry: MemoryEntry
    score: float
    why: str
    confidence: float = 0.0


class Passage(Record):
    """Whole sentences of one entry, verbatim."""

    entry: str
    text: str


class SearchAnswer(Record):
    """answer: the passage that answers the query, if one entry clearly leads; else None. standing:
    pinned entries, which are in every answer; `standing_omitted` counts those that did not fit.
    searched: number of entries examined. model: the model whose vectors were used; None if words
    alone decided. recaps: sessions whose recap has most words of the query, newest first."""

    hits: tuple[SearchHit, ...] = ()
    answer: Passage | None = None
    standing: tuple[MemoryEntry, ...] = ()
    standing_omitted: int = 0
    searched: int = 0
    model: UsedModel | None = optional(None)
    recaps: tuple[Recap, ...] = optional(())


class ExportAnswer(WorkspaceAnswer):
    """All data of one workspace, as plain documents."""

    exported_at: str
    documents: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[EvidenceRecord, ...] = ()


# --- tools of a model --------------------------------------------------------------------


class ToolRequest(Scoped):
    """A model calls one of `wm.api.tools`. session: the agent's own id of it, if known."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    session: str = ""


class ToolAnswer(Record):
    """The text for the model, and the same as data. Refusals are problems, not answers."""

    text: str
    structured: dict[str, Any] = Field(default_factory=dict)


class MemoryFilesRequest(Scoped):
    """One command of the provider's memory tool, as the model wrote it (`/memories`)."""

    command: dict[str, Any] = Field(default_factory=dict)
    session: str = ""


class MemoryFilesAnswer(Record):
    """The text of the tool's result. failed: the command was not carried out; the text says why."""

    text: str
    failed: bool = False


# --- workspaces and the daemon ------------------------------------------------------------


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
    """`old` and `new` are folders (or workspace keys); `new` takes over the memory of `old`."""

    old: str
    new: str


class Moved(Record):
    key: str
    target: str
    message: str = ""


class LinkRequest(Scoped):
    """Let the folder of the request use the memory of `old`, a folder or a key. old "": list the
    other checkouts of its repository (ID-3). unlink: end a link."""

    old: str = ""
    unlink: bool = False


class LinkAnswer(Record):
    """key: of the memory in use. offers: other checkouts of the repository, most entries first."""

    key: str
    offers: tuple[WorkspaceSummary, ...] = ()
    message: str = ""


class NoRequest(Record):
    """A request without fields."""
