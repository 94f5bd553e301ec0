"""Claude Code on a terminal of its own, for what only the interactive client does.

The only such thing so far is the title call. Every step waits for what the screen or the upstream
shows, with a bound; a client that hangs is killed with its process group.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.clients.harness import MODEL, NOWHERE, Machine

ROWS, COLUMNS = 40, 120
# The footer under the input line: from here on keys are read.
READY = "for agents"
KEY_TAIL_CHARS = 20
POLL_SECONDS = 0.1


@dataclass
class Screen:
    """A running program and all it has drawn."""

    process: subprocess.Popen[bytes]
    terminal: int
    drawn: bytes = b""
    deadline: float = field(default_factory=lambda: time.monotonic() + 60.0)

    def wait_for(self, what: str, fact: Callable[[], bool]) -> None:
        while not fact():
            if time.monotonic() > self.deadline:
                tail = self.drawn[-2000:].decode(errors="replace")
                raise AssertionError(f"waited in vain for {what}; the screen ends with {tail!r}")
            self._read()

    def write(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def enter(self, line: str) -> None:
        """Type a line; return is sent on its own, or it would count as pasted text."""
        before = len(self.drawn)
        self.write(line)
        last = line.split()[-1].encode()
        self.wait_for(f"the typed {line!r}", lambda: last in self.drawn[before:])
        self.write("\r")

    def shows(self, text: str) -> bool:
        return text.encode() in self.drawn

    def ended(self) -> bool:
        return self.process.poll() is not None

    def _read(self) -> None:
        ready, _, _ = select.select([self.terminal], [], [], POLL_SECONDS)
        if not ready:
            return
        try:
            self.drawn += os.read(self.terminal, 65536)
        except OSError:
            # Linux reports the end of the other side as EIO; the process is about to be reaped.
            self.process.wait(timeout=10)


def run_claude_screen(machine: Machine, *prompts: tuple[str, Callable[[], bool]]) -> None:
    """Type each prompt and wait for its fact, then leave with /exit."""
    screen = _start(machine)
    try:
        screen.wait_for("the input line", lambda: screen.shows(READY))
        for prompt, done in prompts:
            screen.enter(prompt)
            screen.wait_for(f"what follows {prompt!r}", done)
        screen.enter("/exit")
        screen.wait_for("the end", screen.ended)
    finally:
        if not screen.ended():
            os.killpg(screen.process.pid, signal.SIGKILL)
            screen.process.wait(timeout=10)
        os.close(screen.terminal)


def _start(machine: Machine) -> Screen:
    terminal, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    _accept_first_questions(machine)
    process = subprocess.Popen(
        [str(machine.clients.claude), "--model", MODEL],
        cwd=machine.repo,
        env=_environment(machine),
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
    )
    os.close(inner)
    return Screen(process, terminal)


def _environment(machine: Machine) -> dict[str, str]:
    """The switch that forbids side traffic forbids the title too: forbid the rest one by one."""
    environment = dict(machine.environment)
    environment.pop("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", None)
    return {
        **environment,
        "TERM": "xterm-256color",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
    }


def _accept_first_questions(machine: Machine) -> None:
    path = machine.home / ".claude.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    key = machine.environment["ANTHROPIC_API_KEY"]
    settings |= {"hasCompletedOnboarding": True, "theme": "dark"}
    settings["customApiKeyResponses"] = {"approved": [key[-KEY_TAIL_CHARS:]], "rejected": []}
    project = settings.setdefault("projects", {}).setdefault(str(machine.repo), {})
    project["hasTrustDialogAccepted"] = True
    path.write_text(json.dumps(settings))
