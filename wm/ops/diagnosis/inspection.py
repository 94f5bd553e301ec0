"""What a workspace remembers, as one answer for `wm inspect`: entries, sessions, conversations.

Reads only, and loads nothing that judges texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from typing import Any

from wm.api.protocol import ConversationUsage, EntriesRequest, EntryView, Inspection, SessionSummary
from wm.domain.session import core_blocks, working_memory
from wm.domain.times import days_between, parse
from wm.errors import StoreError, UserError
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.helper.asking import state
from wm.ops.learning.stated import mode
from wm.ops.memory import anchors
from wm.ops.memory.documents import read_journal, read_memory
from wm.ops.memory.render import omissions, rendered, strengths
from wm.ops.operation import LocatedWork, Operation, located
from wm.ops.place import USER_PLACE, memory_ref
from wm.ops.session.hot_state import RECENT, measured, readable_sessions, session_memory
from wm.ops.traffic.conversations import newest
from wm.store.paths import SESSIONS


def _inspect(work: LocatedWork, request: EntriesRequest) -> Inspection:
    reading = work.read(memory_ref(work.key))
    memory = anchors.seen(work.place, read_memory(work), request.directory)
    view = rendered(work, memory)
    shown = {entry.id for entry in view.selection.shown}
    strength = strengths(work, memory)
    wanted = [e for e in memory.entries if _wanted(e, request)]
    wanted.sort(key=_order(request, strength, shown))
    end = None if request.limit is None else request.offset + request.limit
    listed = wanted[request.offset : end]
    omitted = omissions(listed, work.place, view.selection)
    settings = work.settings.memory
    last = parse(memory.last_activity_at)
    known = work.store.latest_sessions(work.key, SESSIONS)
    listed_sessions = known if request.all_sessions else known[:RECENT]
    sessions = _summaries(work, listed_sessions)
    return Inspection(
        place=work.place,
        health=reading.health.value,
        detail=reading.detail,
        generation=memory.generation,
        entries=tuple(
            EntryView(
                entry=e,
                strength=round(strength[e.id], 4),
                shown=e.id in shown,
                omitted=omitted[e.id],
            )
            for e in listed
        ),
        matching=len(wanted),
        counts=dict(Counter(entry.status for entry in memory.entries)),
        user_inbox=_user_inbox(work),
        shown_entries=len(shown),
        shown_chars=len(view.text),
        max_chars=settings.rendered_chars,
        max_entries=settings.rendered_entries,
        pending=len(read_journal(work).entries),
        learn=mode(work.runtime, work.place),
        sessions=sessions,
        session_count=len(known),
        helper=state(work.runtime) if work.settings.helper.model else None,
        last_activity_at=memory.last_activity_at,
        dormant_days=max(0.0, days_between(last, work.now) - settings.dormant_after_days)
        if last
        else 0.0,
        conversations=_conversations(work),
    )


def _user_inbox(work: LocatedWork) -> int:
    """An unreadable memory of the user must not hide that of a workspace."""
    with suppress(StoreError):
        if work.key != USER_PLACE.key:
            return sum(e.status == "inbox" for e in read_memory(work.at(USER_PLACE)).entries)
    return 0


def _conversations(work: LocatedWork) -> tuple[ConversationUsage, ...]:
    """Unreadable logs must not hide the entries."""
    with suppress(StoreError):
        return newest(work)
    return ()


def _wanted(entry: MemoryEntry, request: EntriesRequest) -> bool:
    status = request.status or "active"
    return (
        (entry.status == status or (status == "all" and entry.status != "trashed"))
        and request.type in ("", entry.type)
        and request.scope in ("", entry.scope)
    )


def _order(
    request: EntriesRequest, strength: Mapping[str, float], shown: Container[str]
) -> Callable[[MemoryEntry], tuple[Any, ...]]:
    """The sort key of the order that the request asks for. Raises UserError for an unknown one."""
    match request.order:
        case "" | "strength":
            return lambda e: (-strength[e.id], e.id)
        case "shown":
            return lambda e: (e.id not in shown, -strength[e.id], e.id)
        case "newest":
            return lambda e: (-_instant(e.updated_at), e.id)
    raise UserError.of("inspect.unknown_order", order=request.order[:40])


def _instant(moment: str) -> float:
    at = parse(moment)
    return at.timestamp() if at is not None else 0.0


def _summaries(work: LocatedWork, names: Sequence[str]) -> tuple[SessionSummary, ...]:
    """The sessions of these `<sid>`s, newest first."""
    found = (_summary(work, state) for state in readable_sessions(work, names))
    return tuple(sorted(found, key=lambda s: s.updated_at, reverse=True))


def _summary(work: LocatedWork, state: SessionState) -> SessionSummary:
    full = measured(work, state.session_id)
    return SessionSummary(
        session_id=state.session_id,
        asked=state.recap.asked if state.recap is not None else "",
        agent=state.agent,
        updated_at=state.updated_at,
        ended=bool(state.ended_at),
        open_errors=len(state.open_errors),
        active_files=len(state.active_files),
        epoch_number=state.epoch_number,
        compactions=state.compactions,
        pressure=full.level if full is not None else "",
        context_percent=full.percentage if full is not None else 0.0,
        **_own_counts(work, state),
    )


def _own_counts(work: LocatedWork, state: SessionState) -> dict[str, int]:
    """Counts of the session's own memory. An unreadable file counts as empty (`wm fsck`)."""
    core, working = session_memory(work, state)
    return {
        "core_blocks": sum(1 for _ in core_blocks.filled(core)) if core is not None else 0,
        "working_items": len(working_memory.everything(working)) if working is not None else 0,
    }


inspect = Operation("inspect", EntriesRequest, Inspection, located(_inspect))
