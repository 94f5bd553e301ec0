"""Chromium, a furnished home and an open page for all browser tests; a tab for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.terminal import Terminal
from tests.page.browser.chromium import chromium, missing
from tests.page.browser.tab import Tab
from tests.page.opened import OpenPage, furnished, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SIZES = {"wide": (1280, 800), "phone": (390, 844)}
SCHEMES = ("light", "dark")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "page/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if why := missing():
        pytest.skip(why)
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def user() -> Iterator[Terminal]:
    with furnished() as made:
        yield made


@pytest.fixture(scope="session")
def entered(user: Terminal, browser: Browser) -> Iterator[tuple[OpenPage, Any]]:
    """The page, and the state of a browser that entered it."""
    with opened(user) as page:
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(page.address)
        tab.wait_for_url("**/memory")
        state = context.storage_state()
        page.cookie = state["cookies"][0]["value"]
        context.close()
        yield page, state


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in SCHEMES], ids="-".join)
def tab(
    request: pytest.FixtureRequest, browser: Browser, entered: tuple[OpenPage, Any], user: Terminal
) -> Iterator[Tab]:
    """A tab of one size and scheme, at the memory. What Chromium complains of fails the test."""
    size, scheme = request.param
    width, height = SIZES[size]
    page, state = entered
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        storage_state=state,
        reduced_motion="reduce",
    )
    made = Tab(context.new_page(), page, user, size, f"{size}-{scheme}")
    made.open("memory")
    yield made
    context.close()
    assert made.complaints == [], made.complaints
