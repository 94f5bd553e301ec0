"""How full conversations through a proxy are, as people, scripts and Prometheus see it (PS-2)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed
from tests.proxy.scripted import MODEL, Chain, played, upstream_of
from wm.daemon.client import Client
from wm.store.paths import sid

OPUS = "claude-opus-4-6"

Pass = Callable[..., None]


@pytest.fixture
def passes(user: Terminal, request: pytest.FixtureRequest) -> Pass:
    """Tell of an exchange, on the files or through the daemon."""
    through_daemon = "through" in request.node.callspec.id

    def tell(session: str, read: int, model: str = OPUS) -> None:
        note = {"call": "main", "model": model, "status": 200, "usage": {"cacheRead": read}}
        whose = {"sessionId": session, "agent": "claude-code"}
        calls = (
            ("record_event", {**whose, "event": {"kind": "session_started"}}),
            ("finish_request", {**whose, "note": note}),
        )
        if not through_daemon:
            user.seed(*calls)
            return
        with Client(user.settings()) as client:
            for name, fields in calls:
                client.call(name, {"directory": str(user.repo), **fields})

    return tell


def test_status_shows_the_two_fullest_conversations(user: Terminal, passes: Pass) -> None:
    passes("aaaa-1", 20_000)
    passes("bbbb-2", 182_000)
    passes("cccc-3", 143_000, "claude-opus-4-6-of-a-long-name-with-a-date-20260201")
    lines = user.wm("status").out.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("  proxy"))
    assert lines[begin : begin + 2] == [
        "  proxy       bbbb-2 91 % critical · 182k of 200k tokens · claude-opus-4-6",
        "              cccc-3 71 % warning · 143k of 200k tokens · claude-opus-4-6-of-a-…",
    ]
    assert "aaaa-1" not in "".join(lines)
    shown = user.wm("status", "--json").json
    validate_printed("status", shown)
    assert [(c["sessionId"], c["tokens"], c["zone"]) for c in shown["conversations"]] == [
        ("bbbb-2", 182_000, "critical"),
        ("cccc-3", 143_000, "warning"),
        ("aaaa-1", 20_000, "normal"),
    ]
    assert shown["conversations"][0]["window"] == 200_000
    assert shown["conversations"][0]["model"] == OPUS


def test_inspect_shows_the_last_three_conversations(user: Terminal, passes: Pass) -> None:
    for number, session in enumerate(("aaaa-1", "bbbb-2", "cccc-3", "dddd-4")):
        passes(session, 30_000 * (number + 1), "somebody-elses")
    printed = user.wm("inspect").out
    assert re.findall(r"(\w{4}-\d) (\d+) % (\w+) · .* tokens \(assumed\) · some", printed) == [
        ("dddd-4", "60", "caution"),
        ("cccc-3", "45", "normal"),
        ("bbbb-2", "30", "normal"),
    ]
    shown = user.wm("inspect", "--json").json
    validate_printed("inspect", shown)
    assert [c["percentage"] for c in shown["conversations"]] == [60, 45, 30, 15]


def test_without_a_proxy_no_conversations_are_shown(user: Terminal) -> None:
    user.wm("remember", "We deploy with make ship.")
    for verb in ("status", "inspect"):
        assert "  proxy" not in user.wm(verb).out
        assert "conversations" not in user.wm(verb, "--json").json


def test_flows_of_a_real_proxy_are_shown_by_a_real_daemon(
    home_with_daemon: Terminal, tmp_path: Path
) -> None:
    user = home_with_daemon.at(f"zone{tmp_path.name}")
    before = counted(user)
    usages: list[dict[str, int]] = []

    def play(made: Chain) -> None:
        agent = made.agent(user.repo, session="s-7")
        agent.works("Where do the ferries land?", lambda n: f"at berth {n}\n", 3)
        usages.append(json.loads(agent.got[-1])["usage"])

    with upstream_of(2) as upstream:
        assert played(user.settings(), upstream.url, play, record=False).faults == []
    (found,) = user.wm("status", "--json").json["conversations"]
    # No hook reported the session, so only the digest of its id is known.
    assert (found["sessionId"], found["zone"], found["model"]) == (sid("s-7"), "normal", MODEL)
    assert (
        found["tokens"] == sum(value for value in usages[0].values() if isinstance(value, int)) > 0
    )
    assert counted(user) == before + 1
    assert user.wm("session", "delete", "s-7").code == 0
    assert counted(user) == before
    assert "conversations" not in user.wm("inspect", "--json").json


def counted(user: Terminal) -> int:
    """Conversations in the normal zone, as `/metrics` has them."""
    with Client(user.settings()) as client:
        text = client.request("GET", "/metrics").body.decode()
    found = re.search(r'^wm_conversations\{zone="normal"\} (\d+)$', text, re.MULTILINE)
    return int(found[1]) if found else 0
