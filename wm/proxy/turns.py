"""Which requests a policy may see, and who does what their turns ask for (PX-1, PX-2).

Without a policy every request goes on as it comes. With one, each request for a message waits
until it is whole; what is decided of a conversation is in its ledger before the request leaves.
One request of a conversation at a time is decided on, so that none of two that come together
sees a decision half made.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, field

from wm.proxy.guard import Admitted
from wm.proxy.heads import RequestHead, texts
from wm.wire.body import index
from wm.wire.identity import Identity, identify
from wm.wire.policy import Conversation, Decision, Log, Policy, Prepared, nothing
from wm.wire.turn import Commands, Ear, Keep, Prepare, Turn

_PATH = "/v1/messages"
_MAX_CONVERSATIONS = 16
"""Known at a time; another one's ledger is read again."""
_DECIDING = frozenset({"main", "subagent"})
"""Calls of a conversation itself; the others, such as its summary, get what it got."""


class Ledger(Protocol):
    """The decisions of all conversations, on disk."""

    async def known(self, conversation: str) -> Log:
        """Those of one conversation."""

    async def keep(self, conversation: str, decisions: tuple[Decision, ...]) -> bool:
        """Write them down. False where that cannot be done now."""


class Managed(Struct, frozen=True):
    """A policy at work. name: as flows tell it. ear: makes the listener of one answer."""

    name: str
    policy: Policy
    ledger: Ledger
    ear: Callable[[], Ear] | None = None


class _Talk(Struct):
    conversation: Conversation
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    """Requests that are decided on now, or wait for it."""


class Held:
    """One request that a policy may change."""

    def __init__(self, turns: Turns, managed: Managed, head: RequestHead, turn: Turn) -> None:
        self._turns = turns
        self._managed = managed
        self._headers = texts(head.headers)
        self.turn = turn
        self.decided: tuple[Decision, ...] = ()

    @property
    def policy(self) -> str:
        return self._managed.name

    async def through(self, command: Prepare) -> Commands:
        """Do what the turn asks for until the request may go."""
        name, policy = self._whose(command.raw)
        if not name:  # it is of no conversation that could be known again
            return self.turn.prepared(Prepared(command.raw))
        talk = await self._turns.talk(name, self._managed.ledger)
        commands: Commands = (command,)
        try:
            async with talk.turn:
                while commands and isinstance(commands[0], Prepare | Keep):
                    commands = await self._step(name, talk.conversation, policy, commands[0])
        finally:
            talk.users -= 1
        return commands

    async def _step(
        self, name: str, talk: Conversation, policy: Policy, asked: Prepare | Keep
    ) -> Commands:
        if isinstance(asked, Prepare):
            made = talk.prepare(asked.raw, policy if asked.new else nothing)
            talk.rest()
            return self.turn.prepared(made or Prepared(asked.raw))
        done = await self._managed.ledger.keep(name, asked.decisions)
        if done:
            talk.keep(asked.decisions)
            self.decided = asked.decisions
        return self.turn.kept(done)

    def _whose(self, raw: bytes) -> tuple[str, Policy]:
        """The conversation, "" for none, and the policy for this call of it."""
        likely = self._turns.known(_name(identify(_PATH, self._headers, None)))
        before = likely.before[0] if likely is not None and likely.before else None
        found = identify(_PATH, self._headers, index(raw, before))
        return _name(found), self._managed.policy if found.call in _DECIDING else nothing


class Turns:
    """Says which exchanges have a turn. On the event loop."""

    def __init__(self, managed: Managed | None = None) -> None:
        self._managed = managed
        self._talks: OrderedDict[str, _Talk] = OrderedDict()

    def held(self, head: RequestHead, admitted: Admitted) -> Held | None:
        """Who prepares a request, where it waits for that."""
        managed = self._managed
        if managed is None or not _is_message(head, admitted):
            return None
        turn = Turn(ear=managed.ear() if managed.ear else None)
        return Held(self, managed, head, turn)

    def known(self, name: str) -> Conversation | None:
        talk = self._talks.get(name)
        return talk.conversation if talk is not None else None

    async def talk(self, name: str, ledger: Ledger) -> _Talk:
        """The conversation, with one user more. One in use stays: a second one under its name
        would decide beside it."""
        if name not in self._talks:
            log = dict(await ledger.known(name))
            self._talks.setdefault(name, _Talk(Conversation(log)))
        self._talks.move_to_end(name)
        talk = self._talks[name]
        talk.users += 1
        idle = [name for name, other in self._talks.items() if not other.users]
        for gone in idle[: max(0, len(self._talks) - _MAX_CONVERSATIONS)]:
            del self._talks[gone]
        return talk


def _name(found: Identity) -> str:
    """Under which the decisions are known; "" where the request names no session."""
    return f"{found.session}/{found.subagent}" if found.session else ""


def _is_message(head: RequestHead, admitted: Admitted) -> bool:
    """A compressed body is not opened."""
    path = admitted.target.partition(b"?")[0]
    plain = head.get(b"content-encoding") is None
    return head.method == b"POST" and path == _PATH.encode() and plain
