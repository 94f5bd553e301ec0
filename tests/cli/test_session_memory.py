"""`wm session core | working | continue` as people use them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.terminal import Terminal
from wm.cli.context import Caller

ROOT = Path(__file__).resolve().parents[2]
GOAL = "Mend the berths before the season begins."


def begin(user: Terminal, session: str) -> None:
    with user.inside(user.repo, user.env):
        Caller(user.settings(), "", "").call(
            "record_event", sessionId=session, agent="tests", event={"kind": "session_started"}
        )


def test_blocks_are_written_shown_and_refused_with_the_count(user: Terminal) -> None:
    begin(user, "ses_one")
    said = user.wm("session", "core", "set", "goal", GOAL)
    assert (said.code, said.out) == (0, "goal has 41 of 1000 characters now.\n")
    assert user.wm("session", "core", "append", "progress", "done: pier 4").code == 0
    shown = user.wm("session", "core", "--session", "ses_").out
    assert "goal  41 of 1000 characters\n  Mend the berths" in shown
    assert "context  0 of 1500 characters\n  empty" in shown
    refused = user.wm("session", "core", "set", "goal", "x" * 1001)
    assert refused.code == 1
    assert "goal would have 1001 characters; the limit is 1000." in refused.err
    assert user.wm("session", "core", "set", "plan", "x").code == 2
    assert GOAL in user.wm("session", "show", "ses_one").out
    assert "2 core blocks" in user.wm("session", "list").out


def test_the_working_memory_is_filled_and_emptied(user: Terminal) -> None:
    begin(user, "ses_one")
    user.wm("session", "working", "add", "--slot", "todo", "Call the harbour master.")
    user.wm("session", "working", "add", "Pier 4 has no crane.")
    shown = user.wm("session", "working").out.splitlines()
    assert shown == [
        "ses_one",
        "  todo       Call the harbour master.",
        "  note 1.00  Pier 4 has no crane.",
    ]
    assert user.wm("session", "working", "remove", "crane").out == "Removed; 1 item now.\n"
    refused = user.wm("session", "working", "clear", "--slot", "plans")
    assert (refused.code, "There is no slot 'plans'." in refused.err) == (1, True)
    assert user.wm("session", "working", "clear").out == "The working memory is empty.\n"


def test_a_session_is_continued_in_the_next(user: Terminal) -> None:
    nobody = user.wm("session", "continue")
    assert (nobody.code, "There is no session with core blocks" in nobody.err) == (1, True)
    begin(user, "ses_one")
    user.wm("session", "core", "set", "goal", GOAL)
    said = user.wm("session", "continue")
    assert said.out == "The next session here takes over goal of ses_one.\n"
    begin(user, "ses_two")
    shown = user.wm("session", "core", "--session", "ses_two").out
    assert "continued from ses_one" in shown
    assert GOAL in shown


def test_an_mcp_client_without_a_session_can_be_given_one(user: Terminal) -> None:
    begin(user, "ses_one")
    arguments = {"block": "goal", "content": GOAL, "operation": "replace"}
    call = {"name": "core_memory_update", "arguments": arguments}
    assert "does not send a session id" in mcp(user, call)["content"][0]["text"]
    done = mcp(user, call, "--session", "ses_one")
    assert done["content"][0]["text"] == "goal has 41 of 1000 characters now."
    assert GOAL in user.wm("session", "core").out


def test_codex_names_its_session_in_each_call(user: Terminal) -> None:
    begin(user, "ses_one")
    arguments = {"block": "goal", "content": GOAL, "operation": "replace"}
    call = {"name": "core_memory_update", "arguments": arguments}
    of_subagent = {**call, "_meta": {"sessionId": "ses_one", "threadId": "sub"}}
    assert "does not send a session id" in mcp(user, of_subagent)["content"][0]["text"]
    done = mcp(user, {**call, "_meta": {"sessionId": "ses_one", "threadId": "ses_one"}})
    assert done["content"][0]["text"] == "goal has 41 of 1000 characters now."


def test_an_agent_without_hooks_finds_memory_in_the_instructions(user: Terminal) -> None:
    user.wm("remember", "We deploy with make ship.")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    plain = mcp(user, hello, method="initialize")["instructions"]
    assert "make ship" not in plain
    shown = mcp(user, hello, "--memory", method="initialize")["instructions"]
    assert shown.startswith(plain)
    assert "We deploy with make ship." in shown
    assert mcp(user, hello, "--memory", method="initialize")["instructions"] == shown


def mcp(
    user: Terminal, call: dict[str, Any], *options: str, method: str = "tools/call"
) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "wm", "mcp", *options],
        input=json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": call}),
        capture_output=True,
        text=True,
        cwd=user.repo,
        env={**user.env, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)["result"]
    return result
