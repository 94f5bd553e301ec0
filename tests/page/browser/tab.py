"""A tab, and what a person does in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.cli.terminal import Terminal
from tests.page.opened import OpenPage, client

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE_MS = 30_000
ABORTED = ("htmx:afterRequest", "htmx:sendAbort")
"""What htmx logs of a search that the next letter overtakes; of other failures it logs more."""


IS_LIVE = """document.readyState === 'complete'
  && document.querySelector('.live-text').textContent === 'Live'"""
"""The scripts ran, and the page follows the daemon."""


def wait_until(page: Page, expression: str, argument: object = None) -> None:
    """Wait until an expression is true. Playwright's own wait evaluates inside the page, which the
    policy of the page forbids."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(expression, argument):
        assert time.monotonic() < deadline, f"never true: {expression}"
        page.wait_for_timeout(20)


class Tab:
    """One tab of the page. name: size and scheme, unique for each combination."""

    def __init__(self, page: Page, served: OpenPage, user: Terminal, size: str, name: str) -> None:
        self.page, self.served, self.user, self.size, self.name = page, served, user, size, name
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._console)

    def _console(self, message: Any) -> None:
        is_abort = message.text.startswith(ABORTED)
        if message.type in ("error", "warning") and not is_abort:
            self.complaints.append(message.text)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.served.origin}{self.served.workspace}/{path}")
        wait_until(self.page, IS_LIVE)

    def row(self, text: str) -> Locator:
        """The entry of a list that contains a text."""
        return self.page.locator(".row", has_text=text).locator("[data-item]").first

    def suggestion(self, text: str) -> Locator:
        return self.page.locator(".suggestion", has_text=text)

    @property
    def panel(self) -> Locator:
        return self.page.locator("#entry:not([hidden])")

    @property
    def toast(self) -> Locator:
        return self.page.locator("#toast")

    def says(self, place: Locator, text: str) -> None:
        """Wait until a place contains a text."""
        from playwright.sync_api import TimeoutError as TooLate

        try:
            place.filter(has_text=text).first.wait_for()
        except TooLate as error:
            found = [one.inner_text() for one in place.all()]
            raise AssertionError(f"no {text!r} in {found}") from error

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def remembered(self, text: str) -> str:
        """Have a fact kept elsewhere; wait until this tab shows it."""
        name = self.user.remember(text)
        self.row(text).wait_for()
        return name

    def suggested(self, text: str) -> None:
        """Have an agent suggest a fact; wait until this tab shows it."""
        fields = {"directory": str(self.user.repo), "name": "remember", "session": self.name}
        with client(self.user) as daemon:
            daemon.call("call_tool", {**fields, "arguments": {"text": text}})
        self.suggestion(text).wait_for()

    def kept(self) -> set[str]:
        """The active texts, as the command line shows them."""
        found = self.user.wm("inspect", "--json").json["entries"]
        return {view["entry"]["text"] for view in found}

    def focus_on(self, text: str) -> None:
        """Move with `j`, then back with `k`, until an item that contains a text has the focus."""
        for key in "j" * 80 + "k" * 80:
            self.press(key)
            focused = self.page.evaluate(
                "(document.activeElement.closest('.row, .suggestion') ?? document.activeElement)"
                ".textContent"
            )
            if text in focused:
                return
        raise AssertionError(f"the keys never reached {text!r}")
