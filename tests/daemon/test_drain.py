"""Answered events are written when the daemon is stopped at that moment (IF-6, HS-1)."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from wm.daemon import lifecycle
from wm.daemon.client import Client
from wm.library import Library
from wm.settings import Settings, daemon_environment, load

EVENTS = 120


def hook(name: str, **fields: Any) -> bytes:
    body = json.dumps({"session_id": "s-1", **fields}).encode()
    head = (
        f"POST /v1/hooks/claude-code/{name} HTTP/1.1",
        "host: wm",
        "content-type: application/json",
        f"content-length: {len(body)}",
    )
    return "\r\n".join([*head, "", ""]).encode() + body


def edited(project: Path, number: int) -> bytes:
    """An edit, each of a file of its own."""
    return hook(
        "PostToolUse",
        cwd=str(project),
        tool_name="Edit",
        tool_input={"file_path": str(project / f"file_{number}.py")},
        tool_response={},
    )


def answers(sock: socket.socket, count: int) -> list[int]:
    """The status of each of so many answers."""
    data = b""
    while data.count(b"HTTP/1.1 ") < count or not data.endswith(b"\r\n\r\n"):
        part = sock.recv(65536)
        if not part:
            break
        data += part
    return [int(part[:3]) for part in data.split(b"HTTP/1.1 ")[1:]]


def terminate(settings: Settings) -> None:
    lock = json.loads((settings.paths.home / "daemon.lock").read_text())
    os.kill(int(lock["pid"]), signal.SIGTERM)


def down(settings: Settings) -> None:
    with Client(settings) as client:
        client.call("shutdown", {})


@pytest.mark.parametrize("end", [terminate, down])
def test_every_answered_event_is_in_the_files_after_a_drain(
    end: Callable[[Settings], None],
) -> None:
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        environment = {**daemon_environment(), "HOME": folder, "WM_SOCKET": f"{folder}/s"}
        settings = load(environment)
        project = Path(folder, "ferry")
        project.mkdir()
        lifecycle.start(settings, environment=environment)
        with closing(socket.socket(socket.AF_UNIX)) as sock:
            sock.settimeout(60)
            sock.connect(str(settings.paths.socket))
            sock.sendall(hook("SessionStart", cwd=str(project), source="startup"))
            assert answers(sock, 1) == [200]
            sock.sendall(b"".join(edited(project, number) for number in range(EVENTS)))
            said = answers(sock, EVENTS)
            end(settings)
        assert said == [202] * EVENTS
        assert lifecycle.wait_stopped(settings)
        shown = Library(settings).run(
            "show_session", {"directory": str(project), "session_id": "s-1"}
        )
        assert shown["state"]["events"] >= EVENTS
        assert f"file_{EVENTS - 1}.py" in shown["hot"]
