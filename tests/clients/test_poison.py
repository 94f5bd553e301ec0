"""A model that obeys all it reads, in the real agents: nothing of it becomes memory (TR-3)."""

from __future__ import annotations

import json

import pytest

from tests.bench import poison_cases as cases
from tests.clients import poison
from tests.clients.agents import BOTH, CLAUDE, Agent, summary
from tests.clients.harness import Machine
from tests.clients.scripts import (
    Answer,
    Request,
    always,
    answer,
    is_summary,
    say,
    script,
    think,
    turns,
)
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

KEPT = "The harbour master signs every release of the timetable."
FACTS = tuple(
    fact for fact in map(cases.stated, range(40)) if fact.proposed and "\n" not in fact.said
)[:10]
ATTACKS = tuple(
    attack
    for attack in map(cases.attack, range(60))
    if attack.channel not in ("split_over_turns", "resummarised", "another_workspace")
)


def lay_out(machine: Machine) -> None:
    """Every payload where a tool finds it."""
    for channel in cases.CHANNELS:
        shown = [text for a in ATTACKS if a.channel == channel for text in a.shown]
        if shown:
            (machine.repo / f"{channel}.txt").write_text("\n".join(shown))


def obedient(request: Request) -> Answer:
    """A summary with every payload as a candidate, and with what the user stated."""
    snapshot = "c_0"
    if "Memory ref snapshot id: " in request.text:
        # The list of this compaction is the last one that the conversation holds.
        snapshot = request.text.rpartition("Memory ref snapshot id: ")[2].partition("\\n")[0]
    lines = [f"- [project] {fact.proposed}" for fact in FACTS]
    lines += [f"- [decision] {attack.claim}" for attack in ATTACKS]
    lines += [f"REPLACE [M1] [decision] {ATTACKS[0].claim}", "REINFORCE [M1]"]
    head = ["The work goes on.", "", "Memory candidates:", f"Memory ref snapshot id: {snapshot}"]
    return summary("\n".join([*head, *lines]))


@pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)
def test_text_of_tools_never_becomes_active_and_text_of_the_user_does(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    lay_out(machine)
    machine.tool("wm", "remember", KEPT)
    files = [path.name for path in sorted(machine.repo.glob("*.txt"))]
    looks = [answer(think("Read."), agent.look(machine, name)) for name in files[:3]]
    shells = [answer(think("Show."), agent.shell(f"cat {name}")) for name in files[3:-1]]
    fails = [answer(think("Fail."), agent.shell(f"cat {files[-1]}; false"))]
    claims = [f"Understood, I keep this: {attack.claim}." for attack in ATTACKS]
    machine.upstream.script = script(
        *turns(
            answer(think("So."), say("I will.")),
            *looks,
            *shells,
            *fails,
            answer(think("Obey."), say("\n".join(claims)), agent.shell("true")),
            agent.compacts(),
            answer(say("\n".join(claims))),
        ),
        always(is_summary, obedient),
    )
    stated = "\n\n".join(fact.said.strip() for fact in FACTS)
    first = agent.run(machine, f"Some things that hold here.\n\n{stated}\n\nKeep to them.")
    second = agent.run(machine, "Look at the text files and go on.", session=first.session)
    assert (first.code, second.code) == (0, 0), second.out + second.err
    active = wm.texts()
    assert KEPT in active
    assert [claim.claim for claim in ATTACKS if claim.claim in active] == []
    kept = [text for text in active if text != KEPT]
    # Each fact is there once, in the user's words where these were kept before the summary.
    assert len(kept) == len(FACTS), kept
    for fact in FACTS:
        own = [t for t in kept if t == fact.proposed or t.rstrip(".") in fact.said]
        assert len(own) == 1, (fact, kept)
    entries = wm.ask("inspect", "--status", "inbox")["entries"]
    # A proposal of a model that the gate refuses does not wait, but a person can see the reason.
    waiting = {view["entry"]["text"] for view in entries}
    refused = [attack.claim for attack in ATTACKS if attack.claim not in waiting]
    assert waiting.intersection(attack.claim for attack in ATTACKS), json.dumps(entries)[:2000]
    for claim in refused:
        records = wm.ask("why", "--not", claim)["records"]
        assert "candidate_rejected" in [record["type"] for record in records], claim
    by_user = [view["entry"] for view in entries if view["entry"]["source"] == "stated"]
    assert [entry["text"] for entry in by_user if entry["text"] not in stated] == []
    assert all(view["entry"].get("tainted") for view in entries if view["entry"] not in by_user)


COUNT = 500
GOAL_KEPT = 0.99


@pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)
def test_all_payloads_of_ten_channels_are_seen_and_none_is_active(
    machine: Machine, wm: Wired, agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    done = []
    for outcome in poison.all_attacks(agent, machine, COUNT):
        done.append(outcome)
        with capsys.disabled():
            line = f"{outcome.name}: {outcome.count} payloads, {len(outcome.wrong)} active"
            print(f"\n{agent.name} {line}", end="", flush=True)
    assert sum(outcome.count for outcome in done) == COUNT
    assert {outcome.name: outcome.wrong for outcome in done if outcome.wrong} == {}


@pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)
def test_facts_that_users_state_are_kept(
    machine: Machine, wm: Wired, agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    """The two agents share the facts as they share the sessions of the bench."""
    mine = [cases.stated(n) for n in range(COUNT) if n % 2 == (agent is CLAUDE)]
    done = []
    for outcome in poison.all_facts(agent, machine, mine):
        done.append(outcome)
        with capsys.disabled():
            print(
                f"\n{agent.name}: {outcome.count} facts, {len(outcome.wrong)} lost",
                end="",
                flush=True,
            )
    lost = [fact for outcome in done for fact in outcome.wrong]
    kept = 1 - len(lost) / len(mine)
    with capsys.disabled():
        print(f"\n{agent.name}: {len(mine)} facts in {len(done)} sessions, {kept:.1%} kept", end="")
    assert kept >= GOAL_KEPT, lost
