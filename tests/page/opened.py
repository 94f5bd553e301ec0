"""A running page for tests: `wm open` in a process of its own, on a furnished home."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from msgspec.structs import replace

from tests.cli.terminal import Terminal
from tests.page.furnished import furnish
from wm.daemon import lifecycle
from wm.daemon.client import Client
from wm.settings import daemon_environment

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = re.compile(r"http://\S+")


@contextmanager
def furnished() -> Iterator[Terminal]:
    """A furnished home with a daemon. Its folder is short, because a socket's path has a limit."""
    folder = Path(tempfile.mkdtemp(prefix="wmp-"))
    user = Terminal(folder)
    try:
        furnish(user.settings(), user.repo)
        start_daemon(user)
        yield user
    finally:
        stop_daemon(user)
        shutil.rmtree(folder, ignore_errors=True)


def environment(user: Terminal) -> dict[str, str]:
    return {**daemon_environment(), **user.env, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def start_daemon(user: Terminal) -> None:
    settings = user.settings()
    patient = replace(settings.daemon, start_wait_s=60.0)
    lifecycle.start(replace(settings, daemon=patient), environment=environment(user))


def stop_daemon(user: Terminal) -> None:
    user.wm("down")
    assert lifecycle.wait_stopped(user.settings())


@dataclass
class Answered:
    """An answer of the page."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class OpenPage:
    """A page that is served. cookie: of the session, once `enter` was called."""

    process: subprocess.Popen[str]
    address: str
    cookie: str = ""
    printed: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def root(self) -> str:
        """The secret path."""
        return "/" + urlsplit(self.address).path.split("/")[1]

    def connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(
        self,
        path: str,
        form: Mapping[str, object] | None = None,
        *,
        method: str = "",
        headers: Mapping[str, str | None] | None = None,
        body: bytes | None = None,
    ) -> Answered:
        """A request as the browser sends it; headers: None leaves one out."""
        sent: dict[str, str | None] = {"Cookie": f"wm={self.cookie}"} if self.cookie else {}
        if form is not None:
            body = urlencode(form, doseq=True).encode()
            sent |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin}
        sent |= headers or {}
        connection = self.connected()
        try:
            named = {name: value for name, value in sent.items() if value is not None}
            connection.request(method or ("POST" if body is not None else "GET"), path, body, named)
            answer = connection.getresponse()
            text = answer.read().decode()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, found, text)
        finally:
            connection.close()

    def enter(self) -> None:
        found = self.ask(urlsplit(self.address).path + "?" + urlsplit(self.address).query)
        assert found.status == 200
        self.cookie = found.headers["set-cookie"].split(";")[0].removeprefix("wm=")
        self.headers = found.headers

    @property
    def workspace(self) -> str:
        """The path of the workspace that the page opened with."""
        found = self.ask(f"{self.root}/")
        assert found.status == 303
        return found.headers["location"].removesuffix("/memory")

    def get(self, path: str, **headers: str) -> Answered:
        """A page of the workspace."""
        return self.ask(f"{self.workspace}/{path}", headers=dict(headers))

    @property
    def token(self) -> str:
        found = re.search(r'name="form" value="([^"]+)"', self.get("memory").text)
        assert found is not None
        return found[1]

    def post(self, path: str, **fields: object) -> Answered:
        """A form of the workspace, with its token."""
        return self.ask(f"{self.workspace}/{path}", {"form": self.token, **fields})

    def ended(self, within_s: float = 20.0) -> int:
        return self.process.wait(within_s)


@contextmanager
def opened(user: Terminal, *words: str, script: str = "") -> Iterator[OpenPage]:
    """`wm open` without a browser. script: Python that runs before the command."""
    run = f"import sys; from wm.cli.app import run; {script or 'pass'}\nsys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", run, "open", "--no-browser", *words]
    process = subprocess.Popen(
        command, env=environment(user), cwd=user.repo, stdout=subprocess.PIPE, text=True
    )
    page = OpenPage(process, "")
    try:
        assert process.stdout is not None
        for line in process.stdout:
            page.printed += line
            if found := ADDRESS.search(line):
                page.address = found[0]
            if "Ctrl-C" in line:
                break
        assert page.address, page.printed
        yield page
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


def client(user: Terminal) -> Client:
    return Client(user.settings())


def is_root() -> bool:
    return os.geteuid() == 0
