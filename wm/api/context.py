"""Request and response of a proxied context: what fills it, and what it cost (PX-7, UI-1).

Money is US dollars. Sizes of parts are estimates; token counts of exchanges are the service's.
"""

from wm.api.protocol import ConversationUsage, WorkspaceAnswer
from wm.api.replay import TokenCounts
from wm.api.sessions import SessionScoped
from wm.formats.base import Record


class ContextRequest(SessionScoped):
    """session_id: also the `<sid>` of a session that no hook reported. limit: most exchanges."""

    limit: int = 400


class ContextPart(Record):
    """A part of the newest request. kind: tools, system, or the role of its messages. tokens: an
    estimate; new: those that the request before did not have."""

    kind: str
    blocks: int = 0
    tokens: int = 0
    new: int = 0


class ExchangeCost(Record):
    """One exchange. decisions: number of reductions that a policy applied. bill: with the cache as
    it was; uncached: of the same work without a cache. failed: refused, or cut off."""

    at: str
    call: str
    model: str = ""
    policy: str = ""
    change: str = ""
    decisions: int = 0
    failed: bool = False
    tokens: TokenCounts = TokenCounts()
    bill: float = 0.0
    uncached: float = 0.0


class SessionContext(WorkspaceAnswer):
    """usage: how full the context is; None before the first answer. exchanges: oldest first, the
    newest `limit`; the sums are over all `requests`. unpriced: models without a price, whose
    exchanges are in no bill."""

    session: str
    usage: ConversationUsage | None = None
    parts: tuple[ContextPart, ...] = ()
    exchanges: tuple[ExchangeCost, ...] = ()
    requests: int = 0
    tokens: TokenCounts = TokenCounts()
    bill: float = 0.0
    uncached: float = 0.0
    unpriced: tuple[str, ...] = ()
