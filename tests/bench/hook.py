"""What one event of an agent costs: the hook's process against the same process doing nothing.

Three forms: the shell line with curl that setup writes where curl is, the stdlib client where
it is not, and `wm statusline`. Each against the same interpreter or the same curl line that
talks to nobody.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.bench.harness import ROOT, Row, at_most, daemon, environment, ratio, report, scratch
from wm.agents import hook_client as client_module

CALLS = 30
GOAL = 1.2


def main() -> bool:
    with scratch() as folder, daemon(folder) as client:
        project = folder / "project"
        project.mkdir()
        payload = json.dumps(
            {
                "session_id": "bench",
                "cwd": str(project),
                "hook_event_name": "PostToolUse",
                "tool_name": "Read",
                "tool_input": {"file_path": str(project / "a.py")},
                "tool_response": {"file": {"content": "x" * 800}},
            }
        ).encode()
        env = environment(folder)
        socket = folder / "wm" / "run" / "wm.sock"
        rows = [
            compare(name, ours, theirs, payload, env)
            for name, ours, theirs in cases(socket, folder)
        ]
        client.close()
    return report("one hook, whole process", rows)


def cases(socket: Path, folder: Path) -> list[tuple[str, list[str], list[str]]]:
    python = [sys.executable, "-I", "-S"]
    script = str(Path(client_module.__file__))
    nothing = folder / "nothing.py"
    nothing.write_text("import sys\nsys.stdin.buffer.read()\n")
    found = [
        (
            "stdlib client",
            [*python, script, "hook", "claude-code", "PostToolUse"],
            [*python, str(nothing)],
        )
    ]
    curl = shutil.which("curl")
    if curl:
        url = "http://wm/v1/hooks/claude-code/PostToolUse"
        line = (
            f"{curl} -sf -m 1 --unix-socket %s -H Content-Type:application/json "
            f"--data-binary @- {url} || :"
        )
        # A listener that answers nothing but 204 is the floor of the same curl line.
        found.append(
            ("curl line", ["sh", "-c", line % socket], ["sh", "-c", line % (folder / "null.sock")])
        )
    return found


def compare(
    name: str, ours: list[str], theirs: list[str], payload: bytes, env: dict[str, str]
) -> Row:
    value, left, right = ratio(
        lambda: each(ours, payload, env), lambda: each(theirs, payload, env), rounds=7
    )
    note = f"  ({left * 1e3:.1f} ms against {right * 1e3:.1f} ms)"
    return at_most(name, value, GOAL, "x doing nothing", note)


def each(command: list[str], payload: bytes, env: dict[str, str]) -> float:
    begun = time.perf_counter()
    for _ in range(CALLS):
        subprocess.run(
            command, input=payload, env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL
        )
    return (time.perf_counter() - begun) / CALLS
