"""List and delete all files of a session: for an event of its agent, and for `wm session delete`
(GV-1).

Workspace memory learned from the session stays; journal entries are promoted first. The state is
deleted first: files that a crash leaves behind then belong to no session, and the next sweep
deletes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.governance import DeletedSession, DeleteSessionRequest
from wm.domain.facts import Fact
from wm.formats.base import Document
from wm.formats.session_state import SessionState
from wm.ops.learning import journal
from wm.ops.memory.documents import journal_ref, tombstones_ref
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.paging import ledger
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.session import tool_outputs
from wm.ops.session.epochs import epoch_ref, newest
from wm.ops.session.hot_state import full_session, no_session, require_session, session_ref
from wm.store import paths
from wm.store.base import Health, Ref


def session_refs(runtime: Runtime, key: str, session_id: str) -> tuple[Ref[Document], ...]:
    """Every document that a session may have, its state first. Includes missing ones: each may have
    been locked, and a lock is a file."""
    name = paths.sid(session_id)
    state = runtime.store.read(session_ref(key, session_id)).document
    count = newest(runtime, key, session_id, state.epoch_number if state is not None else 0)
    return (
        *(Ref(model, key, name) for model in paths.session_models()),
        *(epoch_ref(key, session_id, number) for number in range(1, count + 1)),
    )


def file_names(runtime: Runtime, key: str, session_id: str) -> tuple[str, ...]:
    """The paths of a session's documents and kept tool outputs, below the data folder."""
    read = runtime.store.read
    refs = session_refs(runtime, key, session_id)
    existing = (ref for ref in refs if read(ref).health is not Health.MISSING)
    kept = tool_outputs.of_session(runtime, key, session_id)
    found = (paths.place(ref).path for ref in (*existing, *kept))
    logs = (log.path for log in runtime.store.logs_of(key, paths.sid(session_id)))
    return (*found, *logs)


def delete_refs(runtime: Runtime, key: str, session_id: str) -> tuple[Ref[Document], ...]:
    """The documents that `delete_all` may write."""
    own = session_refs(runtime, key, session_id)
    return (*own, memory_ref(key), journal_ref(key), tombstones_ref(key))


def delete_all(work: LocatedWork, session_id: str, *, by: str) -> tuple[str, ...]:
    """Promote what waits, then delete; return the files. by: `user`, or the reporting agent."""
    journal.promote_pending(work)
    files = file_names(work.runtime, work.key, session_id)
    for ref in session_refs(work.runtime, work.key, session_id):
        work.delete(ref)
    # Tool outputs are outside the transaction: they are deleted even if the rest fails.
    work.store.discard(tool_outputs.of_session(work.runtime, work.key, session_id))
    sid = paths.sid(session_id)
    work.store.discard_logs(work.key, sid, *paths.SESSION_LOGS)
    work.runtime.signals.zones.pop((work.key, sid))
    ledger.forget_state(work, work.key, sid)
    fact = Fact(
        "session_deleted", "session", "changed", details={"toldBy": by, "files": len(files)}
    )
    work.log([fact], session=sid)
    work.notify(SessionState.slug, sid)
    return files


# --- `wm session delete` ----------------------------------------------------------------------


def _run(work: Work, request: DeleteSessionRequest) -> DeletedSession:
    require_session(request, work.settings.session)
    work = work.at(locate(work.runtime, request))
    session = full_session(work, request.session_id)
    files = file_names(work.runtime, work.key, session)
    if not files:
        raise no_session(work.place, f"There is no session {request.session_id!r}")
    if not request.dry_run:
        files = delete_all(work, session, by="user")
    return DeletedSession(
        place=work.place, session_id=session, dry_run=request.dry_run, files=files
    )


def _refs(runtime: Runtime, request: DeleteSessionRequest) -> Sequence[Ref[Document]]:
    if request.dry_run:
        return ()
    require_session(request, runtime.settings.session)
    work = Work(runtime, runtime.now()).at(locate(runtime, request))
    return delete_refs(runtime, work.key, full_session(work, request.session_id))


delete_session = Operation("delete_session", DeleteSessionRequest, DeletedSession, _run, _refs)
