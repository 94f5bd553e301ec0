"""The harness without wm: both unmodified clients complete whole conversations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.clients.harness import FULL_CONTEXT_TOKENS, Machine, Run
from tests.clients.screen import run_claude_screen
from tests.clients.scripts import Answer, answer, call, is_subagent, say, script, think, turns

pytestmark = pytest.mark.clients


def claude_task(machine: Machine) -> list[Answer]:
    """Four turns: a read, two calls at once of which one fails, a subagent, the end."""
    explore = {"description": "look", "prompt": "SUBAGENT look around"}
    return [
        answer(
            think("Read first."), say("Reading."), call("Read", file_path=f"{machine.repo}/calc.py")
        ),
        answer(
            think("Try it."),
            call("Bash", command="python3 check.py", description="Run the check"),
            call("Bash", command="echo two", description="Say two"),
        ),
        answer(
            think("Ask."),
            call("Agent", subagent_type="Explore", run_in_background=False, **explore),
        ),
        answer(think("Enough."), say("It subtracts.")),
    ]


def opencode_task(machine: Machine) -> list[Answer]:
    look = {"description": "look", "prompt": "SUBAGENT look around", "subagent_type": "general"}
    return [
        answer(
            think("Read first."), say("Reading."), call("read", filePath=f"{machine.repo}/calc.py")
        ),
        answer(
            think("Try it."),
            call("bash", command="python3 check.py", description="Run the check"),
            call("bash", command="echo two", description="Say two"),
        ),
        answer(think("Ask."), call("task", **look)),
        answer(think("Enough."), say("It subtracts.")),
    ]


def subagent_turns(machine: Machine, tool: str, argument: str) -> list[Answer]:
    path = f"{machine.repo}/check.py"
    return [answer(think("Look."), call(tool, **{argument: path})), answer(say("Seen."))]


def finished(*runs: Run) -> None:
    for run in runs:
        assert run.code == 0, run.out + run.err


def nothing_lost(machine: Machine) -> None:
    upstream = machine.upstream
    assert (upstream.refused, upstream.dropped, upstream.faults) == ([], [], [])
    assert upstream.script.unused == []


def cache_grows(machine: Machine, kind: str) -> None:
    """Each turn reads at least what the turn before it read or wrote."""
    usages = [x.usage for x in machine.upstream.of_kind(kind) if x.usage is not None]
    for before, after in pairwise(usages):
        assert after.cache_read >= before.cache_read + before.cache_creation


def test_claude_keeps_thinking_and_cache_through_tools_a_subagent_and_a_resumed_session(
    machine: Machine,
) -> None:
    machine.upstream.script = script(
        *turns(*claude_task(machine), answer(think("Again."), say("Still subtracts."))),
        *turns(*subagent_turns(machine, "Read", "file_path"), when=is_subagent),
    )
    first = machine.run_claude("Why does the check fail?")
    second = machine.run_claude("Are you sure?", session=first.session)
    finished(first, second)
    assert len(machine.upstream.of_kind("main", first.session)) == 5
    assert len(machine.upstream.of_kind("subagent")) == 2
    cache_grows(machine, "main")
    nothing_lost(machine)


def test_opencode_keeps_thinking_and_cache_through_tools_a_subagent_and_a_resumed_session(
    machine: Machine,
) -> None:
    machine.upstream.script = script(
        *turns(*opencode_task(machine), answer(think("Again."), say("Still subtracts."))),
        *turns(*subagent_turns(machine, "read", "filePath"), when=is_subagent),
    )
    first = machine.run_opencode("Why does the check fail?")
    second = machine.run_opencode("Are you sure?", session=first.session)
    finished(first, second)
    assert len(machine.upstream.of_kind("main", first.session)) == 5
    assert len(machine.upstream.of_kind("title")) == 1
    children = machine.upstream.of_kind("subagent")
    assert [x.request.parent_session for x in children] == [first.session] * 2
    cache_grows(machine, "main")
    nothing_lost(machine)


def test_claude_compacts_on_command_and_continues(machine: Machine) -> None:
    summary = "<summary>\nThe check fails because add subtracts.\n</summary>"
    machine.upstream.script = script(
        *turns(
            answer(think("Read."), call("Read", file_path=f"{machine.repo}/calc.py")),
            # Without thinking: see the test below.
            answer(say("It subtracts.")),
            answer(think("On."), say("Going on.")),
        ),
        *turns(answer(say(summary)), when=lambda request: "CRITICAL" in request.last_user_text),
    )
    first = machine.run_claude("Why does the check fail?")
    compacted = machine.compact_claude(first.session)
    after = machine.run_claude("Go on.", session=first.session)
    finished(first, compacted, after)
    assert len(machine.upstream.of_kind("summary")) == 1
    assert "because add subtracts" in machine.upstream.of_kind("main")[-1].request.text
    nothing_lost(machine)


@pytest.mark.parametrize(
    ("run", "tool"),
    [
        (Machine.run_claude, call("Bash", command="echo long", description="Say it")),
        (Machine.run_opencode, call("bash", command="echo long", description="Say it")),
    ],
    ids=["claude", "opencode"],
)
def test_a_full_context_makes_the_client_compact_automatically(
    machine: Machine, run: Callable[..., Run], tool: dict[str, object]
) -> None:
    # The turn that fills the context carries no thinking: Claude Code keeps the last pair of call
    # and result word for word behind its summary, where earlier thinking is bound elsewhere.
    machine.upstream.script = script(
        *turns(answer(tool, context_tokens=FULL_CONTEXT_TOKENS), answer(think("On."), say("Done.")))
    )
    done = run(machine, "Do the long task.")
    finished(done)
    assert [x.kind for x in machine.upstream.exchanges if x.kind != "title"] == [
        "main",
        "summary",
        "main",
    ]
    nothing_lost(machine)


def test_claude_sends_bound_thinking_after_a_summary_and_recovers_with_one_retry(
    machine: Machine,
) -> None:
    """What is the client's own: scenes with wm keep the last answer before /compact unsigned."""
    machine.upstream.script = script(
        *turns(
            answer(think("Read."), call("Read", file_path=f"{machine.repo}/calc.py")),
            answer(think("Known."), say("It subtracts.")),
            answer(say("Going on.")),
        )
    )
    first = machine.run_claude("Why does the check fail?")
    after = (
        machine.compact_claude(first.session),
        machine.run_claude("Go on.", session=first.session),
    )
    finished(first, *after)
    assert [x.status for x in machine.upstream.of_kind("main")] == [200, 200, 400, 200]


def test_claude_on_a_terminal_requests_a_title_during_the_first_turn(machine: Machine) -> None:
    upstream = machine.upstream

    def both_answered() -> bool:
        return bool(upstream.of_kind("title") and upstream.of_kind("main"))

    run_claude_screen(machine, ("Why does the check fail?", both_answered))
    title = upstream.of_kind("title")[0].request
    assert title.tools == []
    assert title.session == upstream.of_kind("main")[0].request.session
    nothing_lost(machine)


def test_the_prefix_check_detects_a_changed_system_prompt(machine: Machine) -> None:
    """A plugin whose text changes every turn loses OpenCode's thinking: the guard works."""
    plugin = machine.home / ".config" / "opencode" / "plugin"
    plugin.mkdir()
    (plugin / "restless.js").write_text(
        "let turn = 0\n"
        "export const Restless = async () => ({\n"
        '  "experimental.chat.system.transform": async (input, output) => {\n'
        "    output.system.push(`turn ${turn++}`)\n"
        "  },\n"
        "})\n"
    )
    machine.upstream.script = script(*turns(*opencode_task(machine)[:2], answer(say("Done."))))
    finished(machine.run_opencode("Why does the check fail?"))
    mains = machine.upstream.of_kind("main")
    assert [len(x.dropped) for x in mains] == [0, 1, 2]
    assert len({x.request.system_bytes for x in mains}) == 3
