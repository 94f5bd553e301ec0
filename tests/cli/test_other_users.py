"""Other users of the machine and a proxy of ours: what they can learn, and what they get."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_proxy import QUIET, Service, done, service, start
from tests.daemon.foreign import NOBODY, needs_root

__all__ = ["service"]

pytestmark = [
    needs_root,
    pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as `ps` does"),
]


def as_nobody(work: Callable[[], object]) -> object:
    """What a process of another user finds."""
    out, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(into, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return json.loads(found)


@contextmanager
def serving(user: Terminal, upstream: Service) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`wm run` with a program that says its URL and waits."""
    script = 'echo "$ANTHROPIC_BASE_URL"; trap "exit 0" TERM; while :; do sleep 0.05; done'
    line = (*QUIET, "--upstream", upstream.url, "sh", "-c", script)
    process = start(user, *line)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        done(process)


def token_of(url: str) -> bytes:
    return url.partition("/t/")[2].partition("/")[0].encode()


def shown_to_all(token: bytes) -> list[str]:
    """Where in /proc the token can be read: command lines, environments, open files' names."""
    seen = []
    for folder in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ", "comm", "status"):
            try:
                found = (folder / name).read_bytes()
            except OSError:
                continue
            if token in found:
                seen.append(str(folder / name))
    return seen


def test_the_token_is_not_shown_to_other_users(terminal: Terminal, service: Service) -> None:
    with serving(terminal, service) as (process, url):
        token = token_of(url)
        assert len(token) >= 32
        environ = f"/proc/{process.pid}/environ"
        assert as_nobody(lambda: shown_to_all(token)) == []
        assert as_nobody(lambda: os.access(environ, os.R_OK)) is False
        own = [place for place in shown_to_all(token) if place.endswith("/cmdline")]
        assert own == []


def test_the_token_is_in_no_file(terminal: Terminal, service: Service) -> None:
    with serving(terminal, service) as (_, url):
        pass
    files = [path for path in Path(terminal.env["HOME"]).rglob("*") if path.is_file()]
    assert files != []
    assert [path for path in files if token_of(url) in path.read_bytes()] == []


def test_a_process_of_another_user_gets_no_answer_on_the_port(
    terminal: Terminal, service: Service
) -> None:
    def ask() -> list[str]:
        return [answer(path) for path in ("/v1/messages", "/t/guess/v1/messages", "/t//v1")]

    def answer(path: str) -> str:
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as sock:
            sock.sendall(f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            return sock.recv(65536).decode()

    with serving(terminal, service) as (_, url):
        parts = urlsplit(url)
        answers = as_nobody(ask)
        assert isinstance(answers, list)
        assert [answer[:13] for answer in answers] == ["HTTP/1.1 403 "] * 3
        assert token_of(url).decode() not in "".join(answers)
    assert service.requests == []
