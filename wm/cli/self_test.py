"""The self-test of an installation: write, restart, read, render and search.

Runs in a scratch home on the file system of the real one, with its own daemon that it kills
in the middle. Never touches the user's memory.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wm.cli import output
from wm.daemon.client import Client
from wm.daemon.lifecycle import start, wait_stopped
from wm.errors import WmError
from wm.settings import Paths, Settings

TEXT = "The scratch project of this proof is deployed with `make ship`."


class ProofStep(Struct, frozen=True):
    """One step of the proof and its outcome."""

    name: str
    ok: bool
    detail: str
    seconds: float


class _Run:
    """A running proof: its scratch settings, its workspace, and its results so far."""

    def __init__(self, settings: Settings, folder: str) -> None:
        self.settings = settings
        self.client = Client(settings)
        self.scope = {"directory": folder}
        self.entry = ""
        self.prompt: tuple[str, ...] = ()

    def start(self) -> str:
        start(self.settings)
        return f"daemon answers, pid {self._pid()}"

    def write(self) -> str:
        answer = self.client.call("remember", {**self.scope, "text": TEXT})
        self.entry = str(answer["entry"]["id"])
        self.prompt = self._blocks("proof-1")
        return f"{self.entry} is on disk"

    def restart(self) -> str:
        before = self._pid()
        os.kill(before, signal.SIGKILL)
        self._wait_stopped()
        start(self.settings)
        return f"killed pid {before}, now pid {self._pid()}"

    def read(self) -> str:
        answer = self.client.call("show_entry", {**self.scope, "id": self.entry})
        _expect(answer["entry"]["text"] == TEXT, "the entry came back with another text")
        return "the entry is as it was written"

    def render(self) -> str:
        _expect("make ship" in "".join(self.prompt), "the prompt does not contain the entry")
        _expect(
            self._blocks("proof-1") == self.prompt,
            "the memory text of an open session (its epoch) changed over the restart",
        )
        size = sum(map(len, self.prompt))
        return f"{size} characters, same bytes after the restart"

    def search(self) -> str:
        answer = self.client.call("search", {**self.scope, "query": "deploy ship"})
        ids = [hit["entry"]["id"] for hit in answer["hits"]]
        _expect(ids[:1] == [self.entry], "the search did not find the entry")
        first = answer["hits"][0]["why"].partition(";")[0]
        return f"found by {first}"

    def stop(self) -> str:
        self.client.call("shutdown", {})
        self._wait_stopped()
        return "daemon ended, nothing left running"

    def _wait_stopped(self) -> None:
        _expect(wait_stopped(self.settings), "The daemon did not stop in time.")

    def _pid(self) -> int:
        return int(self.client.call("status", {})["pid"])

    def _blocks(self, session: str) -> tuple[str, ...]:
        answer = self.client.call("prompt", {**self.scope, "sessionId": session, "agent": "proof"})
        return tuple(str(block["text"]) for block in answer["blocks"])


def run(settings: Settings) -> list[ProofStep]:
    """Prove the round trip; stops at the first step that fails."""
    begun = time.monotonic()
    try:
        return _prove(settings)
    except OSError as error:
        detail = f"no scratch home can be created in {settings.paths.home}: {error.strerror}"
        return [ProofStep("prepare", False, detail, time.monotonic() - begun)]


def _prove(settings: Settings) -> list[ProofStep]:
    steps: list[ProofStep] = []
    with _scratch(settings) as proof:
        for name in ("start", "write", "restart", "read", "render", "search", "stop"):
            begun = time.monotonic()
            try:
                detail, ok = getattr(proof, name)(), True
            except (WmError, OSError, LookupError) as error:
                detail, ok = str(error), False
            steps.append(ProofStep(name, ok, detail, time.monotonic() - begun))
            if not ok:
                _kill(proof)
                break
    return steps


def show(steps: list[ProofStep]) -> None:
    output.line(output.bold("round trip through the socket"))
    for step in steps:
        took = f" ({step.seconds * 1000:.0f} ms)" if step.ok else ""
        output.check("ok" if step.ok else "error", step.name, step.detail + took)


@contextmanager
def _scratch(settings: Settings) -> Iterator[_Run]:
    """A scratch home beside the real one, with a socket in a private folder with a short path."""
    base = settings.paths.home / "run"
    settings.paths.home.mkdir(mode=0o700, parents=True, exist_ok=True)  # no access for other users
    base.mkdir(mode=0o700, exist_ok=True)
    home = tempfile.mkdtemp(prefix="proof-", dir=base)
    sockets = tempfile.mkdtemp(prefix="wm-")
    project = Path(home, "project")
    project.mkdir()
    paths = Paths(
        home=Path(home, "wm"),
        socket=Path(sockets, "wm.sock"),
        config=settings.paths.config,
        cache=settings.paths.cache,
    )
    proof = _Run(replace(settings, paths=paths), str(project))
    try:
        yield proof
    finally:
        proof.client.close()
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(sockets, ignore_errors=True)


def _kill(proof: _Run) -> None:
    with suppress(WmError, OSError):
        proof.stop()


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise WmError(otherwise)
