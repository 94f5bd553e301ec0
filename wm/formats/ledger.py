"""`decisions/<sid>.jsonl`: what paging removed from a session's requests, and what it cost (PX-2).

Append-only. The decisions of a request are on disk before it leaves. Holds places, notes, counts,
and passages that were appended; all that was removed is in `objects/<sid>.jsonl`.
"""

from typing import ClassVar, Literal

from wm.formats.base import Record, optional

RecordKind = Literal[
    "decided", "sent", "void", "dropped", "fault", "policy", "restored", "released", "purged",
    "phantom",
]  # fmt: skip


Uncut = Literal["policy", "young", "price", "credit", "late"]
"""Why a request has no cut: its policy makes none; nothing in it is old enough; removing does not
pay yet; removing would cost more than was saved; decisions do not reach the disk in time."""
UNSEEN_FORMS = frozenset(("tools", "exchange"))
"""Forms of decisions about what the client does not see (PX-5)."""


class LedgerDecision(Record):
    """What replaces one block, or is appended behind it; the fields of `wm.wire.policy.Decision`.
    With form `tools` or `exchange` it replaces nothing: the phantom tools that are offered, and the
    calls and results that the client does not see (`wm.wire.phantom_history`)."""

    block: str
    text: str
    reason: str = ""
    form: str = "content"
    level: int = 3


class LedgerMoment(Record):
    """What the policy knew besides the history; the fields of `wm.wire.policy.Moment`. Faults are
    records before it, and the credit is without what they cost."""

    read: float
    write: float
    credit: float
    cached: int
    prompt: int
    window: int = 0
    scale: float = optional(0.0)
    at: float = optional(0.0)
    until: float = optional(0.0)
    emergency: bool = optional(False)


class LedgerBill(Record):
    """Tokens of one request that the prompt cache reads and writes."""

    read: int
    written: int

    @property
    def tokens(self) -> int:
        return self.read + self.written


class LedgerRecord(Record):
    """One line.

    `decided`: the request may leave with these decisions. `sent`: it left, so they hold; also
    written for requests without new ones. `void`: it left without them. `dropped`: the log could
    not be read in time, so the request left as the client made it, and only these decisions still
    hold. `fault`: an answer needed a removed block. `policy`: the person chose this one for the
    session. `restored`, `released`: the model or a person wanted these objects back, or gave them
    up. `purged`: a person deleted all steps that were stored until then. `phantom`: an answer
    called tools that the client does not see; its decision holds from then on. Without decisions:
    what the further requests for that answer cost.

    conversation: the client's id of a subagent, "" for the main one. request: its id. plain,
    predicted, reported: the request as the client made it, as it was sent, and by the service's
    count. saved: what it costs less than the client's own; negative for a cut or a fault that costs
    more. spent: what its cut cost in it, subtracted in `saved`. credit: the sum so far. All in
    dollars per million tokens. alive_until: when the cache entries of its model expire, in seconds
    since 1970. The first request after a restart has no plain and no predicted if cache entries are
    alive: how much of it they hold is not known.
    """

    slug: ClassVar[str] = "ledger"

    version: int = 1
    kind: RecordKind
    at: str = ""
    conversation: str = optional("")
    request: str = optional("")
    end: str = optional("")
    """`sent`: the place of the end of the request."""
    afresh: bool = optional(False)
    """`sent`: `decisions` are all that it inherited; else it inherited those of the request before,
    with its own."""
    policy: str = optional("")
    model: str = optional("")
    decisions: tuple[LedgerDecision, ...] = optional(())
    moment: LedgerMoment | None = optional()
    marked: tuple[str, ...] = optional(())
    """The place of the end of a request with a cut, and the places of the cache marks set in it."""
    tolerant: bool = optional(False)
    """The request asks the service to drop thinking that is bound to another prefix."""
    emergency: bool = optional(False)
    plain: LedgerBill | None = optional()
    predicted: LedgerBill | None = optional()
    reported: LedgerBill | None = optional()
    saved: float = optional(0.0)
    spent: float = optional(0.0)
    credit: float = optional(0.0)
    alive_until: float = optional(0.0)
    objects: tuple[str, ...] = optional(())
    """Those that were needed, restored, released or purged."""
    uncut: Uncut | None = optional()
    """`sent`: why it was sent without a cut."""
    removed: int = optional(0)
    """Tokens that the decisions of this request remove."""
    added: int = optional(0)
    """Tokens of our tools and injected texts, which are in `plain`, too."""
    added_cost: float = optional(0.0)
