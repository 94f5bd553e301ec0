"""A machine for one test, and the real clients run on it.

Home, configuration, data, caches and runtime folder are the test's own; no client can reach another
host than the upstream, and no package registry. Every run has a time limit and its own process
group, and leaves its output in files for the transcript of a failed test.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.clients.install import Installed
from tests.clients.upstream import Upstream

MODEL = "claude-opus-5-5"
SMALL_MODEL = "claude-haiku-4-5"
RUN_TIMEOUT_SECONDS = 120.0
TRANSCRIPT_CHARS = 3000
# Nothing listens there: what asks a registry or another host fails at once instead of waiting.
NOWHERE = "http://127.0.0.1:9"
# More than any known model's window, so that the client finds its context full.
FULL_CONTEXT_TOKENS = 990_000
SESSION_NAMES = ("session_id", "sessionID", "thread_id")

CALC = "def add(a, b):\n    return a - b\n"
CHECK = "from calc import add\n\nassert add(2, 3) == 5, add(2, 3)\nprint('ok')\n"
TEST_CALC = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
MAKEFILE = "ship:\n\t@echo shipped\n"


@dataclass(frozen=True)
class Run:
    """One finished run of a client. `code` is None when it had to be killed."""

    name: str
    code: int | None
    out: str
    err: str
    seconds: float
    session: str = ""


@dataclass
class Machine:
    root: Path
    clients: Installed
    upstream: Upstream
    environment: dict[str, str] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    folder: str = "repo"
    """The repository that runs happen in, below `root`."""

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def repo(self) -> Path:
        return self.root / self.folder

    def another(self, name: str) -> Machine:
        """The same machine, in another repository of this name."""
        other = replace(self, folder=name)
        other.repo.mkdir(mode=0o700)
        other._seed_repo()
        return other

    def worktree(self, name: str) -> Machine:
        """The same machine, in a linked worktree of the repository."""
        self.tool("git", "worktree", "add", "-q", "-b", name, str(self.root / name))
        return replace(self, folder=name)

    @property
    def runtime(self) -> Path:
        return self.root / "run"

    def prepare(self) -> None:
        for folder in (self.home, self.repo, self.runtime, self.root / "out", self.root / "tmp"):
            folder.mkdir(mode=0o700)
        self.environment = self._environment()
        self._seed_repo()
        self._seed_opencode()

    def hide_wm(self) -> None:
        """Without this, the script of the hooks finds the wm that runs these tests."""
        folders = self.environment["PATH"].split(os.pathsep)
        kept = (folder for folder in folders if not Path(folder, "wm").exists())
        self.environment["PATH"] = os.pathsep.join(kept)

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if k in ("LANG", "LC_ALL", "TZ", "TERM")}
        here = str(Path(sys.executable).parent)
        return {
            **kept,
            "PATH": os.pathsep.join([here, str(self.clients.claude.parent), os.environ["PATH"]]),
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Dev",
            "GIT_AUTHOR_EMAIL": "dev@example.org",
            "GIT_COMMITTER_NAME": "Dev",
            "GIT_COMMITTER_EMAIL": "dev@example.org",
            "ANTHROPIC_API_KEY": "dummy-key-for-the-scripted-upstream",
            "ANTHROPIC_BASE_URL": self.upstream.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "npm_config_registry": NOWHERE,
            "npm_config_fetch_retries": "0",
        }

    def _seed_repo(self) -> None:
        files = {
            "calc.py": CALC,
            "check.py": CHECK,
            "test_calc.py": TEST_CALC,
            "Makefile": MAKEFILE,
        }
        for name, text in files.items():
            (self.repo / name).write_text(text)
        for command in (
            ("init", "-q", "-b", "main"),
            ("add", "."),
            ("commit", "-q", "-m", "Start"),
        ):
            self.tool("git", *command)

    def _seed_opencode(self) -> None:
        config = self.home / ".config" / "opencode"
        config.mkdir(parents=True)
        options = {"apiKey": self.environment["ANTHROPIC_API_KEY"]}
        options["baseURL"] = f"{self.upstream.url}/v1"
        settings = {
            "$schema": "https://opencode.ai/config.json",
            "model": f"anthropic/{MODEL}",
            "small_model": f"anthropic/{SMALL_MODEL}",
            "autoupdate": False,
            "share": "disabled",
            "provider": {"anthropic": {"options": options}},
        }
        (config / "opencode.json").write_text(json.dumps(settings, indent=2) + "\n")
        seed = self.clients.opencode_config
        if seed is not None:
            for name in ("package.json", "package-lock.json"):
                (config / name).write_bytes((seed / name).read_bytes())
            (config / "node_modules").symlink_to(seed / "node_modules")

    def program(self, *command: str, timeout: float) -> subprocess.CompletedProcess[str]:
        """Run a program in the repository, to its end."""
        return subprocess.run(
            command,
            cwd=self.repo,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def tool(self, *command: str, timeout: float = 120.0) -> str:
        """Run a short program in the repository; what it printed. Raises when it fails."""
        done = self.program(*command, timeout=timeout)
        if done.returncode != 0:
            raise AssertionError(f"{command} exited {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def run_claude(
        self,
        prompt: str,
        *,
        session: str | None = None,
        tools: str = "Bash,Read,Edit,Agent",
        timeout: float = RUN_TIMEOUT_SECONDS,
    ) -> Run:
        """One headless turn of the user; `session` continues an earlier one."""
        command = [str(self.clients.claude), "-p", prompt, "--output-format", "json"]
        command += ["--model", MODEL, "--allowedTools", tools]
        command += ["--resume", session] if session else []
        return self.run("claude", command, timeout)

    def compact_claude(self, session: str) -> Run:
        """The user's own /compact, which works headless on a resumed session."""
        return self.run_claude("/compact", session=session)

    def run_opencode(
        self, prompt: str, *, session: str | None = None, timeout: float = RUN_TIMEOUT_SECONDS
    ) -> Run:
        """One headless turn. A prompt of several words arrives in literal double quotes.

        Compaction has no headless command: let an answer report FULL_CONTEXT_TOKENS.
        """
        command = [str(self.clients.opencode), "run", "--format", "json"]
        command += ["--session", session] if session else []
        return self.run("opencode", [*command, prompt], timeout)

    def run(self, name: str, command: list[str], timeout: float, session: str = "") -> Run:
        """One run of a client, to its end or until its time is up. session: "" if only the client's
        output names it."""
        base = self.root / "out" / f"{len(self.runs):02d}-{name}"
        started = time.monotonic()
        with base.with_suffix(".out").open("wb") as out, base.with_suffix(".err").open("wb") as err:
            process = subprocess.Popen(
                command,
                cwd=self.repo,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            code = _wait(process, timeout)
        text = base.with_suffix(".out").read_text(errors="replace")
        errors = base.with_suffix(".err").read_text(errors="replace")
        seconds = time.monotonic() - started
        run = Run(" ".join(command), code, text, errors, seconds, session or _session(text))
        self.runs.append(run)
        return run

    def end_strays(self) -> None:
        """Kill what still runs with this machine's home: a daemon, a client left over."""
        for pid in self._own_processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def _own_processes(self) -> list[int]:
        mine = f"HOME={self.home}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mine in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def transcript(self) -> str:
        """Everything a reader of a failed test needs."""
        lines = []
        for run in self.runs:
            lines.append(f"$ {run.name}\n  exit {run.code} after {run.seconds:.1f} s")
            lines.append(run.out[-TRANSCRIPT_CHARS:] + run.err[-TRANSCRIPT_CHARS:])
        for number, x in enumerate(self.upstream.exchanges):
            line = f"{number:3d} {x.kind:8s} {x.status} {x.rule} {x.usage}"
            lines.append(f"{line} refused={x.refused} dropped={x.dropped}")
            lines.append(f"      {x.request.last_user_text[-200:]!r}")
        return "\n".join([*lines, *self.upstream.faults])


def _wait(process: subprocess.Popen[bytes], timeout: float) -> int | None:
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def _session(out: str) -> str:
    """The session id that a client names in its JSON output."""
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            found = next((event[name] for name in SESSION_NAMES if event.get(name)), "")
            return str(found)
    return ""
