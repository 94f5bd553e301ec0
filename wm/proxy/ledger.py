"""The daemon's ledger, as the proxy uses it: reads and writes over the socket (PX-2).

Starts no daemon. A call that takes longer than its request can wait goes on; what it wrote counts,
and the caller has a void record written after it.
"""

from __future__ import annotations

from typing import Any

from wm.api.paging import LedgerAnswer, PagingAnswer
from wm.daemon.client_async import AsyncClient
from wm.errors import Unavailable
from wm.formats.base import dump
from wm.formats.ledger import LedgerDecision
from wm.ops.paging.turns import PlannedTurn, Recovered
from wm.proxy.managing import Whose
from wm.settings import Settings
from wm.wire.policy import Decision

_DEADLINE_S = 5.0


class DaemonLedger:
    """A `wm.proxy.managing.Ledger`. Runs on the event loop; calls run in threads."""

    def __init__(self, settings: Settings) -> None:
        self._client = AsyncClient(settings)

    async def read(self, whose: Whose) -> Recovered:
        fields = {**_scope(whose), "conversation": whose.subagent}
        found = LedgerAnswer.model_validate(await self._call("read_ledger", fields))
        return Recovered(
            decisions=tuple(map(_decision, found.decisions)),
            unproven=tuple(map(_decision, found.unproven)),
            requests=found.requests,
            credit=found.credit,
            alive_until=found.alive_until,
            objects=frozenset(found.objects),
            marked=found.marked,
            policy=found.policy,
            broken=found.broken,
        )

    async def write(self, whose: Whose, turn: PlannedTurn) -> tuple[tuple[str, ...], str]:
        fields = {
            **_scope(whose),
            "objects": [dump(one) for one in turn.objects],
            "records": [dump(record) for record in turn.records],
            "durable": turn.must_wait,
        }
        found = PagingAnswer.model_validate(await self._call("append_paging", fields))
        return found.refused, found.policy

    async def close(self) -> None:
        await self._client.close()

    async def _call(self, operation: str, fields: dict[str, Any]) -> Any:
        try:
            return await self._client.call(operation, fields, deadline_s=_DEADLINE_S)
        except ValueError as error:  # an older daemon answers something else
            raise Unavailable("The daemon does not keep a ledger.") from error


def _scope(whose: Whose) -> dict[str, str]:
    place = {"workspace": whose.workspace} if whose.workspace else {"directory": whose.folder}
    return {**place, "sessionId": whose.session, "agent": whose.agent}


def _decision(one: LedgerDecision) -> Decision:
    return Decision(one.block, one.text, one.reason, one.form, one.level)  # type: ignore[arg-type]
