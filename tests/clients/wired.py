"""wm on a test's machine: wired into both agents by `wm setup`, asked and broken from outside.

Everything goes through the command line or the socket, as a user would; no module of wm is
imported.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import site
import socket
import threading
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.accounting import blocks_of
from tests.clients.harness import Machine
from tests.clients.scripts import Request

REPOSITORY = Path(__file__).resolve().parents[2]
MEMORY_HEADING = "Workspace memory (cross-session"
SNAPSHOT_HEADING = "Hot session snapshot"
# Where Claude Code's own text goes on behind what a hook said.
CLIENT_TEXT = "\n\n# Environment"
WAIT_SECONDS = 20.0


@dataclass
class Wired:
    """wm as installed for one user, in an environment of its own that a test can take away."""

    machine: Machine

    @property
    def installation(self) -> Path:
        return self.machine.root / "wm-installed"

    @property
    def socket(self) -> Path:
        return self.machine.runtime / "wm" / "wm.sock"

    def setup(self) -> None:
        self.installed()
        self.machine.tool("wm", "setup", "--yes")

    def installed(self) -> None:
        """A virtual environment with this checkout's package and this interpreter's libraries."""
        venv.EnvBuilder(symlinks=True, with_pip=False).create(self.installation)
        programs = self.installation / "bin"
        packages = next(self.installation.glob("lib/python*/site-packages"))
        (packages / "wm").symlink_to(REPOSITORY / "wm")
        (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()) + "\n")
        script = programs / "wm"
        script.write_text(f"#!{programs / 'python'}\nfrom wm.cli.main import main\n\nmain()\n")
        script.chmod(0o755)
        environment = self.machine.environment
        environment["PATH"] = os.pathsep.join([str(programs), environment["PATH"]])

    def ask(self, *words: str) -> Any:
        return json.loads(self.machine.tool("wm", *words, "--json"))

    def pid(self) -> int | None:
        daemon = self.ask("status")["daemon"]
        return int(daemon["pid"]) if daemon else None

    def kill(self) -> None:
        """SIGKILL as soon as it is up, and wait until it is gone."""
        wait_for("a daemon to kill", lambda: self.pid() is not None)
        pid = self.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_for("the daemon's end", lambda: not _alive(pid))

    def texts(self) -> list[str]:
        """The texts of the active entries."""
        return [str(view["entry"]["text"]) for view in self.ask("inspect")["entries"]]

    def hot(self, session: str) -> str:
        return str(self.ask("session", "show", session)["hot"])

    def take_away(self) -> None:
        """No daemon, no program: as if wm had been removed without `wm unsetup`."""
        if self.pid() is not None:
            self.kill()
        shutil.rmtree(self.installation)
        self.machine.hide_wm()


def _alive(pid: int) -> bool:
    """Whether a thread of a process is left. The first one may be gone while another still holds
    the socket: what connects then is neither answered nor refused."""
    process = Path(f"/proc/{pid}")
    try:
        state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" or len(list((process / "task").iterdir())) > 1
    except OSError:
        return False


def wait_for(what: str, fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    tick = threading.Event()
    while not fact():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        tick.wait(0.02)


def memory_blocks(request: Request) -> list[str]:
    """What wm put into a request: each block from its heading on, wherever the client put it."""
    found = []
    for text in _all_texts(request):
        starts = [text.find(heading) for heading in (MEMORY_HEADING, SNAPSHOT_HEADING)]
        begin = min((start for start in starts if start >= 0), default=-1)
        if begin >= 0:
            found.append(text[begin:].partition(CLIENT_TEXT)[0])
    return found


def _all_texts(request: Request) -> Iterator[str]:
    yield from request.system
    for message in request.messages:
        for block in blocks_of(message.get("content")):
            if "text" in block:
                yield str(block["text"])


Talk = Callable[[socket.socket], None]


def hang(connection: socket.socket) -> None:
    """Read what comes and never answer."""
    while connection.recv(65536):
        pass


def babble(connection: socket.socket) -> None:
    """Answer with bytes that are no HTTP."""
    connection.recv(65536)
    connection.sendall(b"\x00\xff{]garbage\r\n" * 40)


def wrong_json(connection: socket.socket) -> None:
    """Answer with HTTP whose body means nothing."""
    connection.recv(65536)
    body = b'{"system": 7, "hookSpecificOutput": "no'
    head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    connection.sendall(head.encode() + body)


@contextmanager
def impostor(path: Path, talk: Talk) -> Iterator[None]:
    """Somebody else on the daemon's socket, who treats every connection with `talk`."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen(64)

    def one(connection: socket.socket) -> None:
        try:
            talk(connection)
        except OSError:
            # The client gave up first, which is what the test wants to see.
            return
        finally:
            connection.close()

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield
    finally:
        # Closing alone does not wake a thread that waits in accept.
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        path.unlink(missing_ok=True)
