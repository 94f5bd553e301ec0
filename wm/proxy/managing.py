"""Pages the conversations of one proxy: finds the one of a request, its ledger, its turns (PX-1).

The daemon keeps the ledger. Only a request with new decisions waits for it; everything else is
written after the answer. Rule: without the daemon every request still leaves, as it came or with
the decisions that hold.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from contextlib import nullcontext
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain.paging.ledger import LedgerState
from wm.errors import WmError
from wm.net.messages import RequestHead
from wm.ops.paging.turns import ManagedConversation, PlannedTurn, Recovered
from wm.proxy.fallback import Failed, attempt
from wm.proxy.guard import Admitted
from wm.proxy.heads import texts
from wm.proxy.preparing import CALLS_DEADLINE_S, call_result
from wm.wire.body import Indexed, index
from wm.wire.identity import MESSAGES, RequestIdentity, identify
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.policy import Policy, Prepared
from wm.wire.usage import Usage

COUNT = f"{MESSAGES}/count_tokens"
OFF = "off"
_MAX_CONVERSATIONS = 16
"""Conversations in memory; the ledger of any other is read again."""
_MAX_REQUESTS = 256
"""Requests whose answer may still come."""


class Ledger(Protocol):
    """The decisions and objects of all conversations, on disk. Its errors are `WmError`s."""

    async def read(self, whose: RequestIdentity) -> Recovered:
        """What is known of a conversation."""

    async def write(self, whose: RequestIdentity, turn: PlannedTurn) -> tuple[tuple[str, ...], str]:
        """Add the objects and records of a turn; on disk when this returns, if it must be. The
        places of decisions that were not taken, and the policy that the person chose, or ""."""

    async def call(self, whose: RequestIdentity, tool: str, arguments: Mapping[str, Any]) -> str:
        """The answer of one of our tools, for the model."""


class _Managed(Struct):
    whose: RequestIdentity
    conversation: ManagedConversation
    turn_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """For a request while it is prepared."""
    behind_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """While something is written behind an answer."""
    records_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """While records are written: their order is that of the requests."""
    users: int = 0
    """Requests that use it now or wait for it."""


class ManagingPreparer(Struct, eq=False):
    """Applies a paging policy to conversations. Runs on the event loop.

    Requests of one conversation are handled one at a time, so that concurrent ones never see
    partial decisions.
    """

    name: str
    """The policy where the person chose none for the session or workspace."""
    ledger: Ledger
    policies: Callable[[str], Policy]
    failed: Failed
    is_fixed: bool = False
    """The policy applies whatever the person chose."""
    bounded: bool = True
    """As in `wm.wire.conversation.Conversation`."""
    clock: Callable[[], float] = time.time
    offers: bool = False
    """Offer phantom tools, to clients without ours."""
    calls_s: float = CALLS_DEADLINE_S
    """Seconds for all calls of these tools in one answer."""
    _conversations: OrderedDict[str, _Managed] = field(default_factory=OrderedDict)
    _folders: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _requests: OrderedDict[str, _Managed] = field(default_factory=OrderedDict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def wants(self, head: RequestHead, admitted: Admitted) -> bool:
        """True for a POST of a message or of its count. A compressed body is not opened."""
        plain = head.get(b"content-encoding") is None
        return head.method == b"POST" and admitted.path in (MESSAGES, COUNT) and plain

    async def prepare(self, head: RequestHead, admitted: Admitted, raw: bytes) -> Prepared:
        found, indexed = self._identify(head, admitted, raw)
        name = _name(found)
        if admitted.path == COUNT:
            known = self._conversations.get(name)
            return Prepared(raw if known is None else known.conversation.preview(raw))
        if not name or not (found.folder or found.workspace):
            return Prepared(raw)  # the decisions could not be found again
        managed = await self._check_out(name, found)
        try:
            async with managed.turn_lock, managed.records_lock:
                return await self._prepare(managed, found, raw, indexed)
        finally:
            managed.users -= 1

    def reuse_decisions(self, head: RequestHead, raw: bytes) -> Prepared:
        """At once, with what holds. A conversation whose ledger could not be read in time begins
        without one."""
        found, _ = self._identify(head, None, raw)
        name = _name(found)
        managed = self._conversations.get(name)
        if managed is None:
            if not name or not (found.folder or found.workspace):
                return Prepared(raw)
            managed = self._begin(name, found, Recovered(lost=True))
        may_offer = self._deciding(managed, found) not in ("", OFF)
        made = managed.conversation.reuse_decisions(
            raw, _new_name(), self.clock(), may_offer=may_offer
        )
        return self._noted(managed, made)

    async def carry_out(
        self, request: str, came: bytes, answer: PhantomAnswer
    ) -> list[dict[str, Any]]:
        managed = self._requests.get(request)
        if managed is None:
            return [
                call_result(one, "wm does not know this request.", failed=True)
                for one in answer.calls
            ]
        ends = asyncio.get_running_loop().time() + self.calls_s
        managed.users += 1
        try:
            # A query reads the steps on disk, and the newest may still wait to be written.
            behind = self._in_background(self._write_behind(managed))
            await asyncio.wait({behind}, timeout=self.calls_s / 2)
            results = [await self._called(managed.whose, one, ends) for one in answer.calls]
            # Nothing waits between the results and this: what is sent is what is recorded, and the
            # next request of the conversation knows it, also while the disk is slow.
            managed.conversation.exchanged(request, came, answer.with_results(results))
        finally:
            managed.users -= 1
        await asyncio.wait({self._in_background(self._write_records(managed))})
        return results

    def continued(self, request: str, answer: PhantomAnswer) -> None:
        managed = self._requests.get(request)
        if managed is not None and answer.first_usage is not None:
            managed.conversation.continued(request, answer.first_usage)

    async def _called(
        self, whose: RequestIdentity, call: Mapping[str, Any], ends: float
    ) -> dict[str, Any]:
        """ends: when the model gets an error instead, in seconds of the event loop."""
        try:
            async with asyncio.timeout_at(ends):
                text = await self.ledger.call(whose, str(call["name"]), call["input"])
        except TimeoutError:
            return call_result(call, "wm could not answer in time.", failed=True)
        except WmError as error:
            return call_result(call, f"{error.message} {error.fix}".strip(), failed=True)
        return call_result(call, text or "(nothing)")

    def answered(self, request: str, *, ok: bool) -> None:
        managed = self._requests.get(request)
        if managed is not None:
            managed.conversation.answered(request, ok=ok)

    def used(self, request: str, usage: Usage | None) -> None:
        """The figures of the answer to a prepared request, as soon as the client has it."""
        managed = self._requests.get(request)
        if managed is not None:
            attempt(lambda: managed.conversation.used(request, usage), self.failed)

    def conclude(self, request: str) -> None:
        """Some time after the answer: write what is to be written behind it."""
        managed = self._requests.pop(request, None)
        if managed is not None:
            self._in_background(self._write_behind(managed))

    def bills(self) -> list[LedgerState]:
        """What was removed, saved and needed again in the conversations in memory."""
        return [one.conversation.totals for one in self._conversations.values()]

    async def close(self, within_s: float) -> None:
        """Write what waits, within this time, also of requests whose answer is not read yet."""
        for managed in self._conversations.values():
            self._in_background(self._write_all(managed))
        self._requests.clear()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within_s)

    # -- inside --------------------------------------------------------------------------------

    async def _prepare(
        self, managed: _Managed, found: RequestIdentity, raw: bytes, indexed: Indexed
    ) -> Prepared:
        conversation, request, at = managed.conversation, _new_name(), self.clock()
        deciding = self._deciding(managed, found)
        turn = attempt(lambda: conversation.plan(raw, deciding, request, at, indexed), self.failed)
        if turn is None:
            return self._noted(managed, conversation.reuse_decisions(raw, request, at))
        if not turn.must_wait:
            return self._noted(managed, turn.prepared)
        try:
            refused, conversation.policy = await self.ledger.write(managed.whose, turn)
        except asyncio.CancelledError:  # too late; the request left with what held before
            conversation.unwritten(turn)
            raise
        except WmError:
            return self._noted(managed, conversation.hold(turn))
        return self._noted(managed, conversation.accept(turn, refused))

    def _deciding(self, managed: _Managed, found: RequestIdentity) -> str:
        """The policy of a request; "" if it only applies what was decided."""
        policy = (not self.is_fixed and managed.conversation.policy) or self.name
        return policy if found.is_turn else ""

    async def _write_behind(self, managed: _Managed) -> None:
        """Objects and records that no request waits for, in pieces."""
        conversation = managed.conversation
        attempt(conversation.examine, self.failed)
        async with managed.behind_lock:
            while conversation.has_due:
                # A request waits for the records of those before it, not for steps. Records are
                # taken under the lock, else later ones could be written first.
                async with managed.records_lock if conversation.has_due_records else nullcontext():
                    if not await self._written(managed, conversation.take_due()):
                        return

    async def _write_all(self, managed: _Managed) -> None:
        await self._write_behind(managed)
        await self._write_records(managed)

    async def _write_records(self, managed: _Managed) -> None:
        async with managed.records_lock:
            await self._written(managed, managed.conversation.take_records())

    async def _written(self, managed: _Managed, turn: PlannedTurn | None) -> bool:
        """Whether the ledger took it; what it did not take is written before the next request."""
        conversation = managed.conversation
        if turn is None:
            return True
        try:
            _, conversation.policy = await self.ledger.write(managed.whose, turn)
        except WmError:
            conversation.unwritten(turn)
            return False
        conversation.stored(turn)
        return True

    def _noted(self, managed: _Managed, prepared: Prepared) -> Prepared:
        managed.conversation.drop_parsed()
        if prepared.request:
            self._requests[prepared.request] = managed
            if len(self._requests) > _MAX_REQUESTS:
                self._requests.popitem(last=False)
        return prepared

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _identify(
        self, head: RequestHead, admitted: Admitted | None, raw: bytes
    ) -> tuple[RequestIdentity, Indexed]:
        """The identity, with the folder that an earlier request of the session stated."""
        headers = texts(head.headers)
        likely = self._conversations.get(_name(identify(MESSAGES, headers, None)))
        before = likely.conversation.before if likely is not None else None
        workspace = admitted.workspace if admitted is not None else ""
        body = index(raw, before)
        found = identify(MESSAGES, headers, body, workspace=workspace)
        for session in (found.session, found.parent):
            if not found.folder and session:
                found = replace(found, folder=self._folders.get(session, ""))
        if found.session and found.folder:
            self._folders[found.session] = found.folder
            if len(self._folders) > _MAX_REQUESTS:
                self._folders.popitem(last=False)
        return found, Indexed(body, before)

    async def _check_out(self, name: str, found: RequestIdentity) -> _Managed:
        """The conversation, with its user count raised. One in use is not evicted: a second
        object for it would decide independently."""
        if name not in self._conversations:
            try:
                recovered = await self.ledger.read(found)
            except WmError:
                recovered = Recovered(lost=True)
            if name not in self._conversations:
                self._begin(name, found, recovered)
        self._conversations.move_to_end(name)
        managed = self._conversations[name]
        managed.users += 1
        return managed

    def _begin(self, name: str, whose: RequestIdentity, recovered: Recovered) -> _Managed:
        conversation = ManagedConversation(
            whose.subagent, recovered, self.policies, bounded=self.bounded, offers=self.offers
        )
        managed = self._conversations[name] = _Managed(whose, conversation)
        idle = [key for key, other in self._conversations.items() if not other.users]
        surplus = len(self._conversations) - _MAX_CONVERSATIONS
        for gone in [key for key in idle if key != name][: max(0, surplus)]:
            del self._conversations[gone]
        return managed


def _name(found: RequestIdentity) -> str:
    """The key of the decisions; "" if the request names no session."""
    return f"{found.session}/{found.subagent}" if found.session else ""


def _new_name() -> str:
    return f"r_{secrets.token_hex(8)}"
