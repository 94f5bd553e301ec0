"""What one event of an agent costs: the hook's process against the same process doing nothing.

The shell lines that setup writes for each agent, sent to the daemon, against the very same lines
sent to a listener that reads the request and answers nothing; and the stdlib client for machines
without curl, against the same interpreter reading its input.
"""

from __future__ import annotations

import json
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import wm
from tests.bench.harness import (
    ROOT,
    Row,
    at_most,
    daemon,
    environment,
    ratio,
    report,
    scratch,
    settle,
)
from wm.agents import claude_hooks, hook
from wm.agents.hook_lines import WmCommand, line, script_text
from wm.agents.other_agents import FALLBACKS, OTHER_AGENTS, OtherAgent
from wm.domain.payloads import dialect_of
from wm.settings import HookSettings

CALLS = 25
GOAL = 1.2
NOTHING = "import sys\nsys.stdin.buffer.read()\n"


def main() -> bool:
    with scratch() as folder, daemon(folder) as client, floor(folder) as silent:
        project = folder / "project"
        project.mkdir()
        settle(client)
        payload = json.dumps(tool_call(project)).encode()
        env = environment(folder)
        python = [sys.executable, "-I", "-S"]
        stdlib = [*python, hook.__file__, "hook", "claude-code", "PostToolUse"]
        rows = [compare("stdlib client", stdlib, env, [*python, "-c", NOTHING], env, payload)]
        for row, text in lines(folder / "hook.sh"):
            shell = ["sh", "-c", text]
            nowhere = {**env, "WM_SOCKET": str(silent)}
            given = json.dumps(call_for(row, project)).encode()
            name = f"line of {row.event} {row.matcher[:5]}…"
            rows.append(compare(name, shell, env, shell, nowhere, given))
        for row in OTHER_AGENTS if rows[1:] else ():
            shell = ["sh", "-c", line_of(row, folder / "hook.sh")]
            nowhere = {**env, "WM_SOCKET": str(silent)}
            given = json.dumps(command_of(row.agent, project)).encode()
            rows.append(compare(f"line of {row.agent}", shell, env, shell, nowhere, given))
        client.close()
    return report("one hook, whole process", rows)


def tool_call(project: Path) -> dict[str, object]:
    return {
        "session_id": "bench",
        "cwd": str(project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": str(project / "a.py")},
        "tool_response": {"file": {"content": "x" * 800}},
    }


def call_for(row: claude_hooks.ClaudeHook, project: Path) -> dict[str, object]:
    """A call of a tool that this hook is for."""
    if row.event == "PostToolUseFailure":
        return failed_call(project)
    call = tool_call(project)
    if row.matcher == claude_hooks.CHANGES:
        printed = {"stdout": "built and copied\n" * 12, "stderr": "", "interrupted": False}
        given = {"command": "make build", "description": "Build"}
        return {**call, "tool_name": "Bash", "tool_input": given, "tool_response": printed}
    if row.matcher == claude_hooks.OTHERS:
        page = [{"type": "text", "text": "The berth is free on Mondays. " * 27}]
        given = {"query": "berth"}
        return {**call, "tool_name": "mcp__port__find", "tool_input": given, "tool_response": page}
    return call


def failed_call(project: Path) -> dict[str, object]:
    """A failing test: what this hook is for, and what is written before it is answered."""
    return {
        "session_id": "bench",
        "cwd": str(project),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "error": "Exit code 1\nFAILED tests/test_a.py::test_b - assert 3 == 4\n1 failed in 0.02s",
    }


BUILT = "built and copied\n" * 12
REPORT = f"Command: make build\nOutput: {BUILT}\nExit Code: (none)"
REPORTS: dict[str, dict[str, object]] = {
    "codex": {"tool_name": "Bash", "tool_response": BUILT, "tool_use_id": "call_1"},
    "copilot": {
        "toolName": "bash",
        "toolResult": {
            "resultType": "success",
            "textResultForLlm": f"{BUILT}<shellId: 0 completed with exit code 0>",
        },
    },
    "cursor": {"tool_name": "Shell", "tool_output": json.dumps({"stdout": BUILT})},
    "gemini": {"tool_name": "run_shell_command", "tool_response": {"llmContent": REPORT}},
    "qwen": {"tool_name": "run_shell_command", "tool_response": {"llmContent": REPORT}},
}
"""What each agent says of a command that ended well."""


def command_of(agent: str, project: Path) -> dict[str, object]:
    """The hook call behind a command, in the agent's words."""
    session, given = (
        ("sessionId", "toolArgs") if agent == "copilot" else ("session_id", "tool_input")
    )
    payload = {session: f"bench-{agent}", "cwd": str(project), given: {"command": "make build"}}
    return {**payload, **REPORTS[agent]}


def line_of(row: OtherAgent, script: Path) -> str:
    """The line behind each command of an agent."""
    meanings = dialect_of(row.agent).meanings
    event = next(hook for hook, meaning in meanings.items() if meaning == "result")
    return line(str(script), row.agent, event, FALLBACKS["result"])


def lines(script: Path) -> list[tuple[claude_hooks.ClaudeHook, str]]:
    """The lines of the hooks that fire once per tool call. script: where their script goes."""
    if shutil.which("curl") is None:
        return []
    command = WmCommand(script, sys.executable, str(Path(wm.__file__).parent))
    script.write_text(script_text(command, HookSettings()))
    return [
        (row, line(str(script), claude_hooks.AGENT, row.event, row.fallback))
        for row in claude_hooks.HOOKS
        if row.event in ("PostToolUse", "PostToolUseFailure")
    ]


class _Silent(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        length = 0
        chunked = False
        while (header := self.rfile.readline()) not in (b"\r\n", b""):
            if header.lower().startswith(b"content-length:"):
                length = int(header[15:])
            chunked = chunked or header.lower() == b"transfer-encoding: chunked\r\n"
        self.rfile.read(length)
        while chunked and (size := int(self.rfile.readline() or b"0", 16)):
            self.rfile.read(size + 2)
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")


@contextmanager
def floor(folder: Path) -> Iterator[Path]:
    """A socket whose listener does nothing."""
    path = folder / "silent.sock"
    with socketserver.UnixStreamServer(str(path), _Silent) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield path
        finally:
            server.shutdown()
            thread.join()


def compare(
    name: str,
    ours: list[str],
    our_env: dict[str, str],
    theirs: list[str],
    their_env: dict[str, str],
    payload: bytes,
) -> Row:
    value, left, right = ratio(
        lambda: each(ours, our_env, payload), lambda: each(theirs, their_env, payload), rounds=7
    )
    note = f"  ({left * 1e3:.1f} ms against {right * 1e3:.1f} ms)"
    return at_most(name, value, GOAL, "x doing nothing", note)


def each(command: list[str], env: dict[str, str], payload: bytes) -> float:
    begun = time.perf_counter()
    for _ in range(CALLS):
        subprocess.run(
            command, input=payload, env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL
        )
    return (time.perf_counter() - begun) / CALLS
