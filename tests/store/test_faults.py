"""Each call on the data folder fails once: the old or the new text stays, nothing in between
(ST-5)."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.samples import KEY, MEMORY, SESSION, memory, record, session, texts
from wm.errors import StoreError
from wm.settings import StoreSettings
from wm.store.base import Health
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

CALLS = (
    *("make_home", "folder", "mkdir", "list", "read", "has", "create", "open", "open_lock"),
    *("read_at", "write_some", "truncate", "rename", "link", "unlink", "stat"),
    *("status", "flush"),
)


class QuickDisk(Disk):
    """Skips flushes: these tests have no power cut."""

    parallel = False

    def flush(self, handle: Handle) -> None:
        self.status(handle)


class FailingDisk(QuickDisk):
    """Counts the calls and fails the call number `at`, or all calls from there on."""

    def __init__(self, home: Path, at: int, code: int, *, sticky: bool) -> None:
        super().__init__(home)
        self.at = at
        self.code = code
        self.sticky = sticky
        self.count = 0
        self.log: list[str] = []

    def step(self, name: str) -> None:
        self.count += 1
        self.log.append(name)
        if self.at and (self.count == self.at or (self.sticky and self.count > self.at)):
            raise OSError(self.code, os.strerror(self.code))


def _failing(name: str) -> Callable[..., object]:
    original = getattr(QuickDisk, name)

    def call(self: FailingDisk, *args: object, **kwargs: object) -> object:
        self.step(name)
        return original(self, *args, **kwargs)

    return call


for _name in CALLS:
    setattr(FailingDisk, _name, _failing(_name))


def update(store: FileStore) -> None:
    with store.transaction([MEMORY, SESSION]) as tx:
        tx.put(MEMORY, memory("new"))
        tx.put(SESSION, session("opencode"))
        tx.log(record(2))
    store.flush()


def opened(home: Path) -> FileStore:
    return FileStore(home, StoreSettings(), QuickDisk(home))


def prepare(home: Path) -> None:
    store = opened(home)
    with store.transaction([MEMORY, SESSION]) as tx:
        tx.put(MEMORY, memory("old"))
        tx.put(SESSION, session("claude"))
        tx.log(record(1))
    store.close()


def steps(home: Path) -> int:
    disk = FailingDisk(home, 0, 0, sticky=False)
    update(FileStore(home, StoreSettings(), disk))
    return disk.count


def descriptors(home: Path) -> list[str]:
    """What of `home` this process has open; other threads of the test run open files elsewhere."""
    targets = []
    for link in Path("/proc/self/fd").glob("*"):
        with contextlib.suppress(OSError):  # closed in between
            targets.append(os.readlink(link))
    return [target for target in targets if target.startswith(f"{home}/") or target == str(home)]


@pytest.mark.parametrize(
    ("code", "sticky"),
    [
        (errno.ENOSPC, False),
        pytest.param(errno.EIO, False, marks=pytest.mark.crash),
        pytest.param(errno.EMFILE, False, marks=pytest.mark.crash),
        pytest.param(errno.EROFS, False, marks=pytest.mark.crash),
        pytest.param(errno.ENOSPC, True, marks=pytest.mark.crash),
        pytest.param(errno.EIO, True, marks=pytest.mark.crash),
        pytest.param(errno.EMFILE, True, marks=pytest.mark.crash),
        pytest.param(errno.EROFS, True, marks=pytest.mark.crash),
    ],
)
def test_after_any_failing_call_the_old_or_the_new_text_is_read(
    tmp_path: Path, code: int, sticky: bool
) -> None:
    prepare(tmp_path / "count")
    total = steps(tmp_path / "count")
    assert total > 40
    prepare(tmp_path / "start")
    for at in range(1, total + 1):
        home = tmp_path / f"{at}"
        shutil.copytree(tmp_path / "start", home)
        disk = FailingDisk(home, at, code, sticky=sticky)
        acknowledged = True
        try:
            update(FileStore(home, StoreSettings(lock_wait_s=0.1), disk))
        except StoreError as error:
            acknowledged = False
            explained = str(home) in str(error) and error.fix
        else:
            explained = "nothing to explain"
        assert explained, (at, disk.log[-1])
        assert descriptors(home) == [], (at, disk.log[-1])
        after = opened(home)
        with after.transaction([MEMORY, SESSION]):
            pass
        reading = after.read(MEMORY)
        assert reading.health is Health.OK, (at, disk.log[-1], reading.detail)
        assert texts(reading.document) in (["new"],) if acknowledged else (["old"], ["new"])
        events = [kept.event_id for kept in after.evidence(KEY).records]
        assert events in ((["ev_1", "ev_2"],) if acknowledged else (["ev_1"], ["ev_1", "ev_2"]))
        assert after.evidence(KEY).damaged == 0
        assert not list(home.rglob("*.tmp")), (at, disk.log[-1])
        # A file that the drive fails to read is kept there, and its previous copy replaces it.
        assert code == errno.EIO or not (home / "quarantine").exists(), (at, disk.log[-1])


@pytest.mark.parametrize("code", [errno.ENOSPC, pytest.param(errno.EIO, marks=pytest.mark.crash)])
def test_the_first_write_of_all_survives_any_failing_call(tmp_path: Path, code: int) -> None:
    total = steps(tmp_path / "count")
    for at in range(1, total + 1):
        home = tmp_path / f"{at}"
        disk = FailingDisk(home, at, code, sticky=False)
        acknowledged = True
        try:
            update(FileStore(home, StoreSettings(), disk))
        except StoreError:
            acknowledged = False
        assert descriptors(home) == [], (at, disk.log[-1])
        after = opened(home)
        if acknowledged:
            assert texts(after.read(MEMORY).document) == ["new"], (at, disk.log[-1])
        update(after)
        assert texts(after.read(MEMORY).document) == ["new"]
        assert after.read(SESSION).health is Health.OK


def test_short_writes_are_completed(tmp_path: Path) -> None:
    class SlowDisk(Disk):
        def write_some(self, file: Handle, data: memoryview) -> int:
            return super().write_some(file, data[:7])

    store = FileStore(tmp_path / "wm", StoreSettings(), SlowDisk(tmp_path / "wm"))
    update(store)
    assert texts(store.read(MEMORY).document) == ["new"]
    assert [kept.event_id for kept in store.evidence(KEY).records] == ["ev_2"]


def test_one_full_document_and_its_evidence_cost_one_flush(tmp_path: Path) -> None:
    waits: list[list[str]] = []

    class CountingDisk(Disk):
        def flush_all(self, handles: object) -> None:
            waits.append(sorted(handle.path for handle in handles))  # type: ignore[attr-defined]

        def flush(self, handle: Handle) -> None:
            waits.append([handle.path])

    home = tmp_path / "wm"
    prepare(home)
    store = FileStore(home, StoreSettings(), CountingDisk(home))
    for _ in range(2):
        waits.clear()
        with store.transaction([MEMORY]) as tx:
            tx.put(MEMORY, memory("x"))
            tx.log(record(3))
        assert len(waits) == 1
    folder = f"workspaces/{KEY}"
    ahead = f"{folder}/.workspace-memory.json.next1"
    (previous,) = [path for path in waits[0] if path.endswith(".tmp")]
    assert waits[0] == sorted([folder, previous, ahead, f"{folder}/evidence/1.jsonl"])
    waits.clear()
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session())
        tx.log(record(4))
    assert waits == []
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session())
        tx.log(record(5, phase="user"))
    assert [path.split("/")[-1] for path in waits[0]] == ["1.jsonl"]


def test_several_flushes_raise_the_first_error_after_trying_all(tmp_path: Path) -> None:
    tried: list[str] = []

    class BadDisk(Disk):
        def flush(self, handle: Handle) -> None:
            tried.append(handle.path)
            if handle.path.endswith("b"):
                raise OSError(errno.EIO, "bad drive")

    disk = BadDisk(tmp_path)
    with disk.folder("") as folder:
        files = [disk.create(folder, name) for name in "abc"]
        with pytest.raises(OSError, match="bad drive"):
            disk.flush_all(files)
        for file in files:
            disk.close(file)
    assert sorted(tried) == ["a", "b", "c"]
