"""A session's own memory in the real agents: core blocks, slots and pool (CB-1…5)."""

from __future__ import annotations

import pytest

from tests.clients.agents import BOTH, CLAUDE, OPENCODE, Agent
from tests.clients.harness import Machine, Run
from tests.clients.scripts import Block, Request, answer, call, say, script, think, turns
from tests.clients.test_memory import (
    TEST,
    by_name,
    epochs,
    finished,
    mains,
    nothing_refused_or_dropped,
    prefix_only_grows,
    summaries,
)
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

GOAL = "Make calc.py subtract nothing any more."
NOTE = "The check prints one line per case."
PREFIX = {"claude": "mcp__wm__", "opencode": ""}


def tool(agent: Agent, name: str, **arguments: str) -> Block:
    return call(PREFIX[agent.name] + name, **arguments)


def note_goal(agent: Agent) -> Block:
    return tool(agent, "core_memory_update", block="goal", content=GOAL, operation="replace")


def run(machine: Machine, agent: Agent, prompt: str, session: str | None = None) -> Run:
    if agent is OPENCODE:
        return machine.run_opencode(prompt, session=session)
    names = ("core_memory_update", "core_memory_read", "working_memory_add")
    ours = ",".join(PREFIX["claude"] + name for name in names)
    return machine.run_claude(prompt, session=session, tools=f"Bash,Read,Edit,{ours}")


def newest_block(request: Request, tag: str) -> str:
    """The newest block of this name that a request carries, "" for none."""
    text = request.text.replace("\\n", "\n").replace('\\"', '"')
    _before, opens, rest = text.rpartition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0] if opens else ""


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_blocks_and_a_failing_build_survive_a_compaction(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Note."), note_goal(agent)),
            answer(think("Keep."), tool(agent, "working_memory_add", text=NOTE, slot="")),
            answer(think("Try."), agent.shell(TEST)),
            agent.compacts(),
            answer(tool(agent, "core_memory_read")),
            answer(say("It fails.")),
        ),
        *summaries(),
    )
    done = run(machine, agent, "Run the tests.")
    finished(done)
    before, after = epochs(machine, done.session)
    assert [newest_block(x.request, "core_memory") for x in before] == [""] * len(before)
    assert "goal has 39 of 1000 characters now." in before[1].request.tool_results[0]
    core = newest_block(after[0].request, "core_memory")
    assert f'<goal chars="39/1000">\n{GOAL}\n</goal>' in core
    working = newest_block(after[0].request, "working_memory")
    assert "Errors:\n- " in working
    assert "test_calc" in working
    assert f"Notes:\n- {NOTE}" in working
    assert " items shown)" in working
    assert GOAL in after[-1].request.tool_results[-1]
    # The session of a headless run is over: slots and pool went with it, the blocks stay.
    shown = wm.ask("session", "show", done.session)
    assert (GOAL in shown["core"], shown["working"]) == (True, "")
    prefix_only_grows(machine, done.session)
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_users_change_is_appended_and_the_prefix_is_unchanged(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Hm."), agent.shell("echo one")),
            answer(think("So."), say("Hello.")),
            answer(think("Yes."), agent.shell("echo two")),
            answer(think("Well."), say("Done.")),
        )
    )
    first = run(machine, agent, "Hello there!")
    machine.tool("wm", "session", "core", "set", "goal", GOAL)
    second = run(machine, agent, "Go on.", session=first.session)
    finished(first, second)
    has_goal = [GOAL in x.request.text for x in mains(machine, first.session)]
    assert has_goal == [False, False, True, True]
    assert mains(machine, first.session)[-1].request.text.count("The user changed your core") == 1
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize(("first", "second"), [(CLAUDE, OPENCODE), (OPENCODE, CLAUDE)], ids=by_name)
def test_the_next_session_continues_with_the_blocks_on_request(
    machine: Machine, wm: Wired, first: Agent, second: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(note_goal(first)),
            answer(say("Noted.")),
            answer(say("Going on.")),
            answer(say("Something else.")),
        )
    )
    noted = run(machine, first, "Note the goal.")
    machine.tool("wm", "session", "continue")
    following = run(machine, second, "Go on.")
    another = run(machine, second, "Hello there!")
    finished(noted, following, another)
    asked = [mains(machine, one.session)[0].request for one in (following, another)]
    assert [GOAL in newest_block(request, "core_memory") for request in asked] == [True, False]
    nothing_refused_or_dropped(machine)
