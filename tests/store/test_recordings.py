"""Recorded bodies on real files: private, repaired by the next writer, known to the checker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.samples import KEY, SID
from wm.domain.recording import RecordingIndex
from wm.formats.recording import Recording
from wm.settings import StoreSettings
from wm.store import check
from wm.store.files import FileStore


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "wm", StoreSettings())


def log(store: FileStore) -> Path:
    return store.home / "workspaces" / KEY / "recordings" / f"{SID}.jsonl"


def line(seen: list[int]) -> Callable[[RecordingIndex], Recording]:
    """A line with one more text; appends to `seen` what the index contains."""

    def make(index: RecordingIndex) -> Recording:
        seen.append(index.next_text)
        fields = {"exchange": "f_1", "first_text": index.next_text, "texts": ["a text"]}
        return Recording.model_validate(fields)

    return make


def append(store: FileStore) -> int:
    """Write a line; returns the number of texts that the log had before."""
    seen: list[int] = []
    assert store.append_recording(KEY, SID, 100_000, line(seen))
    return seen[0]


def problems(store: FileStore) -> list[str]:
    return [f.code for f in check.check(store, deep=True) if f.severity != "note"]


def test_a_log_is_private_and_known_to_the_checker(store: FileStore) -> None:
    append(store)
    assert log(store).stat().st_mode & 0o777 == 0o600
    assert problems(store) == []


def test_an_incomplete_last_line_is_removed_by_the_next_writer(store: FileStore) -> None:
    append(store)
    with log(store).open("ab") as file:
        file.write(b'{"exchange":"torn')
    assert append(store) == 1
    assert len(store.recordings(KEY, SID)) == 2
    assert b"torn" not in log(store).read_bytes()


def test_a_line_of_another_process_is_noticed(store: FileStore) -> None:
    other = FileStore(store.home, StoreSettings())
    assert [append(store), append(other), append(store), append(other)] == [0, 1, 2, 3]


def test_a_damaged_line_is_left_out_and_reported(store: FileStore) -> None:
    for _ in range(3):
        append(store)
    raw = bytearray(log(store).read_bytes())
    raw[raw.index(b"a text", len(raw) // 3)] ^= 1
    log(store).write_bytes(bytes(raw))
    assert len(store.recordings(KEY, SID)) == 2
    assert problems(store) == ["damaged_records"]
    assert append(store) == 3
