"""How full the proxied conversations are, by the token counts of the service (PS-2).

Only a session's main requests count: subagents, titles and summaries have their own contexts.
A log of exchanges is read from its end only; a ledger of paging is read once, completely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial

from wm.api.protocol import ConversationUsage
from wm.domain.pressure import share
from wm.domain.times import parse
from wm.domain.zones import zone_at
from wm.errors import StoreError
from wm.formats.flow import Flow, FlowUsage
from wm.ops.operation import LocatedWork
from wm.ops.paging.ledger import session_ledger, totals
from wm.ops.session.hot_state import readable_sessions
from wm.settings import PressureSettings
from wm.store.paths import DECISIONS, FLOWS
from wm.wire.prices import price_of, window_of

MOST = 5
"""Number of conversations read: those whose logs were written last."""

LOOKS = (32 * 1024, 512 * 1024)
"""Bytes read from the end of a log. The first value covers some exchanges; the second as many as
subagents usually add between two requests of the main agent."""


def newest(work: LocatedWork) -> tuple[ConversationUsage, ...]:
    """The latest conversations of a workspace, newest first. An unreadable log does not hide the
    others."""
    logs = partial(work.store.latest_sessions, work.key, most=MOST)
    found = (_of(work, log) for log in dict.fromkeys((*logs(FLOWS), *logs(DECISIONS))))
    return tuple(sorted(filter(None, found), key=lambda c: c.at, reverse=True)[:MOST])


def measured(flow: Flow, settings: PressureSettings) -> ConversationUsage | None:
    """The fill level that an exchange reports; None for side requests and for answers without
    usage."""
    usage = flow.usage
    if flow.call != "main" or usage is None:
        return None
    if usage.prompt <= 0:
        return None
    tokens, window = usage.prompt + usage.output, window_of(flow.model, usage.prompt)
    return ConversationUsage(
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


def _of(work: LocatedWork, log: str) -> ConversationUsage | None:
    store, settings = work.store, work.settings.pressure
    last = None
    with suppress(StoreError):
        for most in LOOKS:
            last = last or _last(store.newest_flows(work.key, log, most), settings)
        last = last or _last(_last_paged(work, log), settings)
    if last is None:
        return None
    # An agent without hooks has no session.
    session = next(readable_sessions(work, (log,)), None)
    has_ended = session is not None and bool(session.ended_at)
    current = not has_ended and _is_recent(last, work.now, settings)
    name = session.session_id if session is not None else log
    update = {"session_id": name, "current": current, "paging": totals(work, log)}
    return last.model_copy(update=update)


def _last_paged(work: LocatedWork, log: str) -> Iterator[Flow]:
    """The last main request in the ledger: a proxy of others reports no exchanges."""
    sent = session_ledger(work, log).of("").last
    bill = None if sent is None else sent.reported or sent.predicted
    if sent is not None and bill is not None:
        whose = {"session": log, "workspace_key": work.key, "call": "main", "model": sent.model}
        usage = FlowUsage(cache_read=bill.read, input=bill.written)
        yield Flow(flow_id=sent.request, created_at=sent.at, usage=usage, **whose)


def _is_recent(last: ConversationUsage, now: datetime, settings: PressureSettings) -> bool:
    at = parse(last.at)
    return at is not None and (now - at).total_seconds() <= settings.zone_recent_s


def _last(flows: Iterable[Flow], settings: PressureSettings) -> ConversationUsage | None:
    return next(filter(None, (measured(flow, settings) for flow in flows)), None)
