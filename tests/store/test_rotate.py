"""GV-3: the evidence log is purged file by file while others append; nothing else is removed."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.store.samples import KEY, record
from tests.store.test_faults import FailingDisk, QuickDisk
from wm.errors import StoreError
from wm.formats.sweep_log import PurgedEvidence
from wm.settings import StoreSettings
from wm.store import check
from wm.store.base import Pause
from wm.store.evidence.rotate import rotate
from wm.store.files import FileStore
from wm.store.fsops import Handle

SEGMENT_BYTES = 900
"""The size of three records and a part of the next."""


def opened(home: Path, disk: QuickDisk | None = None) -> FileStore:
    settings = StoreSettings(evidence_segment_bytes=SEGMENT_BYTES, lock_wait_s=0.2)
    return FileStore(home, settings, disk or QuickDisk(home))


def add(store: FileStore, *numbers: int) -> None:
    for number in numbers:
        with store.transaction([]) as tx:
            tx.log(record(number, phase="user"))


def numbers(store: FileStore) -> list[int]:
    return [int(kept.event_id.removeprefix("ev_")) for kept in store.evidence(KEY).records]


def odd(records: Iterable[dict[str, Any]]) -> Collection[int]:
    return [at for at, one in enumerate(records) if int(one["eventId"][3:]) % 2]


def segments(home: Path) -> list[Path]:
    folder = home / "workspaces" / KEY / "evidence"
    return sorted(folder.glob("[0-9]*.jsonl"), key=lambda file: int(file.stem))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "wm"
    add(opened(home), *range(12))
    assert len(segments(home)) >= 3
    return home


def test_purgeable_records_are_removed_and_others_keep_their_bytes(home: Path) -> None:
    before = b"".join(file.read_bytes() for file in segments(home)).splitlines()
    names = [file.name for file in segments(home)]
    done = rotate(opened(home).core, KEY, odd)
    after = b"".join(file.read_bytes() for file in segments(home)).splitlines()
    assert after == before[::2]
    assert (done.records, done.purged, done.busy) == (12, 6, 0)
    assert done.bytes == sum(len(line) + 1 for line in after)
    assert [file.name for file in segments(home)] == names
    assert not list(check.check(opened(home), deep=True))
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in segments(home))


def test_a_dry_run_reports_the_same_and_changes_nothing(home: Path) -> None:
    before = [file.read_bytes() for file in segments(home)]
    planned = rotate(opened(home).core, KEY, odd, dry_run=True)
    assert [file.read_bytes() for file in segments(home)] == before
    assert rotate(opened(home).core, KEY, odd) == planned


def test_a_run_stopped_anywhere_leaves_complete_files_only(home: Path) -> None:
    class Enough(Exception):
        pass

    def end_at(step: int) -> Pause:
        steps = iter(range(step))

        def pause() -> None:
            if next(steps, None) is None:
                raise Enough

        return pause

    ended = 0
    for step in range(12 + 6):  # each record is read, and each removable one is checked again
        try:
            rotate(opened(home).core, KEY, odd, pause=end_at(step))
        except Enough:
            ended += 1
        assert set(numbers(opened(home))) >= set(range(0, 12, 2))
        assert not list(check.check(opened(home), deep=True))
    assert ended > 12
    assert numbers(opened(home)) == list(range(0, 12, 2))


def test_too_few_purgeable_records_cause_no_rewrite(home: Path) -> None:
    assert rotate(opened(home).core, KEY, odd, at_least=7).purged == 0
    assert numbers(opened(home)) == list(range(12))
    assert rotate(opened(home).core, KEY, lambda _records: ()).purged == 0


def test_a_missing_log_is_not_an_error(tmp_path: Path) -> None:
    assert rotate(opened(tmp_path / "wm").core, KEY, odd) == PurgedEvidence()


def test_a_store_with_a_cached_end_appends_after_it(home: Path) -> None:
    mine, other = opened(home), opened(home)
    add(mine, 12)
    add(other, 14)
    rotate(mine.core, KEY, odd)
    for number, store in enumerate((mine, other, opened(home), other, mine), start=20):
        add(store, number)
    assert sorted(numbers(opened(home))) == [0, 2, 4, 6, 8, 10, 12, 14, 20, 21, 22, 23, 24]
    assert not [f for f in check.check(opened(home), deep=True) if f.severity != "note"]


def test_unreadable_lines_stay(home: Path) -> None:
    first, last = segments(home)[0], segments(home)[-1]
    raw = bytearray(first.read_bytes())
    raw[raw.index(b"ev_1")] ^= 1
    first.write_bytes(raw)
    last.write_bytes(last.read_bytes() + b'{"torn": ')
    rotate(opened(home).core, KEY, odd)
    reading = opened(home).evidence(KEY)
    assert (reading.damaged, reading.torn_bytes) == (1, 9)
    assert bytes(raw).splitlines()[1] in first.read_bytes()
    add(opened(home), 20)
    assert numbers(opened(home)) == [0, 2, 4, 6, 8, 10, 20]


class Meddling(QuickDisk):
    """Another process appends just before the new file is renamed."""

    def __init__(self, home: Path, meddle: Any) -> None:
        super().__init__(home)
        self.meddle = meddle

    def open_lock(self, folder: Handle, name: str) -> Handle:
        meddle, self.meddle = self.meddle, lambda: None
        meddle()
        return super().open_lock(folder, name)


def test_a_file_that_grew_during_the_purge_is_skipped(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    roomy = StoreSettings()
    add(FileStore(home, roomy, QuickDisk(home)), *range(4))
    disk = Meddling(home, lambda: add(FileStore(home, roomy, QuickDisk(home)), 13))
    store = FileStore(home, roomy, disk)
    done = rotate(store.core, KEY, odd)
    assert (done.busy, done.purged, done.bytes) == (1, 0, done.bytes_before)
    assert numbers(store) == [0, 1, 2, 3, 13]
    assert rotate(store.core, KEY, odd).purged == 3


def test_a_busy_lock_is_reported_and_nothing_changes(home: Path) -> None:
    mine, other = opened(home), opened(home)
    folder = other.disk.folder(f"workspaces/{KEY}/evidence")
    held = other.core.locks.take_all([(folder, "log")])
    with pytest.raises(StoreError, match="is locked by"):
        rotate(mine.core, KEY, odd)
    other.core.locks.release_all(held)
    other.disk.close(folder)
    assert numbers(opened(home)) == list(range(12))
    assert not [
        name for name in os.listdir(home / "workspaces" / KEY / "evidence") if "tmp" in name
    ]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("sticky", [False, True])
def test_a_failing_call_neither_loses_nor_duplicates_records(
    tmp_path: Path, code: int, sticky: bool
) -> None:
    at = 0
    while True:
        at += 1
        home = tmp_path / str(at)
        add(opened(home), *range(12))
        disk = FailingDisk(home, 0, code, sticky=sticky)
        store = FileStore(home, opened(home).settings, disk)
        disk.at = disk.count + at
        done = True
        try:
            rotate(store.core, KEY, odd)
        except StoreError:
            done = False
        if done and disk.count < disk.at:
            break
        kept = numbers(opened(home))
        assert sorted(set(kept)) == sorted(kept)
        assert set(range(0, 12, 2)) <= set(kept), disk.log[-1]
        add(opened(home), 20)
        assert numbers(opened(home))[-1] == 20
    assert at > 10


def test_concurrent_appenders_lose_nothing(home: Path) -> None:
    begun, stop = threading.Event(), threading.Event()
    written: list[int] = []

    def append() -> None:
        store = opened(home)
        for number in range(100, 100 + 2 * 60, 2):
            add(store, number)
            written.append(number)
            if len(written) == 5:
                begun.set()
        stop.set()

    thread = threading.Thread(target=append)
    thread.start()
    assert begun.wait(10)
    rounds = 0
    while not stop.is_set() or rounds < 3:
        rotate(opened(home).core, KEY, odd)
        rounds += 1
    thread.join(30)
    assert sorted(numbers(opened(home))) == [*range(0, 12, 2), *written]
