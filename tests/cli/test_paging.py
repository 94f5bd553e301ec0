"""Paged sessions through a real proxy and a real daemon: cheaper, never refused, nothing lost."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal
from tests.clients.accounting import Usage
from tests.clients.scripts import Answer, answer, call, say, script, think
from tests.clients.scripts import turns as turns_
from tests.clients.upstream import Exchange, Upstream
from tests.docs.schemas import validate_printed
from tests.proxy.scripted import MODEL, Agent, Chain, played
from wm.cli.verbs.proxy.figures import short, table
from wm.daemon.client import Client
from wm.domain.counts import dollars
from wm.domain.paging.ledger import LedgerState, folded
from wm.formats.base import dump
from wm.formats.ledger import LedgerRecord
from wm.ops.local import open_runtime
from wm.store import identity
from wm.store.paths import sid

ROOT = Path(__file__).parents[2]
TURNS = 60
READ, WRITE = 0.05, 1.25
"""Prices of the model of the scripted agent, as multiples of its input price."""


@pytest.fixture
def user(home_with_daemon: Terminal, tmp_path: Path) -> Terminal:
    return home_with_daemon.at(f"page{tmp_path.name}")


def result(number: int) -> str:
    """A long output: 60 lines as in every other, and one that says what no other does."""
    lines = [f"the timetable of line {line}, as on every day" for line in range(60)]
    lines += [f"{number}:{line} the ferry {number * 31 + line} is late" for line in range(90)]
    lines[110] = f"berth_{number}_code = {number * 7919 % 100_000:05d}"
    return "\n".join(lines)


def works(turns: int, *, thinks: bool = True) -> Any:
    def play(made: Chain, user: Terminal) -> None:
        agent = made.agent(user.repo)
        agent.thinks = thinks
        agent.works("Go", result, turns)
        assert set(agent.statuses) == {200}

    return play


def runs(count: int) -> Answer:
    return answer(think("Look."), call("Bash", command=f"./ferry --quay {count}"))


def bill(upstream: Upstream) -> float:
    used: list[Usage] = [one.usage for one in upstream.exchanges if one.usage is not None]
    return sum(
        READ * one.cache_read + WRITE * one.cache_creation + one.input_tokens for one in used
    )


def size(one: Exchange) -> int:
    return len(json.dumps(one.request.body))


def paged(user: Terminal, policy: str, turns: int = TURNS) -> Upstream:
    """The upstream behind which an agent of this user worked for so many turns."""
    script_ = script(*turns_(*map(runs, range(turns)), answer(say("Done."))))
    with Upstream(script=script_) as upstream:
        made = played(
            user.settings(), upstream.url, lambda made: works(turns + 1)(made, user), policy=policy
        )
        assert made.faults == []
    return upstream


def ledger_of(user: Terminal, session: str = "s-1") -> list[LedgerRecord]:
    store = open_runtime(user.settings()).store
    key = identity.key_of(str(user.repo))
    return list(store.ledger(key, sid(session)))


@pytest.mark.parametrize(
    ("policy", "turns", "why"),
    [
        ("safe", 2, "0 cuts: this policy makes none"),
        ("balanced", 2, "0 cuts: nothing in the last request is old enough"),
    ],
)
def test_a_session_without_cuts_says_why(user: Terminal, policy: str, turns: int, why: str) -> None:
    paged(user, policy, turns)
    for words in (("objects",), ("status",)):
        assert why in " ".join(user.wm(*words).out.split()), words


def test_a_long_session_is_cheaper_and_nothing_of_it_is_lost(user: Terminal) -> None:
    plain, managed = paged(user, ""), paged(user, "balanced")
    assert [one.refused for one in managed.exchanges if one.refused] == []
    assert bill(managed) < 0.6 * bill(plain)
    assert max(map(size, managed.exchanges)) < 0.6 * max(map(size, plain.exchanges))
    records = ledger_of(user)
    state = folded(records).whole
    assert state.requests == len(managed.exchanges)
    assert state.unproven == {}
    unreported = [one.request for one in records if one.kind == "sent" and one.reported is None]
    assert unreported == [], "the next request came at once, and no record left without figures"
    assert state.cuts > 0
    assert state.saved > state.spent
    removed = {d.block for d in state.in_force.values()}
    assert len(removed) >= TURNS // 2
    found = user.wm("objects", "--all", "--json").json
    assert len(found["objects"]) == TURNS
    gone = [one for one in found["objects"] if one.get("fidelity", 0) >= 3]
    assert len(gone) >= TURNS // 2
    for one in gone[::5]:
        text = user.wm("objects", "show", one["id"], "--json").json["text"]
        number = int(text.split("--quay ")[1].split('"')[0])
        assert result(number) in text
        asked = {"name": "memory_restore", "arguments": {"id": one["id"]}, "session": "s-1"}
        assert result(number) in call_tool(user, asked)["text"]
    call_tool(user, asked)
    asked = {"name": "memory_query", "arguments": {"query": "berth_7_code", "scope": "context"}}
    assert "berth_7_code = 55433" in call_tool(user, asked)["text"]
    assert folded(ledger_of(user)).whole.restored == len(gone[::5]) + 1
    name = gone[0]["id"]
    validate_printed("objects show", user.wm("objects", "show", name[:9], "--json").json)
    assert user.wm("show", name).out == user.wm("objects", "show", name).out
    why = user.wm("objects", "why", name)
    assert "level 3" in why.out or "level 4" in why.out
    check_restored_file(user, name)
    check_budget_lines(user, state)
    check_requests(user)
    asked = ("objects", "purge", "--session", "s-1")
    validate_printed("objects purge", user.wm(*asked, "--dry-run", "--json").json)
    assert user.wm(*asked).out == f"{TURNS} steps of 1 session deleted.\n"
    gone_now = user.wm("objects", "show", name)
    assert (gone_now.code, "Read the file" in gone_now.sentences) == (1, False)
    assert "purged" in gone_now.sentences


def check_restored_file(user: Terminal, name: str) -> None:
    target = user.repo / "back.txt"
    done = user.wm("objects", "restore", name, str(target), "--json")
    validate_printed("objects restore", done.json)
    assert target.read_text(encoding="utf-8") == done.json["text"]
    again = user.wm("objects", "restore", name, str(target))
    assert (again.code, "already exists" in again.sentences) == (1, True)
    wrong = user.wm("objects", "show", "nonsense")
    assert (wrong.code, "is not the id of a step" in wrong.sentences) == (1, True)


def check_budget_lines(user: Terminal, state: LedgerState) -> None:
    """`wm status` and the status line say the same of the bill, as the ledger has it."""
    needed = folded(ledger_of(user)).whole.restored
    line = f"saved {dollars(state.saved)}, spent {dollars(state.spent)}, {needed} needed again, "
    line += f"{state.misses} cache misses"
    shown = " ".join(user.wm("status").out.split())
    assert line in shown
    assert "1 step needed again repeatedly" in shown
    assert status_line(user, "s-1").endswith(f" · {line}")


def status_line(user: Terminal, session: str) -> str:
    with Client(user.settings()) as client:
        payload = {"session_id": session, "cwd": str(user.repo)}
        return str(client.call("statusline", {"payload": payload}))


def check_requests(user: Terminal) -> None:
    """Each request of the session, as predicted and as the service counted it."""
    asked = ("objects", "--session", "s-1")
    listed = user.wm(*asked, "--json").json
    validate_printed("objects list", listed)
    sent = [one for one in ledger_of(user) if one.kind == "sent"]
    assert [one["request"] for one in listed["requests"]] == [one.request for one in sent]
    assert listed["requests"][-1]["reported"] == dump(sent[-1])["reported"]
    assert "requests" not in user.wm("objects", "--json").json
    rows = [line.split() for line in user.wm(*asked, "--all").out.splitlines() if " % " in line]
    assert len(rows) == len(sent)
    for row, one in zip(rows, sent, strict=True):
        assert one.predicted is not None
        assert one.reported is not None
        assert [row[5], row[8]] == [short(one.predicted.tokens), short(one.reported.tokens)]


def call_tool(user: Terminal, asked: dict[str, Any]) -> dict[str, Any]:
    with Client(user.settings()) as client:
        answer: dict[str, Any] = client.call("call_tool", {"directory": str(user.repo), **asked})
    return answer


def test_a_killed_proxy_continues_where_it_was(user: Terminal) -> None:
    """One agent, and for each part of its session another proxy, as after kill -9."""
    parts, each = 6, 10
    said: list[dict[str, Any]] = []

    def play(made: Chain) -> None:
        agent = made.agent(user.repo)
        agent.thinks = True
        agent.messages = said
        if not said:
            agent.tell("Go")
        agent.goes_on(result, each, first=len(said) // 2)
        assert set(agent.statuses) == {200}

    script_ = script(*turns_(*map(runs, range(parts * each)), answer(say("Done."))))
    with Upstream(script=script_) as upstream:
        for _ in range(parts):
            played(user.settings(), upstream.url, play, policy="balanced", killed=True)
    assert [one.refused for one in upstream.exchanges if one.refused] == []
    reads = [one.usage.cache_read for one in upstream.exchanges if one.usage]
    shrunk = sum(after < before for before, after in pairwise(reads))
    records = ledger_of(user)
    cuts = sum(any(d.reason == "cut" for d in one.decisions) for one in records)
    assert 0 < shrunk <= cuts
    assert folded(records).whole.in_force


def test_the_proxy_of_the_examples_pages_through_the_socket(user: Terminal) -> None:
    turns = 40
    port = free_port()
    script_ = script(*turns_(*map(runs, range(turns)), answer(say("Done."))))
    example = ROOT / "examples/paging_proxy.py"
    assert len(code_lines(example)) <= 30
    user.wm("objects", "policy", "balanced")
    with Upstream(script=script_) as upstream:
        words = (sys.executable, str(example), upstream.url, str(port))
        env = {**os.environ, **user.env}
        with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True) as proxy:
            try:
                wait_for(port)
                agent = Agent(f"http://127.0.0.1:{port}", user.repo, "s-2", thinks=True)
                agent.works("Go", result, turns + 1)
            finally:
                proxy.terminate()
            assert proxy.stderr is not None
            messages = [line.partition(" wm: ")[2] for line in proxy.stderr if " wm: " in line]
        assert len(messages) == 1
        assert messages[0].startswith(
            "the steps of sessions are kept, without secrets, for 30 days in"
        )
        assert set(agent.statuses) == {200}
    assert [one.refused for one in upstream.exchanges if one.refused] == []
    records = ledger_of(user, "s-2")
    state = folded(records).whole
    assert (state.requests, state.unproven) == (turns + 1, {})
    assert state.saved > state.spent
    assert state.misses == 0
    assert sum(one.kind == "sent" and one.reported is not None for one in records) == turns + 1
    said = status_line(user, "s-2").rpartition(" · ")[2]
    assert said.startswith(f"saved {dollars(state.saved)}, spent {dollars(state.spent)}, ")
    assert f"{turns + 1} requests · {said} · " in " ".join(user.wm("status").out.split())
    (found,) = user.wm("status", "--json").json["conversations"]
    assert (found["model"], found["sessionId"]) == (MODEL, sid("s-2"))
    last = records[-1].reported
    assert last is not None
    assert found["tokens"] == last.read + last.written


def code_lines(path: Path) -> list[str]:
    """Its lines without the docstring and blank ones."""
    _, _, code = path.read_text("utf-8").split('"""')
    return list(filter(str.strip, code.splitlines()))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.01)
    raise AssertionError("the proxy does not listen")


def test_wide_figures_of_a_table_stay_apart(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "sent", "read"), (6, 6, 6), [("a", "127.3k  98 %", "127.3k 100 %")])
    assert "a      127.3k  98 % 127.3k 100 %" in capsys.readouterr().out
