"""`python -m tests.page.screenshots FOLDER`: the page as pictures, at both sizes, light and dark.

docs/page-memory.png is its entry-wide-light, docs/page-session.png its session-wide-dark.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.browser.chromium import chromium, missing
from tests.page.browser.conftest import SCHEMES, SIZES
from tests.page.browser.tab import Tab
from tests.page.furnished import LIVE
from tests.page.opened import furnished, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.cli.terminal import Terminal
    from tests.page.opened import OpenPage


def _entry(tab: Tab) -> None:
    tab.open("memory")
    tab.row("Money is stored in cents").click()
    tab.says(tab.panel, "Halves every")


def _search(tab: Tab) -> None:
    tab.open("memory")
    tab.page.locator("#q").fill("refund")
    tab.says(tab.page.locator("#entries .group"), "Found")


def _opens(path: str) -> Callable[[Tab], None]:
    return lambda tab: tab.open(path)


SCENES: dict[str, Callable[[Tab], None]] = {
    "entry": _entry,
    "search": _search,
    **{
        path: _opens(path)
        for path in ("memory", "inbox", "timeline", "sessions", "changes", "refused", "health")
    },
    "session": _opens(f"sessions/{LIVE}"),
    "verdict": _opens("refused?text=Currently+debugging+the+refund+test"),
    "projects": _opens("workspaces"),
}


def tabs(browser: Browser, page: OpenPage, user: Terminal) -> Iterator[tuple[Tab, str]]:
    """A tab of each size and scheme, with a name."""
    context = browser.new_context()
    first = context.new_page()
    first.goto(page.address)
    first.wait_for_url("**/memory")
    state = context.storage_state()
    page.cookie = state["cookies"][0]["value"]
    for size, scheme in product(SIZES, SCHEMES):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type] - one of SCHEMES
            storage_state=state,
            reduced_motion="reduce",
        )
        name = f"{size}-{scheme}"
        yield Tab(context.new_page(), page, user, size, name), name
        context.close()


def main(folder: Path) -> int:
    if why := missing():
        print(why)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with furnished() as user, chromium() as browser, opened(user) as page:
        for tab, name in tabs(browser, page, user):
            for scene, show in SCENES.items():
                show(tab)
                tab.page.wait_for_timeout(200)  # the charts draw themselves
                tab.page.screenshot(path=folder / f"{scene}-{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if sys.argv[1:] else "screenshots")))
