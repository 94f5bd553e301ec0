"""What a daemon's process leaves out of its libraries, and that it comes when it is asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys

STARTED = """
import json, sys
from wm.daemon.lean import stay_lean
stay_lean()
from wm.daemon.serve import serve
from wm.ops.local import open_runtime
from wm.ops.catalogue import OPERATIONS
assert "wm.formats.protocol" not in sys.modules
OPERATIONS["hook"].request.model_rebuild()
print(json.dumps(sorted(sys.modules)))
"""

NEVER = ("ssl", "importlib.metadata", "email", "zipfile", "html", "watchdog", "numpy", "usearch")
"""What neither the start nor the models of a hook bring along; the start itself does without the
models of requests."""

LATER = """
from wm.daemon.lean import stay_lean
stay_lean()
stay_lean()
import asyncio, ssl
import pydantic.plugin
import pydantic.plugin._loader as loader
print(ssl.create_default_context().verify_mode.name, asyncio.run(asyncio.sleep(0, "awake")))
print(loader.get_plugins(), loader.PYDANTIC_ENTRY_POINT_GROUP)
from pydantic.plugin._loader import _plugins, get_plugins
print(get_plugins.__module__, _plugins)
"""

AFTER = """
import asyncio, ssl
from wm.daemon.lean import stay_lean
stay_lean()
print(asyncio.base_events.ssl is ssl)
"""


def told(program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout


def test_a_daemon_loads_neither_tls_nor_the_search_for_plugins() -> None:
    loaded = set(json.loads(told(STARTED)))
    assert loaded & set(NEVER) == set()
    assert [name for name in loaded if "errors.formats." in name] == []


def test_what_was_left_out_is_there_for_whoever_imports_it_later() -> None:
    assert told(LATER).splitlines() == [
        "CERT_REQUIRED awake",
        "() pydantic",
        "pydantic.plugin._loader None",
    ]


def test_a_process_that_has_asyncio_keeps_it_as_it_is() -> None:
    assert told(AFTER) == "True\n"
