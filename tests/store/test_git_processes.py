"""A git command never outlives its reader: errors, limits, deadlines, kill -9 (SY-4)."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.daemon.process import wait_for
from wm.errors import UserError
from wm.store.git.command import run
from wm.store.git.objects import Objects

SIZE = 4096

KILLED_WHILE_READING = """
import os, signal, subprocess, sys
from wm.store.git.objects import Objects
subprocess.Popen.wait = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Objects(sys.argv[1]).read(["HEAD"], 1)
"""

SILENT = '#!/bin/sh\nprintf "%s blob 4096\\nhalf of it" 0123456789\nexec sleep 60\n'


WHERE_ERRORS_GO = '#!/bin/sh\necho "fatal: no remote" >&2\nreadlink /proc/$$/fd/2\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    where = tmp_path / "mirror.git"
    subprocess.run(["git", "init", "-q", "--bare", str(where)], check=True)
    return where


def blobs(where: Path, *sizes: int) -> list[str]:
    words = ["git", "-C", str(where), "hash-object", "-w", "--stdin"]
    made = (subprocess.run(words, input=b"a" * s, capture_output=True, check=True) for s in sizes)
    return [done.stdout.decode().strip() for done in made]


def running(where: Path) -> list[str]:
    """The processes that read this repository, or run a program beside it."""
    return [line for line in command_lines() if f"--git-dir={where}" in line]


def command_lines() -> list[str]:
    if not Path("/proc/self").exists():
        words = ["ps", "-A", "-o", "args="]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            lines.append(file.read_bytes().decode(errors="replace").replace("\0", " "))
    return lines


def everything(where: Path) -> None:
    assert len(Objects(str(where)).read(blobs(where, 1, 2, 3), SIZE)) == 3


def with_one_too_large(where: Path) -> None:
    assert len(Objects(str(where)).read(blobs(where, 1, 2 * SIZE, 3), SIZE)) == 2


def too_much_together(where: Path) -> None:
    reader = Objects(str(where))
    reader._bytes_left = SIZE
    with pytest.raises(UserError):
        reader.read(blobs(where, *range(SIZE - 9, SIZE)), SIZE)


class Interrupting(int):
    """A limit at whose first comparison a person presses ^C."""

    def __lt__(self, _size: int) -> bool:
        raise KeyboardInterrupt


def interrupted(where: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        Objects(str(where)).read(blobs(where, 1, 2, 3), Interrupting(SIZE))


@pytest.mark.parametrize("way", [everything, with_one_too_large, too_much_together, interrupted])
def test_no_reader_of_objects_leaves_a_process(
    repository: Path, way: Callable[[Path], None]
) -> None:
    way(repository)
    assert running(repository) == []


def test_a_git_that_stops_answering_is_killed_at_the_deadline(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(SILENT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    with pytest.raises(UserError):
        Objects(str(repository), deadline_s=0.5).read(["0" * 40], SIZE)
    assert running(repository) == []


def test_a_reader_that_is_killed_leaves_no_process(repository: Path) -> None:
    words = [sys.executable, "-c", KILLED_WHILE_READING, str(repository)]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    wait_for(lambda: not running(repository))


ASKING = "#!/bin/sh\n/bin/sh -c 'sleep 60; :' --git-dir=%s &\nwait\n"


@pytest.mark.parametrize("quiet", [True, False])
def test_what_git_started_ends_with_it_at_the_deadline(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, quiet: bool
) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(ASKING % repository)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    words = [f"--git-dir={repository}"]
    done = run(words, where=str(repository), deadline_s=0.5, quiet=quiet)
    assert done.why == "git did not answer in time"
    wait_for(lambda: not running(repository))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no files in memory")
def test_errors_of_git_are_on_no_disk(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(WHERE_ERRORS_GO)
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    done = run(["fetch"], where=str(repository), deadline_s=30, is_repository=True)
    assert done.text.startswith("/memfd:")
    assert done.err.startswith("fatal: no remote")
