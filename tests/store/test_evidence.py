"""The evidence log on disk: torn tails, rotation, concurrent appenders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.store.samples import KEY, MEMORY, memory, record
from wm.errors import StoreError
from wm.settings import StoreSettings
from wm.store.base import Health
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle


def opened(home: Path, segment_bytes: int = 2 * 1024 * 1024) -> FileStore:
    return FileStore(home, StoreSettings(evidence_segment_bytes=segment_bytes))


def add(store: FileStore, *numbers: int) -> None:
    with store.transaction([]) as tx:
        for number in numbers:
            tx.log(record(number, phase="user"))


def events(home: Path) -> list[str]:
    return [kept.event_id for kept in opened(home).evidence(KEY).records]


def segment(home: Path, number: int = 1) -> Path:
    return home / "workspaces" / KEY / "evidence" / f"{number}.jsonl"


def test_a_tail_cut_at_any_byte_keeps_the_next_record(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    add(opened(home), 1, 2)
    whole = segment(home).read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole)):
        segment(home).write_bytes(whole[:cut])
        add(opened(home), 3)
        reading = opened(home).evidence(KEY)
        expected = ["ev_1", "ev_3"] if cut < len(whole) - 1 else ["ev_1", "ev_2", "ev_3"]
        assert [kept.event_id for kept in reading.records] == expected, cut
        assert (reading.damaged, reading.torn_bytes) == (0, 0)


def test_zeros_at_the_end_are_cut_before_the_next_record(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    add(opened(home), 1)
    with segment(home).open("ab") as file:
        file.write(b"\0" * 4096)
    assert opened(home).evidence(KEY).torn_bytes == 4096
    add(opened(home), 2)
    assert events(home) == ["ev_1", "ev_2"]
    assert b"\0" not in segment(home).read_bytes()


def test_a_record_whose_newline_was_damaged_is_not_cut(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    add(opened(home), 1, 2)
    segment(home).write_bytes(segment(home).read_bytes()[:-1] + b"\x8a")
    add(opened(home), 3)
    assert events(home) == ["ev_1", "ev_2", "ev_3"]


def test_an_open_store_notices_what_others_append_and_cut(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    one, other = opened(home), opened(home)
    add(one, 1)
    add(other, 2)
    with segment(home).open("ab") as file:
        file.write(b'{"half')
    add(one, 3)
    assert events(home) == ["ev_1", "ev_2", "ev_3"]


def test_a_full_segment_is_closed_and_the_next_begun(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    one, other = opened(home, 600), opened(home, 600)
    for number in range(1, 9):
        add(one if number % 2 else other, number)
    assert events(home) == [f"ev_{number}" for number in range(1, 9)]
    first = segment(home).read_bytes()
    assert 600 <= len(first) < 1200
    assert segment(home, 2).exists()
    add(opened(home, 600), 9)
    assert segment(home).read_bytes() == first


def test_a_damaged_record_is_the_only_one_lost(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    add(opened(home), 1, 2, 3)
    segment(home).write_bytes(segment(home).read_bytes().replace(b"ev_2", b"ev_9"))
    reading = opened(home).evidence(KEY)
    assert [kept.event_id for kept in reading.records] == ["ev_1", "ev_3"]
    assert reading.damaged == 1
    add(opened(home), 4)
    assert events(home) == ["ev_1", "ev_3", "ev_4"]


def test_a_log_file_that_vanishes_during_a_read_is_the_only_one_lost(tmp_path: Path) -> None:
    class Vanishing(Disk):
        def list(self, folder: Handle) -> list[str]:
            names = super().list(folder)
            if "1.jsonl" in names and "2.jsonl" in names:
                self.unlink(folder, "1.jsonl")
            return names

    home = tmp_path / "wm"
    small = opened(home, segment_bytes=1)
    add(small, 1)
    add(small, 2)
    store = FileStore(home, StoreSettings(), Vanishing(home))
    assert [kept.event_id for kept in store.evidence(KEY).records] == ["ev_2"]


def test_files_that_are_not_segments_are_ignored(tmp_path: Path) -> None:
    home = tmp_path / "wm"
    add(opened(home), 1)
    for name in ("01.jsonl", "x.jsonl", "2.jsonl.bak", "0.jsonl"):
        segment(home).with_name(name).write_bytes(b"not ours\n")
    assert events(home) == ["ev_1"]


def test_a_failed_append_leaves_no_half_record(tmp_path: Path) -> None:
    home = tmp_path / "wm"

    class FullDisk(Disk):
        room = 10

        def write_some(self, file: Handle, data: memoryview) -> int:
            if not file.path.endswith(".jsonl"):
                return super().write_some(file, data)
            if self.room == 0:
                raise OSError(28, os.strerror(28))
            done = super().write_some(file, data[: self.room])
            self.room -= done
            return done

    add(opened(home), 1)
    store = FileStore(home, StoreSettings(), FullDisk(home))
    with pytest.raises(Exception, match="No space left"):
        add(store, 2)
    assert segment(home).read_bytes().endswith(b"}\n")
    with pytest.raises(Exception, match="No space left"):
        add(store, 2)
    add(opened(home), 3)
    assert events(home) == ["ev_1", "ev_3"]


def test_evidence_without_a_user_or_a_full_document_waits_for_the_flush(tmp_path: Path) -> None:
    store = opened(tmp_path / "wm")
    with store.transaction([]) as tx:
        tx.log(record(1, phase="gate"))
    assert store.dirty()
    store.flush()
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("x"))
        tx.log(record(2, phase="gate"))
    store.flush()
    assert not store.dirty()
    assert events(tmp_path / "wm") == ["ev_1", "ev_2"]


@pytest.mark.parametrize("odd", ["pipe", "symlink"])
def test_a_folder_in_place_of_the_log_fails_the_update_before_any_change(
    tmp_path: Path, odd: str
) -> None:
    home = tmp_path / "wm"
    add(opened(home), 1)
    segment(home).unlink()
    if odd == "pipe":
        os.mkfifo(segment(home))
    else:
        segment(home).symlink_to(tmp_path / "outside")
    store = opened(home)
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("m_1"))
        tx.log(record(2, phase="user"))
        with pytest.raises(StoreError, match=f"Could not write {segment(home).parent}: "):
            tx.commit()
    assert store.read(MEMORY).health is Health.MISSING
    assert not (tmp_path / "outside").exists()
