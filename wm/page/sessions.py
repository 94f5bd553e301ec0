"""Sessions: the timeline of recaps, the list, and the live view of one context (RF-1, PX-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from wm.api.context import ContextPart, SessionContext
from wm.api.paging import ObjectsAnswer, ObjectSummary
from wm.api.protocol import PagingTotals
from wm.api.sessions import SessionAnswer
from wm.errors import NotFound
from wm.formats.recaps import Recap
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
"""Labels of the kinds of a context's parts."""


FORMS = ("whole", "without repeated lines", "shortened", "as a note", "gone")
"""What a step of a session is in its last request, by fidelity level (OB-2)."""
LISTED_STEPS = 12


class StepKind(Struct, frozen=True):
    """The steps of one type. tokens: by fidelity level."""

    name: str
    count: int
    tokens: tuple[int, ...]


class Paged(Struct, frozen=True):
    """What paging did in a session. changed: the newest steps that are not whole, or were brought
    back."""

    totals: PagingTotals
    kinds: tuple[StepKind, ...]
    changed: tuple[ObjectSummary, ...]


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
    asked = visit.query_field("last")
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
        "sessions.html",
        sessions=found.sessions,
        more=found.session_count - len(found.sessions),
        usage=usage,
        unhooked=unhooked,
    )


async def session(visit: PageVisit) -> Response:
    """One session as it is now. It may be known from its hooks, from a proxy, or from both."""
    name = visit.request.path_params["id"]
    shown, context, stored, recaps = await visit.gather(
        _answer_or_none(visit, "show_session", session_id=name),
        _answer_or_none(visit, "session_context", session_id=name),
        _answer_or_none(visit, "list_objects", session=name),
        visit.of("recap_sessions", last=RECAPS),
    )
    recap = _recap(recaps.recaps, name, shown, context)
    if not (shown or context or recap):
        raise NotFound.of("page.no_session", name=name)
    values = {"name": name, "recap_of_it": recap, "texts": recaps.texts, "forms": FORMS}
    return await visit.answer("session.html", **values, **_values(shown, context, stored))


async def _answer_or_none(visit: PageVisit, operation: str, **fields: Any) -> Any:
    """The answer of a use case; None for a session that it does not know."""
    try:
        return await visit.of(operation, **fields)
    except NotFound:
        return None


def _recap(
    recaps: Sequence[Recap], name: str, shown: SessionAnswer | None, context: SessionContext | None
) -> Recap | None:
    """The recap of this session, if it is among the last ones. It names sessions by `<sid>`."""
    names = {name, context.session if context else ""}
    asked = shown.state.recap.asked if shown and shown.state.recap else None
    at = shown.state.recap.started_at if shown and shown.state.recap else None
    return next(
        (r for r in recaps if r.session in names or (r.asked, r.started_at) == (asked, at)), None
    )


def _values(
    shown: SessionAnswer | None, context: SessionContext | None, stored: ObjectsAnswer | None
) -> dict[str, Any]:
    """The template's values; None for each that is unknown for this session."""
    usage = context.usage if context else None
    return {
        "paged": _paged(stored),
        "state": shown.state if shown else None,
        "core": shown.core if shown else "",
        "pressure": shown.pressure if shown else None,
        "context": context,
        "usage": usage,
        "shares": shares(context.parts, usage.window) if context and usage else [],
        "tokens_chart": context_chart(context.exchanges) if context else None,
        "cost_chart": cost_chart(context.exchanges) if context and context.bill else None,
    }


def _paged(stored: ObjectsAnswer | None) -> Paged | None:
    """None where no proxy of this session stored its steps."""
    if stored is None or not stored.totals:
        return None
    totals = stored.totals[0]
    by_type: dict[str, list[ObjectSummary]] = {}
    for one in stored.objects:
        by_type.setdefault(one.type, []).append(one)
    kinds = [_step_kind(name, many) for name, many in by_type.items()]
    changed = [one for one in stored.objects if one.fidelity or one.pinned or one.faults]
    return Paged(
        totals=totals,
        kinds=tuple(sorted(kinds, key=lambda kind: -sum(kind.tokens))),
        changed=tuple(changed[:LISTED_STEPS]),
    )


def _step_kind(name: str, steps: Sequence[ObjectSummary]) -> StepKind:
    tokens = [0] * len(FORMS)
    for one in steps:
        tokens[one.fidelity] += one.tokens
    return StepKind(name.replace("_", " "), len(steps), tuple(tokens))


def shares(parts: Sequence[ContextPart], window: int) -> list[ContextShare]:
    """The parts as pieces of a bar that is as long as the window, one behind the other."""
    found, start = [], 0
    for part in parts:
        width = round(1000 * part.tokens / max(1, window))
        name = PARTS.get(part.kind, part.kind)
        found.append(ContextShare(name, part.kind, part.tokens, part.new, start, width))
        start += width
    return found
