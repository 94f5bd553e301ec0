"""A sync that nobody watches, while a session is active (SY-1).

It contacts only remotes that a person agreed to, sends only after the first push was seen, asks for
nothing, and signs nothing: what has to be signed waits for `wm sync`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.place import USER_PLACE
from wm.ops.runtime import Runtime
from wm.ops.sync.exchange import Choices
from wm.ops.sync.planning import replica, sync_mine, sync_project


def sync_quietly(runtime: Runtime, workspace: str) -> None:
    """Sync a project, and the user's own memory, as far as a remote is known."""
    call, choices = partial(_call, runtime), Choices(quiet=True)
    if replica(runtime, workspace, mine=False).remote is not None:
        sync_project(runtime, call, {"workspace": workspace}, choices)
    if replica(runtime, USER_PLACE.key, mine=True).remote is not None:
        sync_mine(runtime, call, choices)


def _call(runtime: Runtime, name: str, /, **fields: Any) -> Any:
    operation = OPERATIONS[name]
    return execute(runtime, operation, operation.requested(fields))
