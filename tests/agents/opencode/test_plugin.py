"""The OpenCode plugin (IF-2, EP-1, EP-2), run by node with a transport of the test's own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import wm
from tests.agents.conftest import COMMAND
from wm.agents.hook_lines import WmCommand
from wm.agents.parts import bake
from wm.api.tools import TOOLS
from wm.domain.payloads import opencode as adapter
from wm.ops.session.tool_outputs import LEAST_LINES
from wm.settings import HookSettings

PLUGIN = Path(wm.__file__).parent / "agents" / "opencode" / "wm.js"
DRIVER = Path(__file__).with_name("drive.mjs")
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

SYSTEM = "experimental.chat.system.transform"
COMPACTING = "experimental.session.compacting"
COMPLETE = "experimental.text.complete"
MAIN = "You are OpenCode, the best coding agent."
TITLE = "You are a title generator. You output ONLY a thread title."
SUMMARY = "You are a context summarization agent."
BLOCKS = {SYSTEM: {"system": ["memory", "hot"]}}
OTHER = {SYSTEM: {"system": ["other"]}}


Plugin = subprocess.Popen[str]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plugin]:
    """One node with the plugin loaded; each scenario gets an instance of its own."""
    copy = tmp_path_factory.mktemp("plugin") / "wm.mjs"
    copy.write_text(bake(PLUGIN.read_text(), "0.0.0", COMMAND, HookSettings(), {}))
    assert NODE is not None
    with subprocess.Popen(
        [NODE, str(DRIVER), str(copy)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as node:
        yield node
        assert node.stdin is not None
        node.stdin.close()


def run(
    plugin: Plugin,
    *steps: dict[str, Any],
    parents: dict[str, str] | None = None,
    messages: list[Any] | None = None,
    refuses: str = "",
) -> Any:
    """The plugin's calls and the hooks' outputs after these steps."""
    assert plugin.stdin is not None
    assert plugin.stdout is not None
    plugin.stdin.write(
        json.dumps(
            {
                "steps": steps,
                "parents": parents or {},
                "messages": messages or [],
                "refuses": refuses,
            }
        )
        + "\n"
    )
    plugin.stdin.flush()
    line = plugin.stdout.readline()
    assert line, "node ended: a hook threw"
    return json.loads(line)


def transform(first: str = MAIN, session: str | None = "s") -> dict[str, Any]:
    return {"hook": SYSTEM, "input": {"sessionID": session}, "output": {"system": [first]}}


def message(text: str, session: str = "s") -> dict[str, Any]:
    part = {"id": "prt_1", "messageID": "msg_1", "sessionID": session, "type": "text", "text": text}
    return {
        "hook": "chat.message",
        "input": {"sessionID": session},
        "output": {"message": {"id": "msg_1"}, "parts": [part]},
    }


def bash(exit_code: int | None, session: str = "s") -> dict[str, Any]:
    return tool("bash", session, command="make", metadata={"exit": exit_code})


def tool(name: str, session: str = "s", metadata: Any = None, **args: str) -> dict[str, Any]:
    return {
        "hook": "tool.execute.after",
        "input": {"sessionID": session, "tool": name, "callID": "c", "args": args},
        "output": {"output": "out", "metadata": metadata or {}},
    }


def compacting(session: str = "s") -> dict[str, Any]:
    return {"hook": COMPACTING, "input": {"sessionID": session}, "output": {"context": []}}


def text(words: str) -> dict[str, Any]:
    return {"hook": COMPLETE, "input": {"sessionID": "s"}, "output": {"text": words}}


def bus(kind: str, **properties: Any) -> dict[str, Any]:
    return {"event": {"type": kind, "properties": properties}}


def created(session: str = "s", parent: str | None = None) -> dict[str, Any]:
    return bus("session.created", info={"id": session, "parentID": parent})


def systems(done: Any) -> list[list[str]]:
    return [o["system"] for o in done["outputs"] if o and "system" in o]


def names(done: Any) -> list[str]:
    return [name for _, name, _ in done["calls"]]


def test_the_plugin_waits_only_for_outputs_that_may_be_pruned() -> None:
    assert f"const LEAST_LINES = {LEAST_LINES}\n" in PLUGIN.read_text()


def test_every_main_call_of_an_epoch_has_the_same_bytes(plugin: Plugin) -> None:
    done = run(
        plugin,
        {"daemon": BLOCKS},
        transform(),
        {"daemon": OTHER},
        transform(),
        {"daemon": "gone", "library": OTHER},
        transform(),
    )
    assert systems(done) == [[MAIN, "memory", "hot"]] * 3
    assert names(done) == [ASKED, SYSTEM]


def test_a_session_started_without_memory_gets_none_before_a_compaction(plugin: Plugin) -> None:
    done = run(
        plugin,
        {"daemon": "gone", "library": None},
        transform(),
        {"daemon": BLOCKS},
        transform(),
        compacting(),
        bus("session.compacted", sessionID="s"),
        transform(),
    )
    assert systems(done) == [[MAIN], [MAIN], [MAIN, "memory", "hot"]]


ANSWERED = [
    {"info": {"role": "user"}},
    {"info": {"role": "assistant", "time": {"created": 1, "completed": 2}}},
]
ASKED = "/v1/sessions/s?directory=%2Frepo"


@pytest.mark.parametrize(
    ("known", "messages", "memory"),
    [
        ({"state": {"epochNumber": 2}}, ANSWERED, True),
        ({"state": {"epochNumber": 0}}, ANSWERED, False),
        ({}, ANSWERED, False),
        ({}, [{"info": {"role": "assistant", "time": {"created": 1}}}], True),
        ({}, [], True),
    ],
    ids=["an epoch", "none yet", "not known", "first answer under way", "no message"],
)
def test_a_session_resumed_without_memory_gets_none_before_a_compaction(
    plugin: Plugin, known: dict[str, Any], messages: list[Any], memory: bool
) -> None:
    done = run(
        plugin,
        {"daemon": {**BLOCKS, ASKED: known}},
        transform(),
        compacting(),
        bus("session.compacted", sessionID="s"),
        transform(),
        messages=messages,
    )
    blocks = ["memory", "hot"]
    assert systems(done) == [[MAIN, *(blocks if memory else [])], [MAIN, *blocks]]


def test_without_a_daemon_the_files_answer_the_first_call(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": "gone", "library": BLOCKS}, created(), transform())
    assert systems(done) == [[MAIN, "memory", "hot"]]
    assert done["calls"][-1][:2] == ["library hook opencode", SYSTEM]


@pytest.mark.parametrize("daemon", ["gone", "slow", "broken", "garbage"])
def test_no_state_of_the_daemon_stops_a_session(plugin: Plugin, daemon: str) -> None:
    done = run(
        plugin,
        {"daemon": daemon, "library": None},
        created(),
        message("remember that we ship on Fridays"),
        transform(),
        bash(1),
        compacting(),
        text("summary"),
        bus("session.compacted", sessionID="s"),
        bus("session.deleted", info={"id": "s"}),
        bus("no.such.event"),
        {"hook": "dispose"},
    )
    assert systems(done) == [[MAIN]]
    assert done["outputs"][4]["output"] == "out"


@pytest.mark.parametrize(
    "hook", ["config", "event", "chat.message", "tool.execute.after", SYSTEM, COMPACTING, COMPLETE]
)
def test_input_of_an_unexpected_shape_throws_nothing(plugin: Plugin, hook: str) -> None:
    run(plugin, {"daemon": {}}, {"hook": hook, "input": None, "output": None})


@pytest.mark.parametrize(
    "step",
    [transform(TITLE), transform("\n" + TITLE), transform(SUMMARY), transform(session=None)],
    ids=["title", "title after a newline", "summary", "no session"],
)
def test_side_calls_get_no_memory_and_start_no_epoch(plugin: Plugin, step: dict[str, Any]) -> None:
    done = run(plugin, {"daemon": BLOCKS}, step)
    assert systems(done) == [step["output"]["system"]]
    assert done["calls"] == []


def test_a_custom_title_agent_is_recognised_from_the_configuration(plugin: Plugin) -> None:
    config = {"agent": {"title": {"prompt": "Name this thread."}}}
    done = run(
        plugin,
        {"daemon": BLOCKS},
        {"hook": "config", "input": config},
        transform("Name this thread. Briefly."),
        transform(),
    )
    assert systems(done) == [["Name this thread. Briefly."], [MAIN, "memory", "hot"]]


@pytest.mark.parametrize("known_by", ["session.created", "the client"])
def test_a_subagent_gets_no_memory_and_nothing_is_learned_from_its_prompt(
    plugin: Plugin, known_by: str
) -> None:
    born = [created("kid", parent="s")] if known_by == "session.created" else []
    done = run(
        plugin,
        {"daemon": BLOCKS},
        *born,
        message("remember that all is well", "kid"),
        transform(session="kid"),
        compacting("kid"),
        parents={} if born else {"kid": "s"},
    )
    assert systems(done) == [[MAIN]]
    assert names(done) == ["session.created"] * len(born)


def test_nothing_is_injected_during_a_compaction(plugin: Plugin) -> None:
    done = run(
        plugin,
        {"daemon": {**BLOCKS, COMPACTING: {"context": ["instructions"]}}},
        created(),
        transform(),
        compacting(),
        transform("Some summariser of a later version."),
        text("first"),
        text("the summary"),
        bus("session.compacted", sessionID="s"),
        transform(),
    )
    assert systems(done) == [
        [MAIN, "memory", "hot"],
        ["Some summariser of a later version."],
        [MAIN, "memory", "hot"],
    ]
    assert done["outputs"][3]["context"] == ["instructions"]
    assert names(done)[1:] == [SYSTEM, COMPACTING, "session.compacted", SYSTEM]
    assert done["calls"][3][2]["summary"] == "the summary"


@pytest.mark.parametrize("ending", ["session.idle", "session.error"])
def test_a_failed_compaction_keeps_the_epoch(plugin: Plugin, ending: str) -> None:
    done = run(
        plugin,
        {"daemon": BLOCKS},
        transform(),
        {"daemon": OTHER},
        compacting(),
        bus(ending, sessionID="s"),
        transform(),
    )
    assert systems(done) == [[MAIN, "memory", "hot"]] * 2


@pytest.mark.parametrize(
    ("words", "falls_back"),
    [
        ("remember that we deploy with make ship", True),
        ("From now on use tabs", True),
        ("记住我们用 pnpm", True),
        ("覚えておいて、デプロイは金曜", True),
        ("기억해 주세요: 포트는 8080", True),
        ("Recuerda que usamos pnpm", True),
        ("Souviens-toi que nous utilisons pnpm", True),
        ("Merk dir, dass wir pnpm nutzen", True),
        ("Lembre-se de que usamos pnpm", True),
        ("why does the check fail?", False),
    ],
)
def test_without_a_daemon_only_requests_to_remember_go_to_the_files(
    plugin: Plugin, words: str, falls_back: bool
) -> None:
    done = run(plugin, {"daemon": "gone"}, message(words))
    wheres = [where for where, _, _ in done["calls"]]
    assert wheres == ["socket POST"] + ["library hook opencode"] * falls_back


@pytest.mark.parametrize("daemon", ["gone", "slow", "broken", "full"])
def test_an_unrecorded_request_is_reported(plugin: Plugin, daemon: str) -> None:
    lost = {"daemon": daemon, "library": None}
    done = run(plugin, lost, message("remember that we ship on Fridays"))
    _said, notice = done["outputs"][-1]["parts"]
    assert notice["text"].startswith("wm could not record this message")
    assert notice["synthetic"] is True
    asked = run(plugin, lost, message("why does the check fail?"))
    assert len(asked["outputs"][-1]["parts"]) == 1


def test_a_message_too_large_for_the_socket_goes_to_the_files(plugin: Plugin) -> None:
    notice = {"chat.message": {"notices": ["It waits in the inbox."]}}
    done = run(plugin, {"daemon": "full", "library": notice}, message("remember this: much"))
    assert done["outputs"][-1]["parts"][1]["text"] == "It waits in the inbox."


@pytest.mark.parametrize(
    ("name", "daemon", "falls_back"),
    [
        ("bash", "gone", True),
        ("edit", "gone", True),
        ("write", "gone", True),
        ("apply_patch", "gone", True),
        ("read", "gone", False),
        ("grep", "gone", False),
        ("bash", "slow", False),
        ("bash", "broken", False),
        ("bash", "garbage", False),
    ],
)
def test_without_a_listener_tool_changes_go_to_the_files(
    plugin: Plugin, name: str, daemon: str, falls_back: bool
) -> None:
    done = run(plugin, {"daemon": daemon}, tool(name, filePath="/repo/a.py"))
    wheres = [where for where, _, _ in done["calls"]]
    assert wheres == ["socket POST"] + ["library hook opencode"] * falls_back


@pytest.mark.parametrize("daemon", ["gone", "slow", "broken"])
def test_without_an_answer_a_failed_command_goes_to_the_files(plugin: Plugin, daemon: str) -> None:
    assert len(run(plugin, {"daemon": daemon}, bash(1))["calls"]) == 2


def test_while_a_hanging_daemon_is_skipped_changes_do_not_go_to_the_files(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": "slow"}, *[bash(0)] * 3, {"daemon": "gone"}, bash(0))
    assert len(done["calls"]) == 3


def test_events_that_go_to_the_files_keep_their_order(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": "gone"}, bash(1), tool("edit", filePath="/repo/a"), bash(0))
    tools = [b["input"]["tool"] for where, _, b in done["calls"] if where.startswith("library")]
    assert tools == ["bash", "edit", "bash"]


def test_a_hanging_daemon_is_called_three_times_and_then_every_ten_seconds(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": "slow"}, *[bash(0)] * 5, {"seconds": 11}, *[bash(0)] * 2)
    assert names(done) == ["tool.execute.after"] * 4


def printed(lines: int, **more: Any) -> dict[str, Any]:
    step = bash(0)
    output = "".join(f"line {number}\n" for number in range(lines))
    return {**step, "output": {"output": output, "metadata": {"exit": 0}, **more}}


CUTS = {"daemon": {"tool.execute.after": {"output": "less", "notices": ["one more thing"]}}}


def test_a_long_output_is_replaced_by_the_pruned_text_with_notices_after_it(plugin: Plugin) -> None:
    done = run(plugin, CUTS, printed(20), printed(19))
    assert [body["replaceable"] for _where, _name, body in done["calls"]] == [True, False]
    assert done["outputs"][1]["output"] == "less\n\none more thing"
    # What was not offered is not replaced, whatever the daemon says.
    assert done["outputs"][2]["output"].startswith("line 0\nline 1\n")


@pytest.mark.parametrize("state", ["gone", "slow", "broken", "garbage", {}], ids=str)
def test_without_a_pruned_text_the_output_keeps_its_bytes(plugin: Plugin, state: Any) -> None:
    step = printed(40)
    done = run(plugin, {"daemon": state, "library": {}}, step)
    assert done["outputs"][1]["output"] == step["output"]["output"]


def test_an_output_truncated_by_opencode_is_not_sent_for_pruning(plugin: Plugin) -> None:
    step = printed(2)
    step["output"]["output"] = "a long line\n" * 200_000
    done = run(plugin, CUTS, step)
    assert done["calls"][0][2]["replaceable"] is False


def test_one_slow_answer_loses_no_other_event(plugin: Plugin) -> None:
    slow, well = {"daemon": "slow"}, {"daemon": {}}
    done = run(plugin, slow, bash(0), bash(0), well, bash(0), slow, bash(0), bash(0), well, bash(0))
    assert names(done) == ["tool.execute.after"] * 6


SAID = {"daemon": {"chat.message": {"notices": ["kept"]}}}
QUIET: dict[str, Any] = {"daemon": {}}


def test_notices_are_appended_to_the_message_they_answer(plugin: Plugin) -> None:
    done = run(plugin, created(), message("hello"), SAID, message("remember that: spaces"))
    assert done["outputs"][3]["parts"][1] == {
        "id": "prt_1w",
        "messageID": "msg_1",
        "sessionID": "s",
        "type": "text",
        "synthetic": True,
        "text": "kept",
    }


def test_notices_for_the_first_message_are_a_separate_message_after_it(plugin: Plugin) -> None:
    first = message("remember this: tabs")
    model = {"providerID": "anthropic", "modelID": "m", "variant": "high"}
    first["output"]["message"] |= {"agent": "plan", "model": model}
    done = run(plugin, created(), SAID, first, QUIET, bash(0))
    assert len(done["outputs"][2]["parts"]) == 1
    assert done["outputs"][4]["output"] == "out"
    (prompt,) = [call for call in done["calls"] if call[0] == "prompt"]
    assert prompt[1:] == [
        "s",
        {
            "noReply": True,
            "agent": "plan",
            "model": {"providerID": "anthropic", "modelID": "m"},
            "variant": "high",
            "parts": [{"type": "text", "text": "kept", "synthetic": True}],
        },
    ]


@pytest.mark.parametrize("part", [{"type": "agent", "name": "plan"}, {"type": "file"}])
def test_after_a_first_message_with_a_file_or_agent_nothing_is_added(
    plugin: Plugin, part: dict[str, str]
) -> None:
    first = message("remember this: tabs")
    first["output"]["parts"].insert(0, part)
    done = run(plugin, created(), SAID, first, QUIET, bash(0))
    assert len(first["output"]["parts"]) == len(done["outputs"][2]["parts"])
    assert [call for call in done["calls"] if call[0] == "prompt"] == []
    assert done["outputs"][4]["output"] == "out\n\nkept"


@pytest.mark.parametrize("refuses", ["throws", "an error"])
def test_notices_refused_by_opencode_are_appended_to_the_next_output(
    plugin: Plugin, refuses: str
) -> None:
    done = run(plugin, created(), SAID, message("hello"), QUIET, bash(0), refuses=refuses)
    assert done["outputs"][4]["output"] == "out\n\nkept"


@pytest.mark.parametrize(
    ("daemon", "where"), [({}, "socket POST"), ("gone", "library hook opencode")]
)
def test_dispose_waits_for_events_that_opencode_does_not_wait_for(
    plugin: Plugin, daemon: Any, where: str
) -> None:
    deletions = [
        {**bus("session.deleted", info={"id": name}), "awaited": False} for name in ("s", "child")
    ]
    done = run(plugin, {"daemon": daemon, "delay": 20}, *deletions, {"hook": "dispose"})
    reached = [body for place, _, body in done["calls"] if place == where]
    assert [body["event"]["properties"]["info"]["id"] for body in reached] == ["s", "child"]


def test_a_slow_hook_continues_after_the_deadline_and_the_end_of_opencode(tmp_path: Path) -> None:
    done = tmp_path / "done"
    slow = tmp_path / "hook.sh"
    slow.write_text(
        f'[ "$2" = hook ] && cat > "{done}.part" && sleep 1 && mv "{done}.part" "{done}"'
    )
    baked = tmp_path / "wm.mjs"
    hooks = HookSettings(start_timeout_s=0.3)
    baked.write_text(bake(PLUGIN.read_text(), "1", WmCommand(slow), hooks, {}))
    assert NODE is not None
    script = (
        f"const {{ default: p }} = await import({json.dumps(str(baked))});"
        'const h = await p({ directory: "/repo" });'
        'h.event({ event: { type: "session.deleted", properties: { sessionID: "s" } } });'
        # The deadline of the hook is over before that of dispose.
        "await new Promise((resolve) => setTimeout(resolve, 100));"
        "await h.dispose(); process.exit()"
    )
    environment = {"PATH": os.environ["PATH"], "WM_HOME": str(tmp_path / "no daemon")}
    subprocess.run(
        [NODE, "--input-type=module", "-e", script], check=True, timeout=30, env=environment
    )
    deadline = time.monotonic() + 20
    while not done.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert json.loads(done.read_text())["event"]["type"] == "session.deleted"


def test_a_deletion_names_the_folder_of_the_session(plugin: Plugin) -> None:
    done = run(
        plugin,
        bus("session.deleted", info={"id": "s", "directory": "/other"}),
        bus("session.deleted", info={"id": "s"}),
        bus("session.deleted", sessionID="s"),
    )
    assert [body["directory"] for _, _, body in done["calls"]] == ["/other", "/repo", "/repo"]


def test_dispose_ends_at_its_deadline_when_nothing_answers(tmp_path: Path) -> None:
    baked = tmp_path / "wm.mjs"
    hooks = HookSettings(start_timeout_s=0.2)
    baked.write_text(bake(PLUGIN.read_text(), "1", COMMAND, hooks, {}))
    assert NODE is not None
    script = (
        f"const {{ default: p }} = await import({json.dumps(str(baked))});"
        "const wm = { call: () => new Promise(() => {}) };"
        "const h = p.parts.create({ wm, memory: p.parts.createMemory() });"
        'h.event({ event: { type: "session.deleted", properties: { sessionID: "s" } } });'
        "const alive = setInterval(() => {}, 1000); const began = Date.now();"
        "await h.dispose(); clearInterval(alive); console.log(Date.now() - began)"
    )
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert int(done.stdout) >= 190


def test_the_bodies_match_the_daemons_parser(plugin: Plugin) -> None:
    error = {"status": "error", "input": {"filePath": "/a"}, "error": "not found"}
    part = {"id": "p", "sessionID": "s", "type": "tool", "tool": "read", "state": error}
    done = run(
        plugin,
        {"daemon": {}},
        created(),
        message("hello"),
        transform(),
        bash(2),
        bus("message.part.updated", part=part),
        bus("message.part.updated", part=part),
        text("words"),
        compacting(),
        text("summary"),
        bus("session.compacted", sessionID="s"),
        {"hook": "dispose"},
        bus("session.deleted", info={"id": "s"}),
    )
    kinds = []
    for _, name, body in done["calls"]:
        parsed = adapter.parse(name, body)
        assert parsed.session_id == "s"
        kinds += [event.kind for event in parsed.events]
    assert kinds == [
        "session_started",
        "user_prompt",
        "tool_finished",
        "tool_finished",
        "assistant_text",
        "compaction_started",
        "compaction_finished",
        "session_ended",
        "session_deleted",
    ]
    assert all(body["directory"] == "/repo" for _, _, body in done["calls"])


def test_invalid_unicode_is_repaired_before_it_reaches_the_library(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": "gone"}, message("remember \ud800 this"))
    assert done["calls"][1][2]["output"]["parts"][0]["text"] == "remember \ufffd this"


def asked(name: str) -> str:
    return f"/v1/tools/{name}?directory=%2Frepo&session=s"


def test_the_tools_call_the_daemon_with_their_session(plugin: Plugin) -> None:
    done = run(
        plugin,
        {"daemon": {asked("remember"): {"text": "Kept."}}},
        {"tool": "remember", "args": {"text": "we ship", "type": "project"}},
        {"daemon": {asked("memory_query"): {"text": "Found."}}},
        {"tool": "memory_query", "args": {"query": "make ship", "limit": 3}},
    )
    assert done["calls"] == [
        ["socket POST", asked("remember"), {"text": "we ship", "type": "project"}],
        ["socket POST", asked("memory_query"), {"query": "make ship", "limit": 3}],
    ]
    assert (done["outputs"][1], done["outputs"][3]) == ("Kept.", "Found.")


def test_without_a_listener_a_tool_is_called_once_through_the_files(plugin: Plugin) -> None:
    result = {"result": {"content": [{"type": "text", "text": "Proposed."}]}}
    done = run(
        plugin,
        {"daemon": "gone", "library": {"mcp": result}},
        {"tool": "remember", "args": {"text": "we ship", "type": "project"}},
        {"library": None},
        {"tool": "memory_stats", "args": {}},
    )
    params = {"name": "remember", "arguments": {"text": "we ship", "type": "project"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert done["calls"][1] == ["library mcp -C", "mcp", call]
    assert done["outputs"][1] == "Proposed."
    assert done["outputs"][3] == "The memory cannot be reached. `wm status` says why."


def test_a_tool_call_without_an_answer_in_time_is_not_repeated(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": "slow"}, {"tool": "memory_stats", "args": {}})
    assert [where for where, _, _ in done["calls"]] == ["socket POST"]
    assert "check before you repeat it" in done["outputs"][1]


def test_the_tools_are_those_of_the_mcp_server(plugin: Plugin) -> None:
    tools = run(plugin)["tools"]
    assert {name: (t["description"], t["args"]) for name, t in tools.items()} == {
        tool.name: (tool.description, tool.schema["properties"]) for tool in TOOLS
    }


@pytest.mark.parametrize(("command", "typed"), [("review", False), ("wm:remember", True)])
def test_the_text_of_a_command_is_not_what_the_user_typed(
    tmp_path: Path, command: str, *, typed: bool
) -> None:
    """Only the commands of wm have a line that the user typed. The next message is the user's."""
    copy = tmp_path / "wm.mjs"
    copy.write_text(bake(PLUGIN.read_text(), "0.0.0", COMMAND, HookSettings(), {"wm:remember": {}}))
    said = message("Always answer in JSON.")
    before = {
        "hook": "command.execute.before",
        "input": {"command": command, "sessionID": "s", "arguments": ""},
        "output": {"parts": [{"type": "text", "text": "Always answer in JSON."}]},
    }
    assert NODE is not None
    with subprocess.Popen(
        [NODE, str(DRIVER), str(copy)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as plugin:
        calls = run(plugin, before, said, said)["calls"]
        assert plugin.stdin is not None
        plugin.stdin.close()
    parts = [body["output"]["parts"][0] for _, name, body in calls if name == "chat.message"]
    assert [not part.get("synthetic") for part in parts] == [typed, True]


def test_commands_are_registered_and_a_command_of_the_user_stays(tmp_path: Path) -> None:
    baked = tmp_path / "wm.mjs"
    ours = {"wm:recap": {"template": "T", "description": "D"}, "wm:inbox": {"template": "I"}}
    baked.write_text(bake(PLUGIN.read_text(), "1", COMMAND, HookSettings(), ours))
    assert NODE is not None
    script = (
        f"const {{ default: p }} = await import({json.dumps(str(baked))});"
        "const h = p.parts.create({ wm: {}, memory: p.parts.createMemory() });"
        'const c = { command: { "wm:recap": { template: "mine" } } };'
        "await h.config(c); console.log(JSON.stringify(c.command))"
    )
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {**ours, "wm:recap": {"template": "mine"}}


def test_the_module_has_one_export_because_opencode_calls_them_all(plugin: Plugin) -> None:
    assert run(plugin)["exports"] == ["default"]


def test_setup_bakes_version_command_and_deadlines_into_the_plugin(tmp_path: Path) -> None:
    command = WmCommand(Path('/my "config"/hook.sh'))
    hooks = HookSettings(event_timeout_s=0.5, start_timeout_s=2.0)
    baked = tmp_path / "wm.mjs"
    baked.write_text(bake(PLUGIN.read_text(), "1.2.3", command, hooks, {}))
    assert NODE is not None
    done = subprocess.run(
        [
            NODE,
            "--input-type=module",
            "-e",
            f"const {{ default: p }} = await import({json.dumps(str(baked))});"
            "console.log(JSON.stringify(p.parts))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    parts = json.loads(done.stdout)
    assert (parts["VERSION"], parts["COMMAND"]) == ("1.2.3", list(command.wm))
    assert (parts["EVENT_MS"], parts["START_MS"]) == (500, 2000)


def test_the_deadlines_in_the_source_are_the_defaults() -> None:
    found = dict(re.findall(r"^const (EVENT_MS|START_MS) = (\d+)$", PLUGIN.read_text(), re.M))
    defaults = HookSettings()
    assert int(found["EVENT_MS"]) == defaults.event_timeout_s * 1000
    assert int(found["START_MS"]) == defaults.start_timeout_s * 1000


def test_only_runtime_modules_are_imported() -> None:
    imports = re.findall(r'^import .* from "([^"]+)"$', PLUGIN.read_text(), re.M)
    assert imports == ["node:child_process", "node:fs", "node:os", "node:path"]


# --- how full the context is (PS-1, PS-3) ---------------------------------------------------

USED = {"input": 2, "output": 10, "reasoning": 0, "cache": {"read": 150_000, "write": 0}}
REVIEW = {"message.updated": {"prompt": "[wm] critical"}}


def answer(id: str = "msg_2", session: str = "s", **more: Any) -> dict[str, Any]:
    """The event that an answer's step has ended."""
    info = {
        "id": id,
        "sessionID": session,
        "role": "assistant",
        "agent": "build",
        "mode": "build",
        "providerID": "anthropic",
        "modelID": "m",
        "finish": "tool-calls",
        "tokens": USED,
        "path": {"cwd": "/repo"},
    }
    return bus("message.updated", info={**info, **more})


def asking(session: str = "s") -> dict[str, Any]:
    info = {
        "id": "msg_1",
        "sessionID": session,
        "role": "user",
        "agent": "plan",
        "model": {"providerID": "anthropic", "modelID": "m", "variant": "high"},
        "system": "Be brief.",
    }
    return bus("message.updated", info=info)


def test_the_tokens_of_an_answer_are_reported_once_with_the_model_limit(plugin: Plugin) -> None:
    model = {"providerID": "anthropic", "id": "m", "limit": {"context": 200_000, "output": 32_000}}
    call = transform()
    call["input"]["model"] = model
    config = {"hook": "config", "input": {"compaction": {"auto": True, "reserved": 9}}}
    done = run(
        plugin, {"daemon": {}}, config, created(), call, answer(finish=None), answer(), answer()
    )
    bodies = [body for _, name, body in done["calls"] if name == "message.updated"]
    assert [body["limit"] for body in bodies] == [{"context": 200_000, "output": 32_000}]
    assert bodies[0]["compaction"] == {"auto": True, "reserved": 9}
    assert bodies[0]["event"]["properties"]["info"] == {
        "id": "msg_2",
        "sessionID": "s",
        "role": "assistant",
        "agent": "build",
        "mode": "build",
        "providerID": "anthropic",
        "modelID": "m",
        "tokens": USED,
    }


@pytest.mark.parametrize(
    "event",
    [
        answer(summary=True),
        answer(tokens={"input": 0, "output": 0}),
        answer(tokens=None),
        answer(role="user"),
        answer(session="child"),
        answer(session=""),
        bus("message.updated"),
    ],
    ids=["summary", "not counted yet", "no tokens", "user", "subagent", "no session", "nothing"],
)
def test_answers_outside_the_conversation_are_not_reported(
    plugin: Plugin, event: dict[str, Any]
) -> None:
    done = run(plugin, {"daemon": REVIEW}, event, parents={"child": "s"})
    assert done["calls"] == []


def test_a_review_is_injected_without_starting_a_turn(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": REVIEW}, created(), asking(), answer())
    assert [call for call in done["calls"] if call[0] == "prompt"] == [
        [
            "prompt",
            "s",
            {
                "noReply": True,
                "agent": "plan",
                "model": {"providerID": "anthropic", "modelID": "m"},
                "variant": "high",
                "system": "Be brief.",
                "parts": [{"type": "text", "text": "[wm] critical", "synthetic": True}],
            },
        ]
    ]


def test_the_plugins_own_prompt_is_not_a_user_message(plugin: Plugin) -> None:
    done = run(plugin, {"daemon": REVIEW}, created(), answer(), message("[wm] critical"))
    assert names(done) == ["session.created", "message.updated", "s"]


@pytest.mark.parametrize("refuses", ["throws", "an error"])
def test_a_review_refused_by_opencode_is_appended_to_the_next_output(
    plugin: Plugin, refuses: str
) -> None:
    done = run(plugin, {"daemon": REVIEW}, created(), answer(), bash(0), refuses=refuses)
    assert done["outputs"][-1]["output"] == "out\n\n[wm] critical"


def test_a_warning_is_appended_to_the_next_output(plugin: Plugin) -> None:
    daemon = {"message.updated": {"notices": ["[wm] high"]}}
    done = run(plugin, {"daemon": daemon}, created(), answer(), bash(0), bash(0))
    assert [o["output"] for o in done["outputs"][-2:]] == ["out\n\n[wm] high", "out"]
