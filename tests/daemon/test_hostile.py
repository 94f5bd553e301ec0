"""Hostile input from a grammar: no traceback, no 500, and what was acknowledged is kept."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.crash.conftest import Report, report
from tests.daemon import hostile
from tests.daemon.process import Home
from wm.daemon import lifecycle
from wm.daemon.client import Client
from wm.ops.local import opened
from wm.ops.storage.check import check_store

__all__ = ["report"]

EVERY = 50
"""After this many inputs a fact is stored, and the daemon's health is checked."""
WITHIN_S = 60.0


@contextmanager
def served(place: Home) -> Iterator[Client]:
    lifecycle.start(place.settings, environment=place.environment)
    try:
        with Client(place.settings) as client:
            yield client
    finally:
        place.kill()


def answers(path: Path, data: bytes) -> list[int]:
    """The statuses of all answers to these bytes; the sending half is closed after them."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(WITHIN_S)
        sock.connect(os.fspath(path))
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before everything was read; the answer is there
        raw = b""
        try:
            while part := sock.recv(65536):
                raw += part
        except ConnectionResetError:
            pass
    lines = [line for line in raw.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    return [int(line[9:12]) for line in lines]


def world(folder: Path) -> hostile.World:
    project = folder / "hostile"
    (project / "inner").mkdir(parents=True)
    (project / "file").write_text("x")
    others = (
        str(project / "inner"),
        str(project / "file"),
        str(folder / "missing"),
        "relative",
        "/",
    )
    return hostile.World(str(project), others, ())


def stored(client: Client, project: Path) -> list[str]:
    found = client.run("inspect", {"directory": str(project)})
    return sorted(view["entry"]["text"] for view in found["entries"])


def health(client: Client) -> Mapping[str, Any]:
    status: Mapping[str, Any] = client.call("status")
    return status


def play(folder: Path, count: int, seed: int) -> Counter[str]:
    """Send the inputs to a real daemon; returns how many answers of each kind and status came."""
    place = Home(folder)
    ours = folder / "ours"
    ours.mkdir()
    facts: list[str] = []
    counts: Counter[str] = Counter()
    about = world(folder)
    with served(place) as client:
        pid = health(client)["pid"]
        kept = client.run("remember", {"directory": about.folder, "text": hostile.WORDS[0]})
        about.ids = (kept["entry"]["id"], kept["entry"]["admittedBy"], "t_1", "m_")
        for number, (kind, data) in enumerate(hostile.inputs(seed, count, about)):
            found = answers(place.settings.paths.socket, data)
            bad = [status for status in found if status >= 500 and status not in (503, 505)]
            assert not bad, f"{kind} {number}, seed {seed}: {bad}\n{data[:3000]!r}"
            counts.update(f"{kind} {status}" for status in found)
            if number % EVERY == 0:
                facts.append(f"The berth number {number} is kept for ship {number * 7}.")
                client.run("remember", {"directory": str(ours), "text": facts[-1]})
                now = health(client)
                assert (now["pid"], now["incidents"]) == (pid, 0), place.log()[-1]
        assert stored(client, ours) == sorted(facts)
        assert health(client)["pid"] == pid
        assert health(client)["incidents"] == 0
        client.call("shutdown", {})
        assert lifecycle.wait_stopped(place.settings)
    log = (place.settings.paths.home / "daemon.log").read_text()
    assert "Traceback" not in log
    assert not [line for line in map(json.loads, log.splitlines()) if line["event"] == "incident"]
    with opened(place.settings) as runtime:
        findings = [f for f in check_store(runtime, deep=True) if f.severity != "note"]
    assert findings == []
    return counts


def test_a_sample_of_hostile_inputs_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    counts = play(tmp_path, 150, seed=1)
    assert {word.split()[0] for word in counts} == {"route", "hook", "http"}


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(4))
def test_2000_hostile_inputs_are_refused_and_lose_nothing(
    tmp_path: Path, seed: int, report: Report
) -> None:
    counts = play(tmp_path, 500, seed=1000 + seed)
    report("hostile inputs", dict(sorted(counts.items())))
