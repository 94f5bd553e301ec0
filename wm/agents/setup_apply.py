"""Carry out a plan of `wm.agents.setup`: write and remove files, and run its commands (IF-5).

Each file is replaced atomically. Decides nothing, and writes no file that the plan does not name.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from wm.agents.setup import FileChange, SetupPlan
from wm.agents.setup_facts import SERVICE, new_path, read
from wm.errors import UserError

PRIVATE_FILE = 0o600
COMMAND_WAIT_S = 20.0


class Applied(Struct, frozen=True):
    """changed: files written or removed. problems: sentences about failures: a command, or the
    files of one agent while those of the others were written."""

    changed: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


Runner = Callable[[Sequence[str]], str]
"""Runs one command; "" or a sentence about what failed."""


def apply(plan: SetupPlan, run: Runner | None = None) -> Applied:
    """Carry a plan out. If the files of one agent cannot be written, the other agents are still set
    up, and the failure is in the problems. Raises UserError if a file changed since the plan was
    made, or if the record that undoes the plan cannot be written."""
    for change in plan.changes:
        if read(change.path) != change.before:
            raise UserError.of("setup.file_changed", path=change.path)
    run = run or run_command
    problems = [run(words) for words in plan.first]
    changed: list[Path] = []
    failed: set[str] = set()
    for change in plan.changes:
        if failed and change.agent in ("", *failed):
            continue  # the record, written last by unsetup, still undoes what is left
        try:
            _carry_out(change)
        except UserError as error:
            if not change.agent:
                raise
            failed.add(change.agent)
            problems.append(f"{change.agent}: {error.message} {error.fix}")
            continue
        changed.append(change.path)
    if SERVICE not in failed:
        problems += [run(words) for words in plan.last]
    return Applied(
        changed=tuple(changed), problems=tuple(problem for problem in problems if problem)
    )


def _carry_out(change: FileChange) -> None:
    # A symbolic link belongs to the user: its target is written or removed, never the link.
    target = Path(os.path.realpath(change.path))
    try:
        if change.after is not None:
            for folder in reversed(change.make):
                folder.mkdir(mode=0o700, exist_ok=True)
            _replace(target, change.after)
            return
        target.unlink(missing_ok=True)
    except OSError as error:
        raise UserError.of("setup.unwritable", path=change.path, why=error.strerror) from error
    _drop_folders(change.drop)


def _replace(path: Path, content: bytes) -> None:
    """Replace a file atomically and keep its mode; the caller has resolved symbolic links."""
    mode = path.stat().st_mode & 0o777 if path.exists() else PRIVATE_FILE
    new = new_path(path)
    new.unlink(missing_ok=True)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def _drop_folders(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return  # not empty: it contains other files by now


def run_command(words: Sequence[str]) -> str:
    """Run a command of the service manager; return a sentence if it failed."""
    shown = " ".join(words)
    try:
        done = subprocess.run(
            list(words), capture_output=True, timeout=COMMAND_WAIT_S, check=False, text=True
        )
    except FileNotFoundError:
        return f"`{words[0]}` is not installed, so `{shown}` was not run."
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{shown}` failed: {error}."
    if done.returncode == 0:
        return ""
    errors = done.stderr.strip().splitlines()
    why = f": {errors[-1]}" if errors else ""
    return f"`{shown}` failed with exit code {done.returncode}{why}."
