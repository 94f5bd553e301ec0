"""Real daemons in real processes, on homes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.daemon.toys import TOYS
from wm.daemon import lifecycle
from wm.daemon.client import Client
from wm.daemon.instance import is_free, probe
from wm.daemon.routes import Router
from wm.settings import Settings, daemon_environment, load

ROOT = Path(__file__).resolve().parents[2]
TOY = (sys.executable, "-P", "-m", "tests.daemon.toys")
BACKGROUND = (*TOY, "--background")


class Home:
    """A scratch home and whatever daemon serves it."""

    def __init__(self, folder: Path, config: str = "") -> None:
        self.folder = folder
        (folder / "config" / "wm").mkdir(parents=True)
        (folder / "config" / "wm" / "config.toml").write_text(config)
        self.environment = {
            **daemon_environment(),
            "HOME": str(folder),
            "WM_HOME": str(folder / "home"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHONPATH": str(ROOT),
        }
        self.environment.pop("WM_SOCKET", None)
        found = load(self.environment)
        # Whole suites run beside these tests: a start may take its time.
        daemon = replace(found.daemon, start_wait_s=60.0)
        self.settings: Settings = replace(found, daemon=daemon)
        self.children: list[subprocess.Popen[bytes]] = []

    def client(self) -> Client:
        return Client(self.settings, _router=Router(TOYS))

    def start(self) -> bool:
        return lifecycle.start(self.settings, BACKGROUND, self.environment)

    def foreground(self, words: Sequence[str] = TOY, **options: Any) -> subprocess.Popen[bytes]:
        """A daemon as a child, once it answers."""
        child = subprocess.Popen(
            words, env=self.environment, stdin=subprocess.DEVNULL, cwd="/", **options
        )
        self.children.append(child)
        wait_for(lambda: probe(self.settings) is not None or child.poll() is not None)
        return child

    def status(self) -> dict[str, Any]:
        with self.client() as client:
            return dict(client.call("status"))

    def pid(self) -> int:
        return int(self.status()["pid"])

    def log(self) -> list[dict[str, Any]]:
        text = (self.settings.paths.home / "daemon.log").read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def kill(self) -> None:
        """Kill the daemon that holds the lock, as its lock file names it."""
        for child in self.children:
            child.kill()
            child.wait()
        if not is_free(self.settings):
            lock = json.loads((self.settings.paths.home / "daemon.lock").read_text())
            os.kill(int(lock["pid"]), signal.SIGKILL)
            wait_for(lambda: is_free(self.settings))


@contextmanager
def home(folder: Path, config: str = "") -> Iterator[Home]:
    made = Home(folder, config)
    try:
        yield made
    finally:
        made.kill()


@contextmanager
def started(environment: Mapping[str, str]) -> Iterator[Settings]:
    """A daemon as `wm up` starts it, which was asked to end, and has."""
    settings = load(environment)
    lifecycle.start(settings, environment=environment)
    try:
        yield settings
    finally:
        with Client(settings) as client:
            client.call("shutdown", {})
    assert lifecycle.wait_stopped(settings)


def end_daemon(settings: Settings) -> None:
    """End the daemon that a session's start started behind its answer."""
    wait_for(lambda: probe(settings) is not None, 60.0)
    with Client(settings) as client:
        client.call("shutdown", {})
    assert lifecycle.wait_stopped(settings)


def wait_for(fact: Callable[[], Any], within_s: float = 20.0) -> None:
    """Wait for a fact, with a bound."""
    until = time.monotonic() + within_s
    while not fact():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.005)


def memory_kb(pid: int, field: str = "VmRSS") -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise KeyError(field)


def wake_ups(pid: int) -> int:
    """How often any thread of the process was given the processor."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if "ctxt_switches" in line:
                total += int(line.split()[1])
    return total


def texts(place: Home) -> list[str]:
    with place.client() as client:
        return list(client.call("notes")["texts"])


def note(place: Home, text: str, **fields: object) -> None:
    with place.client() as client:
        client.call("note", {"text": text, **fields})


def metrics(place: Home) -> bytes:
    with place.client() as client:
        return client.request("GET", "/metrics").body
