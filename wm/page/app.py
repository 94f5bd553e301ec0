"""The page as an ASGI application: its routes, and the access rules in front of them (UI-1)."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wm.page import diagnosis, inbox, memory, sessions
from wm.page.access import COOKIE, ENTER, HEADERS
from wm.page.rendering import STATIC, render
from wm.page.visit import Handler, Page, handled

MAX_FORM_BYTES = 256 * 1024
REFUSED = "This address is not served here. `wm open` opens the page."

READS: Mapping[str, Handler] = {
    "memory": memory.memory,
    "entries/{id}": memory.entry,
    "inbox": inbox.inbox,
    "timeline": sessions.timeline,
    "sessions": sessions.sessions,
    "sessions/{id:path}": sessions.session,
    "changes": diagnosis.changes,
    "refused": diagnosis.refused,
    "health": diagnosis.health,
    "workspaces": diagnosis.workspaces,
}
FORMS: Mapping[str, Handler] = {
    "entries/{id}/{act}": memory.act,
    "remember": memory.remember,
    "undo": memory.undo,
    "inbox": inbox.decide,
    "inbox/outside": inbox.accept_outside,
    "learn": diagnosis.learn,
}
"""Paths below a workspace -> their handlers."""


def application(page: Page) -> ASGIApp:
    """The page behind its access rules."""
    of_workspace: list[BaseRoute] = [
        Route("/events", _events),
        *(Route(f"/{path}", handled(handler)) for path, handler in READS.items()),
        *(Route(f"/{path}", handled(handler), methods=["POST"]) for path, handler in FORMS.items()),
    ]
    inside: list[BaseRoute] = [
        Route("/", _start),
        Route(f"/{ENTER}", _enter),
        Mount("/static", StaticFiles(directory=STATIC)),
        Mount("/w/{key}", routes=of_workspace),
    ]
    app = Starlette(
        routes=[Mount(f"/{page.access.path}", routes=inside)], max_body_size=MAX_FORM_BYTES
    )
    app.state.page = page
    return Guarded(app, page)


class Guarded:
    """Refuses a request before any handler sees it, and adds the headers of every answer."""

    def __init__(self, app: ASGIApp, page: Page) -> None:
        self._app, self._page = app, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        why = self._page.access.refusal(scope["method"], scope["path"], _headers(scope))
        served = PlainTextResponse(REFUSED, 403) if why else self._app
        await served(scope, receive, answer)


def _headers(scope: Scope) -> Mapping[str, str]:
    """The headers by name; a repeated one is joined, so that no two readers choose differently."""
    found: dict[str, str] = {}
    for raw_name, raw in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw.decode("latin-1")
        joint = "; " if name == "cookie" else ", "
        found[name] = f"{found[name]}{joint}{value}" if name in found else value
    return found


def _page(request: Request) -> Page:
    page: Page = request.app.state.page
    return page


async def _enter(request: Request) -> Response:
    """Exchange the ticket, once, for the cookie of the session. A browser that has the cookie goes
    on: it opened the address twice."""
    page = _page(request)
    given = request.query_params.get("ticket", "")
    root, cookie = f"/{page.access.path}", page.access.cookie
    if request.cookies.get(COOKIE) == cookie:
        return RedirectResponse(f"{root}/", 303)
    if not page.ticket or given != page.ticket:
        return PlainTextResponse(REFUSED, 403)
    page.ticket = ""
    page.entered()
    # Not a redirect: the chain began on another site, so the browser would not send the cookie.
    response = HTMLResponse(render("enter.html", {"address": f"{root}/"}))
    response.set_cookie(COOKIE, cookie, path=f"{root}/", httponly=True, samesite="strict")
    return response


async def _start(request: Request) -> Response:
    page = _page(request)
    return RedirectResponse(f"/{page.access.path}/w/{page.start}/memory", 303)


async def _events(request: Request) -> Response:
    """The changes of a workspace as server-sent events, for one tab."""
    page = _page(request)
    stream = page.tabs.stream(request.path_params["key"], page.access.form)
    return StreamingResponse(stream, media_type="text/event-stream")
