"""The pages and their forms over a real socket, without a browser (UI-1)."""

from __future__ import annotations

import html
import http.client
import json
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.cli.terminal import Terminal
from tests.daemon.process import wait_for
from tests.page.furnished import EXPLICIT, LIVE, WAITING
from tests.page.opened import Answered, OpenPage, client, opened, start_daemon, stop_daemon

IDLE = """
import wm.cli.verbs.open as verb
from msgspec.structs import replace
serve = verb.serve
def soon(settings, *rest, **named):
    serve(replace(settings, page=replace(settings.page, idle_s=4.0)), *rest, **named)
verb.serve = soon
"""


def text_of(answer: Answered) -> str:
    """What a page says, in one line."""
    without = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", answer.text, flags=re.DOTALL)
    return " ".join(html.unescape(without).split())


def remembered(user: Terminal, text: str) -> str:
    return user.remember(text)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("memory", "In every prompt"),
        ("memory", EXPLICIT[3][2]),
        ("memory?q=cursor+pagination", "Every list endpoint uses cursor pagination"),
        ("memory?type=reference&order=newest", "Runbook for failed payments"),
        ("inbox", WAITING[0]),
        ("inbox", "Nothing said in the session supports it."),
        ("timeline", "Refunds of group tickets fail with a 500."),
        ("timeline", "Fixed test tests/test_refund.py by editing booking/refund.py"),
        ("sessions", "Add seat reservations to the booking flow."),
        (f"sessions/{LIVE}", "88 % 177k of 200k tokens"),
        (f"sessions/{LIVE}", "tool descriptions 14k"),
        (f"sessions/{LIVE}", "Bill $3.46 Without a cache $20.31 From the cache 96 %"),
        (f"sessions/{LIVE}", "Saved $0.2140 Spent $0.0000 Cuts 1 Needed again 2 $0.0120"),
        ("changes", "forget · you"),
        ("refused", "Sent to the inbox (it consists mostly of file paths"),
        ("refused?text=Currently+debugging+the+refund+test", "it describes a temporary state"),
        ("health", "What you say in passing"),
        ("workspaces", "Your own memory"),
    ],
)
def test_a_page_says_what_is_known(page: OpenPage, path: str, says: str) -> None:
    answer = page.get(path)
    assert answer.status == 200
    assert says in text_of(answer)


def test_an_entry_shows_its_history_and_its_strength(user: Terminal, page: OpenPage) -> None:
    name = remembered(user, "Ferries older than thirty years carry no cars.")
    user.wm("pin", name)
    said = text_of(page.get(f"memory?entry={name}"))
    assert "Ferries older than thirty years carry no cars." in said
    assert "Halves every 45 days" in said
    assert re.search(r"Its life Edited \(.*\) just now Kept", said)
    chart = re.search(r'data-chart="([^"]+)"', page.get(f"memory?entry={name}").text)
    assert chart is not None
    course = json.loads(html.unescape(chart[1]))["series"][1]["values"]
    assert course[-1] == pytest.approx(course[24] / 4, rel=0.01)  # 90 days are two half-lives


def test_a_part_of_a_page_is_answered_alone(page: OpenPage) -> None:
    part = page.get("memory?q=refund", **{"HX-Request": "true", "HX-Target": "entries"})
    assert part.text.lstrip().startswith('<div id="entries"')
    count = page.get("inbox", **{"HX-Request": "true", "HX-Target": "waiting"})
    assert count.text.lstrip().startswith('<span class="count" id="waiting"')


def test_stored_text_cannot_become_markup_or_hide(user: Terminal, page: OpenPage) -> None:
    hostile = '<img src=x onerror=alert(1)> "quoted" \u202egpj.exe is the vessel photo.'
    name = user.wm("remember", hostile, "--json").json["entry"]["id"]
    answer = page.get(f"memory?entry={name}")
    assert "<img" not in answer.text
    # An editor holds the text as it is.
    assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", answer.text)
    assert "\\u202egpj.exe is the vessel photo." in text_of(answer)
    user.wm("forget", name)


def test_an_entry_is_edited_pinned_moved_forgotten_and_brought_back(
    user: Terminal, page: OpenPage
) -> None:
    name = remembered(user, "The night crossing leaves at eleven.")

    def entry() -> dict[str, Any]:
        found: dict[str, Any] = user.wm("show", name, "--json").json["entry"]
        return found

    said = page.post(
        f"entries/{name}/edit", text="The night crossing leaves at ten.", type="project"
    )
    assert said.headers["location"].endswith(f"memory?entry={name}")
    assert "Saved. Undo" in text_of(page.get(f"memory?entry={name}"))
    assert entry()["text"] == "The night crossing leaves at ten."
    page.post(f"entries/{name}/pin", pinned="on")
    page.post(f"entries/{name}/importance", importance="high")
    assert (entry()["pinned"], entry()["userImportance"]) == (True, "high")
    page.post(f"entries/{name}/forget")
    assert entry()["status"] == "trashed"
    assert "Restore" in text_of(page.get(f"memory?entry={name}"))
    page.post("undo", act=name)
    assert entry()["status"] == "active"
    page.post(f"entries/{name}/scope", scope="user")
    (mine,) = (v for v in user.wm("inspect", "--user", "--json").json["entries"]
               if v["entry"]["id"] == name)  # fmt: skip
    assert mine["entry"]["scope"] == "user"


def test_an_entry_that_is_moved_closes_its_panel(user: Terminal, page: OpenPage) -> None:
    name = remembered(user, "The harbour office closes at noon.")
    path = f"{page.workspace}/entries/{name}/scope"
    answer = page.ask(
        path, {"form": page.token}, headers={"HX-Request": "true", "HX-Target": "entry"}
    )
    assert "It applies in all your projects now." in text_of(answer)
    assert "There is no entry" not in answer.text
    assert answer.headers["hx-replace-url"] == f"{page.workspace}/memory"


def test_a_fact_can_be_written_down(user: Terminal, page: OpenPage) -> None:
    answer = page.post("remember", text="Dogs travel free on every crossing.")
    shown = page.ask(answer.headers["location"])
    assert "Dogs travel free on every crossing." in text_of(shown)
    assert "Dogs travel free" in user.wm("search", "dogs").out


def test_suggestions_are_accepted_edited_and_rejected_together(
    user: Terminal, page: OpenPage
) -> None:
    texts = [f"Pier {number} is closed for vessels over ninety metres." for number in range(4)]
    fields = {"directory": str(user.repo), "name": "remember", "session": "s-page"}
    with client(user) as daemon:
        for text in texts:
            daemon.call("call_tool", {**fields, "arguments": {"text": text}})
    waiting = {
        view["entry"]["text"]: view["entry"]["id"]
        for view in user.wm("inbox", "--json").json["entries"]
    }
    first, second, third, fourth = (waiting[text] for text in texts)
    page.post(
        "inbox", decision="accept", id=first, text="Pier 0 is closed this year.", type="project"
    )
    assert "Accepted. Undo" in text_of(page.get("inbox"))
    page.post("inbox", decision="reject", id=[second, third, "m_gone"])
    said = text_of(page.get("inbox"))
    assert "Rejected 2 suggestions. There is no entry" in said
    fields = {"form": page.token, "decision": "accept", "id": fourth}
    htmx = {"hx-request": "true", "hx-target": "toast"}
    answered = page.ask(f"{page.workspace}/inbox", fields, headers=htmx)
    # The list has one owner, its own request; two answers that replace one part get mixed up.
    assert answered.headers["hx-trigger"] == "wm:memory"
    assert 'id="toast"' in answered.text
    assert 'id="suggestions"' not in answered.text
    found = user.wm("inspect", "--json").json["entries"]
    kept = {view["entry"]["text"] for view in found}
    assert {"Pier 0 is closed this year.", texts[3]} <= kept
    assert not {texts[1], texts[2]} & kept


def test_the_inbox_asks_whether_a_fact_replaces_a_pinned_one(
    user: Terminal, page: OpenPage
) -> None:
    old, new = (f"Harbour tokens expire after {minutes} minutes." for minutes in (15, 60))
    user.wm("pin", user.remember(old))
    user.wm("remember", new)
    asked = f"Would replace: {old} {new} It may replace an older entry that says something else."
    shown = text_of(page.get("inbox"))
    assert asked in shown
    assert "Replace it Keep both" in shown
    views = user.wm("inbox", "--json").json["entries"]
    (question,) = (view["entry"]["id"] for view in views if view["entry"]["text"] == new)
    page.post("inbox", decision="accept", id=question)
    kept = {view["entry"]["text"] for view in user.wm("inspect", "--json").json["entries"]}
    assert new in kept
    assert old not in kept


def test_a_refusal_is_reported_and_changes_nothing(user: Terminal, page: OpenPage) -> None:
    missing = page.get("memory?entry=m_nothing")
    assert missing.status == 404
    assert "'m_nothing' in" in text_of(missing)
    name = remembered(user, "Tickets are checked before boarding.")
    marks = {"HX-Request": "true", "HX-Target": "entry"}
    form = {"form": page.token, "text": "x" * 3000, "type": "project"}
    refused = page.ask(f"{page.workspace}/entries/{name}/edit", form, headers=marks)
    assert refused.headers["hx-reswap"] == "none"
    assert "3,000" in text_of(refused) or "3000" in text_of(refused)
    assert page.get("nothing-like-that").status == 404
    assert page.ask(f"{page.root}/w/0123456789abcdef/memory").status == 404


def test_another_workspace_and_the_users_own_memory_are_shown(
    user: Terminal, page: OpenPage
) -> None:
    other = user.at("elsewhere")
    other.remember("This repository builds with bazel.")
    said = page.get("workspaces").text
    (key,) = set(re.findall(r"/w/([0-9a-f]{16})/memory", said)) - {page.workspace[-16:]}
    there = page.ask(f"{page.root}/w/{key}/memory")
    assert "This repository builds with bazel." in text_of(there)
    mine = page.ask(f"{page.root}/w/user/memory")
    assert "Answer in short paragraphs without bullet points." in text_of(mine)


# --- live --------------------------------------------------------------------------------------


class Stream:
    """The events of one tab, read in a thread."""

    def __init__(self, page: OpenPage) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=60)
        cookie = {"Cookie": f"wm={page.cookie}"}
        self._connection.request("GET", f"{page.workspace}/events", headers=cookie)
        self._answer = self._connection.getresponse()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        wait_for(lambda: self.events)

    @property
    def ended(self) -> bool:
        return not self._reader.is_alive()

    def close(self) -> None:
        """Close the tab."""
        if self._connection.sock is not None:
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._reader.join(20)
        self._answer.close()
        self._connection.close()

    def _read(self) -> None:
        word = ""
        while line := self._answer.readline().decode():
            word = self._take(line.strip("\n"), word)

    def _take(self, line: str, word: str) -> str:
        name, _, value = line.partition(": ")
        if name == "data":
            self.events.append((word, json.loads(value)))
        return value if name == "event" else word

    def was_notified(self, slug: str) -> bool:
        return any(slug in data.get("slugs", ()) for _, data in self.events)


@contextmanager
def stream(page: OpenPage) -> Iterator[Stream]:
    tab = Stream(page)
    try:
        yield tab
    finally:
        tab.close()


def test_a_tab_receives_what_agents_and_proxies_do(user: Terminal, page: OpenPage) -> None:
    with stream(page) as tab, client(user) as daemon:
        received = int(re.findall(r'data-received="(\d+)"', page.get("memory").text)[0])
        assert tab.events[0] == ("hello", {"proof": page.token, "live": True, "received": received})
        of = {"directory": str(user.repo), "sessionId": "s-live", "agent": "claude-code"}
        daemon.call(
            "remember", {"directory": str(user.repo), "text": "Boarding takes ten minutes."}
        )
        wait_for(lambda: tab.was_notified("workspace_memory"))
        event = {"kind": "user_prompt", "text": "Say hello to the captain."}
        daemon.call("record_event", {**of, "event": event})
        wait_for(lambda: tab.was_notified("session_state"))
        note = {"call": "main", "model": "claude-opus-4-6", "status": 200, "usage": {"input": 9}}
        daemon.call("finish_request", {**of, "note": note})
        wait_for(lambda: tab.was_notified("flow"))


def test_the_stream_continues_after_a_restart_of_the_daemon(user: Terminal, page: OpenPage) -> None:
    with stream(page) as tab:
        stop_daemon(user)
        wait_for(lambda: tab.was_notified("everything"))
        assert tab.events[-1][1]["live"] is False
        # Reads and forms work on the files meanwhile.
        assert page.get("memory").status == 200
        page.post("remember", text="The purser keeps the spare keys.")
        assert "No daemon runs." in text_of(page.get("health"))
        start_daemon(user)
        wait_for(lambda: tab.events[-1][1]["live"] is True)
        user.remember("The captain signs the log book at noon.")
        wait_for(lambda: tab.was_notified("workspace_memory"))
        assert not tab.ended
    assert "The purser keeps the spare keys." in user.wm("inspect", "--full").out


def test_the_page_ends_when_no_browser_is_open(user: Terminal) -> None:
    with opened(user, script=IDLE) as served:
        served.enter()
        with stream(served):
            assert served.process.poll() is None
        assert served.ended() == 0


def test_a_page_that_is_watched_stays_and_ctrl_c_ends_it(user: Terminal) -> None:
    with opened(user, script=IDLE) as served:
        served.enter()
        with stream(served) as tab:
            user.remember("The engine room is inspected every morning.")
            wait_for(lambda: tab.was_notified("workspace_memory"))
            assert served.process.poll() is None
            served.process.send_signal(signal.SIGINT)
            wait_for(lambda: tab.ended)
        assert served.ended() == 0


def test_over_ssh_it_says_how_to_forward_the_port(user: Terminal) -> None:
    user.env["SSH_CONNECTION"] = "10.0.0.7 50000 10.0.0.5 22"
    try:
        with opened(user) as served:
            printed = " ".join(served.printed.split())
            assert f"ssh -N -L {served.port}:127.0.0.1:{served.port} " in printed
            assert "@10.0.0.5" in printed
    finally:
        del user.env["SSH_CONNECTION"]


def test_a_port_that_is_taken_is_named(user: Terminal, page: OpenPage) -> None:
    said = user.wm("open", "--no-browser", "--port", str(page.port))
    assert said.code == 1
    assert f"cannot listen on 127.0.0.1:{page.port}" in said.sentences


def test_a_fact_from_text_of_a_page_says_so_before_it_is_accepted(
    user: Terminal, page: OpenPage
) -> None:
    page.get("inbox")
    waiting = user.wm("inspect", "--status", "inbox", "--json").json["entries"]
    tainted = [view["entry"]["text"] for view in waiting if view["entry"].get("tainted")]
    assert tainted
    assert text_of(page.get("inbox")).count("(tainted)") == len(tainted)
