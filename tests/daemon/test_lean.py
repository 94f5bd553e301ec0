"""What the daemon loads at its start; the rest is loaded on demand."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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
