"""The two plugins in the real clients, in front of a stand-in daemon.

What the hooks tell and what the clients do with the answers; what wm makes of it all is the
business of `test_memory`. The installation is this checkout, wired by `wm.agents.setup`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import wm
from tests.agents.fake_daemon import FakeDaemon, Reply, Seen
from tests.clients.harness import FULL_CONTEXT_TOKENS, Machine, Run
from tests.clients.scripts import answer, call, is_subagent, say, script, think, turns
from wm.agents import setup, setup_apply, setup_facts
from wm.agents.hook_lines import WmCommand
from wm.settings import HookSettings, find_agent_paths, find_paths

pytestmark = pytest.mark.clients

SYSTEM = "experimental.chat.system.transform"
PACKAGE = Path(wm.__file__).parent


@dataclass
class Memory:
    """What the stand-in says: a new text each time it is asked, instructions, notices."""

    asked: int = 0
    notices: tuple[str, ...] = ()
    compactions: list[Any] = field(default_factory=list)

    def __call__(self, seen: Seen) -> Reply:
        said: Any = None
        if seen.event == SYSTEM:
            self.asked += 1
            said = {"system": [f"MEMORY-{self.asked}", f"HOT-{self.asked}"]}
        elif seen.event == "SessionStart":
            self.asked += 1
            context = f"MEMORY-{self.asked}"
            said = {
                "hookSpecificOutput": {
                    "hookEventName": "SessionStart",
                    "additionalContext": context,
                }
            }
        elif seen.event == "experimental.session.compacting":
            said = {"context": ["INSTRUCTIONS"]}
        elif seen.event == "PreCompact":
            return 200, b"INSTRUCTIONS"
        elif seen.event in ("chat.message", "tool.execute.after"):
            said = {"notices": list(self.notices)}
        elif seen.path.startswith("/v1/sessions/"):
            said = {"state": {"epochNumber": self.asked}}
        elif seen.path.startswith("/v1/tools/remember?"):
            said = {"text": "KEPT-BY-TOOL"}
        return 200, json.dumps(said).encode() if said else b""


GONE = "/nonexistent/python"
"""The interpreter of an installation that was removed."""


def wire(machine: Machine, python: str = sys.executable) -> None:
    if python == GONE:
        machine.hide_wm()
    environment = machine.environment
    agents = find_agent_paths(environment)
    command = WmCommand(agents.script, python, str(PACKAGE))
    facts = setup_facts.look(agents, find_paths(environment), command, HookSettings(), sys.platform)
    setup_apply.apply(setup.plan_setup(facts, agents=setup_facts.AGENTS))


@pytest.fixture
def daemon(machine: Machine) -> Iterator[FakeDaemon]:
    wire(machine)
    with FakeDaemon(machine.runtime / "wm" / "wm.sock", Memory()) as running:
        yield running


def fine(machine: Machine, *runs: Run) -> None:
    for run in runs:
        assert run.code == 0, run.out + run.err
    assert (machine.upstream.refused, machine.upstream.dropped) == ([], [])
    assert machine.upstream.script.unused == []


def holding(machine: Machine, kind: str, text: str) -> list[bool]:
    return [text in x.request.text for x in machine.upstream.of_kind(kind)]


def test_claude_fires_every_hook_of_a_session_and_keeps_the_context(
    machine: Machine, daemon: FakeDaemon
) -> None:
    look = {"description": "look", "prompt": "SUBAGENT look around", "run_in_background": False}
    machine.upstream.script = script(
        *turns(
            answer(think("Try."), call("Bash", command="echo two", description="Say")),
            answer(think("Again."), call("Bash", command="false", description="Fail")),
            answer(think("Ask."), call("Agent", subagent_type="Explore", **look)),
            answer(think("Enough."), say("Done.")),
            answer(think("Still."), say("Still done.")),
        ),
        *turns(answer(say("Seen.")), when=is_subagent),
    )
    first = machine.run_claude('Go, it\'s "quoted" ü')
    second = machine.run_claude("And now?", session=first.session)
    fine(machine, first, second)
    begin, end = ["SessionStart", "UserPromptSubmit"], ["Stop", "SessionEnd"]
    bash, agent = daemon.of("PostToolUse")
    assert (bash.json["tool_name"], agent.json["tool_name"]) == ("Bash", "Agent")
    tools = ["PostToolUse", "PostToolUseFailure", "PostToolUse"]
    assert daemon.events() == [*begin, *tools, *end, *begin, *end]
    assert [seen.json["last_assistant_message"] for seen in daemon.of("Stop")] == [
        "Done.",
        "Still done.",
    ]
    assert daemon.of("UserPromptSubmit")[0].json["prompt"] == 'Go, it\'s "quoted" ü'
    assert {seen.headers["x-wm-project"] for seen in daemon.seen} == {str(machine.repo)}
    assert all(holding(machine, "main", "MEMORY-1"))
    assert holding(machine, "subagent", "MEMORY-1") == [False]


def test_claude_reports_a_compaction_and_uses_its_instructions(
    machine: Machine, daemon: FakeDaemon
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(
                call("Bash", command="echo long", description="Say"),
                context_tokens=FULL_CONTEXT_TOKENS,
            ),
            answer(think("On."), say("Done.")),
        )
    )
    fine(machine, machine.run_claude("Do the long task."))
    assert holding(machine, "summary", "INSTRUCTIONS") == [True]
    assert daemon.of("PostCompact")[0].json["compact_summary"]
    assert [seen.json["source"] for seen in daemon.of("SessionStart")] == ["startup", "compact"]
    assert holding(machine, "main", "MEMORY-2") == [False, True]


def test_claude_works_unchanged_if_the_daemon_hangs_or_wm_is_removed(machine: Machine) -> None:
    machine.upstream.script = script(
        *turns(*[answer(call("Bash", command="true", description="x")), answer(say("Done."))] * 2)
    )
    wire(machine, GONE)
    gone = machine.run_claude("Go.")
    with FakeDaemon(machine.runtime / "wm" / "wm.sock") as hanging:
        hanging.hang.set()
        hung = machine.run_claude("Go.")
    fine(machine, gone, hung)
    assert "hook" not in gone.err + hung.err


def test_claude_accepts_the_plugin_folder_and_loads_its_hooks(machine: Machine) -> None:
    folder = PACKAGE / "agents" / "claude_code"
    said = machine.tool(str(machine.clients.claude), "plugin", "validate", str(folder))
    assert "Validation passed" in said
    machine.upstream.script = script(*turns(answer(say("Done."))))
    with FakeDaemon(machine.runtime / "wm" / "wm.sock", Memory()) as daemon:
        subprocess.run(
            [str(machine.clients.claude), "--plugin-dir", str(folder), "-p", "Go."],
            cwd=machine.repo,
            env=machine.environment,
            stdin=subprocess.DEVNULL,
            check=True,
            timeout=60,
        )
    assert daemon.events() == ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]


def opencode_turns() -> list[Any]:
    look = {"description": "look", "prompt": "SUBAGENT look around", "subagent_type": "general"}
    fact = {"text": "we deploy with make ship", "type": "project"}
    return [
        answer(think("Try."), call("bash", command="echo two", description="Say")),
        answer(
            think("Again."),
            call("bash", command="false", description="Fail"),
            call("read", filePath="nothing-there.txt"),
        ),
        answer(think("Keep."), call("remember", **fact)),
        answer(think("Ask."), call("task", **look)),
        answer(think("Enough."), say("Done.")),
    ]


def test_opencode_gives_main_calls_of_a_session_one_text_and_side_calls_none(
    machine: Machine, daemon: FakeDaemon
) -> None:
    memory = daemon.answer = Memory(notices=("NOTICE",))
    machine.upstream.script = script(
        *turns(*opencode_turns(), answer(think("Still."), say("Still done."))),
        *turns(
            answer(call("bash", command="echo sub", description="Say")),
            answer(say("Seen.")),
            when=is_subagent,
        ),
    )
    first = machine.run_opencode("Go on then")
    fine_so_far = machine.upstream.of_kind("main")
    assert len({x.request.system_bytes for x in fine_so_far}) == 1
    assert all(holding(machine, "main", "MEMORY-1"))
    assert all(holding(machine, "main", "HOT-1"))
    for kind in ("title", "subagent"):
        assert set(holding(machine, kind, "MEMORY-1")) == {False}
        assert len(machine.upstream.of_kind(kind)) > 0
    assert holding(machine, "title", "NOTICE") == [False]
    assert holding(machine, "main", "NOTICE") == [True] * 5
    assert holding(machine, "main", "KEPT-BY-TOOL")[3] is True
    # A resumed session asks again, and the daemon answers from the epoch's file.
    daemon.answer = lambda seen: (
        (200, json.dumps({"system": ["MEMORY-1", "HOT-1"]}).encode())
        if seen.event == SYSTEM
        else memory(seen)
    )
    fine(machine, first, machine.run_opencode("And now?", session=first.session))
    exits = [
        seen.json["output"]["metadata"].get("exit")
        for seen in daemon.of("tool.execute.after")
        if seen.json["input"]["tool"] == "bash"
    ]
    assert exits == [0, 1, 0]
    [failed] = daemon.of("message.part.updated")
    assert failed.json["event"]["properties"]["part"]["tool"] == "read"
    [kept] = [seen for seen in daemon.seen if seen.path.startswith("/v1/tools/remember?")]
    assert kept.path.endswith(f"&session={first.session}")
    assert len(daemon.of("dispose")) == 2


def test_opencode_starts_a_new_epoch_only_with_a_compaction(
    machine: Machine, daemon: FakeDaemon
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(
                call("bash", command="echo long", description="Say"),
                context_tokens=FULL_CONTEXT_TOKENS,
            ),
            answer(think("On."), call("bash", command="echo on", description="Say")),
            answer(think("End."), say("Done.")),
        )
    )
    fine(machine, machine.run_opencode("Do the long task"))
    assert holding(machine, "summary", "INSTRUCTIONS") == [True]
    assert holding(machine, "summary", "MEMORY-") == [False]
    assert holding(machine, "main", "MEMORY-1") == [True, False, False]
    assert holding(machine, "main", "MEMORY-2") == [False, True, True]
    events = daemon.of("session.compacted")
    assert len(events) == 1
    assert events[0].json["summary"]


@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_opencode_keeps_its_bytes_if_the_daemon_stops_in_an_epoch(
    machine: Machine, how: str
) -> None:
    wire(machine, GONE)
    machine.upstream.script = script(
        *turns(
            answer(think("Try."), call("bash", command="echo two", description="Say")),
            answer(think("Again."), call("bash", command="false", description="Fail")),
            answer(think("Enough."), say("Done.")),
        )
    )
    memory = Memory()
    with FakeDaemon(machine.runtime / "wm" / "wm.sock", memory) as daemon:

        def lost_after_the_first_call(seen: Seen) -> Reply:
            if seen.event == "tool.execute.after":
                if how == "hangs":
                    daemon.hang.set()
                else:
                    daemon.path.unlink(missing_ok=True)
            return memory(seen)

        daemon.answer = lost_after_the_first_call
        fine(machine, machine.run_opencode("Go on then"))
    assert len({x.request.system_bytes for x in machine.upstream.of_kind("main")}) == 1
    assert all(holding(machine, "main", "MEMORY-1"))


def test_opencode_adds_nothing_to_a_session_answered_without_wm(machine: Machine) -> None:
    wire(machine, GONE)
    machine.upstream.script = script(
        *turns(
            answer(think("One."), call("bash", command="echo one", description="Say")),
            answer(think("Two."), say("Done.")),
            answer(think("Three."), say("Done again.")),
        )
    )
    before = machine.run_opencode("Go on then")
    with FakeDaemon(machine.runtime / "wm" / "wm.sock", Memory()) as daemon:
        after = machine.run_opencode("And now?", session=before.session)
    fine(machine, before, after)
    assert daemon.of(SYSTEM) == []
    assert len({x.request.system_bytes for x in machine.upstream.of_kind("main")}) == 1


def test_opencode_works_unchanged_after_wm_is_removed(machine: Machine) -> None:
    wire(machine, GONE)
    machine.upstream.script = script(*turns(answer(think("x"), say("Done."))))
    fine(machine, machine.run_opencode("remember that we use make ship"))
