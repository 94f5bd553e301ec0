"""The hook client (IF-3): two modules, one exchange, and failures are reported to the user."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.fake_daemon import FakeDaemon, Reply, Seen
from tests.daemon import foreign
from tests.daemon.process import end_daemon, wait_for
from wm.agents import hook as door
from wm.agents import hook_client as hook
from wm.domain.payloads import DIALECTS
from wm.settings import DaemonSettings, HookSettings, load

FILE = door.__file__
PAYLOAD = '{"session_id": "s", "prompt": "ü"}'.encode()


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "WM_HOME": str(home / "wm"), **more}


def client(
    home: Path, *words: str, payload: bytes = PAYLOAD, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """The client as the agents start it, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-I", "-S", FILE, *words],
        input=payload,
        env=environment(home, **more),
        capture_output=True,
        timeout=60,
        check=False,
    )


WITHIN = """
import sys
sys.path.insert(0, "{root}")
from wm.agents import hook_client
hook_client.LIBRARY_S = {seconds}
hook_client.BACKGROUND_S = {background}
sys.exit(hook_client.main(sys.argv[1:]))
"""


def within(
    home: Path, seconds: float, *words: str, payload: bytes, background: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """The client, whose library has so many seconds before the agent goes on, and then more."""
    root = Path(FILE).parents[2]
    code = WITHIN.format(root=root, seconds=seconds, background=background)
    return subprocess.run(
        [sys.executable, "-I", "-c", code, *words],
        input=payload,
        env=environment(home),
        capture_output=True,
        timeout=120,
        check=False,
    )


def patient(home: Path, *words: str, payload: bytes) -> subprocess.CompletedProcess[bytes]:
    """The client where only the outcome counts: whole suites run beside these tests."""
    return within(home, 60, *words, payload=payload)


def hurried(
    home: Path, seconds: float, payload: bytes, background: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """A prompt through the library, which has so many seconds."""
    words = ("hook", "claude-code", "UserPromptSubmit", hook.LIBRARY)
    return within(home, seconds, *words, payload=payload, background=background)


@pytest.fixture
def socket(tmp_path: Path) -> Path:
    return tmp_path / "wm" / "run" / "wm.sock"


IMPORTS = """
import sys
import posix
before = set(sys.modules)
with open({file!r}) as source:
    scope = {{"__name__": "hook", "__file__": {file!r}}}
    exec(source.read(), scope)
code = scope["main"](["hook", "claude-code", "PostToolUse"])
print(code, sorted(set(sys.modules) - before))
"""


def test_the_hook_client_imports_only_the_low_level_socket_module(
    tmp_path: Path, socket: Path
) -> None:
    with FakeDaemon(socket) as daemon:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", IMPORTS.format(file=hook.__file__)],
            input=PAYLOAD,
            env=environment(tmp_path),
            capture_output=True,
            check=True,
        )
    assert done.stdout.decode().strip() == "0 ['_socket']"
    assert len(daemon.seen) == 1


def test_the_payload_is_sent_unchanged_and_the_answer_is_printed(
    tmp_path: Path, socket: Path
) -> None:
    def answer(seen: Seen) -> Reply:
        return 200, b"said: " + seen.body

    with FakeDaemon(socket, answer) as daemon:
        done = client(tmp_path, "hook", "claude-code", "Stop", CLAUDE_PROJECT_DIR="/my project/ü")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"said: " + PAYLOAD, b"")
    [seen] = daemon.seen
    assert (seen.method, seen.path) == ("POST", "/v1/hooks/claude-code/Stop")
    assert os.fsencode(seen.headers["x-wm-project"]).decode() == "/my project/ü"


@pytest.mark.parametrize(
    "reply", [(200, b""), (400, b"{}"), (404, b"{}")], ids=["empty", "bad request", "unknown"]
)
def test_an_empty_answer_prints_nothing(tmp_path: Path, socket: Path, reply: Reply) -> None:
    with FakeDaemon(socket, lambda _seen: reply):
        done = client(tmp_path, "hook", "claude-code", "Stop")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "words",
    [["statusline"], ["hook", "claude-code", "PostToolUse", hook.SOCKET]],
    ids=["statusline", "flag"],
)
@pytest.mark.parametrize("state", ["absent", "stale", "broken"])
def test_socket_only_events_are_silent_without_a_daemon(
    tmp_path: Path, socket: Path, words: list[str], state: str
) -> None:
    with FakeDaemon(socket, lambda _seen: (503, b"busy")):
        if state == "broken":
            done = client(tmp_path, *words)
    if state != "broken":
        if state == "absent":
            socket.unlink()
        done = client(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not list((tmp_path / "wm").glob("workspaces"))


@foreign.needs_root
def test_a_daemon_of_another_user_gets_nothing_and_is_ignored(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nevil"
    with foreign.listener(answer) as (path, pipe):
        words = ("hook", "claude-code", "Stop", hook.SOCKET)
        done = client(tmp_path, *words, WM_SOCKET=str(path))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert foreign.received(pipe) == b""


def test_a_daemon_that_hangs_costs_one_deadline(tmp_path: Path, socket: Path) -> None:
    """It is asked once, and given up while it still hangs."""
    with FakeDaemon(socket, lambda _seen: (200, b"late")) as daemon:
        daemon.hang.set()
        done = client(tmp_path, "hook", "claude-code", "PostToolUse", hook.SOCKET)
        assert not daemon.released.is_set()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert daemon.events() == ["PostToolUse"]


def test_the_status_line_has_its_own_verb(tmp_path: Path, socket: Path) -> None:
    with FakeDaemon(socket, lambda _seen: (200, b"wm: 12 memories")) as daemon:
        done = client(tmp_path, "statusline")
    assert done.stdout == b"wm: 12 memories"
    assert daemon.events() == ["statusline"]


@pytest.mark.parametrize("words", [[], ["hook"], ["hook", "claude-code"], ["hook", "a", "b", "c"]])
def test_wrong_arguments_are_a_usage_error(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert hook.main(words, io.BytesIO(), io.BytesIO()) == 2
    assert capsys.readouterr().err == (
        "wm: `wm hook` needs AGENT and EVENT, and nothing after them.\n"
        "    `wm hook --help` shows how.\n"
    )


def test_a_wrong_argument_of_statusline_is_reported_as_statusline(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert hook.main(["statusline", "--json"], io.BytesIO(), io.BytesIO()) == 2
    assert capsys.readouterr().err == (
        "wm: `wm statusline` takes no arguments.\n    `wm statusline --help` shows how.\n"
    )


def test_the_limits_are_the_defaults_of_the_settings() -> None:
    assert HookSettings().event_timeout_s == hook.TIMEOUT_S
    assert HookSettings().start_timeout_s == hook.LIBRARY_S
    assert DaemonSettings().log_max_bytes == hook.MAX_LOG


def test_a_failure_is_shown_where_an_agent_can_show_it() -> None:
    shown = {dialect.agent for dialect in DIALECTS if dialect.shown}
    assert set(hook.SHOWN) == {*shown, "opencode"}


def test_without_a_daemon_the_library_processes_the_payload(tmp_path: Path) -> None:
    """Only that `wm.ops.local_hooks` is reached from `-I -S`; not what it does."""
    project = tmp_path / "project"
    project.mkdir()
    payload = {"session_id": "s", "cwd": str(project), "prompt": "remember that we use make ship"}
    done = client(
        tmp_path,
        "hook",
        "claude-code",
        "UserPromptSubmit",
        hook.LIBRARY,
        payload=json.dumps(payload).encode(),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    # On a busy machine it goes on in the background.
    memories = (tmp_path / "wm").rglob
    wait_for(lambda: any("make ship" in p.read_text() for p in memories("workspace-mem*")), 60)


def prompt(tmp_path: Path, *, session: str = "s") -> bytes:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    payload = {"session_id": session, "cwd": str(project), "prompt": "remember SECRET-WORDS"}
    return json.dumps(payload).encode()


def shown(done: subprocess.CompletedProcess[bytes]) -> str:
    """What Claude Code shows to the person, of a hook that failed and blocks nothing."""
    assert (done.returncode, done.stderr) == (0, b"")
    answer = json.loads(done.stdout)
    assert list(answer) == ["systemMessage"]
    return str(answer["systemMessage"])


def failing(tmp_path: Path, payload: bytes) -> list[dict[str, str]]:
    """The log's lines after one call that failed, that the person saw."""
    words = ("hook", "claude-code", "UserPromptSubmit", hook.LIBRARY)
    message = shown(patient(tmp_path, *words, payload=payload))
    assert message.startswith("wm could not record this event (UserPromptSubmit). ")
    assert "SECRET-WORDS" not in message
    log = tmp_path / "wm" / "daemon.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line) for line in lines if line.strip()]


def test_a_library_failure_logs_one_line_without_contents(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    home.mkdir()
    (home / "workspaces").write_text("a file where a folder belongs")
    [line] = failing(tmp_path, prompt(tmp_path))
    assert (line["event"], line["agent"], line["hook"]) == (
        "hook_failed",
        "claude-code",
        "UserPromptSubmit",
    )
    assert str(home / "workspaces") in line["reason"]
    [_first, second] = failing(tmp_path, b"SECRET-WORDS that are not JSON")
    assert second["reason"].startswith("HostError at ")
    assert "SECRET-WORDS" not in (home / "daemon.log").read_text()


def test_without_a_writable_log_the_failure_is_not_logged(tmp_path: Path) -> None:
    assert failing(tmp_path, b"no JSON") == []
    log = tmp_path / "wm" / "daemon.log"
    log.parent.mkdir(exist_ok=True)
    log.write_bytes(b" " * hook.MAX_LOG)
    failing(tmp_path, b"no JSON")
    assert log.stat().st_size == hook.MAX_LOG


def test_a_waiting_library_costs_its_deadline_and_finishes_in_the_background(
    tmp_path: Path,
) -> None:
    """Another process holds the lock of what has to be written, for longer than a hook may last."""
    folder = begun(tmp_path)
    lock = folder / ".workspace-memory.json.lock"
    with lock.open("ab") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        done = hurried(tmp_path, 0.2, said(tmp_path))
        assert shown(done).startswith("wm has not recorded this (UserPromptSubmit) after 0.2 s.")
        assert texts(folder, "workspace-memory.json") == []
    wait_for(lambda: texts(folder, "workspace-memory.json") == [SHIP], 60)


def test_a_library_that_waits_with_locks_of_its_own_keeps_them_in_the_background(
    tmp_path: Path,
) -> None:
    """The last lock that it takes is another's: it holds those of the documents by then."""
    folder = begun(tmp_path)
    (folder / "evidence").mkdir(mode=0o700, exist_ok=True)
    with (folder / "evidence" / ".log.lock").open("ab") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        done = hurried(tmp_path, 1.5, said(tmp_path))
        assert shown(done).startswith("wm has not recorded this (UserPromptSubmit) after 1.5 s.")
    wait_for(lambda: texts(folder, "workspace-memory.json") == [SHIP], 60)


def test_a_library_that_never_ends_is_given_up_in_the_background_and_logged(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    with (folder / ".workspace-memory.json.lock").open("ab") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        hurried(tmp_path, 0.2, said(tmp_path), background=0.2)
        log = tmp_path / "wm" / "daemon.log"
        wait_for(lambda: log.exists() and log.read_text().endswith("\n"), 60)
    assert json.loads(log.read_text())["reason"] == "not done within 0.4 s"


@pytest.mark.parametrize("seconds", [0.02, 0.06, 0.1, 0.15, 0.25])
def test_a_deadline_at_any_moment_is_reported_and_the_request_is_kept(
    tmp_path: Path, seconds: float
) -> None:
    """Also while a C extension is loaded, which takes no exception of ours."""
    done = hurried(tmp_path, seconds, said(tmp_path))
    assert shown(done).startswith("wm has not recorded this (UserPromptSubmit)")
    memories = (tmp_path / "wm" / "workspaces").glob
    wait_for(lambda: [texts(f.parent, f.name) for f in memories("*/w*.json")] == [[SHIP]], 60)


# --- a hook whose write failed ----------------------------------------------------------------

SHIP = "we deploy with `make ship` from the release branch."
KEPT = "What it asks to remember waits in the journal for the next session."
LOST = "If it asks to remember something, ask again later."


def said(tmp_path: Path, event: str = "UserPromptSubmit", **fields: object) -> bytes:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    words = {"prompt": f"Remember that {SHIP}"} if event == "UserPromptSubmit" else {}
    return json.dumps({"session_id": "s", "cwd": str(project), **words, **fields}).encode()


def by_files(
    tmp_path: Path, payload: bytes, event: str = "UserPromptSubmit", agent: str = "claude-code"
) -> subprocess.CompletedProcess[bytes]:
    done = patient(tmp_path, "hook", agent, event, hook.LIBRARY, payload=payload)
    if event in hook.MAY_START:
        end_daemon(load(environment(tmp_path)))
    return done


def begun(tmp_path: Path) -> Path:
    """The folder of a workspace in which a session ran before."""
    assert by_files(tmp_path, said(tmp_path, prompt="Hello.")).returncode == 0
    [folder] = (tmp_path / "wm" / "workspaces").iterdir()
    return folder


def texts(folder: Path, name: str) -> list[str]:
    found = folder / name
    entries = json.loads(found.read_text())["entries"] if found.exists() else []
    return [item.get("entry", item)["text"] for item in entries]


def test_a_request_waits_in_the_journal_while_a_lock_stays_locked(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    [lock] = folder.glob("sessions/.*.lock")
    with lock.open("r+b") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        message = shown(by_files(tmp_path, said(tmp_path)))
        assert message.endswith(KEPT)
        assert "is locked" in message
        assert shown(by_files(tmp_path, said(tmp_path))).endswith(KEPT)
        assert texts(folder, "pending-journal.json") == [SHIP]
    done = by_files(tmp_path, said(tmp_path, "SessionStart", session_id="s2"), "SessionStart")
    assert SHIP in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert texts(folder, "pending-journal.json") == []
    assert texts(folder, "workspace-memory.json") == [SHIP]


def test_a_wish_for_every_project_waits_in_the_journal_of_all_projects(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    everywhere = tmp_path / "wm" / "user"
    wish = "I want answers in German."
    [lock] = folder.glob("sessions/.*.lock")
    with lock.open("r+b") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        by_files(tmp_path, said(tmp_path, prompt=f"Remember that {wish}"))
        assert texts(everywhere, "pending-journal.json") == [wish]
        assert not (folder / "pending-journal.json").exists()
    by_files(tmp_path, said(tmp_path, "SessionStart", session_id="s2"), "SessionStart")
    assert texts(everywhere, "pending-journal.json") == []
    assert texts(everywhere, "workspace-memory.json") == [wish]


def test_the_next_request_of_the_session_stores_waiting_requests(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    [lock] = folder.glob("sessions/.*.lock")
    with lock.open("r+b") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        by_files(tmp_path, said(tmp_path))
    by_files(tmp_path, said(tmp_path, prompt="Remember that the board is at berth nine."))
    assert texts(folder, "workspace-memory.json") == [SHIP, "the board is at berth nine."]


@pytest.mark.parametrize("broken", ["sessions", "evidence"])
def test_a_request_waits_in_the_journal_if_a_folder_is_not_writable(
    tmp_path: Path, broken: str
) -> None:
    folder = begun(tmp_path)
    shutil.rmtree(folder / broken, ignore_errors=True)
    (folder / broken).write_text("a file where a folder belongs")
    assert shown(by_files(tmp_path, said(tmp_path))).endswith(KEPT)
    assert texts(folder, "pending-journal.json") == [SHIP]
    (folder / broken).unlink()
    by_files(tmp_path, said(tmp_path, "SessionStart", session_id="s2"), "SessionStart")
    assert texts(folder, "workspace-memory.json") == [SHIP]


def without_room(tmp_path: Path, payload: bytes) -> subprocess.CompletedProcess[bytes]:
    """A hook on a system that takes no byte more: each write fails as on a full disk."""
    code = WITHIN.format(root=Path(FILE).parents[2], seconds=60, background=60)
    words = ("hook", "claude-code", "UserPromptSubmit", hook.LIBRARY)
    return subprocess.run(
        ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-I", "-c", code, *words],
        input=payload,
        env=environment(tmp_path),
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_an_unwritable_journal_is_reported_to_the_user(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    message = shown(without_room(tmp_path, said(tmp_path)))
    assert "Nothing was kept" in message
    assert message.endswith(LOST)
    assert texts(folder, "workspace-memory.json") + texts(folder, "pending-journal.json") == []


def test_an_unreadable_payload_is_reported_with_its_reason_once(tmp_path: Path) -> None:
    message = shown(by_files(tmp_path, b"not json"))
    assert message.count("is not JSON") == 1
    assert message.endswith(LOST)


def test_bytes_that_are_not_utf8_are_replaced_as_the_daemon_does(tmp_path: Path) -> None:
    done = by_files(tmp_path, said(tmp_path).replace(b"ship", b"sh\xffip"))
    assert b"Remembered as" in done.stdout


def test_a_message_refused_for_state_or_size_is_stored_through_the_files(
    tmp_path: Path, socket: Path
) -> None:
    for status in (500, 503, 413):
        project = tmp_path / str(status)
        project.mkdir()
        with FakeDaemon(socket, lambda _seen, status=status: (status, b"{}")):
            payload = said(tmp_path, cwd=str(project))
            done = patient(tmp_path, "hook", "claude-code", "UserPromptSubmit", payload=payload)
        assert b"Remembered as" in done.stdout
    assert len(list((tmp_path / "wm").rglob("workspace-memory.json"))) == 3


def test_a_message_that_the_daemon_refuses_is_answered_with_the_reason(
    tmp_path: Path, socket: Path
) -> None:
    with FakeDaemon(socket, lambda _seen: (400, b"{}")):
        payload = said(tmp_path, cwd=str(tmp_path / "gone"))
        done = patient(tmp_path, "hook", "claude-code", "UserPromptSubmit", payload=payload)
    message = shown(done)
    assert "There is no folder" in message
    assert message.endswith(LOST)


def test_opencode_gets_a_failure_as_a_notice(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    shutil.rmtree(folder / "evidence", ignore_errors=True)
    (folder / "evidence").write_text("a file where a folder belongs")
    part = {"type": "text", "text": f"Remember that {SHIP}"}
    body = {
        "input": {"sessionID": "ses_1"},
        "output": {"message": {"id": "msg_1"}, "parts": [part]},
        "directory": str(tmp_path / "project"),
    }
    done = by_files(tmp_path, json.dumps(body).encode(), "chat.message", "opencode")
    [notice] = json.loads(done.stdout)["notices"]
    assert notice.endswith(KEPT)
    assert texts(folder, "pending-journal.json") == [SHIP]


def test_a_refused_tool_call_is_not_reported_each_time(tmp_path: Path) -> None:
    done = by_files(tmp_path, b'{"session_id": "s"}', "PostToolUse")
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_secret_in_a_hook_or_folder_name_is_not_logged(tmp_path: Path) -> None:
    log = tmp_path / "wm" / "daemon.log"
    log.parent.mkdir(parents=True)
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    client(tmp_path, "hook", token, "Stop", "--library", payload=b"{}")
    noted = log.read_text()
    assert "hook_failed" in noted
    assert token not in noted
