"""What changed and can be undone, what was refused and why, and the health (EV-2, EV-3)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from wm.errors import WmError
from wm.page.visit import PageVisit

ACTS, REFUSED = 50, 100
"""Rows of these lists."""
MODES = (
    ("active", "Learn it and say so"),
    ("inbox", "Only suggest it in the inbox"),
    ("off", "Do not learn it"),
)
"""What happens to what the user says in passing (EX-7)."""


async def changes(visit: PageVisit) -> Response:
    """The last acts, and the trash."""
    acts, trash = await visit.gather(visit.of("list_acts", limit=ACTS), visit.of("list_trash"))
    return await visit.answer("changes.html", acts=acts, trash=trash)


async def refused(visit: PageVisit) -> Response:
    """Refused texts by reason; and the rule that keeps a text out, for one that was typed."""
    chosen, text = visit.query_field("reason"), visit.query_field("text").strip()
    found = await visit.of("diag_rejected", reason=chosen, limit=REFUSED)
    everything = await visit.of("diag_rejected", limit=1) if chosen else found
    verdict = await visit.of("why_not", text=text) if text else None
    return await visit.answer(
        "refused.html",
        found=found,
        by_reason=everything.by_reason,
        chosen=chosen,
        text=text,
        verdict=verdict,
    )


async def health(visit: PageVisit) -> Response:
    status, files, learning, daemon = await visit.gather(
        visit.of("diag_status"), visit.of("diag_health"), visit.of("learning"), _daemon(visit)
    )
    values = {"status": status, "files": files, "learning": learning, "daemon": daemon}
    return await visit.answer("health.html", **values, modes=MODES)


async def _daemon(visit: PageVisit) -> dict[str, Any] | None:
    """The daemon's status; None if no daemon runs."""
    try:
        return dict(await visit.page.source.client.call("status"))
    except WmError:
        return None


async def learn(visit: PageVisit) -> Response:
    """Set what happens to what the user says in passing."""
    await visit.of("learning", mode=visit.form_field("mode"))
    visit.say("Saved. It applies from the next message on.")
    return visit.back("health")


async def workspaces(visit: PageVisit) -> Response:
    """All workspaces, the newest activity first."""
    found = await visit.page.source.call("list_workspaces", {})
    known = sorted(found.workspaces, key=lambda one: one.last_activity_at, reverse=True)
    return await visit.answer("workspaces.html", workspaces=known)
