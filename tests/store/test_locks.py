"""Kernel locks between threads, processes and forks."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wm.errors import Busy, StoreError
from wm.settings import StoreSettings
from wm.store.fsops import Disk, Handle
from wm.store.locks import Lock, Locks

HOLDER = """
import sys
from pathlib import Path
from wm.settings import StoreSettings
from wm.store.fsops import Disk
from wm.store.locks import Locks
disk = Disk(Path(sys.argv[1]))
locks = Locks(disk, StoreSettings())
with disk.folder("") as folder:
    held = locks.take_all([(folder, "a.json")])
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Handle]:
    with Disk(tmp_path).folder("") as opened:
        yield opened


def locks_of(folder: Handle, wait_s: float = 0.05) -> Locks:
    return Locks(folder.disk, StoreSettings(lock_wait_s=wait_s))


def holder(home: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    with process:
        process.kill()


def test_a_lock_file_is_private_and_stays(folder: Handle, tmp_path: Path) -> None:
    locks = locks_of(folder)
    locks.release_all(locks.take_all([(folder, "a.json")]))
    path = tmp_path / ".a.json.lock"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == b""


def test_a_thread_waits_and_the_error_names_the_holder(folder: Handle) -> None:
    locks = locks_of(folder)
    held = locks.take_all([(folder, "a.json")])
    with pytest.raises(Busy, match=rf"another thread of this process \({os.getpid()}\)"):
        locks.take_all([(folder, "a.json")])
    locks.release_all(held)
    locks.release_all(locks.take_all([(folder, "a.json")]))


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who holds a lock")
def test_the_message_names_the_other_process(folder: Handle, tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        with pytest.raises(Busy, match=rf"is locked by process {process.pid} \("):
            locks_of(folder).take_all([(folder, "a.json")])
    finally:
        end(process)


def test_the_lock_of_a_killed_process_is_free_at_once(folder: Handle, tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    locks = locks_of(folder, wait_s=0.0)
    held = locks.take_all([(folder, "a.json")])
    assert len(held) == 1
    locks.release_all(held)
    end(process)


def test_a_stopped_holder_still_holds(folder: Handle, tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        process.send_signal(signal.SIGSTOP)
        assert locks_of(folder).try_take(folder, "a.json") is None
    finally:
        end(process)


def test_a_failed_attempt_releases_its_locks(folder: Handle) -> None:
    one, other = locks_of(folder), locks_of(folder)
    held = one.take_all([(folder, "b.json")])
    with pytest.raises(Busy):
        other.take_all([(folder, "a.json"), (folder, "b.json")])
    free = one.try_take(folder, "a.json")
    assert free is not None
    one.release_all([*held, free])


def test_a_lock_file_removed_while_locked_is_noticed(folder: Handle, tmp_path: Path) -> None:
    locks = locks_of(folder)
    (held,) = locks.take_all([(folder, "a.json")])
    assert locks.is_current(held)
    (tmp_path / ".a.json.lock").unlink()
    assert not locks.is_current(held)
    (tmp_path / ".a.json.lock").touch()
    assert not locks.is_current(held)
    locks.release_all([held])


def test_a_waiter_for_a_lock_file_that_its_holder_removes_gets_a_new_one(
    folder: Handle, tmp_path: Path
) -> None:
    one, other = locks_of(folder), locks_of(folder, wait_s=5.0)
    (held,) = one.take_all([(folder, "a.json")])
    taken: list[Lock] = []
    waiting = threading.Thread(target=lambda: taken.extend(other.take_all([(folder, "a.json")])))
    waiting.start()
    one.remove(held)
    one.release_all([held])
    waiting.join(5)
    assert other.is_current(taken[0])
    assert one.try_take(folder, "a.json") is None
    other.remove(taken[0])
    other.release_all(taken)
    assert list(tmp_path.iterdir()) == []


def test_a_symlink_in_place_of_a_lock_file_is_refused(folder: Handle, tmp_path: Path) -> None:
    (tmp_path / ".a.json.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="Could not lock"):
        locks_of(folder).take_all([(folder, "a.json")])
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_neither_holds_nor_frees_the_lock(folder: Handle) -> None:
    locks = locks_of(folder)
    held = locks.take_all([(folder, "a.json")])
    reader, writer = os.pipe()
    hold_reader, hold_writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hold_writer)
        os.write(writer, b"1" if held[0].file.fd == -1 else b"0")
        os.read(hold_reader, 1)  # stay alive until the parent has checked
        os._exit(0)
    assert os.read(reader, 1) == b"1"
    assert locks.try_take(folder, "a.json") is None
    locks.release_all(held)
    again = locks.try_take(folder, "a.json")
    assert again is not None
    locks.release_all([again])
    for fd in (reader, writer, hold_reader, hold_writer):
        os.close(fd)
    os.waitpid(child, 0)


def test_two_threads_never_hold_a_lock_at_once(folder: Handle) -> None:
    locks = locks_of(folder, wait_s=30)
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(30):
            held = locks.take_all([(folder, "a.json")])
            inside.append(1)
            most.append(len(inside))
            inside.pop()
            locks.release_all(held)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (120, 1)


def test_more_documents_than_the_usual_limit_of_open_files_are_locked(folder: Handle) -> None:
    highest = max(int(name) for name in os.listdir("/dev/fd"))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 40, limits[1]))
    try:
        locks = locks_of(folder, wait_s=5.0)
        held = locks.take_all([(folder, f"{number}.json") for number in range(200)])
        assert all(map(locks.is_current, held))
        locks.release_all(held)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
