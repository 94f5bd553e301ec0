"""ID-1 is spelled four times, once per language that must find the socket alone: all agree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import wm
from wm.agents import hook_client as hook
from wm.agents.hook_lines import TEMPLATE
from wm.settings import find_paths

PLACES = [
    ({}, "/home/u/.local/share/wm/run/wm.sock"),
    ({"XDG_RUNTIME_DIR": "/run/user/7"}, "/run/user/7/wm/wm.sock"),
    ({"XDG_RUNTIME_DIR": "relative"}, "/home/u/.local/share/wm/run/wm.sock"),
    ({"XDG_DATA_HOME": "/data"}, "/data/wm/run/wm.sock"),
    ({"XDG_DATA_HOME": "data"}, "/home/u/.local/share/wm/run/wm.sock"),
    ({"XDG_DATA_HOME": "/data", "XDG_RUNTIME_DIR": "/run/user/7"}, "/run/user/7/wm/wm.sock"),
    ({"WM_HOME": "/mine"}, "/mine/run/wm.sock"),
    ({"WM_HOME": "/mine", "XDG_RUNTIME_DIR": "/run/user/7"}, "/mine/run/wm.sock"),
    ({"WM_SOCKET": "/s.sock", "WM_HOME": "/m", "XDG_RUNTIME_DIR": "/run"}, "/s.sock"),
    (
        {"WM_SOCKET": "", "WM_HOME": "", "XDG_RUNTIME_DIR": ""},
        "/home/u/.local/share/wm/run/wm.sock",
    ),
    ({"WM_HOME": "/my home/ü"}, "/my home/ü/run/wm.sock"),
]
CASES = [({"HOME": "/home/u", **environment}, path) for environment, path in PLACES]


@pytest.mark.parametrize(("environment", "expected"), CASES)
def test_settings_and_the_hook_client_find_the_same_socket(
    environment: dict[str, str], expected: str
) -> None:
    assert find_paths(environment).socket == Path(expected)
    raw = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
    assert hook.socket_path(raw) == os.fsencode(expected)


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
def test_the_hook_script_finds_the_same_socket(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    function = TEMPLATE.read_text().partition("find_socket() {")[2].partition("\n}\n")[0]
    for environment, expected in CASES:
        done = subprocess.run(
            [shell, "-c", f'{function}; printf %s "$socket"'],
            env=environment,
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == expected


def test_the_opencode_plugin_finds_the_same_socket(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    plugin = tmp_path / "wm.mjs"
    source = Path(wm.__file__).parent / "agents" / "opencode" / "wm.js"
    plugin.write_bytes(source.read_bytes())
    program = (
        f"const {{ default: p }} = await import({json.dumps(str(plugin))});"
        f"const all = {json.dumps([environment for environment, _ in CASES])};"
        "console.log(JSON.stringify(all.map((e) => p.parts.socketPath(e, e.HOME))))"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", program], capture_output=True, check=True
    )
    assert json.loads(done.stdout) == [expected for _, expected in CASES]
