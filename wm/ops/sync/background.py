"""A sync that nobody watches, while a session is active (SY-1).

It contacts only remotes that a person agreed to, sends only after the first push was seen, asks for
nothing, and signs nothing: what has to be signed waits for `wm sync`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from wm.api.protocol import Scoped
from wm.formats.base import Record
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import Operation, Work, execute
from wm.ops.place import USER_PLACE, locate
from wm.ops.runtime import Runtime
from wm.ops.sync.documents import sync_ref
from wm.ops.sync.planning import Choices, sync_mine, sync_project


def _sync(work: Work, request: Scoped) -> Record:
    """Sync a project, and the user's own memory, as far as a remote is known."""
    runtime = work.runtime
    call = partial(_call, runtime)
    choices = Choices(quiet=True)
    key = locate(runtime, request).key
    document = work.read(sync_ref(key)).document
    if document is not None and document.team.remote is not None:
        sync_project(runtime, call, {"workspace": key}, choices)
    own = work.read(sync_ref(USER_PLACE.key)).document
    if own is not None and own.mine.remote is not None:
        sync_mine(runtime, call, choices)
    return Record()


def _call(runtime: Runtime, name: str, /, **fields: Any) -> Any:
    operation = OPERATIONS[name]
    return execute(runtime, operation, operation.request.model_validate(fields))


sync_quietly = Operation("sync_quietly", Scoped, Record, _sync)
"""A query in form: what it changes, it changes in transactions of the use cases that it calls."""
