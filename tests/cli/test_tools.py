"""A model's proposals, as the user sees them (IF-4)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
NOTE = "The ferry leaves from bay 7 at noon."


def test_the_inbox_names_an_agents_tool_as_source(user: Terminal) -> None:
    call = {"name": "remember", "arguments": {"text": NOTE}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    done = subprocess.run(
        [sys.executable, "-m", "wm", "mcp"],
        input=line,
        capture_output=True,
        text=True,
        cwd=user.repo,
        env={**user.env, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert json.loads(done.stdout)["result"]["structuredContent"]["outcome"] == "inbox"
    assert done.stderr == ""
    shown = " ".join(user.wm("inbox").out.split())
    assert NOTE in shown
    assert "an agent's tool asked for it" in shown
    name = user.wm("inbox", "--json").json["entries"][0]["entry"]["id"]
    assert user.wm("inbox", "accept", name).code == 0
    assert NOTE in user.wm("inspect").out
