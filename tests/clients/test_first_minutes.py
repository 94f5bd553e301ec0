"""The first minutes with wm: installed from a folder of wheels, without network, in an empty home;
and an installation of 760881f, upgraded the same way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import venv
from io import BytesIO
from pathlib import Path

import pytest

from tests.clients.agents import BOTH
from tests.clients.harness import Machine
from tests.clients.scripts import answer, say, script, turns
from tests.clients.wired import REPOSITORY, memory_blocks
from tests.test_packaging import files_of

pytestmark = pytest.mark.clients

LIMIT_S = 120.0
FIRST_VERSION = "760881f"
FACT = "we deploy with `make ship`"
OLD_FACT = "the staging cluster is called heron"
OWN_SETTINGS = '{\n  "model":"opus", "permissions": {"allow": ["Bash(ls:*)"]}\n}'
PACKAGE = ("wm", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of this tree, of 760881f, and of what both need."""
    folder = tmp_path_factory.mktemp("wheels")
    now, then = folder / "now", folder / "then"
    for name in files_of(*PACKAGE):
        copy = now / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((REPOSITORY / name).read_bytes())
    git = ["git", "-C", str(REPOSITORY), "archive", FIRST_VERSION, *PACKAGE]
    archive = subprocess.run(git, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as tree:
        tree.extractall(then, filter="data")
    for source in (now, then):
        # pipx takes the newest pip from the same folder.
        pip = [sys.executable, "-m", "pip", "wheel", "-q", "-w", str(folder), str(source), "pip"]
        subprocess.run(pip, check=True)
    return folder


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs uv and pipx."""
    folder = tmp_path_factory.mktemp("installers")
    venv.create(folder, with_pip=True)
    subprocess.run([str(folder / "bin" / "pip"), "install", "-q", "uv", "pipx"], check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def uv(installers: Path) -> str:
    return str(installers / "uv")


@pytest.fixture
def fresh(machine: Machine) -> Machine:
    """A machine whose path begins with the folder of installed tools, as uv and pipx advise."""
    environment = machine.environment
    programs = str(machine.home / ".local" / "bin")
    environment["PATH"] = os.pathsep.join([programs, environment["PATH"]])
    environment["UV_PYTHON"] = sys.executable
    machine.upstream.script = script(*turns(*[answer(say("With make ship."))] * len(BOTH)))
    return machine


def three_commands(machine: Machine, uv: str, wheels: Path) -> None:
    offline = ("--offline", "--no-index", "--find-links", str(wheels))
    machine.tool(uv, "tool", "install", *offline, "wm-memory")
    machine.tool("wm", "setup", "--yes")
    machine.tool("wm", "remember", FACT)


@pytest.mark.parametrize("installer", ["pipx", "pip"])
def test_other_installers_take_it_from_the_folder_of_wheels(
    machine: Machine, installers: Path, wheels: Path, installer: str
) -> None:
    machine.environment["PATH"] = "/usr/bin:/bin"
    folder = f"--no-index --find-links {wheels}"
    if installer == "pipx":
        machine.tool(str(installers / "pipx"), "install", "--pip-args", folder, "wm-memory")
    else:
        # Not an environment's Python: pip refuses --user there.
        python = Path(sys.base_prefix) / "bin" / "python3"
        words = ("-m", "pip", "install", "-q", "--user", *folder.split(), "wm-memory")
        machine.tool(str(python), *words)
    wm = str(machine.home / ".local" / "bin" / "wm")
    machine.tool(wm, "remember", FACT)
    assert FACT in machine.tool(wm, "inspect")


def compiled(machine: Machine) -> set[Path]:
    """The modules of the installation that Python has compiled."""
    return set((machine.home / ".local" / "share" / "uv").rglob("*.pyc"))


def assert_doctor_finds_nothing(machine: Machine) -> None:
    """Nothing but the trust that Codex asks its user for."""
    done = machine.program("wm", "doctor", "--json", timeout=60)
    report = json.loads(done.stdout)
    found = [check for check in report["checks"] if check["verdict"] != "ok"]
    assert [check["name"] for check in found] in ([], ["codex"]), done.stdout
    assert all(step["ok"] for step in report["proof"]), done.stdout


def assert_first_requests_have(machine: Machine, *facts: str) -> None:
    for agent in BOTH:
        run = agent.run(machine, "How do we deploy?")
        first = machine.upstream.of_kind("main", run.session)[0].request
        [block] = memory_blocks(first)
        assert [fact for fact in facts if fact not in block] == [], agent.name


def test_three_commands_in_an_empty_home_and_both_agents_know_within_two_minutes(
    fresh: Machine, uv: str, wheels: Path
) -> None:
    began = time.monotonic()
    three_commands(fresh, uv, wheels)
    assert_first_requests_have(fresh, FACT)
    assert time.monotonic() - began <= LIMIT_S
    assert_doctor_finds_nothing(fresh)


def test_the_first_hook_of_a_fresh_installation_compiles_nothing(
    fresh: Machine, uv: str, wheels: Path
) -> None:
    """Compiling takes seconds, and on a busy machine more than a hook has (IF-3)."""
    three_commands(fresh, uv, wheels)
    before = compiled(fresh)
    script = fresh.home / ".config" / "wm" / "hook.sh"
    payload = {"session_id": "s1", "source": "startup", "cwd": str(fresh.repo)}
    start = f"sh {script} claude-code SessionStart"
    answer = fresh.tool("sh", "-c", f"echo '{json.dumps(payload)}' | {start}")
    assert FACT in json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert before
    assert compiled(fresh) - before == set()


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_no_dependency_is_compiled(version: str, wheels: Path, tmp_path: Path) -> None:
    (ours,) = wheels.glob("wm_memory-*.whl")
    wanted = ("--only-binary", ":all:", "--python-version", version, "--target", str(tmp_path))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--dry-run", *wanted, str(ours)]
    subprocess.run(pip, check=True, timeout=300)


def install_first_version(machine: Machine, wheels: Path) -> Path:
    """760881f as its README said: in an environment of its own, set up, with a daemon."""
    folder = machine.home / "src" / "wm" / ".venv"
    venv.create(folder, with_pip=True)
    offline = ("--no-index", "--find-links", str(wheels))
    machine.tool(str(folder / "bin" / "pip"), "install", "-q", *offline, "wm")
    wm = str(folder / "bin" / "wm")
    machine.tool(wm, "setup", "--yes")
    machine.tool(wm, "up")
    machine.tool(wm, "remember", OLD_FACT)
    return folder


def status_of(machine: Machine) -> str:
    return " ".join(machine.tool("wm", "status").split())


def test_the_same_three_commands_upgrade_an_installation_of_760881f(
    fresh: Machine, uv: str, wheels: Path
) -> None:
    old = install_first_version(fresh, wheels)
    began = time.monotonic()
    three_commands(fresh, uv, wheels)
    assert_first_requests_have(fresh, FACT, OLD_FACT)
    assert time.monotonic() - began <= LIMIT_S
    shutil.rmtree(old)
    status = json.loads(fresh.tool("wm", "status", "--json"))
    assert "older" not in status_of(fresh)
    assert status["daemon"]["version"] == fresh.tool("wm", "--version").split()[-1]
    assert_doctor_finds_nothing(fresh)


def test_an_upgrade_keeps_settings_data_hooks_and_plugin_and_unsetup_restores_every_byte(
    fresh: Machine, uv: str, wheels: Path
) -> None:
    claude = fresh.home / ".claude" / "settings.json"
    claude.parent.mkdir()
    claude.write_text(OWN_SETTINGS)
    config = fresh.home / ".config" / "wm" / "config.toml"
    install_first_version(fresh, wheels)
    config.write_text("[memory]\nrendered_entries = 5\n")
    fresh.tool(uv, "tool", "install", "--offline", "--no-index", "-f", str(wheels), "wm-memory")

    before = status_of(fresh)
    assert "version 0.1.0, not 0.2.0 (wm setup)" in before
    assert "claude-code older than this wm (wm setup)" in before
    assert "opencode older than this wm (wm setup)" in before
    assert_first_requests_have(fresh, OLD_FACT)  # the old hooks still work

    fresh.tool("wm", "setup", "--yes")
    after = json.loads(fresh.tool("wm", "status", "--json"))
    assert after["daemon"]["version"] == "0.2.0"
    assert {after["agents"]["claude-code"], after["agents"]["opencode"]} == {"current"}
    assert json.loads(claude.read_text())["model"] == "opus"
    memory = json.loads(fresh.tool("wm", "config", "memory", "--json"))["options"]["memory"]
    assert memory["rendered_entries"] == 5
    entries = json.loads(fresh.tool("wm", "inspect", "--json"))["entries"]
    assert [view["entry"]["text"] for view in entries] == [OLD_FACT]

    fresh.tool("wm", "unsetup", "--yes")
    assert claude.read_text() == OWN_SETTINGS
    state = fresh.home / ".claude.json"
    for agent in (".claude", ".config/opencode"):
        # Also its commands and skills: what an agent wrote itself has other names.
        assert [str(path) for path in (fresh.home / agent).rglob("wm*")] == []
    assert "wm" not in json.loads(state.read_text()).get("mcpServers", {})
