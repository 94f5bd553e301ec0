"""Changes by other programs are reported, own writes are not, and none is lost (ST-4, F51, F52)."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wm.errors import StoreError
from wm.formats.workspace_memory import Workspace, WorkspaceMemory
from wm.settings import StoreSettings
from wm.store.base import Ref
from wm.store.files import FileStore
from wm.store.fsops import Disk
from wm.store.watch import Watch, workspaces, written_by

A, B = "a" * 16, "b" * 16
MEMORY = "workspace-memory.json"
FAST = StoreSettings(watch_quiet_s=0.01, watch_poll_s=0.02)
LONG_S = 10.0
"""An upper bound for events that must happen; nothing waits this long."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux")


class WatchReports:
    """Receives the reports of a watch."""

    def __init__(self) -> None:
        self._keys: queue.Queue[str] = queue.Queue()

    def __call__(self, key: str) -> None:
        self._keys.put(key)

    def next_is(self, key: str) -> None:
        assert self._keys.get(timeout=LONG_S) == key

    def skip_to(self, key: str) -> None:
        while key != self._keys.get(timeout=LONG_S):
            pass

    @property
    def are_empty(self) -> bool:
        return self._keys.empty()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for key in (A, B):
        (tmp_path / "workspaces" / key / "sessions").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def reports() -> WatchReports:
    return WatchReports()


@pytest.fixture
def watch(home: Path, reports: WatchReports) -> Iterator[Watch]:
    made = watch_of(home)
    made.start(reports)
    yield made
    made.stop()
    assert made.state == "off"


def watch_of(home: Path) -> Watch:
    return Watch(Disk(home), written_by(FileStore(home, FAST)), FAST)


def write(home: Path, key: str = A, root: str = "/srv/x") -> Path:
    """One write of the store; returns the path of the document."""
    ref = Ref(WorkspaceMemory, key)
    with FileStore(home, FAST).transaction([ref]) as transaction:
        transaction.put(ref, WorkspaceMemory(workspace=Workspace(root=root, key=key)))
    return home / "workspaces" / key / MEMORY


def replace(folder: Path, name: str, raw: bytes) -> None:
    (folder / ".new.tmp").write_bytes(raw)
    (folder / ".new.tmp").rename(folder / name)


def test_an_edit_in_place_and_a_replacement_are_reported(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    assert watch.state == "watching"
    folder = home / "workspaces" / A
    (folder / MEMORY).write_text("{}")
    reports.next_is(A)
    replace(home / "workspaces" / B, MEMORY, b"{}")
    reports.next_is(B)


def test_own_writes_are_recognised_by_content(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    for _ in range(3):
        path = write(home)
    replace(home / "workspaces" / B, MEMORY, b"{}")
    # This one was written last: a report about the other one would have come before it.
    reports.next_is(B)
    replace(path.parent, MEMORY, path.read_bytes().replace(b"/srv/x", b"/srv/y"))
    reports.next_is(A)


def test_a_restored_older_generation_is_reported(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    old = write(home).read_bytes()
    path = write(home, root="/srv/y")
    replace(path.parent, MEMORY, old)
    reports.next_is(A)


def test_only_deletions_by_others_are_reported(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    ref = Ref(WorkspaceMemory, B)
    write(home, B)
    with FileStore(home, FAST).transaction([ref]) as transaction:
        transaction.delete(ref)
    write(home, A).unlink()
    reports.next_is(A)


def test_locks_previous_copies_temporary_and_foreign_files_are_ignored(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    folder = home / "workspaces" / A
    names = (f".{MEMORY}.lock", f".{MEMORY}.spare", f".{MEMORY}.0123.tmp", "notes.md")
    for name in (*names, "tombstones.json"):
        (folder / name).write_text("x")
    (folder / "sessions" / "s.json").write_text("x")
    (folder / MEMORY).write_text("{}")
    reports.next_is(A)
    assert reports.are_empty


def test_a_burst_is_reported_once(home: Path, reports: WatchReports) -> None:
    watch = Watch(Disk(home), lambda _: False, StoreSettings(watch_quiet_s=0.2))
    watch.start(reports)
    for number in range(50):
        (home / "workspaces" / A / MEMORY).write_text(str(number))
    reports.next_is(A)
    watch.stop()
    assert reports.are_empty


def test_a_stream_without_a_pause_is_still_reported(home: Path, reports: WatchReports) -> None:
    watch = Watch(
        Disk(home), lambda _: False, StoreSettings(watch_quiet_s=30.0, watch_longest_s=0.05)
    )
    watch.start(reports)
    (home / "workspaces" / A / MEMORY).write_text("{}")
    reports.next_is(A)
    watch.stop()


def test_a_workspace_added_while_watching_is_watched(
    home: Path, tmp_path_factory: pytest.TempPathFactory, watch: Watch, reports: WatchReports
) -> None:
    new = home / "workspaces" / ("c" * 16)
    new.mkdir()
    (new / MEMORY).write_text("{}")
    reports.skip_to("c" * 16)
    restored = tmp_path_factory.mktemp("backup") / "w"
    restored.mkdir()
    (restored / MEMORY).write_text("{}")
    restored.rename(home / "workspaces" / ("d" * 16))
    reports.skip_to("d" * 16)
    (home / "workspaces" / ("d" * 16) / MEMORY).write_text("[]")
    reports.skip_to("d" * 16)


def test_a_removed_workspace_is_not_a_change_of_a_document(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    write(home)
    shutil.rmtree(home / "workspaces" / A)
    (home / "workspaces" / B / MEMORY).write_text("{}")
    reports.next_is(B)


def test_a_watch_can_be_restarted_and_leaves_no_descriptor(
    home: Path, reports: WatchReports
) -> None:
    threads, files = threading.active_count(), len(os.listdir("/dev/fd"))
    watch = watch_of(home)
    for _ in range(3):
        watch.start(reports)
        watch.start(reports)
        watch.stop()
    watch.stop()
    assert (threading.active_count(), len(os.listdir("/dev/fd"))) == (threads, files)


def test_watching_requires_a_data_folder(tmp_path: Path, reports: WatchReports) -> None:
    with pytest.raises(StoreError, match="watch"):
        Watch(Disk(tmp_path / "wm"), lambda _: True, FAST).start(reports)


def test_the_first_workspace_is_reported(tmp_path: Path, reports: WatchReports) -> None:
    watch = watch_of(tmp_path)
    watch.start(reports)
    write(tmp_path, A).write_text("{}")
    reports.next_is(A)
    watch.stop()
    assert (tmp_path / "workspaces").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_moved_away_is_reported(
    home: Path, watch: Watch, reports: WatchReports
) -> None:
    (home / "workspaces").rename(home / "elsewhere")
    deadline = threading.Event()
    for _ in range(1000):
        if watch.state.startswith("blind") or deadline.wait(0.01):
            break
    assert watch.state == "blind: No such file or directory"


def test_all_workspaces_are_checked_after_an_overflow(home: Path) -> None:
    (home / "workspaces" / "not-a-key").mkdir()
    assert workspaces(Disk(home)) == [A, B]


def test_polling_reports_the_same_changes_and_its_reason(home: Path, reports: WatchReports) -> None:
    watch = watch_of(home)
    watch.start(reports)
    watch.fail("no watches left")
    for _ in range(1000):
        if watch.state.startswith("polling"):
            break
        threading.Event().wait(0.01)
    assert watch.state == "polling: no watches left"
    (home / "workspaces" / B / MEMORY).write_text("{}")
    reports.skip_to(B)
    (home / "workspaces" / ("c" * 16)).mkdir()
    (home / "workspaces" / ("c" * 16) / MEMORY).write_text("{}")
    reports.skip_to("c" * 16)
    watch.stop()


SCRIPT = """
import os, sys
from pathlib import Path
from wm.settings import StoreSettings
from wm.store.fsops import Disk
from wm.store.files import FileStore
from wm.store.watch import Watch, written_by
home, settings = Path(sys.argv[1]), StoreSettings(watch_poll_s=0.02)
watch = Watch(Disk(home), written_by(FileStore(home, settings)), settings)
watch.start(lambda key: print(key[0], flush=True))
print(watch.state, flush=True)
sys.stdin.read()
watch.stop()
"""


def spawn(home: Path, *before: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, sys.executable, "-c", SCRIPT, home],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@linux
def test_an_overflow_of_the_queue_checks_all_workspaces(home: Path) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 40_000:
        pytest.skip("the queue of this system is too long for a quick test")
    with spawn(home) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "watching\n"
        child.send_signal(signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        noise = home / "workspaces" / A / "x"
        noise.write_text("")
        other = noise.with_name("y")
        for _ in range(limit // 4 + 100):
            noise.rename(other)
            other.rename(noise)
        # The hint of this file no longer fits into the queue.
        (home / "workspaces" / B / MEMORY).write_text("{}")
        child.send_signal(signal.SIGCONT)
        assert child.stdout.readline() == "b\n"
        _, errors = child.communicate()
    assert (child.returncode, "overflowed" in errors) == (0, True)


@linux
@pytest.mark.parametrize("watches", [0, 1, 2])
def test_without_free_watches_it_polls(home: Path, watches: int) -> None:
    limited = ["unshare", "-Ur", "sh", "-c"]
    rule = f'echo {watches} > /proc/sys/user/max_inotify_watches && exec "$@"'
    if subprocess.run([*limited, rule, "sh", "true"], capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody lower the limit")
    with spawn(home, *limited, rule, "sh") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "polling: inotify watch limit reached\n"
        (home / "workspaces" / B / MEMORY).write_text("{}")
        assert child.stdout.readline() == "b\n"
        child.communicate()
    assert child.returncode == 0
