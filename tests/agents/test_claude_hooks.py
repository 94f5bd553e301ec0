"""Claude Code's shell lines (IF-3), run by real shells against a real socket."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import wm
from tests.agents.fake_daemon import FakeDaemon
from tests.daemon import foreign
from wm.agents.claude_hooks import (
    CHANGES,
    HOOKS,
    LOOKS,
    MARK,
    ClaudeHook,
    Files,
    WmCommand,
    group,
    hooks,
    line,
    statusline,
)
from wm.agents.command_files import commands
from wm.domain.payloads.claude_code import TOOL_KINDS
from wm.settings import HookSettings

FOLDER = Path(wm.__file__).parent / "agents" / "claude_code"
SETTINGS = HookSettings()
PAYLOAD = json.dumps({"session_id": "s", "prompt": 'it\'s "quoted" $HOME `x` \\n %s ü\t' * 40})
CHANGE, LOOK, OTHER = (row for row in HOOKS if row.event == "PostToolUse")

each_row = pytest.mark.parametrize("row", HOOKS, ids=lambda row: f"{row.event}-{row.files.name}")

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


class Place:
    """A home with a hook client that only writes down how it was called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.called = root / "called"
        client = root / "client"
        client.write_text(
            f'#!/bin/sh\necho "$*" >> {self.called}\ncat > {root}/stdin\necho files\n'
        )
        client.chmod(0o755)
        self.command = WmCommand(hook=(str(client),))

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
        text = line(row, self.command, SETTINGS)
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
        return self.called.read_text().splitlines() if self.called.exists() else []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@needs_curl
@foreign.needs_root
@each_row
def test_a_daemon_of_another_user_gets_nothing(place: Place, row: ClaudeHook) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    with foreign.listener(answer) as (path, heard):
        done = place.run(row, WM_SOCKET=str(path))
        assert (done.returncode, done.stderr) == (0, "")
        assert "evil" not in done.stdout
        assert foreign.told(heard) == b""
    told = [] if row.files is Files.NEVER else [f"claude-code {row.event} --library"]
    assert place.calls() == told


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
    assert done.stdout == ("line 1\nline 2 %s \\n" if row.prints else "")
    [seen] = daemon.seen
    assert seen.path == MARK + row.event
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
    goes = row.files is not Files.NEVER
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("files\n" if goes and row.prints else "")
    assert place.calls() == [f"claude-code {row.event} --library"] * goes
    if goes:
        assert (place.root / "stdin").read_text() == PAYLOAD


@needs_curl
@each_row
def test_important_events_refused_by_the_daemon_go_to_the_library(
    place: Place, row: ClaudeHook
) -> None:
    with FakeDaemon(place.socket, lambda _seen: (503, b"busy")):
        done = place.run(row)
    goes = row.files is Files.UNANSWERED
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("files\n" if goes and row.prints else "")
    assert place.calls() == [f"claude-code {row.event} --library"] * goes


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
    only = " --socket" if row.files is Files.NEVER else ""
    assert place.calls() == [f"claude-code {row.event}{only}"]
    assert (place.root / "stdin").read_text() == PAYLOAD


@needs_curl
@pytest.mark.parametrize("row", [CHANGE, LOOK, OTHER], ids=["change", "look", "other"])
def test_a_daemon_that_hangs_costs_one_deadline(place: Place, row: ClaudeHook) -> None:
    """It is asked once, with our limit, given up while it still hangs, and nobody else is asked."""
    assert f" -m {SETTINGS.event_timeout_s:g} " in line(row, place.command, SETTINGS)
    with FakeDaemon(place.socket, lambda _seen: (200, b"late")) as daemon:
        daemon.hang.set()
        done = place.run(row)
        assert not daemon.released.is_set()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert daemon.events() == [row.event]
    assert place.calls() == []


@each_row
def test_a_hook_line_is_silent_after_wm_is_removed(place: Place, row: ClaudeHook) -> None:
    gone = WmCommand(hook=("/nonexistent/python", "hook.py"))
    done = place.run_line(line(row, gone, SETTINGS))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_curl
def test_the_status_line_prints_the_answer_or_nothing(place: Place) -> None:
    with FakeDaemon(place.socket, lambda _seen: (200, b"wm 12")) as daemon:
        done = place.run_line(statusline(SETTINGS))
    assert done.stdout == "wm 12"
    assert daemon.seen[0].path == "/v1/hooks/claude-code/statusline"
    silent = place.run_line(statusline(SETTINGS))
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
        "hooks": hooks(WmCommand(), HookSettings()),
    }
    program, *words = WmCommand().mcp
    servers = {"mcpServers": {"wm": {"type": "stdio", "command": program, "args": words}}}
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
        if path.is_file()
    }
    assert found == wanted


def test_the_events_are_those_of_the_specification() -> None:
    assert list(hooks(WmCommand(), SETTINGS)) == [
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
    assert named == set(TOOL_KINDS) - {"NotebookRead"}


@each_row
def test_the_agents_timeout_is_longer_than_ours(row: ClaudeHook) -> None:
    [handler] = group(row, WmCommand(), SETTINGS)["hooks"]
    library = row.files is not Files.NEVER
    ours = SETTINGS.event_timeout_s + (SETTINGS.start_timeout_s if library else 0)
    assert ours < handler["timeout"] <= ours + 2


def test_arguments_of_the_command_are_quoted_for_the_shell() -> None:
    command = WmCommand(hook=("/opt/my python", "-I", "it's.py"))
    assert "'/opt/my python' -I 'it'\"'\"'s.py' claude-code" in line(HOOKS[0], command, SETTINGS)
