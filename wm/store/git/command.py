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
import sys
from collections.abc import Sequence
from contextlib import suppress
from glob import glob
from tempfile import TemporaryFile
from typing import IO

from msgspec import Struct

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

LEFT = "tmp_"
"""How the names of git's temporary files begin, and those of ours."""

REMOTE = "wm"
"""What a command calls the remote whose URL it was given."""

LOCAL_SERVER = "git -c core.hooksPath=/dev/null {}"
"""The command that serves a repository on this machine: its hooks would run as this user."""


class Output(Struct, frozen=True):
    """How a command ended. code: None if it did not end in time, or could not be started."""

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
            return self.err
        found = [_plain(line) for line in self.err.splitlines() if _plain(line)]
        fatal = [line for line in found if line.startswith(("fatal:", "error:", "ssh:"))]
        line = (fatal or found[-1:] or [f"git ended with code {self.code}"])[0]
        limit = signal.SIGXFSZ
        if self.code == -limit or line == _KILLED or f"died of signal {limit}" in line:
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
    """Run `git words` in the folder `where`; at its deadline it is killed.

    is_repository: `where` is a bare repository, and no folder above it counts. data: its standard
    input. url: of the remote `REMOTE`. most: bytes of its output that are kept.
    """
    git = shutil.which("git")
    if git is None:
        return Output(None, err="git is not installed")
    words = [f"--git-dir={where}", *words] if is_repository else words
    safe = {**_SAFE, **(_QUIET if quiet else {}), **dict(config)}
    settings = [word for name, value in safe.items() for word in ("-c", f"{name}={value}")]
    limits = [str(MAX_FILE_BYTES // 512), str(MAX_MEMORY_KB)]
    # Files instead of pipes: git never waits for a reader, and its limits bound them. They contain
    # entries, so they are in the mirror, unless that can only be read.
    folder = where if is_repository and os.access(where, os.W_OK) else None
    try:
        with (
            TemporaryFile(prefix=LEFT, dir=folder) as given,
            TemporaryFile(prefix=LEFT, dir=folder) as out,
            _in_memory(folder) as err,
        ):
            given.write(data)
            given.seek(0)
            process = subprocess.Popen(
                ["/bin/sh", "-c", _LIMITED, "git", *limits, git, "--no-pager", *settings, *words],
                cwd=where,
                # A URL may contain a password, and other users can read command lines.
                env=git_environment(
                    quiet=quiet, config={f"remote.{REMOTE}.url": url} if url else {}
                ),
                stdin=given,
                stdout=out,
                stderr=err,
                # A separate session: no terminal to ask on, and one group to kill with its
                # children.
                start_new_session=quiet,
            )
            code = _ended(process, deadline_s, group=quiet)
            if code is None:
                return Output(None, err="git did not answer in time")
            errors = _written(err, KEPT_ERRORS, tail=True).decode("utf-8", "replace")
            return Output(code, _written(out, most), errors)
    except OSError as error:
        return Output(None, err=f"git cannot be started in {where}: {error.strerror}")


def _in_memory(folder: str | None) -> IO[bytes]:
    """A file for the errors of git, which quote the URL of the remote and a password in it. On
    other systems than Linux it is on disk, without a name."""
    if sys.platform == "linux":
        return open(os.memfd_create("wm"), "w+b")
    return TemporaryFile(prefix=LEFT, dir=folder)


def _ended(process: subprocess.Popen[bytes], deadline_s: float, *, group: bool) -> int | None:
    """The exit code of a command; None if it was killed at its deadline."""
    try:
        return process.wait(deadline_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            _kill(process, group)
            process.wait()


def _kill(process: subprocess.Popen[bytes], group: bool) -> None:
    for pid in [-process.pid] if group else _descendants(process.pid):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    """A process and what it started, also indirectly. In the foreground git has no group of its
    own, so that it may ask on the terminal; its children end with it."""
    parents = _parents()
    found = [pid]
    for parent in found:  # grows while it is read
        found += [child for child, its_parent in parents.items() if its_parent == parent]
    return found


def _parents() -> dict[int, int]:
    """Each process with its parent. From /proc on Linux, because small containers have no `ps`."""
    found = {}
    for path in glob("/proc/[0-9]*/stat"):
        with suppress(OSError), open(path, "rb") as file:  # it may have ended
            found[int(path.split("/")[2])] = int(file.read().rpartition(b")")[2].split()[1])
    if found:
        return found
    words = ["ps", "-A", "-o", "pid=,ppid="]
    try:
        listed = subprocess.run(words, capture_output=True, check=False).stdout.split()
    except OSError:
        return {}  # a system without both
    return dict(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))


def _written(file: IO[bytes], most: int, *, tail: bool = False) -> bytes:
    """The first or the last bytes that a command wrote to a file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - most) if tail else 0)
    return file.read(min(size, most))


def _plain(line: str) -> str:
    return "".join(c for c in line if c.isprintable()).strip()
