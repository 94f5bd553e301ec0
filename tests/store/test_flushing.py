"""What the flush of relaxed documents guarantees, and what it must not do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from tests.store.samples import KEY, MEMORY, SESSION, memory, session
from wm.errors import StoreError
from wm.formats.session_state import SessionState
from wm.settings import StoreSettings
from wm.store.base import Health
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

FILE = f"workspaces/{KEY}/sessions/{SESSION.name}.json"
PREVIOUS_COPY = f"workspaces/{KEY}/sessions/.{SESSION.name}.json.spare"


def opened(home: Path) -> FileStore:
    return FileStore(home, StoreSettings(lock_wait_s=0.2))


def put(store: FileStore, agent: str) -> None:
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session(agent))


def agent(store: FileStore) -> tuple[Health, str]:
    reading = store.read(SESSION)
    return reading.health, reading.document.agent if reading.document else ""


def test_the_last_flushed_state_survives_any_power_cut(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, "one")
    older = (tmp_path / FILE).read_bytes()
    put(store, "two")
    store.flush()
    flushed = (tmp_path / FILE).read_bytes()
    for left in (b"", b"\0" * len(flushed), flushed[:50], older):
        (tmp_path / FILE).write_bytes(left)
        assert agent(opened(tmp_path)) == (Health.RESTORED, "two")
    (tmp_path / FILE).unlink()
    assert agent(opened(tmp_path)) == (Health.RESTORED, "two")


def test_an_unflushed_state_survives_the_end_of_the_process(tmp_path: Path) -> None:
    put(opened(tmp_path), "one")
    assert agent(opened(tmp_path)) == (Health.OK, "one")
    assert not (tmp_path / PREVIOUS_COPY).exists()


def test_an_edited_session_does_not_replace_its_previous_copy(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, "one")
    store.flush()
    put(store, "two")
    previous = (tmp_path / PREVIOUS_COPY).read_bytes()
    (tmp_path / FILE).write_text("{}")
    store.flush()
    assert (tmp_path / PREVIOUS_COPY).read_bytes() == previous


def test_a_deleted_session_stays_deleted(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    put(one, "one")
    with other.transaction([SESSION]) as tx:
        tx.delete(SESSION)
    one.flush()
    assert one.read(SESSION).health is Health.MISSING
    assert one.names(SessionState, KEY) == ()


def test_a_failed_flush_is_reported_and_retried(tmp_path: Path) -> None:
    class TiredDisk(Disk):
        tired = False

        def flush(self, handle: Handle) -> None:
            if self.tired:
                raise OSError(5, "tired")
            super().flush(handle)

    disk = TiredDisk(tmp_path)
    store = FileStore(tmp_path, StoreSettings(), disk)
    put(store, "one")
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("x"))
    disk.tired = True
    with pytest.raises(StoreError, match="tired"):
        store.flush()
    assert store.dirty()
    disk.tired = False
    store.flush()
    assert not store.dirty()
    assert (tmp_path / PREVIOUS_COPY).exists()
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_locked_session_is_flushed_after_its_lock_is_released(tmp_path: Path) -> None:
    one, other = opened(tmp_path), opened(tmp_path)
    put(one, "one")
    with other.transaction([SESSION]), pytest.raises(StoreError, match="is locked by"):
        one.flush()
    assert one.dirty()
    one.flush()
    assert not one.dirty()


def test_hundreds_of_sessions_are_flushed_together(tmp_path: Path) -> None:
    store = opened(tmp_path)
    refs = [type(SESSION)(SessionState, KEY, f"s{number}") for number in range(80)]
    with store.transaction(refs) as tx:
        for ref in refs:
            tx.put(ref, session())
    store.flush()
    assert not store.dirty()
    assert len(list((tmp_path / FILE).parent.glob(".*.spare"))) == 80


def test_a_previous_copy_is_flushed_before_its_rename_and_its_name_by_the_next_flush(
    tmp_path: Path,
) -> None:
    class ListedDisk(Disk):
        flushed: ClassVar[list[set[str]]] = []

        def flush_all(self, handles: Sequence[Handle]) -> None:
            self.flushed.append({handle.path for handle in handles})
            super().flush_all(handles)

        def rename(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
            if new.endswith(".spare"):
                assert any(f"{folder.path}/{old}" in paths for paths in self.flushed)
                self.flushed.clear()
            super().rename(folder, old, new, target)

    store = FileStore(tmp_path, StoreSettings(), ListedDisk(tmp_path))
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("x"))
    assert ListedDisk.flushed == []
    store.close()
    assert f"workspaces/{KEY}" in ListedDisk.flushed[0]
