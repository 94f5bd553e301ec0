"""Lasting memory, end to end: two real agents, one machine, one repository."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.clients.accounting import chain, units
from tests.clients.agents import BOTH, CLAUDE, OPENCODE, Agent, summary
from tests.clients.harness import Machine, Run
from tests.clients.screen import run_claude_screen
from tests.clients.scripts import (
    Answer,
    Rule,
    answer,
    is_subagent,
    is_summary,
    say,
    script,
    think,
    turns,
)
from tests.clients.upstream import Exchange
from tests.clients.wired import (
    SNAPSHOT_HEADING,
    Talk,
    Wired,
    babble,
    hang,
    impostor,
    memory_blocks,
    wrong_json,
)

pytestmark = pytest.mark.clients

ASK_TO_KEEP = "Please remember that we deploy with `make ship`."
FACT = "make ship"
TEST = "python3 -m pytest -q -p no:cacheprovider test_calc.py"
# What a broken wm may add to one run of an agent, all its waits together.
BROKEN_EXTRA_SECONDS = 10.0


def by_name(agent: Agent) -> str:
    return agent.name


def finished(*runs: Run) -> None:
    for run in runs:
        assert run.code == 0, run.out + run.err


def nothing_refused_or_dropped(machine: Machine) -> None:
    upstream = machine.upstream
    assert (upstream.refused, upstream.dropped, upstream.faults) == ([], [], [])


def mains(machine: Machine, session: str) -> list[Exchange]:
    return machine.upstream.of_kind("main", session)


def epochs(machine: Machine, session: str) -> list[list[Exchange]]:
    """The main requests of a session, split where a summary was written."""
    parts: list[list[Exchange]] = [[]]
    for x in machine.upstream.exchanges:
        if x.request.session == session and x.kind == "summary":
            parts.append([])
        elif x.request.session == session and x.kind == "main":
            parts[-1].append(x)
    return [part for part in parts if part]


def prefix_only_grows(machine: Machine, session: str) -> None:
    """Through an epoch the system prompt is the same bytes, and each request begins like the last.

    Checked besides what the upstream refuses: a changed prefix is wrong also before any thinking.
    """
    for epoch in epochs(machine, session):
        assert len({x.request.system_bytes for x in epoch}) == 1
        rows = [chain(units({**(x.request.body or {}), "system": []})) for x in epoch]
        for before, after in pairwise(rows):
            assert after[: len(before)] == before
        usages = [x.usage for x in epoch if x.usage is not None]
        for earlier, later in pairwise(usages):
            assert later.cache_read >= earlier.cache_read + earlier.cache_creation


def summaries() -> list[Rule]:
    return turns(
        summary("The user asked for help with calc.py."),
        summary("The user asked to mend calc.py, which is done."),
        when=is_summary,
    )


@pytest.mark.parametrize(("first", "second"), [(CLAUDE, OPENCODE), (OPENCODE, CLAUDE)], ids=by_name)
def test_a_request_to_one_agent_is_known_to_the_other_at_once(
    machine: Machine, wm: Wired, first: Agent, second: Agent
) -> None:
    machine.upstream.script = script(
        *turns(answer(think("Noted."), say("I will.")), answer(think("Known."), say("make ship.")))
    )
    stated = first.run(machine, ASK_TO_KEEP)
    asked = second.run(machine, "How do we deploy?")
    finished(stated, asked)
    blocks = memory_blocks(mains(machine, asked.session)[0].request)
    assert len(blocks) == 1
    assert FACT in blocks[0]
    assert [FACT in text for text in wm.texts()] == [True]
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_session_keeps_its_prefix_through_tools_and_across_restarts(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    machine.upstream.script = script(
        *turns(
            answer(think("Read."), agent.look(machine, "calc.py")),
            answer(think("Try."), agent.shell("python3 check.py"), agent.shell("echo two")),
            answer(think("So."), say("It subtracts.")),
            answer(think("New."), agent.shell("echo three")),
            answer(think("Kept."), say("Noted.")),
            answer(think("Well."), say("Still.")),
        )
    )
    first = agent.run(machine, "Why does the check fail?")
    # A newer fact waits for the next epoch.
    second = agent.run(machine, "Remember that the releases are on Fridays.", session=first.session)
    wm.kill()
    third = agent.run(machine, "Are you sure?", session=first.session)
    finished(first, second, third)
    assert len(mains(machine, first.session)) == 6
    assert FACT in memory_blocks(mains(machine, first.session)[0].request)[0]
    assert any("Fridays" in text for text in wm.texts())
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_failing_test_is_an_open_error_after_compaction_until_the_fix(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Try."), agent.shell(TEST)),
            agent.compacts(),
            answer(say("It fails.")),
            answer(agent.change(machine, "calc.py", "return a - b", "return a + b")),
            answer(agent.shell(TEST)),
            agent.compacts(),
            answer(say("It passes.")),
        ),
        *summaries(),
    )
    first = agent.run(machine, "Run the tests.")
    second = agent.run(machine, "Fix it.", session=first.session)
    finished(first, second)
    before, failing, fixed = epochs(machine, first.session)
    assert snapshots(before[0]) == []
    assert "[test]" in snapshots(failing[0])[0]
    assert "test_calc" in snapshots(failing[0])[0]
    assert all("[test]" not in text for text in snapshots(fixed[0]))
    assert "[test]" not in wm.hot(first.session)
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


def snapshots(exchange: Exchange) -> list[str]:
    """The newest snapshot a request shows; Claude Code keeps no older one behind a summary."""
    texts = [text for text in memory_blocks(exchange.request) if SNAPSHOT_HEADING in text]
    return texts[-1:]


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_daemon_killed_mid_session_loses_neither_turn_nor_memory(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    other = CLAUDE if agent is OPENCODE else OPENCODE
    killing = Answer((think("Try."), agent.shell("echo first")), before=wm.kill)
    machine.upstream.script = script(
        *turns(
            killing,
            answer(think("Test."), agent.shell(TEST)),
            answer(think("So."), say("It fails.")),
            answer(think("Known."), say("make ship.")),
        )
    )
    stated = agent.run(machine, ASK_TO_KEEP)
    assert wm.pid() is None
    assert "[test]" in wm.hot(stated.session)
    asked = other.run(machine, "How do we deploy?")
    finished(stated, asked)
    assert wm.pid() is not None
    assert FACT in memory_blocks(mains(machine, asked.session)[0].request)[0]
    prefix_only_grows(machine, stated.session)
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_fix_made_after_the_daemon_was_killed_still_clears_the_open_error(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    killing = Answer(
        (agent.change(machine, "calc.py", "return a - b", "return a + b"),), before=wm.kill
    )
    machine.upstream.script = script(
        *turns(
            answer(think("Try."), agent.shell(TEST)),
            killing,
            answer(think("Again."), agent.shell(TEST)),
            answer(think("So."), say("It passes.")),
        )
    )
    done = agent.run(machine, "Mend the test.")
    finished(done)
    assert wm.pid() is None
    assert "calc.py" in wm.hot(done.session)
    assert "[test]" not in wm.hot(done.session)
    prefix_only_grows(machine, done.session)
    nothing_refused_or_dropped(machine)


def test_a_request_to_claude_while_the_daemon_is_down_is_stored(
    machine: Machine, wm: Wired
) -> None:
    """One process, two prompts: nothing starts the daemon between them."""
    machine.upstream.script = script(
        *turns(Answer((say("Hello."),), before=wm.kill), answer(say("I will.")))
    )
    upstream = machine.upstream
    run_claude_screen(
        machine,
        ("Hello there!", lambda: len(upstream.of_kind("main")) == 1),
        (ASK_TO_KEEP, lambda: len(upstream.of_kind("main")) == 2),
    )
    assert wm.pid() is None
    assert [FACT in text for text in wm.texts()] == [True]
    nothing_refused_or_dropped(machine)


def test_opencode_gives_its_side_calls_and_subagents_no_memory(machine: Machine, wm: Wired) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    machine.upstream.script = script(
        *turns(answer(OPENCODE.delegate()), OPENCODE.compacts(), answer(say("Done."))),
        *turns(answer(OPENCODE.look(machine, "calc.py")), answer(say("Seen.")), when=is_subagent),
        *summaries(),
    )
    done = OPENCODE.run(machine, "Look around.")
    finished(done)
    assert all(FACT in x.request.text for x in mains(machine, done.session))
    for kind, count in (("title", 1), ("subagent", 2)):
        found = machine.upstream.of_kind(kind)
        assert [FACT in x.request.text for x in found] == [False] * count
    assert [memory_blocks(x.request) for x in machine.upstream.of_kind("summary")] == [[]]
    assert FACT not in str(machine.upstream.of_kind("summary")[0].request.system)
    nothing_refused_or_dropped(machine)


def test_claude_gives_no_memory_to_subagents_and_none_new_to_the_summary(
    machine: Machine, wm: Wired
) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    machine.upstream.script = script(
        *turns(answer(CLAUDE.delegate()), CLAUDE.compacts(), answer(say("Done."))),
        *turns(answer(CLAUDE.look(machine, "calc.py")), answer(say("Seen.")), when=is_subagent),
        *summaries(),
    )
    done = CLAUDE.run(machine, "Look around.")
    finished(done)
    found = machine.upstream.of_kind("subagent")
    assert [FACT in x.request.text for x in found] == [False, False]
    # The summary call is the conversation itself with one more question.
    asked = machine.upstream.of_kind("summary")[0].request
    assert memory_blocks(asked) == memory_blocks(mains(machine, done.session)[1].request)
    assert len(memory_blocks(asked)) == 1
    nothing_refused_or_dropped(machine)


def test_claudes_title_call_contains_no_memory(machine: Machine, wm: Wired) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    upstream = machine.upstream

    def both_answered() -> bool:
        return bool(upstream.of_kind("title") and upstream.of_kind("main"))

    run_claude_screen(machine, ("Why does the check fail?", both_answered))
    assert [FACT in x.request.text for x in upstream.of_kind("main")] == [True]
    assert [FACT in x.request.text for x in upstream.of_kind("title")] == [False]
    nothing_refused_or_dropped(machine)


def plain_turns(agent: Agent) -> list[Rule]:
    return turns(
        answer(think("Try."), agent.shell("echo one")),
        answer(think("Fail."), agent.shell("exit 3")),
        answer(think("So."), say("Done.")),
    )


def as_if_not_installed(machine: Machine, agent: Agent, bare: Run) -> None:
    """One run behaves like `bare`, the run before wm came, within the bound."""
    machine.upstream.forget_exchanges()
    machine.upstream.script = script(*plain_turns(agent))
    run = agent.run(machine, ASK_TO_KEEP)
    finished(run)
    assert [x.status for x in mains(machine, run.session)] == [200, 200, 200]
    assert [memory_blocks(x.request) for x in mains(machine, run.session)] == [[], [], []]
    # Twice, because the machine may be busier now than it was before.
    assert run.seconds <= 2 * bare.seconds + BROKEN_EXTRA_SECONDS
    nothing_refused_or_dropped(machine)


@pytest.fixture
def bare_runs(machine: Machine) -> dict[str, Run]:
    """How long each agent takes before wm is there; must be asked for before `wm`."""
    runs = {}
    for agent in BOTH:
        machine.upstream.script = script(*plain_turns(agent))
        runs[agent.name] = agent.run(machine, "Warm up.")
        finished(runs[agent.name])
    return runs


def test_agents_continue_after_wm_is_removed_without_unsetup(
    machine: Machine, bare_runs: dict[str, Run], wm: Wired
) -> None:
    wm.take_away()
    for agent in BOTH:
        as_if_not_installed(machine, agent, bare_runs[agent.name])


@pytest.mark.parametrize("talk", [hang, babble, wrong_json])
def test_agents_continue_if_another_program_owns_the_socket(
    machine: Machine, bare_runs: dict[str, Run], wm: Wired, talk: Talk
) -> None:
    wm.take_away()
    with impostor(wm.socket, talk):
        for agent in BOTH:
            as_if_not_installed(machine, agent, bare_runs[agent.name])
