"""Run one git command: with a deadline, bounded in memory and file size, and starting nothing else.

No hook, no fsmonitor, no remote helper (`ext::`), no garbage collection in the background. A quiet
command, run in the background, also asks for no password and uses no credential helper, no `ssh` of
the configuration and no environment of the caller. Git's own output is foreign text: a remote can
write anything into it, so only a bounded part is kept.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO

from msgspec import Struct

from wm.errors import Unavailable
from wm.settings import git_environment

KEPT_OUTPUT = 1024 * 1024
KEPT_ERRORS = 8192

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Largest file that a command may write; so much a remote may send at once. 100,000 entries are a
pack of 35 MB."""
MAX_MEMORY_KB = 2 * 1024 * 1024
"""Address space of a command: git uses up to 1.5 GB of it for the threads that check a pack."""

_KILLED = "fatal: fetch-pack: invalid index-pack output"
"""What git prints first only if the program that writes the pack was killed at the limit."""

_LIMITED = 'umask 077; ulimit -f "$1"; ulimit -v "$2" 2>/dev/null; shift 2; exec "$@"'

_SAFE = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.alternateRefsCommand": "",
    "core.bigFileThreshold": "1m",
    "transfer.fsckObjects": "true",
    "fetch.recurseSubmodules": "no",
    "push.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
    "http.lowSpeedLimit": "100",
    "http.lowSpeedTime": "30",
}
_QUIET = {"core.askPass": "", "credential.helper": "", "core.gitProxy": ""}

REMOTE = "wm"
"""What a command calls the remote whose URL it was given."""

LOCAL_SERVER = "git -c core.hooksPath=/dev/null {}"
"""The command that serves a repository on this machine: its hooks would run as this user."""


class Output(Struct, frozen=True):
    """How a command ended. code: None if it did not end in time, or git is missing."""

    code: int | None
    out: bytes = b""
    err: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace").strip()

    @property
    def why(self) -> str:
        """The line with which git explained a failure."""
        if self.code is None:
            return "git did not answer in time"
        found = [_plain(line) for line in self.err.splitlines() if _plain(line)]
        fatal = [line for line in found if line.startswith(("fatal:", "error:", "ssh:"))]
        line = (fatal or found[-1:] or [f"git ended with code {self.code}"])[0]
        if line == _KILLED or f"died of signal {signal.SIGXFSZ}" in line:
            return f"it is larger than {MAX_FILE_BYTES // 2**20} MiB"
        if "Out of memory" in line:
            return f"git needs more than {MAX_MEMORY_KB // 2**20} GiB of memory for it"
        return re.sub(r"^(?:fatal|error): ", "", line)[:300]


def run(
    words: Sequence[str],
    *,
    where: str,
    deadline_s: float,
    is_repository: bool = False,
    quiet: bool = True,
    data: bytes = b"",
    config: Sequence[tuple[str, str]] = (),
    url: str = "",
    most: int = KEPT_OUTPUT,
) -> Output:
    """Run `git words` in the folder `where`; see `started`. data: its standard input. most: bytes
    of its output that are kept."""
    git_command = started(
        words,
        where=where,
        deadline_s=deadline_s,
        is_repository=is_repository,
        quiet=quiet,
        config=config,
        url=url,
    )
    try:
        with ThreadPoolExecutor(2) as pool, git_command as git:
            out = pool.submit(drained, git.stdout, most)
            err = pool.submit(drained, git.stderr, KEPT_ERRORS, tail=True)
            fed(git.stdin, data)
            text, errors, code = out.result(), err.result(), git.wait()
    except Unavailable as error:
        return Output(None, err=error.message)
    timed_out = code == -signal.SIGKILL
    return Output(None if timed_out else code, text, errors.decode("utf-8", "replace"))


@contextmanager
def started(
    words: Sequence[str],
    *,
    where: str,
    deadline_s: float,
    is_repository: bool = False,
    quiet: bool = True,
    config: Sequence[tuple[str, str]] = (),
    url: str = "",
) -> Iterator[subprocess.Popen[bytes]]:
    """A running git command; killed at its deadline, and when the block is left early.

    is_repository: `where` is a bare repository, and no folder above it counts. url: of the remote
    `REMOTE`. Raises Unavailable without git.
    """
    git = shutil.which("git")
    if git is None or deadline_s <= 0:
        raise Unavailable("git is not installed.", fix="Install git.")
    words = [f"--git-dir={where}", *words] if is_repository else words
    safe = {**_SAFE, **(_QUIET if quiet else {}), **dict(config)}
    settings = [word for name, value in safe.items() for word in ("-c", f"{name}={value}")]
    limits = [str(MAX_FILE_BYTES // 512), str(MAX_MEMORY_KB)]
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _LIMITED, "git", *limits, git, "--no-pager", *settings, *words],
            cwd=where,
            # A URL may contain a password, and other users can read command lines.
            env=git_environment(quiet=quiet, config={f"remote.{REMOTE}.url": url} if url else {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A separate session: no terminal to ask on, and one group to kill with its children.
            start_new_session=quiet,
        )
    except OSError as error:
        raise Unavailable(
            f"git cannot be started in {where}: {error.strerror}.",
            fix="Correct that, then try again.",
        ) from error
    timer = threading.Timer(deadline_s, _kill, (process, quiet))
    timer.daemon = True
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.poll() is None:
            _kill(process, quiet)
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()
        process.wait()


def _kill(process: subprocess.Popen[bytes], group: bool) -> None:
    for pid in [-process.pid] if group else _descendants(process.pid):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    """A process and what it started, also indirectly. In the foreground git has no group of its
    own, so that it may ask on the terminal; a child that lives on would keep the pipes open."""
    words = ["ps", "-A", "-o", "pid=,ppid="]
    try:
        listed = subprocess.run(words, capture_output=True, check=False).stdout.split()
    except OSError:
        return [pid]  # a system without ps
    found = [pid]
    for parent in found:  # grows while it is read
        pairs = zip(listed[::2], listed[1::2], strict=False)
        found += [int(child) for child, its_parent in pairs if int(its_parent) == parent]
    return found


def fed(stream: IO[bytes] | None, data: bytes) -> None:
    """Write all of a command's input, as far as it reads it."""
    assert stream is not None
    with suppress(OSError, ValueError), stream:
        stream.write(data)


def drained(stream: IO[bytes] | None, keep: int, *, tail: bool = False) -> bytes:
    """Read a stream to its end; its first `keep` bytes or so, or its last ones."""
    assert stream is not None
    found = b""
    with suppress(OSError, ValueError):
        while chunk := stream.read1(65536):  # type: ignore[attr-defined]
            if tail:
                found = (found + chunk)[-keep:]
            elif len(found) < keep:
                found += chunk
    return found


def _plain(line: str) -> str:
    return "".join(c for c in line if c.isprintable()).strip()
