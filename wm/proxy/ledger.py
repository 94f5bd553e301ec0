"""The daemon's ledger, as the proxy uses it: reads and writes over the socket (PX-2).

Starts no daemon. A call that takes longer than its request can wait goes on; what it wrote counts,
and the caller has a void record written after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from wm.api.paging import LedgerAnswer, PagingAnswer
from wm.daemon.client_async import AsyncClient
from wm.errors import StoreError, Unavailable, Unwritable, WmError
from wm.formats.base import dump
from wm.ops.paging.turns import PlannedTurn, Recovered
from wm.proxy.preparing import CALLS_DEADLINE_S
from wm.settings import Settings
from wm.wire.identity import RequestIdentity

_DEADLINE_S = 5.0
_READ_AHEAD_S = 2.0
"""Also how long a program that ends at once may wait for the call's thread."""


class DaemonLedger:
    """A `wm.proxy.managing.Ledger`. Runs on the event loop; calls run in threads. folder: as for
    the `Reporter`."""

    def __init__(self, settings: Settings, folder: str = "") -> None:
        self._folder = folder
        self._client = AsyncClient(settings)
        self._reading: asyncio.Task[None] | None = None
        self.trouble: WmError | None = None
        """The daemon's last refusal because its disk or a limit accepts no writes."""

    def read_ahead(self, folder: str) -> None:
        """Have the daemon read the newest ledgers of this folder into memory, in the background."""
        self._reading = asyncio.create_task(self._read_ahead(folder))

    async def _read_ahead(self, folder: str) -> None:
        fields = {"directory": folder, "ahead": True}
        with suppress(WmError):  # without a workspace, or without the daemon
            await self._call("read_ledger", fields, deadline_s=_READ_AHEAD_S)

    async def read(self, whose: RequestIdentity) -> Recovered:
        fields = {**self._scope(whose), "conversation": whose.subagent}
        found = LedgerAnswer.model_validate(await self._call("read_ledger", fields))
        return Recovered.of(found)

    async def write(self, whose: RequestIdentity, turn: PlannedTurn) -> tuple[tuple[str, ...], str]:
        fields = {
            **self._scope(whose),
            "objects": [dump(one) for one in turn.objects],
            "records": [dump(record) for record in turn.records],
            "durable": turn.must_wait,
        }
        try:
            found = PagingAnswer.model_validate(await self._call("append_paging", fields))
        except WmError as error:
            if error.code in (StoreError.code, Unwritable.code):
                self.trouble = error
            raise
        return found.refused, found.policy

    async def call(self, whose: RequestIdentity, tool: str, arguments: Mapping[str, Any]) -> str:
        named = {"session": whose.session, "name": tool, "arguments": dict(arguments)}
        fields = {**place_of(whose, self._folder), **named}
        return str((await self._call("call_tool", fields, deadline_s=CALLS_DEADLINE_S))["text"])

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        await self._client.close()

    async def _call(
        self, operation: str, fields: dict[str, Any], *, deadline_s: float = _DEADLINE_S
    ) -> Any:
        try:
            return await self._client.call(operation, fields, deadline_s=deadline_s)
        except ValueError as error:  # an older daemon answers something else
            raise Unavailable("The daemon does not keep a ledger.") from error

    def _scope(self, whose: RequestIdentity) -> dict[str, str]:
        place = place_of(whose, self._folder)
        return {**place, "sessionId": whose.session, "agent": whose.agent}


def place_of(whose: RequestIdentity, folder: str) -> dict[str, str]:
    """Where the daemon finds the conversation. folder: of a request that names none."""
    place = {"workspace": whose.workspace, "directory": whose.folder or folder}
    return {name: value for name, value in place.items() if value}
