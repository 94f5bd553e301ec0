"""Unit files (IF-6)."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from wm.agents import services
from wm.agents.hook_lines import WmCommand
from wm.agents.services import ServiceKind
from wm.settings import AgentPaths, Paths

ODD = WmCommand(Path('/opt/100% "my" $config\\/hook.sh'))


def paths(socket: str = "/run/user/7/wm/wm.sock") -> Paths:
    return Paths(Path("/home/u/wm"), Path(socket), Path("/c/config.toml"), Path("/cache"))


def agents(runtime: str = "/run/user/7") -> AgentPaths:
    nowhere = Path("/x")
    return AgentPaths(
        nowhere, nowhere, nowhere, nowhere, nowhere, Path("/units"), Path("/agents"), (), runtime
    )


@pytest.mark.parametrize(
    ("platform", "kind"),
    [
        ("linux", ServiceKind.SYSTEMD),
        ("darwin", ServiceKind.LAUNCHD),
        ("freebsd14", ServiceKind.NONE),
    ],
)
def test_the_service_manager_depends_on_the_platform(platform: str, kind: ServiceKind) -> None:
    assert services.kind_of(platform) is kind


@pytest.mark.parametrize(
    ("socket", "runtime", "listen"),
    [
        ("/run/user/7/wm/wm.sock", "/run/user/7", "%t/wm/wm.sock"),
        ("/data/50%/wm.sock", "/run/user/7", "/data/50%%/wm.sock"),
        ("/data/wm.sock", "", "/data/wm.sock"),
    ],
)
def test_the_socket_unit_listens_where_clients_look(socket: str, runtime: str, listen: str) -> None:
    unit = services.socket_unit(agents(runtime), paths(socket))
    assert f"ListenStream={listen}\n" in unit


def test_arguments_in_a_unit_are_literal() -> None:
    unit = services.service_unit(paths(), ODD)
    assert (
        'ExecStart="/bin/sh" "/opt/100%% \\"my\\" $$config\\\\/hook.sh" "--run" "daemon"\n' in unit
    )
    assert 'Environment="WM_HOME=/home/u/wm"\n' in unit
    assert 'Environment="WM_SOCKET=/run/user/7/wm/wm.sock"\n' in unit


def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    for part in services.parts(ServiceKind.SYSTEMD, agents(), paths(), ODD):
        (tmp_path / part.path.name).write_bytes(part.content)
    done = subprocess.run(
        [analyze, "--user", "verify", str(tmp_path / "wm.socket"), str(tmp_path / "wm.service")],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_launchd_agent_is_a_property_list_with_the_expected_keys() -> None:
    [part] = services.parts(ServiceKind.LAUNCHD, agents(), paths(), ODD)
    value = plistlib.loads(part.content)
    assert part.path == Path("/agents/io.github.wm-memory.wm.plist")
    assert value["ProgramArguments"] == [*ODD.wm, "daemon"]
    assert value["EnvironmentVariables"]["WM_HOME"] == "/home/u/wm"


def test_without_a_service_manager_nothing_is_written_or_run() -> None:
    assert services.parts(ServiceKind.NONE, agents(), paths(), ODD) == ()
    assert services.enable(ServiceKind.NONE) == ()
    assert services.disable(ServiceKind.NONE) == ((), ())
