"""Read and show the recaps and fixes of a workspace's sessions (RF-1…3).

While a session runs, its recap is part of its state; `record_recap` moves it to `recaps.json`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from wm.api.protocol import RecapAnswer, RecapRequest
from wm.domain.memory.questions import MAY_REPLACE
from wm.domain.session import recap
from wm.domain.since import moment
from wm.domain.times import iso
from wm.errors import StoreError, UserError
from wm.formats.recaps import Recap, Recaps
from wm.formats.session_state import SessionState
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.memory.documents import read_memory
from wm.ops.operation import LocatedWork, Operation, located
from wm.ops.place import USER_PLACE
from wm.search import recap_matches
from wm.store.base import Ref
from wm.store.paths import sid
from wm.text.letters import canonical

SHOWN = 5
_QUOTE_CHARS = 40
"""Characters at the start of a forgotten text whose presence in the first words of a session counts
as a quote: these words may be cut."""


def recaps_ref(key: str) -> Ref[Recaps]:
    return Ref(Recaps, key)


def read_recaps(work: LocatedWork) -> Recaps:
    """What is kept; nothing if it cannot be read: recaps are a convenience."""
    with suppress(StoreError):
        return work.read(recaps_ref(work.key)).document or Recaps()
    return Recaps()


def keep(work: LocatedWork, state: SessionState, known: Recaps) -> Recaps:
    """Add the recap of a session."""
    name = sid(state.session_id)
    if state.recap is None or state.subagent:
        return known
    own = [e for e in _entries(work) if e.session == name]
    # A question has the words of an entry that is in force.
    inbox = tuple(e.id for e in own if e.status == "inbox" and MAY_REPLACE not in e.reasons)
    active = tuple(e.id for e in own if e.status == "active")
    done = recap.finished(state.recap, state, session=name, inbox=inbox, entries=active)
    return recap.add_recap(known, done)


def _entries(work: LocatedWork) -> tuple[MemoryEntry, ...]:
    """The entries of this workspace, and those for all projects: a session may add to both."""
    with suppress(StoreError):
        return (*read_memory(work).entries, *read_memory(work.at(USER_PLACE)).entries)
    return read_memory(work).entries


def block(work: LocatedWork, state: SessionState, room: int) -> str:
    """The block about the last session of this branch for the first prompt of a new one (RF-2)."""
    oldest = iso(work.now - timedelta(days=recap.SHOWN_DAYS))
    own, branch = sid(state.session_id), work.place.branch or ""
    for one in reversed(read_recaps(work).recaps):
        if one.session != own and one.branch == branch and one.at >= oldest:
            text = recap.block(*without_forgotten(work, [one]))
            return text if len(text) <= room else ""
    return ""


def _run(work: LocatedWork, request: RecapRequest) -> RecapAnswer:
    since = moment(request.since, work.now) if request.since else None
    if request.since and since is None:
        raise UserError(
            f"`since` is {request.since[:40]!r}, which is not a time.",
            fix="Give a time such as 2w, yesterday or 2026-11-01.",
        )
    recaps = newest_first(work)
    if request.team:
        recaps = sorted((*recaps, *read_recaps(work).others), key=lambda r: r.at)[::-1]
    found = [one for one in recaps if since is None or one.at >= iso(since)]
    shown = tuple(found[: request.last or (None if since else SHOWN)])
    named = {name for one in shown for name in (*one.kept, *one.inbox)}
    entries = _entries(work) if named else ()
    known = {e.id: e.text for e in entries if e.id in named and e.status != "superseded"}
    return RecapAnswer(recaps=shown, texts=known)


def newest_first(work: LocatedWork) -> list[Recap]:
    """The recaps of a workspace, those of running sessions included."""
    known = read_recaps(work)
    for name in known.running:
        with suppress(StoreError):
            state = work.read(Ref(SessionState, work.key, name)).document
            known = keep(work, state, known) if state is not None else known
    return without_forgotten(work, reversed(known.recaps))


def without_forgotten(work: LocatedWork, found: Iterable[Recap]) -> list[Recap]:
    """The recaps, without first words that quote a forgotten entry: "remember that …", or "forget
    that …". Without first words the trash is not read: it may have thousands of files."""
    recaps = list(found)
    keys = (work.key, USER_PLACE.key) if any(one.asked for one in recaps) else ()
    refs = [
        Ref(TrashedEntry, key, name)
        for key in dict.fromkeys(keys)
        for name in work.store.names(TrashedEntry, key)
    ]
    gone = (trashed for ref in refs if (trashed := work.read(ref).document) is not None)
    texts = {canonical(trashed.entry.text)[:_QUOTE_CHARS] for trashed in gone} - {""}
    return [
        one.model_copy(update={"asked": ""})
        if any(map(canonical(one.asked).__contains__, texts))
        else one
        for one in recaps
    ]


def matching(work: LocatedWork, query: str) -> tuple[Recap, ...]:
    """The sessions that a query speaks of, for search (RF-1)."""
    return recap_matches.matching(query, newest_first(work))


recap_sessions = Operation("recap_sessions", RecapRequest, RecapAnswer, located(_run))
