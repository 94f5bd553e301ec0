"""What the daemon loads at its start; the rest is loaded on demand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.process import home, memory_kb, wait_for
from wm.daemon.client import Client

STARTED = """
import json, sys
from wm.daemon.serve import serve
from wm.ops.local import open_runtime
from wm.ops.catalogue import OPERATIONS
assert "wm.api.protocol" not in sys.modules
OPERATIONS["hook"].request.model_rebuild()
print(json.dumps(sorted(sys.modules)))
"""

NEVER = ("watchdog", "numpy", "usearch")
"""What neither the start nor the models of a hook bring along; the start itself does without the
models of requests."""


def test_a_daemon_starts_without_modules_for_later_requests() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", STARTED], capture_output=True, text=True, check=True, env=environment
    )
    loaded = set(json.loads(done.stdout))
    assert loaded & set(NEVER) == set()
    assert [name for name in loaded if "errors.formats." in name] == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
def test_the_rules_are_loaded_for_the_first_session(tmp_path: Path) -> None:
    """A daemon that serves no session does without them; `tests.bench idle` has the goal."""
    folder = tmp_path / "project"
    folder.mkdir()
    start = {"session_id": "s1", "cwd": str(folder), "hook_event_name": "SessionStart"}
    with home(tmp_path / "home") as place:
        place.foreground((sys.executable, "-P", "-m", "wm.daemon"))
        with Client(place.settings) as client:
            client.call("remember", {"directory": str(folder), "text": "We ship with make."})
            pid = int(client.call("status", {})["pid"])
            # The first sweep runs when all that the start leaves for later is done.
            wait_for(lambda: [*place.settings.paths.home.glob("workspaces/*/sweep.json")])
            before = memory_kb(pid)
            assert before < 62 * 1024
            client.call("hook", {"agent": "claude-code", "name": "SessionStart", "payload": start})
            wait_for(lambda: memory_kb(pid) > before + 5 * 1024)
