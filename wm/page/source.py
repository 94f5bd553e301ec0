"""Runs use cases for the page: through the daemon, or on the files while none runs (ST-7)."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct, field

from wm.daemon.client_async import AsyncClient
from wm.errors import NotFound, Unavailable
from wm.ops import local
from wm.ops.catalogue import answer_model
from wm.settings import Settings

USER = "user"
"""The key of the memory that every workspace shows (ID-3)."""


class Source(Struct):
    """The use cases of one page. scopes: workspace key -> the request fields that name it."""

    settings: Settings
    client: AsyncClient
    scopes: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def call(self, name: str, fields: dict[str, Any]) -> Any:
        """Run a use case and return its response model. Raises WmError."""
        try:
            return answer_model(name).model_validate(await self.client.call(name, fields))
        except Unavailable:
            return await asyncio.to_thread(local.run, self.settings, name, fields)

    async def of(self, key: str, name: str, **fields: Any) -> Any:
        """Run a use case on a workspace."""
        return await self.call(name, {**await self._scope(key), **fields})

    async def _scope(self, key: str) -> dict[str, Any]:
        """How requests name a workspace: by its folder if that is there, because only a folder has
        a branch and files. Raises NotFound."""
        if key not in self.scopes:
            self.scopes[key] = await self._workspace_fields(key)
        return self.scopes[key]

    async def _workspace_fields(self, key: str) -> dict[str, Any]:
        by_key = {"workspace": key}
        if key == USER:
            return by_key
        known = await self.call("list_workspaces", {})
        one = next((one for one in known.workspaces if one.key == key), None)
        if one is None:
            raise NotFound.of("page.no_workspace", key=key)
        if not (one.exists and one.root):
            return by_key
        by_folder = {"directory": one.root, "explicit": True}
        there = await self.call("inspect", {**by_folder, "limit": 0})
        return by_folder if there.place.key == key else by_key
