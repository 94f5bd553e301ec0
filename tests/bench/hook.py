"""What one event of an agent costs: the hook's process against the same process doing nothing.

The stdlib client against the same interpreter reading its input, and the shell lines that setup
writes against the same curl on the same socket for a path at which nothing is done.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import wm
from tests.bench.harness import ROOT, Row, at_most, daemon, environment, ratio, report, scratch
from wm.agents import claude_hooks, hook
from wm.settings import HookSettings

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
    """Name, the hook as setup writes it, and the same thing doing nothing."""
    python = [sys.executable, "-I", "-S"]
    script = str(Path(hook.__file__))
    nothing = folder / "nothing.py"
    nothing.write_text("import sys\nsys.stdin.buffer.read()\n")
    found = [
        (
            "stdlib client",
            [*python, script, "hook", "claude-code", "PostToolUse"],
            [*python, str(nothing)],
        )
    ]
    if shutil.which("curl") is None:
        return found
    command = claude_hooks.installed(sys.executable, Path(wm.__file__).parent)
    for row in claude_hooks.HOOKS:
        if row.event in ("PostToolUse", "PostToolUseFailure"):
            line = claude_hooks.line(row, command, HookSettings())
            found.append((f"line of {row.event}", ["sh", "-c", line], ["sh", "-c", bare(socket)]))
    return found


def bare(socket: Path) -> str:
    """The same curl on the same socket, for a path at which nothing is done."""
    return (
        f"curl -sf -m 1 --unix-socket {socket} -H Content-Type:application/json "
        "--data-binary @- http://wm/v1/nothing || :"
    )


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
