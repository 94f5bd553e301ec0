"""Which users are served on the socket."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
import warnings
from pathlib import Path

import pytest

from tests.daemon.wire import run, serving, until
from wm.daemon.peer import is_owner, peer_uid

NOBODY = 65534


def test_processes_of_the_same_user_are_accepted() -> None:
    left, right = socket.socketpair()
    with left, right:
        assert peer_uid(right) == os.geteuid()
        assert is_owner(right)


def test_a_socket_without_a_peer_has_no_user() -> None:
    with socket.socket(socket.AF_INET) as sock:
        assert not is_owner(sock)


def _as_nobody(path: str) -> int:
    """In a child: 0 if the socket was closed on us without a byte."""
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(5)
            try:
                sock.connect(path)
            except OSError:
                time.sleep(0.01)
                continue
            try:
                sock.sendall(b"GET /v1/status HTTP/1.1\r\n\r\n")
                return 1 if sock.recv(100) else 0
            except OSError:
                return 0
    return 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_gets_no_byte_even_with_an_open_folder_mode() -> None:
    folder = Path(tempfile.mkdtemp(prefix="wm-peer-"))
    folder.chmod(0o755)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 3
        try:
            status = _as_nobody(str(folder / "s"))
        finally:
            os._exit(status)

    async def scenario() -> None:
        async with serving(folder, allow=is_owner) as served:
            served.path.chmod(0o666)
            await until(lambda: served.server.refused == 1, 10)

    try:
        run(scenario)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        shutil.rmtree(folder)
