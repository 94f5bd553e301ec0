"""One request to the page: what it asks for, and how it is answered.

A handler gets a `PageVisit`, runs use cases through it and returns a response. A request of htmx
names the element that it fills; if a block of the template has that name, only that is rendered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct, field
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from wm.errors import HostError, WmError
from wm.page.access import PageAccess
from wm.page.rendering import has_block, render
from wm.page.source import Source
from wm.page.tabs import Tabs

PAGES = (
    ("memory", "Memory"),
    ("inbox", "Inbox"),
    ("timeline", "Timeline"),
    ("sessions", "Sessions"),
    ("changes", "Changes"),
    ("refused", "Refused"),
    ("health", "Health"),
)
"""Path and title of each page of a workspace."""


class Page(Struct):
    """A running page. start: key of the workspace that it opens with. ticket: what the browser
    exchanges for the cookie, once; `entered` is called then. said: the sentence for the next page
    that is rendered."""

    access: PageAccess
    source: Source
    tabs: Tabs
    start: str
    now: Callable[[], datetime]
    ticket: str = ""
    entered: Callable[[], None] = lambda: None
    said: str = ""
    undo: str = ""
    """The act that the sentence offers to undo, or the entry whose newest act it offers to."""


class PageVisit(Struct):
    """A request on one workspace."""

    page: Page
    request: Request
    form: Mapping[str, list[str]] = field(default_factory=dict)
    received: int = 0
    """`Tabs.received` before anything was read."""

    @property
    def key(self) -> str:
        return str(self.request.path_params["key"])

    @property
    def target(self) -> str:
        """The id of the element that htmx fills; "" for a complete page."""
        return self.request.headers.get("hx-target", "")

    def query_field(self, name: str) -> str:
        """A field of the query string; "" without it."""
        return self.request.query_params.get(name, "")

    def form_field(self, name: str) -> str:
        """A field of the form; "" without it. The last of several."""
        return (self.form.get(name) or [""])[-1]

    async def of(self, name: str, **fields: Any) -> Any:
        """Run a use case on this workspace. Raises WmError."""
        return await self.page.source.of(self.key, name, **fields)

    async def gather(self, *calls: Awaitable[Any]) -> list[Any]:
        """The answers of calls that run at once."""
        return list(await asyncio.gather(*calls))

    def url(self, path: str, **query: object) -> str:
        """An address on this workspace; fields without a value are left out."""
        asked = urlencode({name: value for name, value in query.items() if value})
        return f"/{self.page.access.path}/w/{self.key}/{path}{'?' if asked else ''}{asked}"

    def say(self, sentence: str, undo: str = "") -> None:
        """Tell the user, on the next page, what was done. undo: an act or an entry."""
        self.page.said, self.page.undo = sentence, undo

    async def answer(self, template: str, **values: Any) -> Response:
        """A page, or the block of it that was asked for."""
        block = self.target if self.target and has_block(template, self.target) else ""
        common = self._common()
        if not block:
            here = await self.of("inspect", status="inbox", limit=0)
            common |= {"place": here.place, "waiting": here.counts.get("inbox", 0)}
        html = render(template, {**common, **values}, block)
        if block and block != "toast" and self.page.said:
            html += render("base.html", common, "toast")
        if self.page.said:
            self.say("")
        return HTMLResponse(html)

    def _common(self) -> dict[str, Any]:
        """What every template may use."""
        access = self.page.access
        return {
            "visit": self,
            "url": self.url,
            "root": f"/{access.path}",
            "token": access.form,
            "now": self.page.now(),
            "pages": PAGES,
            "live": self.page.tabs.live,
            "said": self.page.said,
            "undo": self.page.undo,
            "partial": bool(self.target),
        }

    async def reported(self, path: str) -> Response:
        """After an act: the sentence of `say` alone for htmx, and each part that shows the memory
        then loads itself, so that no two answers replace one part. Else the page at `path`."""
        if not self.target:
            return self.back(path)
        answer = await self.answer("base.html")
        answer.headers["hx-trigger"] = "wm:memory"
        return answer

    def back(self, path: str, **query: object) -> Response:
        """Continue at a page after a form."""
        return RedirectResponse(self.url(path, **query), 303)


Handler = Callable[[PageVisit], Awaitable[Response]]


def handled(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler as an endpoint of the framework: reads the form, and reports errors."""

    async def endpoint(request: Request) -> Response:
        page: Page = request.app.state.page
        visit = PageVisit(page, request, received=page.tabs.received)
        try:
            if request.method == "POST":
                visit.form = await _form(page, request)
            return await handler(visit)
        except WmError as error:
            return failed(visit, error)

    return endpoint


async def _form(page: Page, request: Request) -> Mapping[str, list[str]]:
    """The fields of a form. Raises HostError without the token of this page."""
    found: dict[str, list[str]] = {}
    body = (await request.body()).decode("utf-8", "replace")
    for name, value in parse_qsl(body, keep_blank_values=True):
        found.setdefault(name, []).append(value.replace("\r\n", "\n"))
    if not page.access.accepts({name: values[-1] for name, values in found.items()}):
        raise HostError.of("page.foreign_form").with_status(403)
    return found


def failed(visit: PageVisit, error: WmError) -> Response:
    """An error as a page; for htmx as the toast, so that what is shown stays."""
    values = {
        "root": f"/{visit.page.access.path}",
        "message": error.message,
        "fix": error.fix,
        "said": error.message if not error.fix else f"{error.message} {error.fix}",
        "undo": "",
        "token": visit.page.access.form,
        "url": visit.url,
    }
    if visit.request.headers.get("hx-request"):
        headers = {"hx-reswap": "none"}
        return HTMLResponse(render("base.html", values, "toast"), headers=headers)
    return HTMLResponse(render("error.html", values), error.status)
