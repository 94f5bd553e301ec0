"""Memory through Codex, Copilot CLI, Gemini CLI and Qwen Code, run against their own APIs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tests.clients.accounting import Block, chain, units
from tests.clients.agents import BOTH, Agent
from tests.clients.harness import Machine, Run
from tests.clients.others import CODEX, COPILOT, OTHERS, QWEN, trust_codex
from tests.clients.scripts import (
    Answer,
    Request,
    Rule,
    always,
    answer,
    call,
    said,
    say,
    script,
    turns,
)
from tests.clients.test_memory import by_name, finished
from tests.clients.wired import (
    MEMORY_HEADING,
    Talk,
    Wired,
    babble,
    hang,
    impostor,
    memory_blocks,
    wrong_json,
)

pytestmark = pytest.mark.clients

SIX = (*BOTH, *OTHERS)
ASK_TO_KEEP = "Please remember that we deploy with `make ship`."
FACT = "make ship"
TEST = f"{sys.executable} -m pytest -q -p no:cacheprovider test_calc.py"
"""By its path: Codex runs a login shell, whose PATH is another."""
FULL_TOKENS = {"codex": 250_000, "copilot": 62_000, "qwen": 190_000}
"""More than the agent's own limit for a conversation."""


@pytest.fixture
def wm(machine: Machine, wm: Wired) -> Wired:
    """The person trusted wm's hooks in Codex, as its terminal asks for, and the daemon runs."""
    trust_codex(machine)
    machine.tool("wm", "up")
    return wm


@pytest.fixture
def config() -> str:
    """What is tested is what reaches the model, not how fast: a busy machine may take its time."""
    return "[hooks]\nevent_timeout_s = 15\n"


def mains(machine: Machine) -> list[Request]:
    """The main requests since the last `forget_exchanges`."""
    return [x.request for x in machine.upstream.of_kind("main")]


def ask(
    machine: Machine,
    agent: Agent,
    prompt: str,
    *answers: Answer,
    session: str = "",
    rules: Sequence[Rule] = (),
) -> Run:
    """One run with a record of its own. rules: of the script, before the answers."""
    machine.upstream.forget_exchanges()
    machine.upstream.script = script(*rules, *turns(*answers))
    run = agent.run(machine, prompt, session=session or None)
    finished(run)
    return run


def is_accepted(machine: Machine) -> None:
    assert (machine.upstream.refused, machine.upstream.faults) == ([], [])


def begins_like(before: Request, after: Request) -> bool:
    """Whether a request begins with the messages of an earlier one, to the byte."""
    old, new = (chain(units({"messages": one.messages})) for one in (before, after))
    return new[: len(old)] == old


@pytest.mark.parametrize("teller", SIX, ids=by_name)
def test_a_fact_given_to_one_agent_is_known_to_every_other_in_a_worktree(
    machine: Machine, wm: Wired, teller: Agent
) -> None:
    ask(machine, teller, ASK_TO_KEEP, answer(say("I will.")))
    assert [FACT in text for text in wm.texts()] == [True]
    wm.kill()
    elsewhere = machine.worktree("wt")
    for agent in SIX:
        if agent is not teller:
            ask(elsewhere, agent, "How do we deploy?", answer(say("make ship.")))
            blocks = memory_blocks(mains(machine)[0])
            assert [FACT in block for block in blocks] == [True], agent.name


@pytest.mark.parametrize("agent", OTHERS, ids=by_name)
def test_memory_and_all_before_it_stay_the_same_bytes_through_a_session(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    first = ask(
        machine,
        agent,
        "Why does the check fail?",
        answer(agent.look(machine, "calc.py")),
        answer(agent.shell("python3 check.py")),
        answer(agent.shell("echo two")),
        answer(say("It subtracts.")),
    )
    requests = mains(machine)
    assert len(requests) == 4
    assert all(begins_like(before, after) for before, after in pairwise(requests))
    assert len({request.system_bytes for request in requests}) == 1
    (block,) = {tuple(memory_blocks(request)) for request in requests}
    assert FACT in block[0]
    # A newer fact waits for the next epoch, also when the session goes on in a new process.
    machine.tool("wm", "remember", "The releases are on Fridays.")
    ask(machine, agent, "Are you sure?", answer(say("Yes.")), session=first.session)
    again = mains(machine)[0]
    assert memory_blocks(again) == list(block)
    assert "Fridays" not in again.text
    is_accepted(machine)


@pytest.mark.parametrize("agent", OTHERS, ids=by_name)
def test_only_the_words_of_the_user_are_learned(machine: Machine, wm: Wired, agent: Agent) -> None:
    machine.tool("wm", "remember", "Remember that the berth is free on Mondays.")
    ask(
        machine,
        agent,
        "We always use pnpm here, never npm. Please remember that prices are kept in cents.",
        answer(agent.shell("echo 'Always use yarn here, never npm.'")),
        answer(say("Always use bun here, never npm.")),
    )
    # What only the person reads does not cost the model its part of the hook's answer.
    assert "Remembered as m_" in mains(machine)[0].text
    texts = wm.texts()
    assert any("pnpm" in text for text in texts)
    assert not any(word in text for text in texts for word in ("yarn", "bun"))
    assert sum("berth" in text for text in texts) == 1


@pytest.mark.parametrize("agent", OTHERS, ids=by_name)
def test_a_failing_test_is_an_open_error_until_it_passes(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    first = ask(
        machine, agent, "Run the tests.", answer(agent.shell(TEST)), answer(say("It fails."))
    )
    assert "[test]" in wm.hot(first.session)
    ask(
        machine,
        agent,
        "Fix it.",
        # Qwen Code changes only what it read in this process.
        answer(agent.look(machine, "calc.py")),
        answer(agent.change(machine, "calc.py", "return a - b", "return a + b")),
        answer(agent.shell(TEST)),
        answer(say("It passes.")),
        session=first.session,
    )
    assert "[test]" not in wm.hot(first.session)


@pytest.mark.parametrize("agent", [CODEX, COPILOT], ids=by_name)
def test_memory_comes_again_after_a_compaction(machine: Machine, wm: Wired, agent: Agent) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    full = FULL_TOKENS[agent.name]
    answers = [answer(agent.shell("echo one"), context_tokens=full)]
    answers += [answer(agent.shell("echo two")), answer(say("Done."))]
    # Copilot asks for the summary with its tools, while the session goes on.
    rules = [always(said("create a detailed summary"), answer(say("Summary.")))]
    first = ask(machine, agent, "Look around.", *answers, rules=rules)
    ask(machine, agent, "Go on.", answer(say("Yes.")), session=first.session)
    blocks = memory_blocks(mains(machine)[-1])
    assert all(FACT in block for block in blocks)
    # Copilot says when it begins, not whether the summary was used: what it had may still be there.
    assert len(blocks) in ((1, 2) if agent is COPILOT else (1,))
    assert agent is CODEX or FACT in mains(machine)[-1].last_user_text


def test_the_summariser_of_qwen_sees_the_numbered_memories(machine: Machine, wm: Wired) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    long = "So it is. " * 900
    first = ask(machine, QWEN, "Look around.", answer(say(long)))
    full = answer(say(long), context_tokens=FULL_TOKENS["qwen"])
    ask(machine, QWEN, "Go on.", full, session=first.session)
    machine.upstream.forget_exchanges()
    QWEN.run(machine, "And on.", session=first.session)
    summaries = [x.request for x in machine.upstream.exchanges if not x.request.tools]
    assert any("Memory ref snapshot" in request.text for request in summaries)


def test_a_long_output_of_copilot_is_cut_and_can_be_restored(machine: Machine, wm: Wired) -> None:
    rows = "seq -f 'row %g of the table' 1 400"
    asked: list[str] = []

    def restore(request: Request) -> Answer:
        handle = request.tool_results[-1].partition("memory_restore ")[2][:22]
        asked.append(handle)
        return answer(call("wm-memory_restore", id=handle, lines="200:202"))

    machine.upstream.script = script(
        *turns(answer(COPILOT.shell(rows)), restore, answer(say("Row 200.")))
    )
    finished(COPILOT.run(machine, "List the table."))
    cut, restored = mains(machine)[1].tool_results[-1], mains(machine)[2].tool_results[-1]
    assert len(cut.splitlines()) < 100
    assert asked[0].startswith("t_")
    assert "row 201 of the table" in restored


NAMES = {"codex": "mcp__wm__{}", "copilot": "wm-{}", "gemini": "mcp_wm_{}", "qwen": "mcp__wm__{}"}


@pytest.mark.parametrize("agent", OTHERS, ids=by_name)
def test_the_memory_tools_answer(machine: Machine, wm: Wired, agent: Agent) -> None:
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    machine.tool("wm", "learn", "off")  # what the user says is not learned without the model

    def tool(name: str, **arguments: object) -> Block:
        return call(NAMES[agent.name].format(name), **arguments)

    ask(
        machine,
        agent,
        "How do we deploy? And we keep prices in cents.",
        answer(tool("memory_query", query="deploy")),
        answer(tool("remember", text="Prices are kept in cents.")),
        answer(say("Done.")),
    )
    found, kept = mains(machine)[-1].tool_results[-2:]
    assert FACT in found
    # Only Codex names its session, so that what the user said there can support the model.
    assert ("waits in" in kept or "inbox" in kept) is (agent is not CODEX), kept


def plain_turns(agent: Agent) -> list[Answer]:
    return [answer(agent.shell("echo one")), answer(agent.shell("exit 3")), answer(say("Done."))]


def runs_as_if_not_installed(machine: Machine, agent: Agent) -> None:
    ask(machine, agent, ASK_TO_KEEP, *plain_turns(agent))
    requests = mains(machine)
    assert len(requests) == 3
    assert all(MEMORY_HEADING not in request.text for request in requests)
    is_accepted(machine)


def test_agents_go_on_after_wm_is_removed_without_unsetup(machine: Machine, wm: Wired) -> None:
    wm.take_away()
    for agent in OTHERS:
        runs_as_if_not_installed(machine, agent)


@pytest.mark.parametrize("talk", [hang, babble, wrong_json])
def test_agents_go_on_if_another_program_owns_the_socket(
    machine: Machine, wm: Wired, talk: Talk
) -> None:
    (machine.home / ".config" / "wm" / "config.toml").unlink()
    machine.tool("wm", "setup", "--yes")
    trust_codex(machine)
    wm.take_away()
    with impostor(wm.socket, talk):
        for agent in OTHERS:
            runs_as_if_not_installed(machine, agent)


def test_codex_runs_nothing_that_its_user_did_not_trust(machine: Machine, wm: Wired) -> None:
    config = machine.home / ".codex" / "config.toml"
    config.write_text(config.read_text().partition("\n[hooks.state")[0])
    machine.tool("wm", "remember", "We deploy with `make ship`.")
    ask(machine, CODEX, "How do we deploy?", answer(say("I do not know.")))
    assert memory_blocks(mains(machine)[0]) == []
    found = machine.program("wm", "doctor", "--no-proof", "--json", timeout=60)
    details = [c["detail"] for c in json.loads(found.stdout)["checks"] if c["name"] == "codex"]
    assert any("Codex does not run 7 of wm's hooks yet" in detail for detail in details)


def test_unsetup_leaves_what_the_agents_wrote_meanwhile(machine: Machine, wm: Wired) -> None:
    for agent in OTHERS:
        ask(machine, agent, "Hello.", answer(say("Hello.")))
    machine.tool("wm", "unsetup", "--yes")
    for name in (".codex/config.toml", ".gemini/settings.json", ".qwen/settings.json"):
        text = (machine.home / name).read_text()
        assert "wm/hook.sh" not in text, name
    for agent in OTHERS:
        ask(machine, agent, "How do we deploy?", answer(say("I do not know.")))
        assert memory_blocks(mains(machine)[0]) == []


@pytest.mark.parametrize("agent", OTHERS, ids=by_name)
def test_audit_counts_the_requests_from_the_agents_own_transcript(
    machine: Machine, wm: Wired, agent: Agent
) -> None:
    ask(
        machine,
        agent,
        "Why does the check fail?",
        answer(say("Let me look."), agent.look(machine, "calc.py")),
        answer(agent.shell("python3 check.py"), agent.shell("echo two")),
        answer(say("It subtracts.")),
    )
    used = [x.usage for x in machine.upstream.of_kind("main") if x.usage is not None]
    report = json.loads(machine.tool("wm", "audit", "--json"))
    assert (report["requests"], report["reported"]) == (3, True)
    tokens = report["tokens"]
    assert tokens["cacheRead"] == sum(usage.cache_read for usage in used)
    assert tokens["prompt"] == sum(usage.input_tokens + usage.cache_read for usage in used)
    assert any(one["name"] in ("bash", agent.bash) for one in report["tools"])


@pytest.mark.parametrize("agent", SIX, ids=by_name)
def test_what_was_said_before_wm_was_there_is_found(machine: Machine, agent: Agent) -> None:
    rule = "Never log request bodies in this repo."
    ask(machine, agent, f"Fix the test. {rule}", answer(say("Always write long names. Done.")))
    found = json.loads(machine.tool("wm", "import", "--from", "transcripts", "--json"))
    assert [one["text"] for one in found["targets"][0]["outcomes"]] == [rule]
