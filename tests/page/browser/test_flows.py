"""Every flow of the page, by mouse and by keyboard (UI-1)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.page.browser.tab import IS_LIVE, Tab, wait_until
from tests.page.furnished import AGENT, LIVE, REFUSED, exchange
from tests.page.opened import client

HOW = ("mouse", "keyboard")


@pytest.mark.parametrize("how", HOW)
def test_search_finds_while_one_types_and_opens_an_entry(tab: Tab, how: str) -> None:
    if how == "mouse":
        tab.page.locator("#q").click()
    else:
        tab.press("/")
    tab.page.keyboard.type("cursor pagination")
    tab.says(tab.page.locator("#entries .group"), "Found")
    if how == "mouse":
        tab.row("Every list endpoint uses cursor").click()
    else:
        tab.press("Escape")
        # It empties the field; the list follows a moment later.
        tab.page.wait_for_url(lambda url: "q=cursor" not in url)
        tab.page.locator("#q").blur()
        tab.focus_on("Every list endpoint uses cursor")
        tab.press("Enter")
    tab.says(tab.panel, "Halves every 45 days")
    assert "entry=m_" in tab.page.url
    assert tab.panel.evaluate("panel => panel.contains(document.activeElement)")
    if how == "mouse":
        tab.panel.locator("[data-close]").click()
    else:
        tab.press("Escape")
    tab.panel.wait_for(state="detached")
    # By keyboard, the Escape that left the field emptied it.
    assert ("q=cursor" in tab.page.url) is (how == "mouse")
    assert "entry=" not in tab.page.url
    focused = tab.page.evaluate("document.activeElement.textContent")
    assert "Every list endpoint uses cursor" in focused


def test_back_and_reload_keep_the_place(tab: Tab) -> None:
    tab.row("Money is stored in cents").click()
    tab.says(tab.panel, "Money is stored in cents")
    tab.page.reload()
    tab.says(tab.panel, "Money is stored in cents")
    tab.page.go_back()
    tab.row("Money is stored in cents").wait_for()


@pytest.mark.parametrize("how", HOW)
def test_an_entry_is_pinned_edited_and_undone(tab: Tab, how: str) -> None:
    text = f"The {tab.name} {how} gangway is painted red."
    tab.remembered(text)
    if how == "mouse":
        tab.row(text).click()
        tab.panel.get_by_role("button", name="Pin", exact=True).click()
    else:
        tab.focus_on(text)
        tab.press("Enter")
        tab.says(tab.panel, text)
        tab.press("p")
    tab.says(tab.toast, "Pinned")
    tab.panel.get_by_role("button", name="Unpin").wait_for()
    changed = text.replace("red", "blue")
    if how == "mouse":
        tab.panel.locator("summary", has_text="Edit").click()
        tab.panel.locator("textarea").fill(changed)
        tab.panel.get_by_role("button", name="Save").click()
    else:
        tab.press("e")
        tab.press("Control+a")
        tab.page.keyboard.type(changed)
        tab.press("Tab", "Tab", "Tab", "Enter")
    tab.says(tab.panel.locator(".entry-text"), "blue")
    assert changed in tab.kept()
    if how == "mouse":
        tab.toast.get_by_role("button", name="Undo").click()
    else:
        tab.panel.focus()
        tab.press("u")
    tab.says(tab.toast, "Undid")
    assert text in tab.kept()


@pytest.mark.parametrize("how", HOW)
def test_an_entry_is_forgotten_and_restored_and_moved(tab: Tab, how: str) -> None:
    text = f"The {tab.name} {how} lifeboat holds forty people."
    tab.remembered(text)
    tab.row(text).click()
    for name, says in (("Forget", "Forgotten"), ("Restore", "Restored")):
        button = tab.panel.get_by_role("button", name=name)
        if how == "mouse":
            button.click()
        else:
            button.focus()
            tab.press("Enter")
        tab.says(tab.toast, says)
    assert text in tab.kept()
    button = tab.panel.get_by_role("button", name="In all projects")
    if how == "mouse":
        button.click()
    else:
        button.focus()
        tab.press("Space")
    tab.says(tab.toast, "in all your projects")
    assert text in tab.user.wm("inspect", "--user").out


@pytest.mark.parametrize("how", HOW)
def test_suggestions_are_accepted_rejected_edited_and_undone(tab: Tab, how: str) -> None:
    tab.open("inbox")
    texts = [
        f"Deck {number} of the {tab.name} {how} ferry is closed in winter." for number in range(3)
    ]
    for text in texts:
        tab.suggested(text)
    if how == "mouse":
        tab.suggestion(texts[0]).get_by_role("button", name="Accept").click()
    else:
        tab.focus_on(texts[0])
        tab.press("a")
    tab.says(tab.toast, "Accepted.")
    tab.suggestion(texts[0]).wait_for(state="detached")
    if how == "mouse":
        tab.toast.get_by_role("button", name="Undo").click()
    else:
        tab.press("u")
    tab.suggestion(texts[0]).wait_for()
    assert texts[0] not in tab.kept()
    if how == "mouse":
        tab.suggestion(texts[1]).get_by_role("button", name="Reject").click()
    else:
        tab.focus_on(texts[1])
        tab.press("r")
    tab.says(tab.toast, "Rejected.")
    tab.suggestion(texts[1]).wait_for(state="detached")
    changed = texts[2].replace("winter", "January")
    if how == "mouse":
        tab.suggestion(texts[2]).locator("summary").click()
        tab.suggestion(texts[2]).locator("textarea").fill(changed)
        tab.suggestion(texts[2]).get_by_role("button", name="Accept").click()
    else:
        tab.focus_on(texts[2])
        tab.press("e", "Control+a")
        tab.page.keyboard.type(changed)
        tab.press("Tab", "Tab", "Enter")
    tab.suggestion(texts[2]).wait_for(state="detached")
    assert changed in tab.kept()
    wait_until(tab.page, "document.activeElement !== document.body")


@pytest.mark.parametrize("how", HOW)
def test_suggestions_are_decided_in_bulk(tab: Tab, how: str) -> None:
    tab.open("inbox")
    texts = [f"Cabin {number} of the {tab.name} {how} ferry has no window." for number in range(2)]
    for text in texts:
        tab.suggested(text)
    button = tab.page.locator("#bulk").get_by_role("button", name="Reject selected")
    assert not button.is_visible()
    for text in texts:
        if how == "mouse":
            tab.suggestion(text).locator("input[type=checkbox]").check()
        else:
            tab.focus_on(text)
            tab.press("x")
    if how == "mouse":
        button.click()
    else:
        button.focus()
        tab.press("Enter")
    tab.says(tab.toast, "Rejected 2 suggestions.")
    for text in texts:
        tab.suggestion(text).wait_for(state="detached")


@pytest.mark.parametrize("how", HOW)
def test_the_timeline_leads_to_a_session_and_back(tab: Tab, how: str) -> None:
    asked = (
        "Refunds of group tickets fail with a 500. Find ou"  # the title of a session is cut here
    )
    if how == "mouse":
        tab.page.get_by_role("link", name="Timeline").click()
        tab.page.get_by_role("link", name=asked).click()
    else:
        tab.press("g", "t")
        tab.page.wait_for_url("**/timeline")
        link = tab.page.get_by_role("link", name=asked)
        link.focus()
        tab.press("Enter")
    tab.says(tab.page.locator("h1"), asked)
    tab.says(tab.page.locator("#session"), "booking/refund.py")
    tab.page.go_back()
    tab.says(tab.page.locator("h1"), "Timeline")


def test_a_running_session_grows_while_one_watches(tab: Tab) -> None:
    tab.open(f"sessions/{LIVE}")
    figures = tab.page.locator(".figures").first
    plots = tab.page.locator("wm-chart canvas")
    before = figures.inner_text()
    assert plots.count() == 2
    fields = {"directory": str(tab.user.repo), "sessionId": LIVE, "agent": AGENT}
    with client(tab.user) as daemon:
        known = daemon.call("session_context", {**fields})["requests"]
        daemon.call("finish_request", {**fields, "note": exchange(known, datetime.now(UTC))})
    wait_until(
        tab.page, "before => document.querySelector('.figures').innerText !== before", before
    )
    tab.says(figures, str(known + 1))
    assert plots.count() == 2


@pytest.mark.parametrize("how", HOW)
def test_an_act_is_undone_among_the_changes(tab: Tab, how: str) -> None:
    text = f"The {tab.name} {how} bridge has two radars."
    tab.remembered(text)
    if how == "mouse":
        tab.page.get_by_role("link", name="Changes").click()
    else:
        tab.press("g", "c")
    act = tab.page.locator(".act", has_text=text)
    button = act.get_by_role("button", name="Undo")
    if how == "mouse":
        button.click()
    else:
        button.focus()
        tab.press("Enter")
    tab.page.locator(".act.past", has_text=text).wait_for()
    assert text not in tab.kept()


@pytest.mark.parametrize("how", HOW)
def test_a_refusal_is_explained(tab: Tab, how: str) -> None:
    if how == "mouse":
        tab.page.get_by_role("link", name="Refused").click()
        tab.page.locator("#text").fill("Currently debugging the refund test")
        tab.page.get_by_role("button", name="Ask").click()
    else:
        tab.press("g", "r")
        tab.page.wait_for_url("**/refused")
        tab.press("/")
        tab.page.keyboard.type("Currently debugging the refund test")
        tab.press("Enter")
    tab.says(tab.page.locator(".verdict"), "temporary state")
    wait_until(tab.page, IS_LIVE)
    rows = tab.page.locator("#list .row")
    for text in REFUSED[:2]:
        assert rows.filter(has_text=text).count() == 1
    select = tab.page.locator("select[name=reason]")
    if how == "mouse":
        select.select_option("path_heavy")
    else:
        select.focus()
        for _ in range(20):
            if select.input_value() == "path_heavy":
                break
            tab.press("ArrowDown")
    wait_until(tab.page, "document.querySelectorAll('#list .row').length === 1")


@pytest.mark.parametrize("how", HOW)
def test_learning_in_passing_is_set(tab: Tab, how: str) -> None:
    if how == "mouse":
        tab.page.get_by_role("link", name="Health").click()
        tab.page.get_by_label("Only suggest it in the inbox").check()
        tab.page.get_by_role("button", name="Save").click()
    else:
        tab.press("g", "h")
        tab.page.wait_for_url("**/health")
        tab.page.get_by_label("Learn it and say so").focus()
        tab.press("ArrowDown", "Tab", "Enter")
    tab.says(tab.toast, "Saved.")
    assert tab.user.wm("learn", "--json").json["mode"] == "inbox"
    tab.user.wm("learn", "active")


def test_a_fact_is_written_down(tab: Tab) -> None:
    text = f"The {tab.name} café closes at nine."
    tab.page.get_by_label("Remember something").fill(text)
    tab.page.get_by_role("button", name="Remember", exact=True).click()
    tab.says(tab.panel, text)
    assert text in tab.kept()


def test_the_number_of_facts_follows(tab: Tab) -> None:
    kept = len(tab.kept())
    tab.says(tab.page.locator("#main .lead"), f"{kept} facts")
    tab.remembered(f"The {tab.name} galley is cleaned on Mondays.")
    tab.says(tab.page.locator("#main .lead"), f"{kept + 1} facts")


def test_a_change_before_the_stream_is_connected_is_shown(tab: Tab) -> None:
    page, held = tab.page.context.new_page(), []
    page.route("**/events", lambda route: held.append(route))
    page.goto(tab.page.url)
    while not held:
        page.wait_for_timeout(20)
    text = f"The {tab.name} lighthouse is lit at dusk."
    tab.remembered(text)
    held.pop().continue_()
    page.locator(".row", has_text=text).wait_for()


def test_a_page_that_the_browser_kept_follows_again(tab: Tab) -> None:
    leave, back = (
        f"dispatchEvent(new PageTransitionEvent('{name}', {{persisted: true}}))"
        for name in ("pagehide", "pageshow")
    )
    tab.page.evaluate(leave)
    text = f"The {tab.name} anchor weighs two tons."
    tab.user.remember(text)
    tab.page.evaluate(back)
    tab.row(text).wait_for()


def test_projects_are_listed_and_chosen(tab: Tab) -> None:
    tab.page.locator(".place").click()
    tab.row("Your own memory").click()
    tab.says(tab.page.locator("main"), "Answer in short paragraphs without bullet points.")
    tab.page.locator(".place").click()
    tab.row("ferry").click()
    tab.says(tab.page.locator("main"), "Money is stored in cents")


def test_single_keys_can_be_switched_off(tab: Tab) -> None:
    tab.press("?")
    tab.page.locator("dialog[open]").wait_for()
    tab.page.get_by_label("Use single keys").uncheck()
    tab.press("Escape", "/")
    assert tab.page.evaluate("document.activeElement.id") != "q"
    tab.page.reload()
    tab.press("/")
    assert tab.page.evaluate("document.activeElement.id") != "q"


def test_text_from_right_to_left_begins_at_the_right(tab: Tab) -> None:
    row = tab.row("لا تستخدم الاختصارات")
    assert row.evaluate("row => getComputedStyle(row).direction") == "rtl"
    other = tab.row("Money is stored in cents")
    assert other.evaluate("row => getComputedStyle(row).direction") == "ltr"


PAGES = (
    *("memory", "inbox", "timeline", "sessions", f"sessions/{LIVE}", "changes", "refused"),
    *("health", "workspaces"),
)


def test_nothing_is_wider_than_the_window(tab: Tab) -> None:
    for path in PAGES:
        tab.open(path)
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
