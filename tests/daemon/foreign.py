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

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@contextmanager
def listener(answer: bytes) -> Iterator[tuple[Path, int]]:
    """The path of a socket that answers every client, and a pipe with the bytes that came in."""
    with tempfile.TemporaryDirectory(prefix="wm-foreign-") as folder:
        path = Path(folder) / "s"
        os.chown(folder, NOBODY, NOBODY)
        pipe, write_end = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                _serve(str(path), write_end, answer)
            finally:
                os._exit(1)
        os.close(write_end)
        try:
            assert os.read(pipe, 1) == b"!"
            os.set_blocking(pipe, False)
            yield path, pipe
        finally:
            os.close(pipe)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _serve(path: str, write_end: int, answer: bytes) -> None:
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        os.chmod(path, 0o777)
        server.listen()
        os.write(write_end, b"!")
        while True:
            with server.accept()[0] as client:
                got = client.recv(65536)
                if got:
                    os.write(write_end, got)
                    client.sendall(answer)


def received(pipe: int) -> bytes:
    """What the listener received so far."""
    try:
        return os.read(pipe, 65536)
    except BlockingIOError:
        return b""


@contextmanager
def speaking(settings: Settings, *answers: bytes) -> Iterator[list[bytes]]:
    """The requests to a server that reads one per connection, sends the next of these answers and
    closes. A request is in the list once its connection is closed."""
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
