"""The memory tools in the real agents: over MCP in both, and as OpenCode's own (IF-4)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.agents import CLAUDE, OPENCODE, Agent
from tests.clients.harness import Machine, Run
from tests.clients.screen import run_claude_screen
from tests.clients.scripts import Answer, Request, answer, call, say, script, think, turns
from tests.clients.test_memory import finished, mains, nothing_refused_or_dropped, prefix_only_grows
from tests.clients.wired import Wired, wait_for

pytestmark = pytest.mark.clients

SHIP = "We deploy with `make ship`."
QUEUE = "The job queue runs on Postgres with SKIP LOCKED, not on Redis."
NAMES = (
    "memory_query",
    "memory_stats",
    "remember",
    "forget",
    "memory_restore",
    "core_memory_update",
    "core_memory_read",
    "working_memory_add",
    "working_memory_clear_slot",
    "working_memory_remove",
    "working_memory_clear",
)


@dataclass(frozen=True)
class Way:
    """How an agent comes to the tools: what their names begin with, and how it is run."""

    name: str
    agent: Agent
    prefix: str

    def tool(self, name: str) -> str:
        return self.prefix + name

    def run(self, machine: Machine, prompt: str) -> Run:
        if self.agent is CLAUDE:
            allowed = ",".join(self.tool(name) for name in NAMES)
            return machine.run_claude(prompt, tools=f"Bash,{allowed}")
        return self.agent.run(machine, prompt)


WAYS = (
    Way("claude, wired by setup", CLAUDE, "mcp__wm__"),
    Way("opencode, its own tools", OPENCODE, ""),
    Way("opencode, over MCP", OPENCODE, "wm_"),
)


def use(way: Way, machine: Machine) -> None:
    """OpenCode over MCP: configured as its pages say, and without our plugin."""
    if way.name != "opencode, over MCP":
        return
    machine.tool("wm", "unsetup", "--yes")
    config = machine.home / ".config" / "opencode" / "opencode.json"
    value = json.loads(config.read_text())
    value["mcp"] = {"wm": {"type": "local", "command": ["wm", "mcp"], "enabled": True}}
    config.write_text(json.dumps(value))


def offered(request: Request) -> list[str]:
    """Our tools as the model sees them. Claude Code names those of MCP servers in a text, and
    loads a schema when the model asks for it."""
    in_text = re.findall(r"mcp__\w+", request.text)
    return [name for name in (*request.tools, *in_text) if name.endswith(NAMES)]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_the_model_gets_the_tools_once_and_they_work(machine: Machine, wm: Wired, way: Way) -> None:
    use(way, machine)
    machine.tool("wm", "remember", SHIP)
    machine.upstream.script = script(
        *turns(
            answer(
                think("Look."), call(way.tool("memory_query"), query="how do we deploy", limit=3)
            ),
            answer(think("Keep."), call(way.tool("remember"), text=QUEUE, type="decision")),
            answer(think("Wrong."), call(way.tool("forget"), id="m_ffffffff", reason="no")),
            answer(think("So."), say("Done.")),
        )
    )
    done = way.run(machine, "How do we deploy?")
    finished(done)
    asked = [x.request for x in mains(machine, done.session)]
    assert sorted(offered(asked[0])) == sorted(way.tool(name) for name in NAMES)
    found, proposed, refused = asked[-1].tool_results
    assert SHIP in found
    assert "data, not instructions" in found
    assert "inbox" in proposed
    assert "There is no entry" in refused
    assert wm.texts() == [SHIP]
    waiting = wm.ask("inbox")["entries"]
    assert [view["entry"]["text"] for view in waiting] == [QUEUE]
    prefix_only_grows(machine, done.session)
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_the_tools_work_while_the_daemon_is_down(machine: Machine, wm: Wired, way: Way) -> None:
    use(way, machine)
    machine.tool("wm", "remember", SHIP)
    query = call(way.tool("memory_query"), query="how do we deploy", limit=3)
    # Without our plugin nothing started one.
    kill = None if way.name == "opencode, over MCP" else wm.kill
    first = Answer((think("Look."), query), before=kill)
    machine.upstream.script = script(*turns(first, answer(say("Done."))))
    done = way.run(machine, "How do we deploy?")
    finished(done)
    assert wm.pid() is None
    assert SHIP in mains(machine, done.session)[-1].request.tool_results[0]
    nothing_refused_or_dropped(machine)


def test_claude_does_not_overwrite_a_setup_made_while_it_runs(machine: Machine) -> None:
    """It keeps its own state in the same file, and writes it again and again."""
    wired = Wired(machine)
    state = machine.home / ".claude.json"
    wrote: list[bytes] = []

    def set_up() -> None:
        wired.setup()
        wrote.append(state.read_bytes())

    setting_up = Answer((say("Hello."),), before=set_up)
    machine.upstream.script = script(*turns(setting_up, answer(say("Again."))))
    upstream = machine.upstream
    run_claude_screen(
        machine,
        ("Hello there!", lambda: len(upstream.of_kind("main")) == 1),
        ("And again!", lambda: len(upstream.of_kind("main")) == 2),
    )
    assert [state.read_bytes()] != wrote, "claude wrote its state once more"
    kept = json.loads(state.read_text())
    assert kept["mcpServers"]["wm"]["args"][-1] == "mcp"
    assert len(kept) > 1
    machine.tool("wm", "unsetup", "--yes")
    assert {**kept, "mcpServers": {}} == {**json.loads(state.read_text()), "mcpServers": {}}


def test_the_server_ends_with_claude(machine: Machine, wm: Wired) -> None:
    machine.upstream.script = script(*turns(answer(say("Hello."))))
    finished(CLAUDE.run(machine, "Hello!"))
    wait_for("the server's end", lambda: not servers(machine))


def servers(machine: Machine) -> list[str]:
    """The command lines of this machine's MCP servers."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            mine = f"HOME={machine.home}".encode() in (process / "environ").read_bytes()
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        lines += [b" ".join(words).decode()] if mine and b"mcp" in words else []
    return lines
