"""Faults of a daemon: races, lost folders, few descriptors, floods; and idling."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.daemon.process import (
    TOY,
    Home,
    home,
    memory_kb,
    metrics,
    note,
    texts,
    wait_for,
    wake_ups,
)
from wm.daemon import lifecycle
from wm.daemon.client import Client
from wm.errors import UserError, WmError

pytestmark = pytest.mark.crash


def race(place: Home) -> None:
    """Eight starts at once: one daemon, and every starter has one that answers."""
    gate = threading.Barrier(8)

    def starter(_number: int) -> bool:
        gate.wait()
        return place.start()

    with ThreadPoolExecutor(8) as pool:
        started = list(pool.map(starter, range(8)))
    assert started.count(True) == 1
    assert [line["event"] for line in place.log()].count("started") == 1


def test_eight_simultaneous_starts_make_one_daemon(place: Home) -> None:
    race(place)


def test_eight_simultaneous_starts_make_one_daemon_in_100_rounds(tmp_path: Path) -> None:
    for number in range(100):
        folder = tmp_path / str(number)
        with home(folder) as place:
            if number % 2:
                place.settings.paths.socket.parent.mkdir(parents=True, mode=0o700)
                with socket.socket(socket.AF_UNIX) as stale:
                    stale.bind(str(place.settings.paths.socket))
            race(place)


def test_sighup_does_not_stop_the_daemon(place: Home) -> None:
    child = place.foreground()
    child.send_signal(signal.SIGHUP)
    note(place, "still here")
    assert child.poll() is None


def test_a_daemon_runs_without_standard_streams(place: Home) -> None:
    words = ("/bin/sh", "-c", f"exec {' '.join(TOY)} <&- >&- 2>&-")
    child = place.foreground(words)
    note(place, "still here")
    with pytest.raises(WmError, match="Incident"):
        note(place, "bug")
    assert texts(place) == ["still here"]
    assert child.poll() is None


def test_a_socket_of_another_home_is_not_touched(place: Home, tmp_path: Path) -> None:
    place.start()
    other = Home(tmp_path / "other")
    other.environment["WM_SOCKET"] = str(place.settings.paths.socket)
    ended = subprocess.run(TOY, env=other.environment, cwd="/", capture_output=True, timeout=20)
    assert ended.returncode == 1
    assert b"is in use by another program" in ended.stderr
    assert place.start() is False


def test_a_deleted_socket_is_recreated(place: Home) -> None:
    place.start()
    pid = place.pid()
    wait_for(lambda: watches(pid))
    place.settings.paths.socket.unlink()
    wait_for(lambda: lifecycle.probe(place.settings) is not None)
    assert place.pid() == pid


def watches(pid: int) -> bool:
    """Whether the daemon has begun to watch its folders (a second after its start)."""
    folder = Path(f"/proc/{pid}/fd")
    with suppress(FileNotFoundError):  # a descriptor was closed while we looked
        return any(os.readlink(fd) == "anon_inode:inotify" for fd in folder.iterdir())
    return False


@pytest.mark.parametrize("settled", [False, True], ids=["at the next request", "at once"])
def test_a_moved_data_folder_stops_the_daemon_and_is_not_recreated(
    place: Home, settled: bool
) -> None:
    child = place.foreground()
    note(place, "kept")
    if settled:
        wait_for(lambda: watches(child.pid))
    client = place.client()
    client.call("status")
    paths = place.settings.paths
    paths.home.rename(paths.home.with_name("moved"))
    if not settled:
        with pytest.raises(WmError, match="moved or deleted"):
            client.call("note", {"text": "lost"})
    client.close()
    child.wait(20)
    assert not paths.home.exists()
    paths.home.with_name("moved").rename(paths.home)
    place.start()
    assert texts(place) == ["kept"]


def test_a_data_folder_moved_before_the_watch_stops_the_daemon(place: Home) -> None:
    child = place.foreground()
    place.settings.paths.home.rename(place.settings.paths.home.with_name("moved"))
    assert child.wait(20) == 0
    assert not place.settings.paths.home.exists()


def test_a_deleted_lock_never_leaves_two_daemons(place: Home) -> None:
    first = place.foreground()
    (place.settings.paths.home / "daemon.lock").unlink()
    assert place.start() in (True, False)
    assert place.pid() != first.pid
    assert first.wait(20) == 0


def test_a_daemon_with_an_idle_limit_stops_when_idle(tmp_path: Path) -> None:
    with home(tmp_path, "[daemon]\nidle_exit_s = 0.3\n") as place:
        child = place.foreground()
        assert child.wait(20) == 0
        assert place.log()[-1]["why"] == "idle"


ACTIVATE = """
import fcntl, os, sys
fds = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 64) for fd in sys.argv[1].split(",")]
for number, fd in enumerate(fds, start=3):
    os.dup2(fd, number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds)))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""What systemd does: the sockets as descriptors from 3 on, and its protocol in the environment."""


def activated(place: Home, *listeners: socket.socket, **options: Any) -> subprocess.Popen[bytes]:
    """A daemon that a service manager gave these sockets."""
    fds = [listener.fileno() for listener in listeners]
    words = (sys.executable, "-c", ACTIVATE, ",".join(map(str, fds)), *TOY)
    return place.foreground(words, pass_fds=fds, **options)


def test_a_service_manager_can_pass_the_socket(tmp_path: Path) -> None:
    with home(tmp_path, "[daemon]\nactivated_idle_exit_s = 0.5\n") as place:
        path = place.settings.paths.socket
        path.parent.mkdir(parents=True, mode=0o700)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            child = activated(place, listener, stderr=subprocess.PIPE)
            note(place, "activated")
            assert (child.communicate(timeout=20)[1], child.returncode) == (b"", 0)
            assert path.exists()
            again = activated(place, listener)
            assert texts(place) == ["activated"]
            assert again.poll() is None


def test_each_socket_of_a_service_manager_is_served(place: Home, tmp_path: Path) -> None:
    path = place.settings.paths.socket
    path.parent.mkdir(parents=True, mode=0o700)
    paths = [path, tmp_path / "two"]
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as two:
        for listener, name in zip((one, two), paths, strict=True):
            listener.bind(str(name))
            listener.listen()
        activated(place, one, two)
    for name in paths:
        there = replace(place.settings.paths, socket=name)
        assert lifecycle.probe(replace(place.settings, paths=there)) is not None


@pytest.mark.parametrize(
    ("family", "kind"), [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_UNIX, socket.SOCK_DGRAM)]
)
def test_a_socket_without_peer_credentials_is_refused(place: Home, family: int, kind: int) -> None:
    with socket.socket(family, kind) as listener:
        child = activated(place, listener, stderr=subprocess.PIPE)
        said = child.communicate(timeout=20)[1].decode()
    assert child.returncode == 1
    assert said == (
        "The service manager passed descriptor 3, which is not a listening Unix stream socket. "
        "Use only paths in the `ListenStream=` lines of its socket unit, without `Accept=yes`.\n"
    )


def test_a_connection_in_place_of_a_socket_is_refused(place: Home) -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        child = activated(place, here, stderr=subprocess.PIPE)
        said = child.communicate(timeout=20)[1].decode()
    assert child.returncode == 1
    assert said.startswith("The service manager passed descriptor 3, which is not a listening")


def test_too_few_descriptors_are_refusals_and_do_not_stop_the_daemon(place: Home) -> None:
    child = place.foreground(("/bin/sh", "-c", f"ulimit -n 64; exec {' '.join(TOY)}"))
    streams, statuses = [], []
    for _ in range(60):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(5)
        sock.connect(str(place.settings.paths.socket))
        # It may refuse before we ask; its answer can be read all the same.
        with suppress(BrokenPipeError):
            sock.sendall(b"GET /v1/changes HTTP/1.1\r\n\r\n")
        statuses.append(int(sock.recv(4096).split()[1]))
        streams.append(sock)
    assert set(statuses) == {200, 503}
    for sock in streams:
        sock.close()
    wait_for(lambda: lifecycle.probe(place.settings))
    note(place, "still here")
    assert child.poll() is None


def test_a_body_of_100_megabytes_is_refused_in_little_memory(place: Home) -> None:
    child = place.foreground()
    block = b"x" * (1024 * 1024)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(10)
        sock.connect(str(place.settings.paths.socket))
        sock.sendall(b"POST /v1/notes HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(100):
                sock.sendall(b"100000\r\n" + block + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # it need not listen to the end
        assert sock.recv(4096).split()[1] == b"413"
    assert memory_kb(child.pid, "VmHWM") < 110_000
    note(place, "still here")


def test_an_agents_secrets_do_not_reach_the_daemons_environment(place: Home) -> None:
    place.environment["SOME_TOKEN"] = "x" * 20
    place.start()
    assert b"SOME_TOKEN" not in Path(f"/proc/{place.pid()}/environ").read_bytes()


def test_the_command_of_the_package_serves_the_real_use_cases(place: Home) -> None:
    lifecycle.start(place.settings, None, place.environment)
    with Client(place.settings) as client:
        assert "remember" in client.call("status")["capabilities"]
        with pytest.raises(UserError):
            client.call("inspect", {"directory": "/nowhere/at/all"})


def test_an_idle_daemon_sleeps(place: Home) -> None:
    place.start()
    note(place, "awake")
    with place.client() as client:
        client.call("touch")
    pid = place.pid()
    wait_for(lambda: watches(pid))
    wait_for(lambda: b"wm_flushes_total 1" in metrics(place))
    wait_for(lambda: not slept(pid, wake_ups(pid), 0.1))
    assert not slept(pid, wake_ups(pid), 0.7)


def slept(pid: int, before: int, seconds: float) -> int:
    """Wake-ups within that time. Waiting is what is measured here."""
    waiting = threading.Event()
    waiting.wait(seconds)
    return wake_ups(pid) - before


def test_an_idle_daemon_sleeps_for_60_seconds(place: Home) -> None:
    place.start()
    for number in range(50):
        note(place, f"n{number}")
    pid = place.pid()
    held = place.client()
    held.call("status")
    wait_for(lambda: watches(pid))
    wait_for(lambda: not slept(pid, wake_ups(pid), 0.5), 20)
    tracer = subprocess.Popen(
        ["strace", "-f", "-p", str(pid), "-o", str(place.folder / "trace")],
        stderr=subprocess.DEVNULL,
    )
    trace = place.folder / "trace"
    wait_for(trace.exists)
    slept(pid, 0, 60)
    tracer.terminate()
    tracer.wait()
    calls = [
        line
        for line in trace.read_text().splitlines()
        if "<unfinished" not in line and "detached" not in line
    ]
    held.close()
    assert calls == []
    assert memory_kb(pid) < 60_000
