"""`wm session delete`: delete a session's files at a person's request (GV-1)."""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.governance import DeletedSession, DeleteSessionRequest
from wm.errors import NotFound
from wm.formats.base import Document
from wm.ops.operation import Operation, Work
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import full_session, require_session
from wm.ops.storage.session_files import delete_all, delete_refs, file_names
from wm.store.base import Ref


def _run(work: Work, request: DeleteSessionRequest) -> DeletedSession:
    require_session(request, work.runtime.settings.session)
    place = locate(work.runtime, request)
    session = full_session(work, place.key, request.session_id)
    files = file_names(work.runtime, place.key, session)
    if not files:
        raise NotFound(
            f"There is no session {request.session_id!r} in {place.root or place.key}.",
            fix="`wm session list` shows all sessions of this workspace.",
        )
    if not request.dry_run:
        files = delete_all(work, place, session, by="user")
    return DeletedSession(place=place, session_id=session, dry_run=request.dry_run, files=files)


def _refs(runtime: Runtime, request: DeleteSessionRequest) -> Sequence[Ref[Document]]:
    if request.dry_run:
        return ()
    require_session(request, runtime.settings.session)
    key = locate(runtime, request).key
    session = full_session(Work(runtime, runtime.now()), key, request.session_id)
    return delete_refs(runtime, key, session)


delete_session = Operation(
    "delete_session",
    DeleteSessionRequest,
    DeletedSession,
    _run,
    _refs,
    lambda runtime, request: locate(runtime, request).key,
)
