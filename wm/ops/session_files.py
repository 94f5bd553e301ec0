"""All files of a session, and how they go (GV-1).

What the session taught the workspace stays, and what waits in the journal is promoted first. The
state goes first: what a crash leaves beside it belongs to no session, and the next sweep takes
it.
"""

from __future__ import annotations

from wm.domain.facts import Fact
from wm.formats.base import Document
from wm.formats.protocol import Place
from wm.formats.session_state import SessionState
from wm.ops import journal, outputs
from wm.ops.base import Work
from wm.ops.epochs import epoch_ref, newest
from wm.ops.memory import journal_ref, tombstones_ref
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.ops.sessions import session_ref
from wm.store import paths
from wm.store.base import Health, Ref


def session_refs(runtime: Runtime, key: str, session_id: str) -> tuple[Ref[Document], ...]:
    """Every document that a session may have, its state first. Also those that it does not have:
    each may have been locked, and a lock is a file."""
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
    there = (ref for ref in refs if read(ref).health is not Health.MISSING)
    kept = outputs.of_session(runtime, key, session_id)
    found = (paths.place(ref).path for ref in (*there, *kept))
    has_flows = paths.sid(session_id) in runtime.store.flow_sessions(key)
    flows = (paths.flows_place(key, paths.sid(session_id)).path,) if has_flows else ()
    has_bodies = paths.sid(session_id) in runtime.store.recording_sessions(key)
    bodies = (paths.recordings_place(key, paths.sid(session_id)).path,) if has_bodies else ()
    return (*found, *flows, *bodies)


def delete_refs(runtime: Runtime, key: str, session_id: str) -> tuple[Ref[Document], ...]:
    """What `delete_all` may write."""
    own = session_refs(runtime, key, session_id)
    return (*own, memory_ref(key), journal_ref(key), tombstones_ref(key))


def delete_all(work: Work, place: Place, session_id: str, *, by: str) -> tuple[str, ...]:
    """Promote what waits, then delete; the files. by: user, or the agent that said so."""
    journal.promote_pending(work, place)
    files = file_names(work.runtime, place.key, session_id)
    for ref in session_refs(work.runtime, place.key, session_id):
        work.delete(ref)
    # Copies, which no transaction guards: they go even where the rest cannot.
    work.runtime.store.discard(outputs.of_session(work.runtime, place.key, session_id))
    work.runtime.store.discard_flows(place.key, paths.sid(session_id))
    work.runtime.zones.forget((place.key, paths.sid(session_id)))
    work.runtime.store.discard_recordings(place.key, paths.sid(session_id))
    fact = Fact(
        "session_deleted", "session", "changed", details={"toldBy": by, "files": len(files)}
    )
    work.log(place.key, [fact], session=paths.sid(session_id))
    work.notify(place.key, SessionState.slug, paths.sid(session_id))
    return files
