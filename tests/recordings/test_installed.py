"""What `wm setup` of 760881f installed keeps working: hook lines, the MCP command, the plugin."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.cli.terminal import Terminal
from tests.daemon.process import end_daemon
from tests.recordings import installed, record
from wm.daemon.instance import is_free
from wm.library import Library

SAID = "we deploy with `make ship` from the release branch."
LISTING = "\n".join(f"bays/crate-{number}.yaml" for number in range(200))
LINES = installed.hook_lines(installed.filled(record.text("settings.json")))
NODE = shutil.which("node")


@pytest.fixture(scope="module")
def with_daemon() -> Iterator[Terminal]:
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        terminal = Terminal(Path(folder))
        assert terminal.wm("up", "--quiet").code == 0
        yield terminal
        terminal.wm("down")


@pytest.fixture(params=["on the files", "through the daemon"])
def user(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    if request.param == "through the daemon":
        terminal: Terminal = request.getfixturevalue("with_daemon")
        yield terminal.at(tmp_path.name)
        return
    yield Terminal(tmp_path)


def run(user: Terminal, words: list[str], stdin: str) -> str:
    """What a program prints that an agent starts; it ends with 0 and says nothing on stderr."""
    done = subprocess.run(
        words,
        input=stdin,
        env={**user.env, "CLAUDE_PROJECT_DIR": str(user.repo)},
        cwd=user.repo,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def hook(user: Terminal, name: str, **fields: Any) -> str:
    """What the recorded line of a hook prints."""
    event = name.split(" ")[0]
    payload = {"session_id": "s1", "cwd": str(user.repo), "hook_event_name": event, **fields}
    return run(user, ["sh", "-c", LINES[name]], json.dumps(payload))


def texts(user: Terminal) -> list[str]:
    return [one["entry"]["text"] for one in user.wm("inspect", "--json").json["entries"]]


def test_a_request_through_a_recorded_hook_line_is_in_the_next_prompt(user: Terminal) -> None:
    hook(user, "UserPromptSubmit", prompt=f"Remember that {SAID}")
    assert texts(user) == [SAID]
    is_alone = is_free(user.settings())
    assert SAID in hook(user, "SessionStart", source="startup", session_id="s2")
    if is_alone:
        end_daemon(user.settings())


@pytest.mark.parametrize("name", LINES)
def test_every_recorded_hook_line_is_silent_and_exits_with_0(
    with_daemon: Terminal, name: str
) -> None:
    hook(with_daemon, name)


def test_a_recorded_hook_line_prunes_tool_output(with_daemon: Terminal) -> None:
    (name,) = (line for line in LINES if line.startswith("PostToolUse Bash"))
    response = {"stdout": LISTING, "stderr": "", "interrupted": False}
    fields = {"tool_name": "Bash", "tool_input": {"command": "ls -R bays"}}
    printed = json.loads(hook(with_daemon, name, **fields, tool_response=response))
    shorter = printed["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert len(shorter) < len(LISTING)
    assert "wm output t_" in shorter


def test_the_recorded_mcp_command_answers_and_lists_the_recorded_tools(user: Terminal) -> None:
    server = json.loads(installed.filled(record.text("claude.json")))["mcpServers"]["wm"]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c"}}
    arguments = {"text": "We use pnpm, not npm."}
    messages = (
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "remember", "arguments": arguments}},
        {"id": 4, "method": "tools/call", "params": {"name": "memory_stats", "arguments": {}}},
    )
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages)
    printed = run(user, [server["command"], *server["args"]], lines)
    answers = {one["id"]: one["result"] for one in map(json.loads, printed.splitlines())}
    assert answers[1]["serverInfo"]["name"] == "wm"
    assert recorded_tools() <= {tool["name"] for tool in answers[2]["tools"]}
    assert not answers[3].get("isError")
    assert answers[4]["structuredContent"].keys() >= {"active", "waiting"}


def recorded_tools() -> set[str]:
    """Names of the tools that the recorded plugin offers to a model."""
    lines = record.text("wm.js").split("const TOOLS = ")[1]
    tools, _ = json.JSONDecoder().raw_decode(lines)
    return {tool["name"] for tool in tools}


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_recorded_plugin_stores_prunes_and_searches(
    with_daemon: Terminal, tmp_path: Path
) -> None:
    user = with_daemon.at(tmp_path.name)
    user.env = {**user.env, "PATH": f"{user.env['PATH']}:{os.path.dirname(str(NODE))}"}
    user.wm("remember", "We use pnpm, not npm.")
    copy = tmp_path / "wm.mjs"
    copy.write_text(installed.filled(record.text("wm.js")), "utf-8")
    given = {"directory": str(user.repo), "message": f"Remember that {SAID}", "output": LISTING}
    driver = str(Path(__file__).with_name("plugin.mjs"))
    answer = json.loads(run(user, [str(NODE), driver, str(copy)], json.dumps(given)))
    assert "pnpm" in answer["system"][1]
    assert SAID in texts(user)
    assert "memory_restore t_" in answer["output"]
    assert SAID in answer["tool"]


def test_unsetup_removes_the_recorded_installation(tmp_path: Path) -> None:
    user = Terminal(tmp_path)
    user.install("claude", "opencode")
    user.wm("setup", "--yes")
    for name, path in installed.FILES.items():
        (user.home / path).write_text(installed.filled(record.text(name)), "utf-8")
    found = user.wm("status", "--json").json["agents"]
    assert set(found.values()) <= {"current", "stale"}
    assert user.wm("unsetup", "--yes").code == 0
    assert user.wm("status", "--json").json["agents"] == dict.fromkeys(found, "absent")


def test_the_library_stores_and_finds(user: Terminal) -> None:
    library = Library(user.settings())
    project = str(user.repo)
    kept = library.run("remember", {"directory": project, "text": SAID})
    assert (kept["outcome"], kept["entry"]["text"]) == ("promoted", SAID)
    found = library.run("search", {"directory": project, "query": "how do we deploy"})
    assert [hit["entry"]["text"] for hit in found["hits"]] == [SAID]
