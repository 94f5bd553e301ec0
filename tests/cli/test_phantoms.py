"""Phantom tools through a real proxy and a real daemon: asked, answered, and never seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_paging import ledger_of, result, runs
from tests.clients.scripts import Answer, Request, answer, call, say, script, think
from tests.clients.scripts import turns as turns_
from tests.clients.upstream import Exchange, Upstream
from tests.docs.schemas import validate_printed
from tests.proxy.scripted import Agent, Chain, played
from wm.domain.paging.ledger import folded
from wm.ops.paging.phantoms import NAMES

TURNS = 40


@pytest.fixture
def user(home_with_daemon: Terminal, tmp_path: Path) -> Terminal:
    return home_with_daemon.at(f"phantom{tmp_path.name}")


def restores(request: Request) -> Answer:
    """Brings back what the passage before named, and works on."""
    found = re.findall(r"o_[0-9a-f]{12}", request.tool_results[-1])
    return answer(
        think("All of it."), call("memory_restore", id=found[0]), call("Bash", command="date")
    )


def seen(agent: Agent) -> str:
    return "".join(map(bytes.decode, agent.got))


def of_messages(one: Exchange) -> list[Any]:
    return list((one.request.body or {})["messages"])


def test_a_model_asks_for_removed_content_and_the_client_sees_nothing_of_it(user: Terminal) -> None:
    asks = answer(
        think("Where was it?"), call("memory_query", query="berth_7_code", scope="context")
    )
    knows = answer(say("It is 55433."), call("Bash", command="ls"))
    script_ = script(
        *turns_(*map(runs, range(TURNS)), asks, knows, asks, restores, *map(runs, range(9)))
    )
    agents: list[Agent] = []
    said: list[dict[str, Any]] = []

    def play(made: Chain, turns: int) -> None:
        agent = made.agent(user.repo)
        agent.thinks, agent.messages = True, said
        if not said:
            agent.tell("Go")
        agent.goes_on(result, turns, first=len(said) // 2)
        agents.append(agent)
        assert made.faults == []

    with Upstream(script=script_) as upstream:
        options = {"policy": "balanced", "killed": True, "offers": True}
        played(user.settings(), upstream.url, lambda made: play(made, TURNS + 2), **options)
        played(user.settings(), upstream.url, lambda made: play(made, 3), **options)
    assert [one.refused for one in upstream.exchanges if one.refused] == []
    assert all(set(agent.statuses) == {200} for agent in agents)
    for agent in agents:
        assert not any(name in seen(agent) for name in NAMES)
    assert all(set(one.request.tools) > NAMES for one in upstream.exchanges)
    before, after = (one.request.text for one in upstream.exchanges[TURNS : TURNS + 2])
    assert "berth_7_code = 55433" not in before
    assert "berth_7_code = 55433" in after
    # The history keeps what the client never saw, over the restart too.
    last = of_messages(upstream.exchanges[-1])
    names = [block.get("name") for m in last for block in m["content"] if isinstance(block, dict)]
    assert [name for name in names if name in NAMES] == [
        *("memory_query", "memory_query", "memory_restore")
    ]
    state = folded(ledger_of(user)).whole
    assert state.phantoms == 3
    assert state.phantom_cost > 0
    assert state.restored == 1
    assert "3 answers of the model used hidden tools" in " ".join(user.wm("status").out.split())
    validate_printed("status", user.wm("status", "--json").json)


def test_a_client_with_our_tools_gets_no_others(user: Terminal) -> None:
    with Upstream(script=script(*turns_(*map(runs, range(3)), answer(say("Done."))))) as upstream:

        def play(made: Chain) -> None:
            agent = made.agent(user.repo)
            agent.tools = [*agent.tools, {**agent.tools[0], "name": "mcp__wm__memory_query"}]
            agent.works("Go", lambda _number: "a few words", 4)

        played(user.settings(), upstream.url, play, policy="safe", offers=True)
    names = [set(one.request.tools) for one in upstream.exchanges]
    assert names == [{"Read", "Bash", "Edit", "mcp__wm__memory_query"}] * 4
