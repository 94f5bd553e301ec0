"""Both real clients through the proxy: every byte as it came, in both directions (PX-3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.agents import BOTH, CLAUDE, OPENCODE, Agent, summary
from tests.clients.harness import Machine, Run
from tests.clients.passing import Passing, passing, read
from tests.clients.scripts import Answer, answer, is_subagent, is_summary, say, script, think, turns
from tests.clients.wired import Wired, wait_for
from tests.proxy.scripted import by_the_upstream
from wm.api.replay import ReplayReport
from wm.replay.report import replay
from wm.store.paths import sid

pytestmark = pytest.mark.clients

both = pytest.mark.parametrize("agent", BOTH, ids=lambda agent: agent.name)


@pytest.fixture
def chain(machine: Machine) -> Iterator[Passing]:
    with passing(machine) as made:
        yield made


def fine(machine: Machine, chain: Passing, *runs: Run) -> None:
    for run in runs:
        assert run.code == 0, run.out + run.err
    assert chain.differences() == []
    assert chain.faults == []
    assert (machine.upstream.refused, machine.upstream.dropped) == ([], [])
    assert machine.upstream.script.unused == []


@both
def test_a_task_of_several_turns_a_subagent_and_a_resume(
    machine: Machine, chain: Passing, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), agent.look(machine, "calc.py")),
            answer(think("Run."), agent.shell("python3 check.py")),
            answer(agent.change(machine, "calc.py", "a - b", "a + b"), agent.shell("echo two")),
            answer(think("Ask."), agent.delegate()),
            answer(think("Enough."), say("Done.")),
            answer(think("Again."), say("Still done.")),
        ),
        *turns(answer(say("Seen.")), when=is_subagent),
    )
    first = agent.run(machine, "Mend the sum, please")
    second = agent.run(machine, "And now?", session=first.session)
    fine(machine, chain, first, second)
    wait_for("every note", lambda: len(chain.notes) == len(chain.far.exchanges()))
    used = [x.usage for x in machine.upstream.exchanges if x.usage is not None]
    assert chain.observer.tally.usage.cache_read == sum(u.cache_read for u in used)
    assert {n.identity.folder for n in chain.notes if n.identity.call in ("main", "subagent")} == {
        str(machine.repo)
    }
    main = [n for n in chain.notes if n.identity.call == "main"]
    assert {n.identity.session for n in main} == {first.session}
    assert [n.fields["change"] for n in main] == ["first", *["appended"] * (len(main) - 1)]
    (sub,) = (n for n in chain.notes if n.identity.call == "subagent")
    assert sub.identity.subagent or sub.identity.parent == first.session


def counted(report: ReplayReport) -> list[tuple[int, int, int]]:
    """New, read and written tokens of the conversations themselves."""
    return sorted(
        (t.tokens.input, t.tokens.cache_read, t.tokens.cache_write_5m + t.tokens.cache_write_1h)
        for t in report.turns
        if t.call in ("main", "subagent")
    )


def reported(machine: Machine) -> list[tuple[int, int, int]]:
    """The same as the upstream reported it."""
    return sorted(
        (x.usage.input_tokens, x.usage.cache_read, x.usage.cache_creation)
        for x in machine.upstream.exchanges
        if x.usage is not None and x.kind in ("main", "subagent")
    )


def replayed(log: Path) -> ReplayReport:
    return replay(
        [log], clock=lambda: 0.0, progress=lambda _done, _all: None, measure=by_the_upstream
    )


@both
def test_flows_without_bodies_are_counted_as_the_upstream_counted(
    machine: Machine, chain: Passing, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), agent.look(machine, "calc.py")),
            answer(think("Run."), agent.shell("python3 check.py")),
            answer(think("Ask."), agent.delegate()),
            answer(think("Enough."), say("Done.")),
        ),
        *turns(answer(say("Seen.")), when=is_subagent),
    )
    fine(machine, chain, agent.run(machine, "Mend the sum, please"))
    # The client ends with the last byte, and the proxy notes an answer behind it.
    wait_for("every note", lambda: len(chain.notes) == chain.observer.tally.requests)
    log = machine.root / "flows.jsonl"
    lines = [
        {
            **note.fields,
            "flowId": f"f_{number:020x}",
            "createdAt": note.fields["startedAt"],
            "workspaceKey": "0" * 16,
            "session": sid(note.identity.session),
        }
        for number, note in enumerate(chain.notes)
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert counted(replayed(log)) == reported(machine)


@both
def test_recorded_bodies_are_counted_as_the_upstream_counted(
    machine: Machine, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), agent.look(machine, "calc.py")),
            answer(think("Run."), agent.shell("python3 check.py")),
            answer(think("Enough."), say("Done.")),
        )
    )
    program = {"claude": machine.clients.claude, "opencode": machine.clients.opencode}[agent.name]
    words = {"claude": ("-p", "Go", "--allowedTools", "Bash,Read"), "opencode": ("run", "Go")}
    Wired(machine).setup()
    machine.tool("wm", "up", "--quiet")
    line = ("wm", "run", "--record", str(program), *words[agent.name])
    done = machine.program(*line, timeout=120.0)
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = machine.home.glob(".local/share/wm/workspaces/*/recordings/*.jsonl")
    recorded = r"wm run: \d+ exchanges? recorded without secrets in\n.*/recordings\.\n"
    assert re.search(recorded, done.stderr), done.stderr
    assert counted(replayed(log)) == reported(machine)
    machine.tool("wm", "down")


@both
def test_a_compaction_passes_the_proxy(machine: Machine, chain: Passing, agent: Agent) -> None:
    machine.upstream.script = script(
        *turns(agent.compacts(), answer(think("On."), say("Done."))),
        *turns(summary("Go on."), when=is_summary),
    )
    fine(machine, chain, agent.run(machine, "Do the long task"))


TROUBLE = {
    "429": Answer(status=429, error_type="rate_limit_error", headers=(("retry-after", "1"),)),
    "529": Answer(status=529, error_type="overloaded_error", headers=(("retry-after", "1"),)),
    "500": Answer(status=500),
    "a cut stream": Answer((say("This breaks off in the middle."),), cut_after=3),
}


@both
@pytest.mark.parametrize("trouble", TROUBLE)
def test_errors_reach_the_client_unchanged_and_its_retry_succeeds(
    machine: Machine, chain: Passing, agent: Agent, trouble: str
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(agent.shell("echo one")), TROUBLE[trouble], answer(think("Again."), say("Done."))
        )
    )
    run = agent.run(machine, "Go")
    fine(machine, chain, run)
    statuses = [a.start.split(b" ")[1] for _, a in chain.near.exchanges()]
    if trouble.isdigit():
        assert trouble.encode() in statuses
    else:
        assert [a.whole for _, a in chain.near.exchanges()].count(False) == 1


@pytest.mark.parametrize("agent", [CLAUDE, OPENCODE], ids=lambda agent: agent.name)
def test_wm_run_starts_the_agent_behind_its_own_proxy(machine: Machine, agent: Agent) -> None:
    machine.upstream.script = script(*turns(answer(say("Done."))))
    program = {"claude": machine.clients.claude, "opencode": machine.clients.opencode}[agent.name]
    words = {"claude": ("-p", "Go"), "opencode": ("run", "Go")}[agent.name]
    Wired(machine).setup()
    done = machine.program("wm", "run", str(program), *words, timeout=120.0)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Done." in done.stdout
    passed = re.search(r"wm run: (\d+) requests?;", done.stderr)
    assert passed is not None, done.stderr
    assert int(passed[1]) >= len(machine.upstream.exchanges) > 0
    assert machine.upstream.refused == []


def test_the_recorder_reads_what_was_written() -> None:
    stream = (
        b"POST /a HTTP/1.1\r\nHost: h\r\nX: 1\r\nContent-Length: 3\r\n\r\nabc"
        b"POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
        b"GET /c HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"
    )
    found = read(stream)
    assert [(m.start[:7], m.content, m.whole) for m in found] == [
        (b"POST /a", b"abc", True),
        (b"POST /b", b"hi", True),
        (b"GET /c ", b"half", False),
    ]
    assert found[0].headers == ((b"X", b"1"), (b"Content-Length", b"3"))
