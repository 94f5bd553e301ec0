"""Prepares requests before they are sent, within a deadline (PX-1, PX-2).

Without a preparer every request is forwarded as it arrives. With one, each message request is
buffered until it is complete and prepared. Rule: a preparer that is late or fails costs a request
at most the deadline; then it leaves with what was decided before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from wm.net.messages import RequestHead
from wm.proxy.fallback import Failed, attempt
from wm.proxy.guard import Admitted
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.policy import Prepared

PREPARE_DEADLINE_S = 0.05
"""Seconds for everything that a preparer waits for: the daemon, its disk. Nobody notices that much
before an answer that takes seconds; without it a ledger that hung blocked a client for 45 s. Then
the request leaves with the decisions that hold."""
_SLICE_S = 0.01
"""The deadline is counted in slices: work on this loop, which nothing interrupts, counts as one,
so by the clock it may be passed. A plan for a long request took 60 to 150 ms on a busy machine;
when it counted whole, the ledger had no time left, and no cut of that conversation was ever
made."""
CALLS_DEADLINE_S = 8.0
"""Seconds for all calls of phantom tools in one answer; then the model gets errors. The client
waits for the model anyway."""
MAX_BUFFERED_BYTES = 64 * 1024 * 1024
"""Twice what the service accepts: a longer request is forwarded unprepared as it arrives."""


def call_result(call: Mapping[str, Any], text: str, *, failed: bool = False) -> dict[str, Any]:
    """The result of a call of a tool, as a request has it."""
    error = {"is_error": True} if failed else {}
    return {"type": "tool_result", "tool_use_id": call.get("id"), "content": text, **error}


class RequestPreparer(Protocol):
    """Turns a client's request into the one sent upstream. Runs on the event loop."""

    name: str
    """Name of the policy, as recorded with each exchange."""

    def wants(self, head: RequestHead, admitted: Admitted) -> bool:
        """Whether the request must be buffered and prepared."""

    async def prepare(self, head: RequestHead, admitted: Admitted, raw: bytes) -> Prepared:
        """The body to send in place of `raw`. New decisions are on disk before this returns."""

    def reuse_decisions(self, head: RequestHead, raw: bytes) -> Prepared:
        """The body with the decisions that hold and no new ones, at once: `prepare` was late."""

    def answered(self, request: str, *, ok: bool) -> None:
        """What became of a prepared request. request: its name in `Prepared`. ok: the service
        answered it with success."""

    async def carry_out(
        self, request: str, came: bytes, answer: PhantomAnswer
    ) -> list[dict[str, Any]]:
        """The results of the answer's calls of phantom tools, some seconds later at most. They are
        on disk with the calls when this returns, as far as the disk permits. came: the client's
        request."""

    def continued(self, request: str, answer: PhantomAnswer) -> None:
        """The answer to a request took further ones."""


class TimedPreparer(Struct, eq=False):
    """Runs a preparer with a deadline. Keeps references to late tasks until they end."""

    preparer: RequestPreparer
    failed: Failed
    deadline_s: float = PREPARE_DEADLINE_S
    _tasks: set[asyncio.Task[Prepared]] = field(default_factory=set)

    async def prepare(self, head: RequestHead, admitted: Admitted, raw: bytes) -> Prepared:
        """Waits for others until the deadline, and raises none of the preparer's errors."""
        task = asyncio.create_task(self.preparer.prepare(head, admitted, raw))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        # Not asyncio.timeout: it would wait for a preparer that ignores cancellation.
        left = self.deadline_s
        while left > 0 and not task.done():
            await asyncio.wait({task}, timeout=min(left, _SLICE_S))
            left -= _SLICE_S
        if not task.done():
            task.cancel()
            return self._reuse_decisions(head, raw, "late")
        if task.cancelled() or task.exception() is not None:
            return self._reuse_decisions(head, raw, "failed")
        return task.result()

    async def carry_out(
        self, request: str, came: bytes, answer: PhantomAnswer
    ) -> list[dict[str, Any]]:
        """See `RequestPreparer.carry_out`; errors if it fails. If the client leaves, it ends."""
        task = asyncio.create_task(self.preparer.carry_out(request, came, answer))
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
        if (error := task.exception()) is None:
            return task.result()
        if isinstance(error, Exception):
            self.failed(error)
        return [call_result(call, "wm could not answer.", failed=True) for call in answer.calls]

    def _reuse_decisions(self, head: RequestHead, raw: bytes, trouble: str) -> Prepared:
        made = attempt(lambda: self.preparer.reuse_decisions(head, raw), self.failed)
        return replace(made or Prepared(raw), trouble=trouble)

    def _ended(self, task: asyncio.Task[Prepared]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self.failed(error)
