"""Load and save the state of a session; contains no rules.

Hot state is lossy by design: an unreadable state is replaced by an empty one. Writes no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from wm.api.protocol import WorkspacePlace
from wm.errors import Corrupt, NotFound, StoreError, UserError
from wm.formats.core_memory import CoreMemory
from wm.formats.pressure import Pressure
from wm.formats.session_state import NEWEST, CompactionState, SessionState
from wm.formats.working_memory import WorkingMemory
from wm.ops.memory.entries import in_trash
from wm.ops.operation import LocatedWork
from wm.ops.place import USER_PLACE, memory_ref
from wm.settings import SessionSettings
from wm.store.base import D, Health, Reading, Ref
from wm.store.paths import SESSIONS, sid

if TYPE_CHECKING:  # `wm remember` needs no models of sessions
    from wm.api.sessions import SessionScoped

RECENT = 50
"""Number of sessions that a command looks at, the newest; a workspace may have 20,000."""


def session_ref(key: str, session_id: str) -> Ref[SessionState]:
    return Ref(SessionState, key, sid(session_id))


def compaction_ref(key: str, session_id: str) -> Ref[CompactionState]:
    return Ref(CompactionState, key, sid(session_id))


def core_ref(key: str, session_id: str) -> Ref[CoreMemory]:
    return Ref(CoreMemory, key, sid(session_id))


def working_ref(key: str, session_id: str) -> Ref[WorkingMemory]:
    return Ref(WorkingMemory, key, sid(session_id))


def pressure_ref(key: str, session_id: str) -> Ref[Pressure]:
    return Ref(Pressure, key, sid(session_id))


def with_memories_of_now(work: LocatedWork, state: SessionState) -> SessionState:
    """The session with the memories that it kept as they are now: without those that were forgotten
    or replaced since, and with edited texts. Those in the journal stay as they are."""
    if not state.pending_memories:
        return state
    refs = (memory_ref(work.key), memory_ref(USER_PLACE.key))
    found = filter(None, (work.read(ref).document for ref in refs))
    known = {entry.id: entry for memory in found for entry in memory.entries}
    notes = []
    for note in state.pending_memories:
        entry = known.get(note.id)
        if entry is not None and entry.status == "active":
            notes.append(note.model_copy(update={"type": entry.type, "text": entry.text}))
        elif entry is None and not _is_in_trash(work, note.id):
            notes.append(note)
    return state.model_copy(update={"pending_memories": tuple(notes)})


def _is_in_trash(work: LocatedWork, entry_id: str) -> bool:
    places = (work, work.at(USER_PLACE))
    return any(in_trash(place, entry_id) is not None for place in places)


def load_session(work: LocatedWork, request: SessionScoped) -> SessionState:
    """The session's state, or a new one. An unreadable state starts anew: hot state is disposable,
    and the store keeps the unreadable file in quarantine."""
    require_session(request, work.settings.session)
    document = work.read(session_ref(work.key, request.session_id)).document
    if document is not None:
        return document
    moment = work.moment
    return SessionState(
        session_id=request.session_id,
        agent=work.redact(request.agent),
        root=request.directory or work.place.root,
        workspace_key=work.key,
        started_at=moment,
        updated_at=moment,
    )


def save_session(work: LocatedWork, state: SessionState) -> None:
    updated = state.model_copy(update={"updated_at": work.moment})
    work.put(session_ref(work.key, state.session_id), updated)
    work.notify(SessionState.slug, sid(state.session_id))


def load_compaction(work: LocatedWork, session_id: str) -> CompactionState:
    document = work.read(compaction_ref(work.key, session_id)).document
    return document or CompactionState(session_id=session_id)


def readable_sessions(
    work: LocatedWork, names: Iterable[str] | None = None
) -> Iterator[SessionState]:
    """The readable sessions of a workspace, or those of these `<sid>`s. One unreadable file must
    not hide the others; `wm fsck` names it."""
    for name in work.store.names(SessionState, work.key) if names is None else names:
        with suppress(StoreError):
            state = work.read(Ref(SessionState, work.key, name)).document
            if state is not None:
                yield state


def latest(
    work: LocatedWork, fits: Callable[[SessionState], bool] = lambda _state: True
) -> SessionState | None:
    """The session with the newest event of those that fit, or None. Reads the `RECENT` files
    written last; more only while none of them fits."""
    names = work.store.latest_sessions(work.key, SESSIONS)
    for begin in range(0, len(names), RECENT):
        found = filter(fits, readable_sessions(work, names[begin : begin + RECENT]))
        newest = max(found, key=lambda s: (s.updated_at, s.session_id), default=None)
        if newest is not None:
            return newest
    return None


def measured(work: LocatedWork, session_id: str) -> Pressure | None:
    """How full a session's context is; None if it was not measured or cannot be read."""
    with suppress(StoreError):
        return work.read(pressure_ref(work.key, session_id)).document
    return None


def require_session(request: SessionScoped, settings: SessionSettings) -> None:
    """Raises UserError without a session id, and for one that is too long to be an id."""
    if not request.session_id:
        raise UserError.of("session.not_named")
    longest = max(len(request.session_id), len(request.agent))
    if longest > settings.max_id_chars:
        raise UserError.of("session.long_id", longest=longest, most=settings.max_id_chars)


def session_memory(
    work: LocatedWork, state: SessionState
) -> tuple[CoreMemory | None, WorkingMemory | None]:
    """Core blocks and working memory of a session; None for each that has none."""
    core = work.read(core_ref(work.key, state.session_id)).document
    return core, work.read(working_ref(work.key, state.session_id)).document


def require_state(work: LocatedWork, wanted: str, *, with_core: bool = False) -> SessionState:
    """The session that a person means: by id or id prefix, or the newest main session (`with_core`:
    of those with core blocks). Raises NotFound, or Corrupt if it is unreadable."""
    named = wanted not in ("", NEWEST)
    if named:
        reading = work.read(session_ref(work.key, full_session(work, wanted)))
        found = require_readable(reading, f"state of the session {wanted}")
    else:
        cores = frozenset(work.store.names(CoreMemory, work.key) if with_core else ())
        found = latest(
            work, lambda s: not s.subagent and (not with_core or sid(s.session_id) in cores)
        )
    if found is None:
        if named:
            raise no_session(work.place, f"There is no session {wanted!r}")
        message = "There is no session with core blocks" if with_core else "No agent had a session"
        fix = "Work with an agent there first; `wm doctor` tests that the agents are connected."
        raise no_session(work.place, message, fix)
    return found


def require_readable(reading: Reading[D], what: str) -> D | None:
    """The document in force, None if there is none. Raises Corrupt if no copy can be read, for a
    person who would else believe that nothing is there."""
    if reading.health is Health.LOST:
        raise Corrupt.of("session.unreadable", what=what, detail=reading.detail)
    return reading.document


def no_session(
    place: WorkspacePlace,
    message: str,
    fix: str = "`wm session list` shows all sessions of this workspace.",
) -> NotFound:
    """The error for a session that this workspace does not have. message: without the place."""
    return NotFound(f"{message} in {place.root or place.key}.", fix=fix)


def full_session(work: LocatedWork, wanted: str) -> str:
    """The only session id with this prefix, or of this `<sid>`, else `wanted` itself."""
    if work.read(session_ref(work.key, wanted)).document is not None:
        return wanted
    if wanted in work.store.names(SessionState, work.key):
        named = work.read(Ref(SessionState, work.key, wanted)).document
        return named.session_id if named is not None else wanted
    states = readable_sessions(work)
    ids = [s.session_id for s in states if s.session_id.startswith(wanted)]
    return ids[0] if len(ids) == 1 else wanted
