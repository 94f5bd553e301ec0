"""Finds Chromium and starts it; reads what it measured."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


def program() -> str:
    """The path of Chromium; WM_TEST_CHROMIUM names another. "" if there is none."""
    named = os.environ.get("WM_TEST_CHROMIUM", "")
    return named or next(filter(None, map(shutil.which, NAMES)), "")


def missing() -> str:
    """What these tests lack, as a sentence; "" if nothing."""
    if not program():
        return "There is no Chromium: install the package chromium, or set WM_TEST_CHROMIUM."
    lacks = [name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None]
    return f"{', '.join(lacks)} is missing: pip install -e '.[dev,browser]'" if lacks else ""


@contextmanager
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program(), args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()
