"""A daemon with a helper model summarises what a session's requests lost, after the turn (HM-1)."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from tests.daemon.process import home, wait_for
from tests.scripted_helper import HANDLE, Raw, honest, paged, scripted
from wm.daemon.client import Client

DAEMON_OF_WM = ("-P", "-m", "wm.daemon")


def test_a_turn_that_is_written_starts_the_summary_and_nothing_waits_for_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    go_on = threading.Event()

    def waits(instructions: str, text: str) -> str | Raw:
        go_on.wait(20)
        return honest(instructions, text)

    with scripted(waits) as server:
        config = f'[helper]\nmodel = "ollama/qwen2.5:3b"\nbase_url = "{server.url}"\n'
        with home(tmp_path / "home", config) as place:
            place.foreground((sys.executable, *DAEMON_OF_WM))
            with Client(place.settings) as client:
                here: dict[str, Any] = {"directory": str(project)}
                client.call("append_paging", {**here, "sessionId": "s-1", **paged()})
                wait_for(lambda: server.received)
                assert shown(client, here)["text"].startswith("src/quay/berths.py")
                assert "by" not in shown(client, here)
                go_on.set()
                wait_for(lambda: "by" in shown(client, here))
                assert shown(client, here)["by"] == "ollama/qwen2.5:3b"
                assert client.call("inspect", here)["helper"]["use"]["outcomes"] == {
                    "ok": 2,
                    "summary": 1,
                }


def shown(client: Client, here: dict[str, Any]) -> Any:
    return client.call("show_object", {**here, "id": HANDLE, "level": 1})
