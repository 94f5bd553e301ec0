"""Prepares requests before they are sent, within a deadline (PX-1, PX-2).

Without a preparer every request is forwarded as it arrives. With one, each message request is
buffered until it is complete and prepared. Rule: a preparer that is late or fails costs a request
at most the deadline; then the original bytes go upstream.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, field

from wm.net.messages import RequestHead
from wm.proxy.fallback import Failed, attempt
from wm.proxy.guard import Admitted
from wm.proxy.heads import texts
from wm.wire.body import index
from wm.wire.conversation import Conversation
from wm.wire.identity import RequestIdentity, identify
from wm.wire.interception import StreamInterceptor
from wm.wire.policy import Decision, Log, Policy, Prepared, nothing

PREPARE_DEADLINE_S = 0.05
"""Seconds for everything that a preparer waits for: the daemon, its disk, a policy. Nobody notices
that much before an answer that takes seconds; without it a ledger that hung blocked a client for
45 s."""
MAX_HELD_BYTES = 64 * 1024 * 1024
"""Twice what the service accepts: a longer request is forwarded unprepared as it arrives."""

_PATH = "/v1/messages"
_MAX_CONVERSATIONS = 16
"""Conversations in memory; the ledger of any other is read again."""
_DECIDING = frozenset({"main", "subagent"})
"""Calls of the conversation itself. The others, such as its summary, only apply its decisions."""


class RequestPreparer(Protocol):
    """Turns a client's request into the one sent upstream. Runs on the event loop."""

    name: str
    """Name of the policy, as recorded with each exchange."""

    def wants(self, head: RequestHead, admitted: Admitted) -> bool:
        """Whether the request must be buffered and prepared."""

    async def prepare(self, head: RequestHead, raw: bytes, failed: Failed) -> Prepared:
        """The body to send in place of `raw`. New decisions are on disk before this returns.
        failed: receives faults after which the result is still valid."""

    def interceptor(self) -> StreamInterceptor | None:
        """An interceptor for the answer to a prepared request; None leaves the answer untouched."""


class TimedPreparer(Struct, eq=False):
    """Runs a preparer with a deadline. Keeps references to late tasks until they end."""

    preparer: RequestPreparer
    failed: Failed
    deadline_s: float = PREPARE_DEADLINE_S
    _tasks: set[asyncio.Task[Prepared]] = field(default_factory=set)

    async def prepare(self, head: RequestHead, raw: bytes) -> Prepared:
        """Returns within the deadline and raises none of the preparer's errors."""
        task = asyncio.create_task(self.preparer.prepare(head, raw, self.failed))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        # Not asyncio.timeout: it would wait for a preparer that ignores cancellation.
        await asyncio.wait({task}, timeout=self.deadline_s)
        if not task.done():
            task.cancel()
            return Prepared(raw, trouble="late")
        if task.cancelled() or task.exception() is not None:
            return Prepared(raw, trouble="failed")
        return task.result()

    def _ended(self, task: asyncio.Task[Prepared]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self.failed(error)


class Ledger(Protocol):
    """The decisions of all conversations, on disk."""

    async def known(self, conversation: str) -> Log:
        """The decisions of one conversation."""

    async def keep(self, conversation: str, decisions: tuple[Decision, ...]) -> bool:
        """Store new decisions. False if that is not possible now."""


class _SharedConversation(Struct):
    conversation: Conversation
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    """Requests that use it now or wait for it."""


class ConversationPreparer:
    """Applies a policy to conversations and stores the decisions in a ledger.

    Requests of one conversation are handled one at a time, so that concurrent ones never see
    partial decisions. If the policy fails or the ledger is full, earlier decisions are still
    applied: without them the history sent upstream would change.
    """

    def __init__(
        self,
        name: str,
        policy: Policy,
        ledger: Ledger,
        interceptor: Callable[[], StreamInterceptor] | None = None,
    ) -> None:
        self.name = name
        self._policy = policy
        self._ledger = ledger
        self._interceptor = interceptor
        self._conversations: OrderedDict[str, _SharedConversation] = OrderedDict()

    def wants(self, head: RequestHead, admitted: Admitted) -> bool:
        """True for a POST of a message. A compressed body is not opened."""
        plain = head.get(b"content-encoding") is None
        return head.method == b"POST" and admitted.path == _PATH and plain

    def interceptor(self) -> StreamInterceptor | None:
        return None if self._interceptor is None else self._interceptor()

    async def prepare(self, head: RequestHead, raw: bytes, failed: Failed) -> Prepared:
        name, policy = self._conversation_of(head, raw)
        if not name:  # no session: the decisions could not be found again
            return Prepared(raw)
        shared = await self._check_out(name)
        try:
            async with shared.turn:
                return await self._decide(name, shared.conversation, policy, raw, failed)
        finally:
            shared.users -= 1

    async def _decide(
        self, name: str, conversation: Conversation, policy: Policy, raw: bytes, failed: Failed
    ) -> Prepared:
        made = attempt(lambda: conversation.prepare(raw, policy), failed)
        if made is not None and made.decisions:
            if await self._ledger.keep(name, made.decisions):
                conversation.keep(made.decisions)
            else:
                conversation.void()
                made = None
        if made is None:
            made = conversation.prepare(raw, nothing)
        conversation.rest()
        return made or Prepared(raw)

    def _conversation_of(self, head: RequestHead, raw: bytes) -> tuple[str, Policy]:
        """The conversation's name ("" for none), and the policy for this call."""
        headers = texts(head.headers)
        likely = self._conversations.get(_name(identify(_PATH, headers, None)))
        before = likely.conversation.before if likely is not None else None
        found = identify(_PATH, headers, index(raw, before[0] if before else None))
        return _name(found), self._policy if found.call in _DECIDING else nothing

    async def _check_out(self, name: str) -> _SharedConversation:
        """The conversation, with its user count raised. One in use is not evicted: a second
        object for it would decide independently."""
        if name not in self._conversations:
            log = dict(await self._ledger.known(name))
            self._conversations.setdefault(name, _SharedConversation(Conversation(log)))
        self._conversations.move_to_end(name)
        shared = self._conversations[name]
        shared.users += 1
        idle = [name for name, other in self._conversations.items() if not other.users]
        for gone in idle[: max(0, len(self._conversations) - _MAX_CONVERSATIONS)]:
            del self._conversations[gone]
        return shared


def _name(found: RequestIdentity) -> str:
    """The key of the decisions; "" if the request names no session."""
    return f"{found.session}/{found.subagent}" if found.session else ""
