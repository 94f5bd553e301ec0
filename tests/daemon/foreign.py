"""Servers that are no daemon of ours: one of another user (only root can make one), one that
speaks something else."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wm.settings import Settings

NOBODY = 65534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@contextmanager
def listener(answer: bytes) -> Iterator[tuple[Path, int]]:
    """The path of a socket that answers everybody, and a pipe with the bytes that came in."""
    with tempfile.TemporaryDirectory(prefix="wm-foreign-") as folder:
        path = Path(folder) / "s"
        os.chown(folder, NOBODY, NOBODY)
        pipe, said = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                _serve(str(path), said, answer)
            finally:
                os._exit(1)
        os.close(said)
        try:
            assert os.read(pipe, 1) == b"!"
            os.set_blocking(pipe, False)
            yield path, pipe
        finally:
            os.close(pipe)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _serve(path: str, said: int, answer: bytes) -> None:
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        os.chmod(path, 0o777)
        door.listen()
        os.write(said, b"!")
        while True:
            with door.accept()[0] as guest:
                got = guest.recv(65536)
                if got:
                    os.write(said, got)
                    guest.sendall(answer)


def received(pipe: int) -> bytes:
    """What the listener received so far."""
    try:
        return os.read(pipe, 65536)
    except BlockingIOError:
        return b""


@contextmanager
def speaking(settings: Settings, *answers: bytes) -> Iterator[list[bytes]]:
    """A server that reads one request per connection, sends those bytes and closes. What it gives
    back grows by each request once its connection is closed."""
    requests: list[bytes] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(settings.paths.socket))
    listener.listen()

    def speak() -> None:
        for answer in answers:
            sock, _ = listener.accept()
            with sock:
                request = sock.recv(65536)
                sock.sendall(answer)
            requests.append(request)

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        yield requests
    finally:
        thread.join(5)
        listener.close()
