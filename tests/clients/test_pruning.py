"""Long tool output reaches both real agents' models cut, and comes back by its handle (PR-1..3)."""

from __future__ import annotations

import re

import pytest

from tests.clients.agents import BOTH, CLAUDE, Agent
from tests.clients.harness import Machine, Run
from tests.clients.scripts import Answer, Request, answer, call, say, script, think, turns
from tests.clients.test_memory import (
    by_name,
    finished,
    mains,
    nothing_refused_or_dropped,
    prefix_only_grows,
)
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

FILES = 2000
HANDLE = re.compile(r"memory_restore (t_[0-9a-f]{20})")


@pytest.fixture
def config() -> str:
    """What is tested is what reaches the model, not how fast: a busy machine may take its time."""
    return "[hooks]\nevent_timeout_s = 15\n"


def many_files(machine: Machine) -> None:
    for number in range(FILES):
        folder = machine.repo / "bays" / f"pier{number % 20:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}.c").touch()


def ask(agent: Agent, machine: Machine, prompt: str, session: str = "") -> Run:
    """Claude Code needs to be allowed the tool of its MCP server."""
    if agent is CLAUDE:
        tools = "Bash,mcp__wm__memory_restore"
        return machine.run_claude(prompt, tools=tools, session=session)
    return agent.run(machine, prompt, session=session)


def handle_in(request: Request) -> str:
    found = HANDLE.search(request.tool_results[-1])
    assert found is not None, request.tool_results[-1][:2000]
    return found.group(1)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_listing_of_two_thousand_lines_is_pruned_and_can_be_restored(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    many_files(machine)
    tool = "mcp__wm__memory_restore" if agent is CLAUDE else "memory_restore"
    asked: list[str] = []

    def restore(request: Request) -> Answer:
        asked.append(handle_in(request))
        return answer(think("More."), call(tool, id=asked[0], lines="900:1100"))

    machine.upstream.script = script(
        *turns(
            answer(think("List."), agent.shell("ls -R bays")),
            restore,
            answer(think("So."), say("There are many.")),
            answer(think("Again."), say("Still many.")),
        )
    )
    run = ask(agent, machine, "What is there?")
    again = ask(agent, machine, "And now?", run.session)
    finished(run, again)
    requests = [x.request for x in mains(machine, run.session)]
    listed = requests[1].tool_results[-1]
    assert "names left out" in listed
    assert len(listed.split("\n")) <= 70
    restored = requests[2].tool_results[-1]
    assert restored.count(".c") > 150
    assert "left out" not in restored
    # The client keeps the cut text: later requests have the same bytes.
    assert requests[-1].tool_results[0] == listed
    whole = machine.tool("wm", "output", asked[0])
    # OpenCode hands its hooks the last two thousand lines, and names a file with all of them.
    least = FILES if agent is CLAUDE else FILES - 100
    assert least <= whole.count(".c") <= FILES
    assert "was shortened before the model" in machine.tool("wm", "why", asked[0][:10])
    prefix_only_grows(machine, run.session)
    nothing_refused_or_dropped(machine)
