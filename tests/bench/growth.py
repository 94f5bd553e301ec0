"""Does a daemon grow that reads diverse hostile text for minutes? Its memory, by quarters.

Every expression keeps what it learned of the texts it saw, up to a bound of its library, and every
session and workspace has caches; so the text here is made to be as unlike itself as can be, in
many sessions. `WM_BENCH_GROWTH_S` says for how long, 120 seconds if it does not.
"""

from __future__ import annotations

import os
import random
import time

from tests.bench.harness import Row, at_most, daemon, report, scratch
from tests.bench.idle import resident_mb
from wm.daemon.client import Client

SESSIONS = 40
GOAL_MB = 200
GOAL_LATE_MB = 20

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJ0123456789_-+/=.~", "{}[]()<>:;,'\"\\|@#$%^&*!?",
    "äöüßéèñçãõ", "记住密码这是的了在有", "パスワードを覚えて", "비밀번호기억해", "абвгдежз",
    "\u200b\u202e\u00a0\u3000", "\t\r\n ",
)  # fmt: skip
BEGINNINGS = (
    "password: ", "api_key=", "Authorization: Bearer ", "Error: ", '  File "x.py", line 3, in f\n',
    "error[E0308]: ", "FAILED tests/a.py::b - ", "src/a.ts(3,4): error TS2322: ", "remember that ",
    "from now on ", "记住", "merke dir ", "-----BEGIN RSA PRIVATE" + " KEY-----\n",
    "https://user:pw@h/", "AK" + "IA", "xo" + "xb-", "ey" + "J", "not ok 3 - ",
    "at a.b.C(D.java:3)\n", "panic: ",
    "make: *** [x] Error 1\n", "npm ERR! ", "TypeError: ", "\n- [decision] ",
    "Memory candidates:\n", "mot de passe : ", "contraseña=", "パスワード：", "$ ", "> ", "| ",
)  # fmt: skip
COMMANDS = ("pytest -q", "npm test", "cargo build", "make", "go test ./...", "tsc", "eslint .")


def main() -> bool:
    seconds = float(os.environ.get("WM_BENCH_GROWTH_S", "120"))
    with scratch() as folder:
        project = folder / "project"
        project.mkdir()
        with daemon(folder) as client:
            pid = int(client.call("status", {})["pid"])
            marks, rounds = _fed(client, str(project), pid, seconds)
    late = marks[-1] - marks[1]
    rows = [
        Row("rounds of five hooks", str(rounds)),
        Row("memory by quarters", ", ".join(f"{mark:.1f}" for mark in marks) + " MB"),
        at_most("memory in the end", marks[-1], GOAL_MB, "MB"),
        at_most("grown in the second half", late, GOAL_LATE_MB, "MB"),
    ]
    return report(f"a daemon that reads hostile text for {seconds:g} s", rows)


def _fed(client: Client, project: str, pid: int, seconds: float) -> tuple[list[float], int]:
    draw = random.Random(20261122)
    marks: list[float] = []
    begin, rounds = time.monotonic(), 0
    while len(marks) < 4:
        _round(client, project, draw, rounds)
        rounds += 1
        if time.monotonic() - begin >= seconds * (len(marks) + 1) / 4:
            marks.append(resident_mb(pid))
    return marks, rounds


def _round(client: Client, project: str, draw: random.Random, number: int) -> None:
    session = f"s-{number % SESSIONS}"

    def post(event: str, **fields: object) -> None:
        payload = {"session_id": session, "cwd": project, **fields}
        client.call("hook", {"agent": "claude-code", "name": event, "payload": payload})

    if number < SESSIONS:
        post("SessionStart", source="startup")
    post("UserPromptSubmit", prompt=hostile(draw, 3000), prompt_id=str(number))
    command = {"command": draw.choice(COMMANDS)}
    error = f"Exit code 1\n{hostile(draw, 20_000)}"
    post("PostToolUseFailure", tool_name="Bash", tool_input=command, error=error)
    shown = {"type": "text", "file": {"filePath": "a", "content": hostile(draw, 20_000)}}
    post("PostToolUse", tool_name="Read", tool_input={"file_path": "a"}, tool_response=shown)
    post("Stop", last_assistant_message=hostile(draw, 4000))
    if number % 5 == 0:
        lines = "\n".join("- [project] " + " ".join(hostile(draw, 100).split()) for _ in range(10))
        post("PreCompact", trigger="auto")
        post("PostCompact", compact_summary=f"{hostile(draw, 3000)}\nMemory candidates:\n{lines}")


def hostile(draw: random.Random, size: int) -> str:
    """Text that begins like much that is looked for, and goes on like nothing before."""
    parts: list[str] = []
    length = 0
    while length < size:
        kind = draw.random()
        if kind < 0.3:
            part = draw.choice(BEGINNINGS)
        elif kind < 0.4:
            part = chr(draw.randrange(0x20, 0x2FFF)) * draw.randrange(1, 9)
        else:
            part = "".join(draw.choices(draw.choice(ALPHABETS), k=draw.randrange(1, 40)))
        parts.append(part)
        length += len(part)
    return "".join(parts)
