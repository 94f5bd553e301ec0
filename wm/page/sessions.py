"""Sessions: the timeline of recaps, the list, and the live view of one context (RF-1, PX-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from wm.api.context import ContextPart, SessionContext
from wm.api.protocol import SessionAnswer
from wm.errors import NotFound
from wm.page.charts import context_chart, cost_chart
from wm.page.rendering import by_day
from wm.page.visit import PageVisit

RECAPS = 30
"""Recaps that the timeline shows at first, and by which it grows."""

PARTS = {
    "tools": "tool descriptions",
    "system": "system prompt",
    "user": "your messages and tool results",
    "assistant": "the model's messages",
}
"""Kinds of a context's parts, in words."""


class ContextShare(Struct, frozen=True):
    """A part of a context as a piece of a bar. start, width: in thousandths of the window."""

    name: str
    colour: str
    tokens: int
    new: int
    start: int
    width: int


async def timeline(visit: PageVisit) -> Response:
    """What the last sessions did, by day."""
    asked = visit.asked("last")
    last = min(int(asked), 200) if asked.isdecimal() else RECAPS
    found = await visit.of("recap_sessions", last=max(1, last))
    return await visit.answer(
        "timeline.html",
        days=by_day(found.recaps, "at"),
        texts=found.texts,
        more=last + RECAPS if len(found.recaps) == last < 200 else 0,
    )


async def sessions(visit: PageVisit) -> Response:
    found = await visit.of("inspect", limit=0)
    hooked = {one.session_id for one in found.sessions}
    unhooked = [one for one in found.conversations if one.session_id not in hooked]
    usage = {one.session_id: one for one in found.conversations}
    return await visit.answer(
        "sessions.html", sessions=found.sessions, usage=usage, unhooked=unhooked
    )


async def session(visit: PageVisit) -> Response:
    """One session as it is now. It may be known from its hooks, from a proxy, or from both."""
    name = visit.request.path_params["id"]
    shown, context = await _shown(visit, name), await _context(visit, name)
    if shown is None and context is None:
        raise NotFound(f"There is no session {name!r}.", fix="Choose one from the list.")
    return await visit.answer("session.html", name=name, **_values(shown, context))


async def _shown(visit: PageVisit, name: str) -> SessionAnswer | None:
    try:
        found: SessionAnswer = await visit.of("show_session", session_id=name)
    except NotFound:
        return None
    return found


async def _context(visit: PageVisit, name: str) -> SessionContext | None:
    try:
        found: SessionContext = await visit.of("session_context", session_id=name)
    except NotFound:
        return None
    return found


def _values(shown: SessionAnswer | None, context: SessionContext | None) -> dict[str, Any]:
    """What the template needs: None for what is not known of this session."""
    usage = context.usage if context else None
    return {
        "state": shown.state if shown else None,
        "core": shown.core if shown else "",
        "pressure": shown.pressure if shown else None,
        "context": context,
        "usage": usage,
        "shares": shares(context.parts, usage.window) if context and usage else [],
        "tokens_chart": context_chart(context.exchanges) if context else None,
        "cost_chart": cost_chart(context.exchanges) if context and context.bill else None,
        "policies": sorted({one.policy for one in context.exchanges}) if context else [],
        "decisions": sum(one.decisions for one in context.exchanges) if context else 0,
    }


def shares(parts: Sequence[ContextPart], window: int) -> list[ContextShare]:
    """The parts as pieces of a bar that is as long as the window, one behind the other."""
    found, start = [], 0
    for part in parts:
        width = round(1000 * part.tokens / max(1, window))
        name = PARTS.get(part.kind, part.kind)
        found.append(ContextShare(name, part.kind, part.tokens, part.new, start, width))
        start += width
    return found
