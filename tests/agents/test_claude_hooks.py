"""Hook lines and their script (IF-3), run by real shells against a real socket."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import wm
from tests.agents.fake_daemon import FakeDaemon
from tests.daemon import foreign
from wm.agents.claude_hooks import (
    AGENT,
    CHANGES,
    HOOKS,
    LOOKS,
    ClaudeHook,
    group,
    hooks,
    statusline,
)
from wm.agents.command_files import commands
from wm.agents.hook_lines import Fallback, WmCommand, line, script_text
from wm.domain.payloads import dialect_of
from wm.settings import HookSettings

PLUGIN_SCRIPT = '"${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh"'
"""The script in a line of the plugin folder, which contains its own copy."""

FOLDER = Path(wm.__file__).parent / "agents" / "claude_code"
SETTINGS = HookSettings()
PAYLOAD = json.dumps({"session_id": "s", "prompt": 'it\'s "quoted" $HOME `x` \\n %s ü\t' * 40})
CHANGE, LOOK, OTHER = (row for row in HOOKS if row.event == "PostToolUse")

each_row = pytest.mark.parametrize("row", HOOKS, ids=lambda row: f"{row.event}-{row.fallback.name}")

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


class Place:
    """A home with the script, and an interpreter that only writes down how it was called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.called = root / "called"
        python = root / "my python"
        python.write_text(
            f'#!/bin/sh\necho "$*" >> "{self.called}"\ncat > "{root}/stdin"\necho files\n'
        )
        python.chmod(0o755)
        self.script = root / "it's" / "hook.sh"
        self.script.parent.mkdir()
        self.script.write_text(script_text(WmCommand(self.script, str(python), "/w m"), SETTINGS))

    @property
    def word(self) -> str:
        return shlex.quote(str(self.script))

    @property
    def socket(self) -> Path:
        return self.root / "run" / "wm.sock"

    def run(
        self,
        row: ClaudeHook,
        *,
        path: str = "/usr/bin:/bin",
        shell: str = "sh",
        payload: str = PAYLOAD,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        text = line(self.word, AGENT, row.event, row.fallback)
        return self.run_line(text, path=path, shell=shell, payload=payload, **more)

    def run_line(
        self,
        text: str,
        *,
        path: str = "/usr/bin:/bin",
        shell: str = "sh",
        payload: str = PAYLOAD,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": path,
            "HOME": str(self.root),
            "WM_HOME": str(self.root),
            "CLAUDE_PROJECT_DIR": "/a project",
            "http_proxy": "http://127.0.0.1:9",
            **more,
        }
        return subprocess.run(
            [shutil.which(shell) or shell, "-c", text],
            input=payload,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def calls(self) -> list[str]:
        """The calls of the client: its arguments behind the agent's name."""
        made = self.called.read_text().splitlines() if self.called.exists() else []
        client = "-I -S /w m/agents/hook.py hook claude-code "
        assert all(call.startswith(client) for call in made), made
        return [call.removeprefix(client) for call in made]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@needs_curl
@foreign.needs_root
@each_row
def test_a_daemon_of_another_user_gets_nothing(place: Place, row: ClaudeHook) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    with foreign.listener(answer) as (path, pipe):
        done = place.run(row, WM_SOCKET=str(path))
        assert (done.returncode, done.stderr) == (0, "")
        assert "evil" not in done.stdout
        assert foreign.received(pipe) == b""
    expected = [] if row.fallback is Fallback.NONE else [f"{row.event} --library"]
    assert place.calls() == expected


@needs_curl
@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
@each_row
def test_a_hook_line_posts_the_payload_and_prints_the_answer(
    place: Place, row: ClaudeHook, shell: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    with FakeDaemon(place.socket, lambda _seen: (200, b"line 1\nline 2 %s \\n")) as daemon:
        done = place.run(row, shell=shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "line 1\nline 2 %s \\n"
    [seen] = daemon.seen
    assert seen.path == f"/v1/hooks/claude-code/{row.event}"
    assert seen.body.decode() == PAYLOAD
    assert seen.headers["x-wm-project"] == "/a project"
    assert "expect" not in seen.headers
    assert place.calls() == []


@needs_curl
@pytest.mark.parametrize("state", ["absent", "stale"])
@each_row
def test_without_a_listener_the_payload_goes_to_the_library_or_is_dropped(
    place: Place, row: ClaudeHook, state: str
) -> None:
    with FakeDaemon(place.socket):
        pass
    if state == "absent":
        place.socket.unlink()
    done = place.run(row)
    goes = row.fallback is not Fallback.NONE
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("files\n" if goes else "")
    assert place.calls() == [f"{row.event} --library"] * goes
    if goes:
        assert (place.root / "stdin").read_text() == PAYLOAD


@needs_curl
@each_row
def test_important_events_refused_by_the_daemon_go_to_the_library(
    place: Place, row: ClaudeHook
) -> None:
    with FakeDaemon(place.socket, lambda _seen: (503, b"busy")):
        done = place.run(row)
    goes = row.fallback is Fallback.FILES
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("files\n" if goes else "")
    assert place.calls() == [f"{row.event} --library"] * goes


@needs_curl
@each_row
def test_under_cursor_claudes_lines_do_nothing(place: Place, row: ClaudeHook) -> None:
    with FakeDaemon(place.socket) as daemon:
        done = place.run(row, CURSOR_VERSION="3.1")
        assert (done.returncode, done.stdout, daemon.seen) == (0, "", [])
    assert place.calls() == []


@needs_curl
@pytest.mark.parametrize("listens", [True, False])
def test_a_payload_of_any_size_arrives_complete(place: Place, listens: bool) -> None:
    large = json.dumps({"session_id": "s", "tool_response": "0123456789abcdef" * 400_000})
    with FakeDaemon(place.socket) as daemon:
        if listens:
            place.run(CHANGE, payload=large)
            assert daemon.seen[0].body.decode() == large
    if not listens:
        place.run(CHANGE, payload=large)
        assert (place.root / "stdin").read_text() == large


@each_row
@pytest.mark.parametrize("curl", ["missing", "too old"])
def test_without_a_usable_curl_the_python_client_sends_the_payload(
    place: Place, row: ClaudeHook, curl: str
) -> None:
    tools = place.root / "bin"
    tools.mkdir()
    for name in ("cat", "sh"):
        (tools / name).symlink_to(shutil.which(name) or name)
    if curl == "too old":
        (tools / "curl").write_text("#!/bin/sh\nexit 2\n")
        (tools / "curl").chmod(0o755)
    done = place.run(row, path=str(tools))
    assert (done.returncode, done.stderr) == (0, "")
    only = " --socket" if row.fallback is Fallback.NONE else ""
    assert place.calls() == [f"{row.event}{only}"]
    assert (place.root / "stdin").read_text() == PAYLOAD


@needs_curl
@pytest.mark.parametrize("row", [CHANGE, LOOK, OTHER], ids=["change", "look", "other"])
def test_a_daemon_that_hangs_costs_one_deadline(place: Place, row: ClaudeHook) -> None:
    """It is asked once, with our limit, given up while it hangs, and no other daemon is asked."""
    assert f"\nseconds={SETTINGS.event_timeout_s:g}\n" in place.script.read_text()
    with FakeDaemon(place.socket, lambda _seen: (200, b"late")) as daemon:
        daemon.hang.set()
        done = place.run(row)
        assert not daemon.released.is_set()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert daemon.events() == [row.event]
    assert place.calls() == []


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
@pytest.mark.parametrize("removed", ["script", "installation"])
@each_row
def test_a_hook_line_is_silent_after_wm_is_removed(
    place: Place, row: ClaudeHook, removed: str, shell: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    if removed == "script":
        place.script.unlink()
    (place.root / "my python").unlink()
    done = place.run(row, shell=shell)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_its_interpreter_the_script_takes_wm_from_the_path(place: Place) -> None:
    (place.root / "my python").rename(place.root / "wm")
    path = f"{place.root}:/usr/bin:/bin"
    assert place.run(HOOKS[0], path=path).stdout == "files\n"
    place.run_line(f"sh {place.word} --run mcp -C '/a b'", path=path)
    calls = place.called.read_text().splitlines()
    tried = " --library" if shutil.which("curl", path=path) else ""
    assert calls == [f"hook claude-code SessionStart{tried}", "mcp -C /a b"]


def test_the_script_runs_wm_itself_and_keeps_its_exit_code(place: Place) -> None:
    (place.root / "my python").write_text('#!/bin/sh\necho "$*"\necho bad >&2\nexit 3\n')
    done = place.run_line(f"sh {place.word} --run up --quiet")
    assert (done.returncode, done.stdout) == (3, "-I /w m/__main__.py up --quiet\n")
    assert done.stderr == "bad\n"


def test_a_hook_line_is_short() -> None:
    script = "/home/somebody/.config/wm/hook.sh"
    lines = [line(script, AGENT, row.event, row.fallback) for row in HOOKS]
    assert max(map(len, lines)) < 140
    assert lines[0] == f"[ -f {script} ] && sh {script} claude-code SessionStart || :"


@needs_curl
def test_the_status_line_prints_the_answer_or_nothing(place: Place) -> None:
    with FakeDaemon(place.socket, lambda _seen: (200, b"wm 12")) as daemon:
        done = place.run_line(statusline(place.word))
    assert done.stdout == "wm 12"
    assert daemon.seen[0].path == "/v1/hooks/claude-code/statusline"
    silent = place.run_line(statusline(place.word))
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")


def plugin_files(version: str) -> dict[str, str]:
    """The files of the plugin folder by their path in it. They find `wm` on the PATH."""
    about = {
        "name": "wm",
        "version": version,
        "description": "Memory that lasts between sessions: reports events to the wm daemon.",
        "author": {"name": "The wm maintainers"},
        "license": "MIT",
    }
    described = {
        "description": "Posts each event to the wm daemon's socket; silent without a daemon.",
        "hooks": hooks(PLUGIN_SCRIPT, HookSettings()),
    }
    servers = {"mcpServers": {"wm": {"type": "stdio", "command": "wm", "args": ["mcp"]}}}
    return {
        ".claude-plugin/plugin.json": _indented(about),
        ".mcp.json": _indented(servers),
        "hooks/hooks.json": _indented(described),
        **{f"commands/{one.name}.md": one.raw.decode() for one in commands()},
    }


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def test_the_plugin_folder_matches_the_hook_table() -> None:
    wanted = plugin_files(wm.__version__)
    found = {
        str(path.relative_to(FOLDER)): path.read_text()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name != "hook.sh"
    }
    assert found == wanted


def test_the_events_are_those_of_the_specification() -> None:
    assert list(hooks("S", SETTINGS)) == [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "PostCompact",
        "Stop",
        "SessionEnd",
    ]


def test_every_recorded_tool_has_a_hook() -> None:
    named = {*CHANGES.split("|"), *LOOKS.split("|")}
    assert named == set(dialect_of("claude-code").tools) - {"NotebookRead"}


@each_row
def test_the_agents_timeout_is_longer_than_ours(row: ClaudeHook) -> None:
    [handler] = group(row, "S", SETTINGS)["hooks"]
    library = row.fallback is not Fallback.NONE
    ours = SETTINGS.event_timeout_s + (SETTINGS.start_timeout_s if library else 0)
    assert ours < handler["timeout"] <= ours + 2
