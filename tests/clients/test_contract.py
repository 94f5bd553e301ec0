"""The session contract with real agents: compactions counted, the handoff given (CT-2, CT-3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.agents import BOTH, CLAUDE, OPENCODE, Agent, summary
from tests.clients.harness import Machine
from tests.clients.scripts import answer, is_summary, say, script, think, turns
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

GOAL = "Warn the harbour before the gate closes."


@pytest.fixture
def wm(machine: Machine, wm: Wired) -> Wired:
    """In a project with a contract."""
    machine.tool("wm", "state", "init", GOAL)
    return wm


def contract(machine: Machine) -> Path:
    return machine.repo / "state" / "session-state.json"


@pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)
def test_each_compaction_of_an_agent_is_counted_and_changes_nothing_else(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    machine.tool("wm", "state", "set", "legal_reviews", "--append", "Licence: approved.")
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), agent.shell("echo one")),
            agent.compacts(),
            answer(say("Looked.")),
            answer(agent.shell("echo two")),
            agent.compacts(),
            answer(say("Done.")),
        ),
        *turns(summary("Looked around."), summary("Looked again."), when=is_summary),
    )
    before = contract(machine).read_text("utf-8")
    first = agent.run(machine, "Look around.")
    once = contract(machine).read_text("utf-8")
    second = agent.run(machine, "Again.", session=first.session)
    twice = contract(machine).read_text("utf-8")
    assert (first.code, second.code) == (0, 0), second.out + second.err
    count = '"compaction_count": {}'
    assert once == before.replace(count.format(0), count.format(1))
    assert twice == before.replace(count.format(0), count.format(2))
    assert wm.ask("state", "validate")["valid"]


@pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)
def test_a_broken_contract_is_not_changed_by_a_compaction_and_named_by_status(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    broken = contract(machine).read_text("utf-8").replace(GOAL, "")
    contract(machine).write_text(broken, "utf-8")
    machine.upstream.script = script(
        *turns(agent.compacts(), answer(say("Done."))),
        *turns(summary("Looked around."), when=is_summary),
    )
    assert agent.run(machine, "Look around.").code == 0
    assert contract(machine).read_text("utf-8") == broken
    assert wm.ask("status")["contract"] == "faults"
    exported = json.loads(machine.tool("wm", "export"))
    assert "contract_left_alone" in [record["type"] for record in exported["evidence"]]


@pytest.mark.parametrize(("first", "second"), [(CLAUDE, OPENCODE), (OPENCODE, CLAUDE)])
def test_the_handoff_is_in_the_first_request_of_the_next_session_on_request(
    machine: Machine, wm: Wired, first: Agent, second: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Change."), first.look(machine, "calc.py")),
            answer(first.change(machine, "calc.py", "return a - b", "return a + b")),
            answer(say("Mended.")),
            answer(think("So."), say("I go on.")),
            answer(say("Nothing.")),
        )
    )
    worked = first.run(machine, "Mend calc.py.")
    machine.tool("wm", "handoff", "--inject-next")
    page = (machine.repo / "handoff" / "latest.md").read_text("utf-8")
    assert "Active file: calc.py" in page
    went_on = second.run(machine, "Go on.")
    later = second.run(machine, "What now?")
    assert (worked.code, went_on.code, later.code) == (0, 0, 0), went_on.out + went_on.err

    def first_request(session: str) -> str:
        request = machine.upstream.of_kind("main", session)[0].request
        return json.dumps([request.body], ensure_ascii=False)

    assert "<wm-handoff>" not in first_request(worked.session)
    given = first_request(went_on.session)
    assert "<wm-handoff>" in given
    for part in (GOAL, "Active file: calc.py", "Compactions in this project: 0"):
        assert part in given
    assert "<wm-handoff>" not in first_request(later.session)
    assert (machine.upstream.refused, machine.upstream.dropped) == ([], [])
