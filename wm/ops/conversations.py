"""How full the conversations are that a proxy saw, by the service's own counts (PS-2).

A subagent's context is its own, as are those of titles and summaries: the main requests of a
session count. A log is looked at from its end, and never as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from wm.domain.context.pressure import share
from wm.domain.context.zones import zone_at
from wm.domain.times import parse
from wm.errors import StoreError
from wm.formats.flow import Flow
from wm.formats.protocol import Conversation, Place, SessionSummary
from wm.ops.base import Work
from wm.settings import PressureSettings
from wm.store.paths import sid
from wm.wire.prices import price_of, window_of

MOST = 5
"""Conversations that are looked at: those whose logs were written last."""

LOOKS = (32 * 1024, 512 * 1024)
"""Bytes from the end of a log. The first hold some exchanges; the others as many as a main
agent lets its subagents have meanwhile."""


def newest(
    work: Work, place: Place, sessions: Sequence[SessionSummary]
) -> tuple[Conversation, ...]:
    """The last conversations of a workspace, newest first. sessions: those that are known; an
    agent without hooks has none. A log that cannot be read keeps nobody from the others."""
    known = {sid(session.session_id): session for session in sessions}
    logs = work.runtime.store.latest_flow_sessions(place.key, MOST)
    found = (_of(work, place, log, known.get(log)) for log in logs)
    return tuple(sorted(filter(None, found), key=lambda c: c.at, reverse=True))


def measured(flow: Flow, settings: PressureSettings) -> Conversation | None:
    """What an exchange says of its conversation; None for one that is not the main agent's, or
    that the service did not count."""
    usage = flow.usage
    if flow.call != "main" or usage is None:
        return None
    if usage.prompt <= 0:
        return None
    tokens, window = usage.prompt + usage.output, window_of(flow.model, usage.prompt)
    return Conversation(
        session_id=flow.session,
        agent=flow.agent,
        model=flow.model,
        at=flow.created_at,
        tokens=tokens,
        window=window,
        assumed=not price_of(flow.model).known,
        percentage=share(tokens, window),
        zone=zone_at(tokens, window, settings).name.lower(),
    )


def _of(work: Work, place: Place, log: str, session: SessionSummary | None) -> Conversation | None:
    store, settings = work.runtime.store, work.runtime.settings.pressure
    last = None
    with suppress(StoreError):
        for most in LOOKS:
            last = last or _last(store.newest_flows(place.key, log, most), settings)
    if last is None:
        return None
    has_ended = session is not None and session.ended
    current = not has_ended and _is_recent(last, work.now, settings)
    name = session.session_id if session is not None else log
    return last.model_copy(update={"session_id": name, "current": current})


def _is_recent(last: Conversation, now: datetime, settings: PressureSettings) -> bool:
    at = parse(last.at)
    return at is not None and (now - at).total_seconds() <= settings.zone_recent_s


def _last(flows: Iterable[Flow], settings: PressureSettings) -> Conversation | None:
    return next(filter(None, (measured(flow, settings) for flow in flows)), None)
