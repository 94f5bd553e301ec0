"""One user's machine for a canary run: homes, a repository, traced processes, a traced daemon."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.canary.recorder import Net, Written, traced, written
from tests.canary.tokens import Mint
from tests.socket_http import OnSocket
from wm.settings import find_paths

ROOT = Path(__file__).resolve().parents[2]
WM = (sys.executable, "-P", "-m", "wm")
WAIT_S = 240.0
SERVES_S = 10.0
"""How long a verb that serves is left alone: longer than one under strace needs to begin."""


@dataclass(frozen=True)
class Answer:
    """What a caller received. own: numbers of the canaries that this caller had sent."""

    place: str
    data: bytes
    own: range
    status: int = 0


@dataclass
class Stage:
    folder: Path
    mint: Mint
    name: str = "ferry"
    answers: list[Answer] = field(default_factory=list)
    planted: set[str] = field(default_factory=set)
    """Files that the run itself wrote: what a user or another program left there."""
    public: set[int] = field(default_factory=set)
    """Canaries that any answer may contain, because they are in the user's own settings."""
    _mark: int = 0
    _runs: int = 0

    def __post_init__(self) -> None:
        self.home = self.folder / "home"
        self.repo = self.home / self.name
        self.logs = self.folder / "logs"
        for path in (
            self.home,
            self.logs,
            self.folder / "run",
            self.folder / "tmp",
            self.folder / "said",
            self.repo,
        ):
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.env = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONPATH": str(ROOT),
            "GIT_CONFIG_NOSYSTEM": "1",
            "EDITOR": "true",
        }

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share" / "wm"

    @property
    def socket(self) -> Path:
        return find_paths(self.env).socket

    def git(self, *words: str) -> None:
        who = {"GIT_AUTHOR_NAME": "D", "GIT_AUTHOR_EMAIL": "d@example.org"}
        who |= {"GIT_COMMITTER_NAME": "D", "GIT_COMMITTER_EMAIL": "d@example.org"}
        subprocess.run(
            ["git", *words], cwd=self.repo, env={**self.env, **who}, check=True, capture_output=True
        )

    def plant(self, path: Path, text: str) -> Path:
        """A file that another person wrote."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.planted.add(str(path))
        return path

    # --- processes ------------------------------------------------------------------------

    def wm(self, *words: str, **options: Any) -> Answer:
        return self.run((*WM, *words), place="wm " + " ".join(words)[:60], **options)

    def run(
        self,
        words: Sequence[str],
        *,
        place: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        serves: bool = False,
    ) -> Answer:
        """Run a traced process to its end, which is ours to ask for where it serves; what it
        printed."""
        with self._said() as out:
            process = subprocess.Popen(
                traced(words, self._log()),
                cwd=cwd or self.repo,
                env={**self.env, **(env or {})},
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                process.communicate(stdin, timeout=SERVES_S if serves else WAIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM if serves else signal.SIGKILL)
                process.communicate(timeout=WAIT_S)
                if not serves:
                    raise AssertionError(f"{place} did not end") from None
            out.seek(0)
            return self._answered(place, out.read(), process.returncode)

    @contextmanager
    def daemon(self, words: Sequence[str] = (*WM, "daemon")) -> Iterator[None]:
        """A traced daemon, until the end of the block."""
        with self._said() as out:
            process = subprocess.Popen(
                traced(words, self._log()),
                cwd="/",
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            try:
                self._wait_until_it_answers(process)
                yield
            finally:
                if process.poll() is None:
                    self.http("POST", "/v1/shutdown")
                try:
                    process.wait(WAIT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                out.seek(0)
                self._answered("the daemon's output", out.read(), process.returncode, own=range(0))

    @contextmanager
    def proxy(self, upstream: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
        """A traced proxy that records, and its base URL; asked to end with the block, if it is
        still there."""
        words = (*WM, "proxy", "--record", "--port", "0", "--upstream", upstream, "--json")
        with self._said() as out:
            process = subprocess.Popen(
                traced(words, self._log()),
                cwd=self.repo,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            try:
                yield self._base_url(Path(out.name)), process
            finally:
                process.terminate()
                process.wait(WAIT_S)
                out.seek(0)
                self._answered("the proxy's output", out.read(), process.returncode, own=range(0))

    def _base_url(self, said: Path) -> str:
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            text = said.read_text(errors="replace")
            found = text[text.find("{") : text.rfind("}") + 1]
            if found:
                return str(json.loads(found)["baseUrl"])
            time.sleep(0.05)
        raise AssertionError("the proxy does not begin")

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end and process.poll() is None:
            try:
                self.http("GET", "/v1/status")
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the daemon does not answer")

    # --- the socket -------------------------------------------------------------------------

    def http(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request on the daemon's socket. raw: a body that is sent as it is."""
        connection = OnSocket(self.socket, WAIT_S)
        data = raw if raw is not None else (None if body is None else json.dumps(body).encode())
        sent = {"content-type": "application/json", **(headers or {})}
        try:
            connection.request(method, target, body=data, headers=sent)
            reply = connection.getresponse()
            content = reply.read()
        except (http.client.HTTPException, ConnectionError, BrokenPipeError) as error:
            return self._answered(f"{method} {target[:60]}", repr(error).encode(), 0)
        finally:
            connection.close()
        head = str(reply.headers).encode()
        return self._answered(f"{method} {target[:60]}", head + content, reply.status)

    def talk(self, data: bytes) -> Answer:
        """Bytes that need not be HTTP."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(5)
            sock.connect(str(self.socket))
            received = b""
            try:
                sock.sendall(data)
                sock.shutdown(socket.SHUT_WR)
                while part := sock.recv(65536):
                    received += part
            except OSError:
                pass  # it hung up, which it may
        return self._answered("raw bytes", received, 0)

    # --- what came of it ----------------------------------------------------------------------

    def wait_for_tracers(self) -> None:
        """Until the last process of the run is gone, and what it wrote is in its log."""
        mine = str(self.logs).encode()
        end = time.monotonic() + WAIT_S
        while any(mine in line for line in _command_lines()):
            assert time.monotonic() < end, "a traced process does not end"
            time.sleep(0.1)

    def wrote(self) -> Iterator[Written]:
        """All bytes that traced processes wrote, and what is in the homes at the end."""
        said = str(self.folder / "said")
        for log in sorted(self.logs.iterdir()):
            yield from (one for one in written(log) if not one.path.startswith(said))
        for top in (self.home, self.folder / "run", self.folder / "tmp"):
            for path in top.rglob("*"):
                if str(path) in self.planted or self.repo in (path, *path.parents):
                    continue
                yield Written("what is left", "(a name)", str(path.relative_to(top)).encode())
                if path.is_file() and not path.is_symlink():
                    yield Written("what is left", str(path), path.read_bytes())

    def repeated(self, net: Net) -> Iterator[tuple[Answer, str]]:
        """Answers that tell a canary which their caller had not sent."""
        for answer in self.answers:
            for canary, form in net.hits(answer.data):
                if canary.number not in answer.own and canary.number not in self.public:
                    yield answer, f"{canary.place} ({canary.shape}, {form})"

    def _answered(self, place: str, data: bytes, status: int, own: range | None = None) -> Answer:
        mine = range(self._mark, len(self.mint.made)) if own is None else own
        answer = Answer(place, data, mine, status)
        self._mark = len(self.mint.made)
        self.answers.append(answer)
        return answer

    def _said(self) -> IO[bytes]:
        """What a process prints goes into a file: a pipe would be held open by what it leaves
        behind."""
        return (self.folder / "said" / f"{self._runs + 1:04}").open("w+b")

    def _log(self) -> Path:
        self._runs += 1
        return self.logs / f"{self._runs:04}.strace"


def _command_lines() -> Iterator[bytes]:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield entry.read_bytes()


def needs() -> str:
    """Why a run is not possible here, "" if it is."""
    return "" if shutil.which("strace") and shutil.which("git") else "needs strace and git"
