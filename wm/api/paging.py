"""Requests and answers of paging: the ledger of a session, its objects, and what is restored.

A proxy sends and reads the ledger; people and models ask for objects, whose texts have no secrets.
"""

from pydantic import Field

from wm.api.protocol import PagingTotals, Scoped, WorkspaceAnswer
from wm.api.sessions import SessionScoped
from wm.formats.base import Record, optional
from wm.formats.flow import FlowUsage
from wm.formats.ledger import LedgerDecision, LedgerRecord
from wm.formats.paged_object import PagedObject


class PagingRequest(SessionScoped):
    """What a proxy adds: the steps of its session that are not stored yet, and records of its
    ledger. durable: the answer says that both are on disk."""

    objects: tuple[PagedObject, ...] = ()
    records: tuple[LedgerRecord, ...] = ()
    durable: bool = False


class PagingAnswer(WorkspaceAnswer):
    """refused: places of decisions that were not stored, because their text holds a secret; they
    must not be applied. policy: the one chosen for this session or workspace, "" for none."""

    refused: tuple[str, ...] = ()
    policy: str = ""


class LedgerRequest(SessionScoped):
    """conversation: the client's id of a subagent, "" for the main one. ahead: instead, the daemon
    reads the ledgers of the newest sessions into memory; the answer is empty."""

    session_id: str = ""
    conversation: str = ""
    ahead: bool = False


class LedgerBranch(Record):
    """Decisions of some requests, and the places of their ends; the fields of
    `wm.domain.paging.ledger.Branch`."""

    afresh: bool = False
    decisions: tuple[LedgerDecision, ...] = ()
    ends: tuple[str, ...] = ()


class LedgerAnswer(WorkspaceAnswer):
    """A conversation's decisions after a restart.

    branches: those that requests were sent with, the last ones last. unseen: what the client does
    not see, as in `wm.domain.paging.ledger`. unproven: stored, but no record says that their
    request left with them; requests: these requests. credit: in dollars per million tokens.
    objects: the ids of what is stored. alive: until when the cache entries of each model live, in
    seconds since 1970.
    marked: for each request with a cut, the place of its end and those of its marks. broken:
    thinking may be bound to a prefix that is not sent any more. scale: tokens by the service's last
    count for each estimated one.
    """

    branches: tuple[LedgerBranch, ...] = ()
    unseen: tuple[LedgerDecision, ...] = ()
    unproven: tuple[LedgerDecision, ...] = ()
    requests: tuple[str, ...] = ()
    credit: float = 0.0
    alive: dict[str, float] = Field(default_factory=dict)
    objects: tuple[str, ...] = ()
    marked: tuple[tuple[str, ...], ...] = ()
    policy: str = ""
    broken: bool = False
    scale: float = 1.0


class PolicyRequest(Scoped):
    """Choose the policy of a workspace, or of one of its sessions; `policy` "" returns to the
    configured one."""

    policy: str = ""
    session: str = ""


class PolicyAnswer(WorkspaceAnswer):
    policy: str
    message: str


class ObjectsRequest(Scoped):
    """session: only this session's. type: only this type. requests: its requests, too."""

    session: str = ""
    type: str = ""
    requests: bool = False


class ObjectSummary(Record):
    """One stored step. fidelity: its level in the last request, 0 to 4."""

    id: str
    session: str
    type: str
    label: str = ""
    tokens: int = 0
    at: str = ""
    fidelity: int = 0
    pinned: bool = False
    faults: int = 0
    searched: bool = True


class ObjectsAnswer(WorkspaceAnswer):
    """requests: as they were sent, oldest first, without decisions."""

    objects: tuple[ObjectSummary, ...] = ()
    totals: tuple[PagingTotals, ...] = ()
    bytes: int = 0
    requests: tuple[LedgerRecord, ...] = optional(())


class ObjectRequest(Scoped):
    """id: of an object or one of its parts, or a beginning of it. level: 0 is the whole text, 1 and
    2 are shorter. session: of the caller; the restored object is pinned there."""

    id: str
    level: int = 0
    session: str = ""


class ObjectAnswer(WorkspaceAnswer):
    """text: as stored, without secrets. losses: what a shorter level leaves out. by: the model that
    wrote a shorter level; "" if its lines were chosen by rules. secrets: the labels in the text.
    events: what happened to it, oldest first."""

    object: PagedObject
    session: str
    text: str
    losses: tuple[str, ...] = ()
    by: str = optional("")
    secrets: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class PurgeRequest(Scoped):
    """Delete the stored content of a session, or of all sessions before a day."""

    session: str = ""
    all_sessions: bool = False
    dry_run: bool = False


class PurgeAnswer(WorkspaceAnswer):
    sessions: tuple[str, ...] = ()
    objects: int = 0
    dry_run: bool = False


class PrepareRequest(Scoped):
    """A proxy that is not of `wm` asks what to send in place of a message request.

    headers: of the client's request; its session and working folder are in them or in the body.
    body: as it came. policy: "" for what the person or config.toml chose.
    """

    headers: dict[str, str] = Field(default_factory=dict)
    body: str
    policy: str = ""


class PrepareAnswer(WorkspaceAnswer):
    """request: the name to report the answer under; "" if nothing is managed. body: to send
    instead; "" sends the client's own. removed: blocks that are replaced. headers: to send in place
    of the client's, names in lower case. beta: a value that the header `anthropic-beta` has in
    them, "" for none. notice: for the person, once: what is stored, where and for how long, before
    the first step of the workspace is, or why nothing more is."""

    request: str = ""
    body: str = ""
    removed: int = 0
    headers: dict[str, str] = Field(default_factory=dict)
    beta: str = ""
    notice: str = optional("")


class FinishTurnRequest(Record):
    """answer: as it came, a message or a stream, without content encoding; or instead of it, ok:
    the service answered the request with success, and usage: as it reported it."""

    request: str
    answer: str = ""
    ok: bool = True
    usage: FlowUsage | None = None


class TurnAnswer(WorkspaceAnswer):
    totals: PagingTotals
