"""Homes, folders, settings and sockets that are not as they should be."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import wm
from tests.cli.terminal import Said, Terminal, repository
from tests.daemon import foreign
from tests.daemon.foreign import speaking
from wm import __version__
from wm.cli import self_test
from wm.cli.daemon_state import outdated
from wm.cli.verbs.diagnosis.doctor import why_full
from wm.cli.verbs.setup import daemon
from wm.cli.verbs.setup.daemon import BEHIND
from wm.daemon import lifecycle
from wm.daemon.code import PACKAGE, digest, stamps
from wm.daemon.instance import take_lock

HOMES: tuple[tuple[dict[str, str], str, str], ...] = (
    (
        {"HOME": "boats"},
        "HOME is not set to an absolute folder, so there is no place for the data.",
        "Set HOME, or set WM_HOME to the folder that wm should use.",
    ),
    (
        {"WM_HOME": "boats"},
        "WM_HOME is 'boats', which is not an absolute path.",
        "Give an absolute path, for example $HOME/wm-data.",
    ),
    (
        {"WM_SOCKET": "boats"},
        "WM_SOCKET is 'boats', which is not an absolute path.",
        "Give the socket's absolute path.",
    ),
)


@pytest.mark.parametrize(("env", "sentence", "fix"), HOMES)
def test_a_wrong_environment_is_reported(
    terminal: Terminal, env: dict[str, str], sentence: str, fix: str
) -> None:
    for verb in ("status", "inspect", "up", "doctor", "config"):
        said = terminal.wm(verb, env=env)
        assert (said.code, said.err) == (1, f"wm: {sentence}\n    {fix}\n")


CONFIGS: tuple[tuple[str, str], ...] = (
    ("[memory", "config.toml is not valid TOML: "),
    ("[boats]\nx = 1", "config.toml: there is no section [boats]. Sections are: "),
    ("[memory]\nboats = 1", "config.toml: [memory] has no option 'boats'. Options are: "),
    (
        '[memory]\nhalf_life_days = "long"',
        "config.toml: [memory] half_life_days is 'long'. Write a number.",
    ),
    ("memory = 1", "config.toml: memory is not a section. Begin it with [memory]."),
    (
        "[storage]\ntrash_max_age_days = 1000000",
        "config.toml: [storage] trash_max_age_days is 1000000. The maximum is 36500.",
    ),
    (
        "[daemon]\nmax_connections = 0",
        "config.toml: [daemon] max_connections is 0. The minimum is 8.",
    ),
    (
        "[daemon]\nrequest_timeout_s = 0.0",
        "config.toml: [daemon] request_timeout_s is 0.0. The minimum is 0.1.",
    ),
    (
        "[store]\nmax_document_bytes = 0",
        "config.toml: [store] max_document_bytes is 0. The minimum is 65536.",
    ),
    ("[proxy]\nport = 70000", "config.toml: [proxy] port is 70000. The maximum is 65535."),
    ("[store]\nlock_wait_s = inf", "config.toml: [store] lock_wait_s is inf. "),
    ("[memory]\nsuspect_rate = nan", "config.toml: [memory] suspect_rate is nan. "),
)


LATER = " Until then the defaults apply. "


@pytest.mark.parametrize(("config", "sentence"), CONFIGS)
def test_a_broken_config_is_named_with_the_option(
    terminal: Terminal, config: str, sentence: str
) -> None:
    file = terminal.home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(config)
    for verb, code in (("status", 1), ("config", 1), ("history", 0)):
        said = terminal.wm(verb)
        assert said.code == code
        assert sentence in " ".join(f"{said.out} {said.err}".split())
    doctor = terminal.wm("doctor", "--no-proof", "--json")
    [check] = [check for check in doctor.json["checks"] if check["name"] == "config"]
    assert (doctor.code, check["verdict"]) == (1, "error")
    assert sentence in f"{check['detail']} {check['fix']}".replace(LATER, " ")
    assert terminal.wm("--help").code == 0


def test_a_slow_start_reports_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "Starting the daemon; the first start takes longest.\n"
    with TemporaryDirectory(prefix="wm-") as folder:  # short: a socket's path has a limit
        user = Terminal(Path(folder))
        monkeypatch.setattr(daemon, "SILENT_S", 0.0)
        assert user.wm("up").err == message
        assert user.wm("down").code == 0
        assert user.wm("up", "--quiet").err == ""
        assert user.wm("down").code == 0
        monkeypatch.setattr(daemon, "SILENT_S", 60.0)
        assert user.wm("up").err == ""
        assert user.wm("down").code == 0


def test_a_daemon_can_be_stopped_with_a_broken_config() -> None:
    with TemporaryDirectory(prefix="wm-") as folder:  # short: a socket's path has a limit
        user = Terminal(Path(folder))
        assert user.wm("up", "--quiet").code == 0
        file = user.home / ".config" / "wm" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("[memory")
        said = user.wm("down")
        assert (said.code, said.err) == (0, "")
        assert "has stopped" in said.out


def test_a_changed_option_is_marked(terminal: Terminal) -> None:
    file = terminal.home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[memory]\nhalf_life_days = 60\n")
    printed = terminal.wm("config", "memory").out
    assert "  half_life_days = 60 days  (changed)\n" in printed
    assert printed.count("(changed)") == 1


def test_the_home_folder_is_a_workspace_only_if_named(user: Terminal) -> None:
    said = user.wm("inspect", cwd=user.home)
    assert (said.code, said.sentences) == (
        1,
        f"wm: {user.home} is your home folder; its memory would reach every project below it. "
        "Change into a project, or name the home folder with -C to use it anyway.",
    )
    assert user.wm("remember", "We keep notes in ~/notes.", "-C", "~", cwd=user.home).code == 1
    for words in (("-C", str(user.home), "inspect"), ("inspect", "-C", ".")):
        said = user.wm(*words, cwd=user.home)
        assert (said.code, said.out.splitlines()[0]) == (0, "~")


def test_a_repository_in_the_home_folder_does_not_include_folders_below_it(
    terminal: Terminal,
) -> None:
    repository(terminal.home)
    below = terminal.home / "notes"
    below.mkdir()
    for words, cwd in ((("inspect",), below), (("inspect", "-C", str(below)), terminal.repo)):
        assert terminal.wm(*words, cwd=cwd).out.splitlines()[0] == "~/notes"


ANYWHERE = ("config", "logs", "fsck", "down", "workspace", "setup --dry-run", "doctor --no-proof")


def test_a_deleted_folder_fails_only_verbs_that_need_it(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.remember("We deploy with `make ship`.")
    key = terminal.wm("inspect", "--json").json["place"]["key"]
    sentence = (
        "wm: The current folder does not exist any more. "
        "Change into another folder, or name one with -C DIR."
    )
    for words in ("inspect", "remember x", "inspect -C ..", "workspace mv a b"):
        said = in_deleted(terminal, words)
        assert (said.code, said.sentences) == (1, sentence), words
    for words in (*ANYWHERE, f"inspect --workspace {key}", f"inspect -C {terminal.repo}"):
        assert in_deleted(terminal, words).code == 0, words
    said = in_deleted(terminal, "status")
    assert said.code == 0
    assert "The current folder does not exist any more." in said.out


def in_deleted(terminal: Terminal, words: str) -> Said:
    """Run a verb in a folder that was deleted under us."""
    folder = terminal.home / "gone"
    folder.mkdir()
    before = os.getcwd()
    os.chdir(folder)
    folder.rmdir()
    try:
        return terminal.wm(*words.split(), cwd=Path())
    finally:
        os.chdir(before)


def squeezed(text: str) -> str:
    """Without white space: long paths are broken where they fill the line."""
    return "".join(text.split())


def test_a_data_folder_that_is_a_file_is_reported_also_by_doctor(terminal: Terminal) -> None:
    file = terminal.home / "file"
    file.write_text("")
    env = {"WM_HOME": str(file)}
    said = terminal.wm("remember", "We deploy with `make ship`.", env=env)
    assert said.code == 1
    assert f"Could not read {file}/allowed-digests.json: Not a directory." in said.sentences
    doctor = terminal.wm("doctor", "--no-proof", env=env)
    assert doctor.code == 1
    assert squeezed(f"{file} is not a folder.") in squeezed(doctor.out)
    status = terminal.wm("status", env=env)
    assert status.code == 0
    assert "move it away" in status.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_is_reported(terminal: Terminal) -> None:
    closed = terminal.home / "closed"
    closed.mkdir(mode=0o500)
    said = terminal.wm("remember", "We use x for y.", env={"WM_HOME": str(closed / "wm")})
    assert said.code == 1
    assert f"Could not create {closed}/wm: Permission denied." in said.sentences


def test_doctor_names_a_home_that_cannot_be_created(terminal: Terminal) -> None:
    said = terminal.wm("doctor", env={"WM_HOME": "/proc/boats/wm"})
    assert said.code == 1
    assert "no scratch home can be created in /proc/boats/wm" in " ".join(said.out.split())


def test_doctor_reports_a_data_folder_open_to_others(terminal: Terminal) -> None:
    terminal.remember("We deploy with `make ship`.")
    terminal.data.chmod(0o755)
    said = terminal.wm("doctor", "--no-proof")
    assert said.code == 1
    assert "can be entered by others (mode 0755). → chmod 700" in " ".join(said.out.split())


def test_doctor_reports_a_file_in_place_of_the_socket(terminal: Terminal) -> None:
    terminal.home.chmod(0o755)  # with a umask of 002 others could replace the socket
    path = terminal.home / "wm.sock"
    path.write_text("boats")
    env = {"WM_SOCKET": str(path)}
    assert terminal.wm("remember", "We deploy with `make ship`.", env=env).code == 0
    said = terminal.wm("doctor", "--no-proof", env=env)
    assert said.code == 1
    assert squeezed("is not a socket, so no daemon can listen there.") in squeezed(said.out)
    said = terminal.wm("up", env=env)
    assert said.code == 1
    assert "is not a socket, so wm does not replace it. Move it away." in said.sentences
    assert path.read_text() == "boats"


def test_folders_with_unusual_names_work_or_are_refused(user: Terminal) -> None:
    odd = user.home / f"größe und 日本\n{user.repo.parent.name}"
    odd.mkdir()
    assert user.wm("remember", "We deploy with `make ship`.", cwd=odd).code == 0
    assert "日本\\n" in user.wm("inspect", cwd=odd).out
    bad = os.fsdecode(os.fsencode(odd) + b"\xff")
    os.mkdir(bad)
    said = user.wm("inspect", "-C", bad)
    assert said.code == 1
    assert "is not UTF-8, so no agent can name it." in said.sentences


def test_a_hanging_daemon_is_reported_as_neither_ok_nor_down(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        assert user.wm("up", "--quiet").code == 0
        user.wm("remember", "The ferry leaves from the eastern pier.")
        pid = user.wm("status", "--json").json["daemon"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            said = user.wm("status")  # it answers, though the daemon never does
            line = " ".join(said.out.partition("  agents")[0].split())
            assert f"daemon does not answer; kill pid {pid} (listening on" in line
            assert "memory 1 entry" in " ".join(said.out.split())
            down = user.wm("down")
            assert (down.code, down.out) == (1, "")
            assert "The daemon does not answer, and its lock is held by pid" in down.err
        finally:
            os.kill(pid, signal.SIGCONT)
        assert user.wm("down").code == 0


def test_the_proof_leaves_no_data_folder_open_to_others(terminal: Terminal) -> None:
    settings = terminal.settings()
    with self_test._scratch(settings) as scratch:
        assert scratch.settings.paths.home.parents[2] == settings.paths.home
    for folder in (settings.paths.home, settings.paths.home / "run"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_data_folder_readable_by_others_is_named(terminal: Terminal) -> None:
    assert terminal.wm("remember", "We deploy the ferries with make ship.").code == 0
    terminal.data.chmod(0o755)
    message = "Its mode is 0755, so other users can reach it; it should be 0700."
    assert f"warning the data folder {message}" in " ".join(terminal.wm("fsck").out.split())
    doctor = " ".join(terminal.wm("doctor", "--no-proof").out.split())
    assert f"files the data folder: {message}" in doctor
    assert terminal.wm("fsck", "repair").code == 0
    assert terminal.data.stat().st_mode & 0o777 == 0o700


def test_a_daemon_that_still_writes_its_queue_gets_no_kill_advice() -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        assert user.wm("remember", "The ferry leaves from the eastern pier.").code == 0
        settings = user.settings()
        lock = take_lock(settings)
        assert lock is not None
        try:
            # Its own socket is what counts: another one in the environment is not a sign of an end.
            with socket.socket(socket.AF_UNIX) as elsewhere:
                elsewhere.bind(str(Path(folder) / "s"))
                elsewhere.listen()
                lock.describe(Path(folder) / "s")
                assert "does not answer; kill pid" in user.wm("status").out
            lock.describe(settings.paths.socket)
            assert "daemon is stopping, and still" in " ".join(user.wm("status").out.split())
            checks = user.wm("doctor", "--no-proof", "--json").json["checks"]
            assert [c["verdict"] for c in checks if c["name"] == "daemon"] == ["note"]
            down = user.wm("down")
            assert (down.code, down.err) == (
                1,
                "wm: The daemon is already stopping, and still writes accepted requests.\n"
                "    It stops after that; `wm logs` shows when.\n",
            )
        finally:
            lock.release()
        assert user.wm("down").out == "The daemon is not running.\n"


def test_a_healthy_daemon_on_another_socket_gets_no_kill_advice() -> None:
    """A shell of `su` or cron lacks the XDG_RUNTIME_DIR of the session that started the daemon."""
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        other = {"XDG_RUNTIME_DIR": str(user.home / "xdg")}
        path = user.home / "xdg" / "wm" / "wm.sock"
        assert user.wm("up", "--quiet", env=other).code == 0
        try:
            assert f"up,butlistenson{path}" in squeezed(user.wm("status").out)
            checks = user.wm("doctor", "--no-proof", "--json").json["checks"]
            [check] = [check for check in checks if check["name"] == "daemon"]
            assert (check["verdict"], check["fix"]) == ("note", f"export WM_SOCKET={path}")
            up = user.wm("up")
            assert up.code == 1
            assert squeezed(f"runs already, and listens on {path}.") in squeezed(up.err)
            down = user.wm("down")
            assert (down.code, down.out) == (1, "")
            assert squeezed(f"To stop it: WM_SOCKET={path} wm down") in squeezed(down.err)
        finally:
            stopped = user.wm("down", env={"WM_SOCKET": str(path)})
        assert "has stopped" in stopped.out


def test_doctor_reports_a_socket_that_cannot_be_created(terminal: Terminal) -> None:
    """`su` without a dash keeps the XDG_RUNTIME_DIR of another user."""
    file = terminal.home / "file"
    file.write_text("")
    said = terminal.wm("doctor", "--no-proof", env={"XDG_RUNTIME_DIR": str(file)})
    assert said.code == 1
    text = squeezed(said.out)
    assert squeezed(f"cannot start: its socket {file}/wm/wm.sock cannot be created in") in text
    assert squeezed("Correct or unset XDG_RUNTIME_DIR") in text


def test_up_says_what_to_look_at_next(terminal: Terminal) -> None:
    said = terminal.wm("up").out.splitlines()[-1]
    assert said == "Next: `wm status` shows which agents are wired, `wm inspect` what is known."
    assert terminal.wm("down").code == 0


def test_a_timeout_while_stopping_the_daemon_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "_LITTLE_S", 0.05)
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        assert user.wm("remember", "The ferry leaves from the eastern pier.").code == 0
        config = user.home / ".config" / "wm" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text("[daemon]\ndrain_s = 0.0\n")
        settings = user.settings()
        settings.paths.socket.parent.mkdir(parents=True, exist_ok=True)
        body = json.dumps({"name": "wm", "home": str(settings.paths.home), "pid": 4711}).encode()
        kind = b"content-type: application/json\r\ncontent-length: %d" % len(body)
        answer = b"HTTP/1.1 200 OK\r\n%b\r\n\r\n%b" % (kind, body)
        lock = take_lock(settings)
        assert lock is not None
        try:
            for words, out, err in (
                (
                    ("down",),
                    "",
                    "wm: The daemon (pid 4711) is still writing the updates that it accepted.\n"
                    f"    {BEHIND}\n",
                ),
                (("down", "--json"), {"stopped": False, "pid": 4711}, ""),
            ):
                with speaking(settings, answer, answer):
                    said = user.wm(*words)
                assert (said.code, said.err) == (1, err)
                assert (said.json if out else said.out) == out
                settings.paths.socket.unlink()
        finally:
            lock.release()


@foreign.needs_root
def test_the_data_folder_of_another_user_is_not_changed(terminal: Terminal) -> None:
    folder = terminal.home / ".local" / "share" / "wm"
    folder.mkdir(parents=True)
    os.chown(folder, foreign.NOBODY, foreign.NOBODY)
    for verb in ("up", "inspect", "remember boats"):
        said = terminal.wm(*verb.split())
        assert said.code == 1
        assert "belongs to another user" in said.sentences
    printed = " ".join(terminal.wm("doctor", "--no-proof").out.split())
    assert "belongs to another user. → Run wm as that user" in printed
    assert list(folder.iterdir()) == []


def test_an_unrepairable_fault_is_reported_as_a_finding(terminal: Terminal) -> None:
    terminal.remember("We deploy with `make ship`.")
    file = next(terminal.data.glob("workspaces/*/workspace-memory.json"))
    file.unlink()
    file.symlink_to("/etc/hostname")
    for copy in file.parent.glob(".workspace-memory.json.*"):
        if not copy.name.endswith(".lock"):
            copy.unlink()  # with a whole copy beside it, repair puts that in its place
    said = terminal.wm("fsck", "repair")
    assert said.code == 1
    assert said.out.startswith("What is left needs a hand of yours:\n")
    assert "There is a symlink where a file or folder of wm belongs" in " ".join(said.out.split())
    printed = terminal.wm("fsck", "repair", "--json")
    assert (printed.code, printed.json["sound"]) == (1, False)
    assert printed.json["findings"][0]["code"] == "not_ours"


def test_repair_checks_the_lock_for_a_running_daemon(terminal: Terminal) -> None:
    terminal.remember("We deploy with `make ship`.")
    with (terminal.data / "daemon.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for words in (("fsck", "repair"), ("doctor", "--no-proof")):
            assert terminal.wm(*words).code == 1
        printed = squeezed(terminal.wm("doctor", "--no-proof").out)
        assert squeezed("does not answer; it is another process → End that process.") in printed


DISKS: tuple[tuple[str, dict[str, int], str], ...] = (
    ("roomy", {}, ""),
    ("full", {"bavail": 0}, "is full (0 KB left); make room"),
    ("nearly full", {"bavail": 500}, "is nearly full (2,000 KB left); make room"),
    ("read-only", {"flag": os.ST_RDONLY}, "is mounted read-only; mount it for writing"),
    ("no files left", {"favail": 0}, "accepts no more files; remove some"),
    ("counts nothing", {"blocks": 0, "bavail": 0, "files": 0, "favail": 0}, ""),
)


@pytest.mark.parametrize(("name", "odd", "message"), DISKS, ids=[row[0] for row in DISKS])
def test_doctor_reports_why_a_disk_is_not_writable(
    name: str, odd: dict[str, int], message: str
) -> None:
    size = {"blocks": 100_000, "bavail": 50_000, "files": 9, "favail": 9, "flag": 0, **odd}
    room = (4096, 4096, size["blocks"], size["bavail"], size["bavail"])
    disk = os.statvfs_result((*room, size["files"], 0, size["favail"], size["flag"], 255))
    assert why_full(disk) == (message and f"the data folder's disk {message}"), name


TAIL = b"content-type: application/json\r\ncontent-length: 2\r\n\r\n{}"

FOREIGN: tuple[tuple[str, bytes, str], ...] = (
    ("no problem of ours", b"HTTP/1.1 404 X\r\n", "is not a wm daemon; it answered 404."),
    ("no status of ours", b"HTTP/1.1 200 X\r\n", "wm.sock is not a daemon of wm."),
)


@pytest.mark.parametrize(("name", "head", "message"), FOREIGN, ids=[row[0] for row in FOREIGN])
def test_another_program_on_the_socket_is_named(name: str, head: bytes, message: str) -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.settings().paths.socket.parent.mkdir(mode=0o700, parents=True)
        with speaking(user.settings(), *[head + TAIL] * 4):
            for verb in ("up", "down"):
                said = user.wm(verb)
                assert said.code == 1
                assert message in said.sentences, name
            assert squeezed(message) in squeezed(user.wm("doctor", "--no-proof").out)


def test_uptime_is_independent_of_the_system_clock() -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.settings().paths.socket.parent.mkdir(mode=0o700, parents=True)
        status = {"name": "wm", "home": str(user.data), "pid": 7, "version": __version__}
        status |= {"startedAt": "2999-01-01T00:00:00.000Z", "uptimeS": 7200.5}
        body = json.dumps(status).encode()
        head = b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n"
        answer = head + b"content-length: %d\r\n\r\n" % len(body) + body
        with speaking(user.settings(), answer, b"HTTP/1.1 404 X\r\n" + TAIL):
            assert "up for 2 hours · pid 7" in user.wm("status").out


@pytest.mark.parametrize(
    ("words", "around"),
    [(("status",), "{} (wm logs)"), (("doctor", "--no-proof"), "but {} wm logs")],
)
def test_answered_events_that_could_not_be_written_are_reported(
    words: tuple[str, ...], around: str
) -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.settings().paths.socket.parent.mkdir(mode=0o700, parents=True)
        status = answering(home=str(user.data), lostEvents=2, lastLoss="The disk is full.")
        body = json.dumps(status).encode()
        head = b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n"
        answer = head + b"content-length: %d\r\n\r\n" % len(body) + body
        with speaking(user.settings(), answer, b"HTTP/1.1 404 X\r\n" + TAIL):
            shown = " ".join(user.wm(*words).out.split())
        message = (
            "2 events of agents could not be written since it started. The last: The disk is full."
        )
        assert around.format(message) in shown.replace("→ ", "")


OUTDATED = (
    ("another version", {"version": "0.0.1"}, f"version 0.0.1, not {__version__}"),
    (
        "the same, begun before its code was written",
        {"code": "0123456789abcdef"},
        "its code was replaced since it started",
    ),
    (
        "older than these fields",
        {"package": "", "code": ""},
        "its code was replaced since it started",
    ),
    ("another installation", {"package": "/opt/x/wm"}, "runs the wm in /opt/x/wm, not this one"),
    ("the same", {}, ""),
)


@pytest.mark.parametrize(("name", "status", "why"), OUTDATED, ids=[row[0] for row in OUTDATED])
def test_an_outdated_daemon_is_reported_with_the_fix(
    name: str, status: dict[str, object], why: str
) -> None:
    assert outdated(answering(**status)) == why, name


def answering(**fields: object) -> dict[str, object]:
    """What a daemon of this code says."""
    about = {"name": "wm", "pid": 7, "version": __version__, "uptimeS": 0}
    return {**about, "package": PACKAGE, "code": digest(stamps()), **fields}


def test_a_refusal_of_an_outdated_daemon_says_that_it_is_outdated() -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.settings().paths.socket.parent.mkdir(mode=0o700, parents=True)
        problem = {"type": "not_found", "detail": "There is no such path.", "fix": "See it."}
        refused = response(404, problem)
        old = response(200, answering(home=str(user.data), version="0.0.1"))
        new = response(200, answering(home=str(user.data)))
        with speaking(user.settings(), refused, old, refused, new, old, refused, old):
            first, second, shown = user.wm("inbox"), user.wm("inbox"), user.wm("status")
        hint = f"The daemon is outdated (version 0.0.1, not {__version__}): `wm up` replaces it."
        assert first.sentences == f"wm: There is no such path. See it. {hint}"
        assert second.sentences == "wm: There is no such path. See it."
        line = f"version 0.0.1, not {__version__} (wm up)"
        assert squeezed(line) in squeezed(shown.out)


@pytest.mark.parametrize("verb", ["up", "setup --yes"])
def test_one_command_replaces_the_daemon_of_an_older_wm(verb: str, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(
        Path(wm.__file__).parent, older / "wm", ignore=shutil.ignore_patterns("__pycache__")
    )
    (older / "wm" / "__init__.py").write_text('__version__ = "0.0.1"\n')
    with tempfile.TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        user = Terminal(Path(folder))
        words = [sys.executable, "-c", "from wm.cli.main import main; main()", "up", "--quiet"]
        env = {**user.env, "PYTHONPATH": str(older)}
        subprocess.run(words, cwd=older, env=env, check=True)
        assert f"version 0.0.1, not {__version__} (wm up)" in " ".join(
            user.wm("status").out.split()
        )
        user.wm("up", "--quiet")  # an agent's start leaves it
        assert user.wm("status", "--json").json["daemon"]["version"] == "0.0.1"
        assert user.wm(*verb.split()).code == 0
        assert user.wm("status", "--json").json["daemon"]["version"] == __version__
        user.wm("down")


@pytest.mark.parametrize(
    "verb", ["recap", "workspace link", "learn pause", "edit m_1 --scope user"]
)
def test_a_verb_that_an_old_daemon_does_not_know_says_that_it_is_outdated(verb: str) -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.settings().paths.socket.parent.mkdir(mode=0o700, parents=True)
        problem = {"type": "not_found", "detail": "There is no such path.", "fix": "See it."}
        old = response(200, answering(home=str(user.data), version="0.0.1"))
        with speaking(user.settings(), response(404, problem), old):
            said = user.wm(*verb.split())
        assert said.code == 1
        assert "The daemon is outdated (version 0.0.1" in said.sentences


@pytest.mark.parametrize("whose", ["workspace", "user"])
def test_after_a_downgrade_the_newer_file_is_read_only_and_said_so(
    terminal: Terminal, whose: str
) -> None:
    more = ("--user",) if whose == "user" else ()
    terminal.wm("remember", "Deploys go through make ship.", *more)
    (file,) = terminal.data.glob(
        "user/workspace-memory.json" if more else "workspaces/*/workspace-memory.json"
    )
    newer = json.loads(file.read_text()) | {"version": 99}
    for copy in (file, *file.parent.glob(".workspace-memory.json.*spare")):
        copy.write_text(json.dumps(newer))
    before = file.read_bytes()
    said = terminal.wm("remember", "Releases are on Fridays.", *more)
    assert "written by a newer wm" in said.sentences + said.out
    assert "Update wm" in said.sentences + said.out or "journal" in said.out
    assert file.read_bytes() == before


def response(status: int, body: dict[str, object]) -> bytes:
    raw = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n".encode()
    return head + b"content-length: %d\r\n\r\n" % len(raw) + raw


def test_the_daemon_of_another_data_folder_is_named_and_not_stopped() -> None:
    with tempfile.TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.settings().paths.socket.parent.mkdir(mode=0o700, parents=True)
        status = json.dumps({"name": "wm", "home": "/elsewhere/wm"}).encode()
        head = b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n"
        answer = head + b"content-length: %d\r\n\r\n" % len(status) + status
        with speaking(user.settings(), *[answer] * 3) as received:
            for verb in ("up", "down"):
                said = user.wm(verb)
                assert said.code == 1
                assert "serves another data folder: /elsewhere/wm." in said.sentences
        assert b"shutdown" not in b"".join(received)


def test_an_empty_log_is_reported_as_empty(terminal: Terminal) -> None:
    terminal.data.mkdir(parents=True)
    (terminal.data / "daemon.log").touch()
    said = terminal.wm("logs")
    assert (said.code, said.out) == (0, "The log ~/.local/share/wm/daemon.log is empty.\n")


def test_a_folder_in_place_of_the_log_is_reported(terminal: Terminal) -> None:
    assert terminal.wm("remember", "We deploy the ferries with make ship.").code == 0
    (terminal.data / "daemon.log").mkdir()
    said = terminal.wm("logs")
    assert said.code == 1
    assert "daemon.log cannot be read: Is a directory." in said.sentences


def test_a_very_long_name_is_shortened_in_messages(terminal: Terminal) -> None:
    said = terminal.wm("show", "x" * 100_000)
    assert said.code == 1
    assert len(said.err) < 2000
    assert "…" in said.err


def test_an_object_in_place_of_one_file_does_not_hide_others(terminal: Terminal) -> None:
    terminal.remember("We deploy with `make ship`.")
    for session in ("s-1", "s-2"):
        terminal.seed(("prompt", {"agent": "claude-code", "session_id": session}))
    folder = next(terminal.data.glob("workspaces/*"))
    odd = sorted(folder.glob("sessions/*.json"))[0]
    odd.unlink()
    os.mkfifo(odd)
    assert "make ship" in terminal.wm("inspect").out
    # The copy beside it serves, so both sessions are listed.
    assert terminal.wm("session", "list").out.count("claude-code") == 2
    os.mkfifo(folder.with_name("0" * 16))
    listed = " ".join(terminal.wm("workspace", "list").out.split())
    assert listed.startswith("0000000000000000 ? 0 entries · 0 sessions · unreachable")
    assert "~/ferry 1 entry" in listed
    fsck = terminal.wm("fsck")
    assert fsck.code == 1
    assert fsck.out.count("There is something else where a file or folder of wm belongs") == 2


def test_an_impossible_config_path_counts_as_absent_and_an_unreadable_config_is_reported(
    terminal: Terminal,
) -> None:
    file = terminal.home / "file"
    file.write_text("")
    assert terminal.wm("config", env={"XDG_CONFIG_HOME": str(file)}).code == 0
    (terminal.home / ".config" / "wm" / "config.toml").mkdir(parents=True)
    said = terminal.wm("config")
    assert said.code == 1
    message = "config.toml cannot be read: Is a directory. Correct or remove the file."
    assert message in " ".join(said.out.split())
