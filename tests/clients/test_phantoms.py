"""Both real clients without our tools: the model finds and restores what it had, through the proxy.

The upstream binds thinking to its prefix, so each request must have the exchanges that the client
never saw, where they happened; each run has a proxy of its own.
"""

from __future__ import annotations

import re

import pytest

from tests.clients.agents import BOTH, CLAUDE, Agent
from tests.clients.harness import MODEL, Machine, Run
from tests.clients.scripts import Answer, Request, answer, call, say, script, think, turns
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

NAMES = {"memory_query", "memory_restore", "memory_release"}
CONFIG = "[proxy]\nphantom_tools = true\n"
REPORT = "for n in range(40): print(f'berth {n} of the quay is kept by crew {n * 7919 % 1009}')\n"


def works(machine: Machine, agent: Agent, words: str, session: str = "") -> Run:
    """A run of the client, without anything of ours in its configuration."""
    clients, resumed = machine.clients, [session] if session else []
    if agent is CLAUDE:
        line = [str(clients.claude), "-p", "--output-format", "json", "--allowedTools", "Bash"]
        line += ["--model", MODEL, *(part for name in resumed for part in ("--resume", name))]
    else:
        line = [str(clients.opencode), "run", "--format", "json"]
        line += [part for name in resumed for part in ("--session", name)]
    run = ["wm", "run", "--quiet", "--policy", "balanced", "--", *line, words]
    return machine.run(agent.name, run, 120.0)


@pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)
def test_a_query_and_a_restore(machine: Machine, agent: Agent) -> None:
    file = machine.home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CONFIG)
    Wired(machine).installed()
    (machine.repo / "report.py").write_text(REPORT)

    def restores(request: Request) -> Answer:
        found = re.findall(r"o_[0-9a-f]{12}", request.tool_results[-1])
        assert found, request.tool_results[-1]
        return answer(think("All."), call("memory_restore", id=found[0]), agent.shell("echo both"))

    report = agent.shell("python3 report.py")
    asks = answer(think("Who?"), call("memory_query", query="berth 17 crew", scope="context"))
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), report),
            *(answer(think(f"Run {n}."), agent.shell(f"echo {n}")) for n in range(4)),
            asks,
            restores,
            answer(think("Enough."), say("Crew 426 keeps it.")),
            answer(think("Again."), agent.shell("echo three")),
            asks,
            answer(think("Well."), say("Still crew 426.")),
        )
    )
    first = works(machine, agent, "Who keeps berth 17?")
    second = works(machine, agent, "And now?", session=first.session)
    for run in (first, second):
        assert run.code == 0, run.out + run.err
        assert not any(name in run.out for name in NAMES)
    assert "Still crew 426." in second.out
    upstream = machine.upstream
    assert (upstream.refused, upstream.dropped, upstream.faults) == ([], [], [])
    assert upstream.script.unused == []
    main = [one.request for one in upstream.of_kind("main")]
    assert all(set(one.tools) > NAMES for one in main)
    results = main[-1].tool_results
    assert sum("berth 17 of the quay is kept by crew 426" in one for one in results) == 4


def test_where_our_mcp_server_is_wired_none_is_offered(machine: Machine) -> None:
    """Claude Code names its tools in a text and loads them on demand."""
    file = machine.home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CONFIG)
    Wired(machine).setup()
    machine.upstream.script = script(*turns(answer(think("So."), say("Done."))))
    done = works(machine, CLAUDE, "Go.")
    assert done.code == 0, done.out + done.err
    main = [one.request for one in machine.upstream.of_kind("main")]
    assert "mcp__wm__memory_query" in main[0].text
    assert all(NAMES.isdisjoint(one.tools) for one in main)
