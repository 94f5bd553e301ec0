"""No violations in axe, on every page and in every state, at each size and scheme."""

from __future__ import annotations

from tests.page.browser.tab import Tab
from tests.page.browser.test_flows import PAGES

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(tab: Tab) -> list[str]:
    """What axe finds: the rule, and the elements."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(tab.page, options=RULES).response["violations"]
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def test_pages_have_no_violations(tab: Tab) -> None:
    found = {}
    for path in PAGES:
        tab.open(path)
        found[path] = violations(tab)
    assert {path: many for path, many in found.items() if many} == {}


def test_states_have_no_violations(tab: Tab) -> None:
    found = {}
    tab.row("Money is stored in cents").click()
    tab.panel.locator("summary", has_text="Edit").click()
    tab.panel.get_by_role("button", name="Pin", exact=True).click()
    tab.says(tab.toast, "Pinned")
    found["an entry and a message"] = violations(tab)
    tab.panel.get_by_role("button", name="Unpin").click()
    tab.says(tab.toast, "No longer pinned")
    tab.open("memory?q=cursor+pagination")
    found["a search"] = violations(tab)
    tab.press("?")
    tab.page.locator("dialog[open]").wait_for()
    found["the keys"] = violations(tab)
    tab.open("inbox")
    tab.page.locator(".suggestion summary").first.click()
    tab.page.locator(".suggestion input[type=checkbox]").last.check()
    found["an editor in the inbox"] = violations(tab)
    tab.open("refused?text=Currently+debugging+the+refund+test")
    found["a verdict"] = violations(tab)
    assert {state: many for state, many in found.items() if many} == {}
