"""The phantom tools of one conversation: offered or not, and what the client did not see (PX-5).

`wm` offers these tools to a client that lacks ours, from the first request of a conversation on,
and answers their calls itself. Both the offer and every exchange are decisions of the ledger, so
that later requests, also after a restart, have the same bytes. Carries out no call.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Sequence
from functools import cache

from wm.api.tools import find
from wm.wire.answer import spelled
from wm.wire.body import Body, Replacement, index, splice, unread
from wm.wire.cleanup_tags import TEACH
from wm.wire.conversation import has_begun
from wm.wire.history import ConversationHistory, history, placed_blocks
from wm.wire.phantom_history import (
    PhantomExchange,
    PhantomRound,
    can_offer,
    decoded,
    encoded,
    restored,
    with_system,
    with_tools,
)
from wm.wire.policy import Decision, Form

NAMES = frozenset(("memory_query", "memory_restore", "memory_release"))
_PREFIXED = tuple(f"_{name}".encode() for name in sorted(NAMES))
"""Our tools as a client of an MCP server names them. Claude Code lists them in a text until the
model loads one, so they may be missing from the tools of a first request."""
TOOLS: Form = "tools"
"""The form of the offer, and what it names in place of a block."""
EXCHANGE: Form = "exchange"
_REASON = "phantom"


def tools_text() -> str:
    """The tools as a request lists them: JSON values joined by commas."""
    found = (tool for name in sorted(NAMES) if (tool := find(name)) is not None)
    listed = (
        {"name": one.name, "description": one.description, "input_schema": one.schema}
        for one in found
    )
    return ",".join(spelled(one).decode() for one in listed)


@cache
def tags_text() -> str:
    """What explains cleanup tags to the model."""
    raw = pkgutil.get_data(__package__, "cleanup_tags.txt")
    assert raw is not None
    return raw.decode()


class PhantomTools:
    """log: the decisions of these forms in force, by what they name. fresh: those that are not
    logged yet. is_offering: the person switched them on."""

    def __init__(self, decisions: Sequence[Decision] = (), *, is_offering: bool = False) -> None:
        self.is_offering = is_offering
        self.log = {one.block: one for one in decisions}
        self.fresh: list[Decision] = []
        self.recent: set[str] = set()
        """Calls of the last answer. Paging has not seen them, but the service has."""
        self._exchanges: dict[str, dict[str, PhantomExchange]] = {}
        """By the place of the request that was answered, then by name."""
        for one in self.log.values():
            if one.form == EXCHANGE and (exchange := decoded(one.text)).rounds:
                self._exchanges.setdefault(exchange.after, {})[one.block] = exchange
        self._before: tuple[Body, ConversationHistory] | None = None

    def upstream(
        self, raw: bytes, *, may_offer: bool = False, may_teach: bool = False, is_asked: bool = True
    ) -> tuple[bytes, frozenset[str]]:
        """The request with the tools, if they are offered, and with what the client did not see;
        and the names of the tools in it, with `TEACH` if it explains cleanup tags (PX-6).
        may_offer, may_teach: in a first request. is_asked: an answer is wanted, not only a count.
        """
        may_offer = may_offer and self.is_offering and TOOLS not in self.log
        if not (self.log or may_offer or may_teach):
            return raw, frozenset()
        found = self._indexed(raw)
        if found is None:
            return raw, frozenset()
        body, past = found
        splices = self._restored(body, past, is_asked=is_asked)
        is_first = not has_begun(body)
        names: frozenset[str] = frozenset()
        if can_offer(body, NAMES):
            if may_offer and is_first and not any(name in raw for name in _PREFIXED):
                self._decide(Decision(TOOLS, tools_text(), _REASON, TOOLS))
            if TOOLS in self.log:
                splices.append(with_tools(body, self.log[TOOLS].text))
                names |= NAMES
        if can_offer(body, frozenset()):
            if may_teach and is_first and TEACH not in self.log:
                self._decide(Decision(TEACH, tags_text(), _REASON, TOOLS))
            if TEACH in self.log:
                splices.append(with_system(body, self.log[TEACH].text))
                names |= {TEACH}
        return splice(raw, splices), names

    def _decide(self, decision: Decision) -> None:
        self.log[decision.block] = decision
        self.fresh.append(decision)

    def noted(self, raw: bytes, rounds: tuple[PhantomRound, ...]) -> Decision | None:
        """What the client does not see of the answer to this request of its, as a decision that
        applies from now on; None if the request has no place. More rounds replace fewer."""
        found = self._indexed(raw)
        after = found[1].end if found is not None else ""
        if not after:
            return None
        self.recent |= {json.loads(call).get("id") for one in rounds for _, call in one.calls}
        exchange = PhantomExchange(after, rounds)
        made = Decision(exchange.name, encoded(exchange), _REASON, EXCHANGE)
        self.log[made.block] = made
        self._exchanges.setdefault(after, {})[exchange.name] = exchange
        return made

    def sent_places(self, body: Body, past: ConversationHistory) -> frozenset[str]:
        """The places of recent calls and results. They were sent as they are, and thinking may be
        bound to them, so nothing is decided on them in the request in which they return."""
        if not self.recent:
            return frozenset()
        placed = placed_blocks(body, past)
        return frozenset(place for _, block, place in placed if block.call in self.recent)

    def forget(self) -> None:
        """From the next request on, everything is sent as the client makes it."""
        self.log.clear()
        self._exchanges.clear()

    def _give_up(self, after: str) -> None:
        """The client asks again at this place, so it did not keep the answer. An exchange of which
        it saw nothing would be taken for a part of the next one."""
        known = self._exchanges.get(after, {})
        for name in [name for name, one in known.items() if one.rounds and one.is_blind]:
            del known[name]
            gone = Decision(name, encoded(PhantomExchange(after, ())), _REASON, EXCHANGE)
            self._decide(gone)

    def _indexed(self, raw: bytes) -> tuple[Body, ConversationHistory] | None:
        """The request and its places; only what is new since the last one is parsed."""
        body = index(raw, self._before[0] if self._before else None)
        if body is None:
            return None
        self._before = (unread(body), history(body, self._before))
        return self._before

    def _restored(
        self, body: Body, past: ConversationHistory, *, is_asked: bool
    ) -> list[Replacement]:
        if not self._exchanges:
            return []
        if is_asked:
            self._give_up(past.end)
        return restored(body, past, {a: [*found.values()] for a, found in self._exchanges.items()})
