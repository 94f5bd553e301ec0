"""Daemons as processes: one per home, from its start to its end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.daemon.process import BACKGROUND, Home, metrics, note, texts, wait_for
from wm.daemon import lifecycle
from wm.daemon.instance import bind_socket, take_lock
from wm.errors import Unavailable, UserError, WmError


def test_a_daemon_starts_once_answers_and_stops(place: Home) -> None:
    assert place.start() is True
    pid = place.pid()
    assert place.start() is False
    assert place.pid() == pid
    socket_path = place.settings.paths.socket
    assert socket_path.stat().st_mode & 0o777 == 0o600
    assert socket_path.parent.stat().st_mode & 0o777 == 0o700
    with place.client() as client:
        client.call("shutdown")
    assert lifecycle.wait_stopped(place.settings)
    assert not socket_path.exists()
    assert [line["event"] for line in place.log()] == ["started", "stopped"]
    with pytest.raises(Unavailable):
        place.pid()


def test_a_killed_daemon_is_replaced_without_loss(place: Home) -> None:
    place.start()
    for number in range(5):
        note(place, f"n{number}")
    os.kill(place.pid(), signal.SIGKILL)
    wait_for(lambda: take_lock_once(place))
    assert place.settings.paths.socket.exists()
    assert place.start() is True
    assert texts(place) == [f"n{number}" for number in range(5)]


def take_lock_once(place: Home) -> bool:
    lock = take_lock(place.settings)
    if lock is not None:
        lock.release()
    return lock is not None


def test_a_second_foreground_daemon_reports_the_first(place: Home) -> None:
    place.start()
    child = place.foreground(stderr=subprocess.PIPE)
    _, said = child.communicate(timeout=20)
    assert (child.returncode, said) == (0, b"wm: A daemon serves this data folder already.\n")


def test_a_foreground_daemon_prints_its_socket_and_how_to_stop_it(place: Home) -> None:
    child = place.foreground(stderr=subprocess.PIPE)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    paths = place.settings.paths
    text = f"wm: Serving {paths.home} on {paths.socket}.\n    Ctrl-C, or `wm down`, stops it.\n"
    assert (child.returncode, said.decode()) == (0, text)


def test_sigterm_lets_active_requests_finish(place: Home, tmp_path: Path) -> None:
    child = place.foreground()
    gate = tmp_path / "gate"
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(note, place, "under way", gate=str(gate))
        wait_for(lambda: b"wm_batch_requests_count 1" in metrics(place))
        second = pool.submit(note, place, "behind it")
        wait_for(lambda: b"wm_updates_waiting 1" in metrics(place))
        child.send_signal(signal.SIGTERM)
        wait_for(lambda: not place.settings.paths.socket.exists())
        gate.touch()
        first.result()
        second.result()
    assert child.wait(20) == 0
    place.start()
    assert texts(place) == ["under way", "behind it"]


def test_the_log_names_an_incident_without_quoting_content(place: Home) -> None:
    place.start()
    with pytest.raises(WmError, match="Incident i_"):
        note(place, "bug")
    incident = next(line for line in place.log() if line["event"] == "incident")
    assert incident["where"] == "POST /v1/notes"
    assert incident["error"] == "RuntimeError"
    assert "secret contents" not in (place.settings.paths.home / "daemon.log").read_text()


def test_a_failed_start_reports_the_reason(place: Home) -> None:
    place.settings.paths.home.mkdir()
    place.settings.paths.socket.parent.mkdir(mode=0o700)
    place.settings.paths.socket.write_text("not a socket")
    with pytest.raises(Unavailable, match="is not a socket"):
        place.start()
    assert place.settings.paths.socket.read_text() == "not a socket"


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM], ids=["stream", "dgram"])
def test_a_socket_of_another_listener_is_not_touched(place: Home, kind: socket.SocketKind) -> None:
    path = place.settings.paths.socket
    path.parent.mkdir(mode=0o700, parents=True)
    with socket.socket(socket.AF_UNIX, kind) as foreign:
        foreign.bind(str(path))
        if kind is socket.SOCK_STREAM:
            foreign.listen()
        before = path.lstat().st_ino
        with pytest.raises(UserError, match="is in use by another program"):
            bind_socket(place.settings)
        assert path.lstat().st_ino == before
    bind_socket(place.settings).sock.close()


def test_a_command_that_cannot_run_is_reported(place: Home) -> None:
    with pytest.raises(Unavailable, match="cannot be started"):
        lifecycle.start(place.settings, ("/nowhere/python",), place.environment)
    with pytest.raises(Unavailable, match="it printed nothing"):
        lifecycle.start(place.settings, (sys.executable, "-c", "pass"), place.environment)


def test_descriptors_of_the_caller_are_not_inherited(place: Home) -> None:
    """An agent that waits for the end of its hook's pipe must not wait for the daemon."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    lifecycle.start(place.settings, BACKGROUND, place.environment)
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)


WITHOUT_PROC = ("-m", "/bin/sh", "-c", 'umount -l /proc && exec "$0" "$@"')


def test_a_daemon_runs_without_proc(place: Home) -> None:
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, *WITHOUT_PROC, "true"], check=False).returncode:
        pytest.skip("only root can take /proc away")
    words = (unshare, *WITHOUT_PROC, *BACKGROUND)
    assert lifecycle.start(place.settings, words, place.environment) is True
    note(place, "still here")
    assert texts(place) == ["still here"]


NO_INSTANCE = 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"'
COLLECTING = """
import gc, sys, threading, time
from pathlib import Path
from wm.daemon.__main__ import main

def look():
    while gc.isenabled():  # the start switches it off
        time.sleep(0.001)
    while not gc.isenabled():
        time.sleep(0.01)
    Path(sys.argv[1]).write_text("on")

threading.Thread(target=look, daemon=True).start()
sys.exit(main([]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux")
def test_without_a_free_inotify_instance_the_daemon_polls_and_starts(tmp_path: Path) -> None:
    place = Home(tmp_path, "[store]\nwatch_poll_s = 0.2\n")
    limited = ["unshare", "-Ur", "sh", "-c", NO_INSTANCE, "sh"]
    if subprocess.run([*limited, "true"], capture_output=True).returncode != 0:
        pytest.skip("this system does not allow lowering the limit")
    collects = tmp_path / "collects"
    try:
        child = place.foreground([*limited, sys.executable, "-P", "-c", COLLECTING, str(collects)])
        wait_for(collects.exists)
        events = {line["event"]: line.get("reason", "") for line in place.log()}
        assert events["polls_edits"].startswith("polling: ")
        assert "polls_folders" in events
        assert "failed" not in events
        place.settings.paths.socket.unlink()
        wait_for(lambda: lifecycle.probe(place.settings) is not None)
        child.send_signal(signal.SIGTERM)
        assert child.wait(20) == 0
    finally:
        place.kill()
