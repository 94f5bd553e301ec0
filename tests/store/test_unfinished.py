"""An update that was on disk before its document was renamed: it counts, and is finished.

These tests create by hand what a power cut leaves: the file `.…next0` or `.…next1`, and the
document as it was. The crash tools check which states a power cut can leave at all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.samples import KEY, MEMORY, memory, record, texts
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import Health
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

FOLDER = f"workspaces/{KEY}"


def opened(home: Path, disk: Disk | None = None) -> FileStore:
    return FileStore(home, StoreSettings(lock_wait_s=0.2), disk)


def put(store: FileStore, text: str) -> None:
    with store.transaction([MEMORY]) as tx:
        generation = getattr(tx.read(MEMORY).document, "generation", 0)
        tx.put(MEMORY, memory(text))
        tx.log(record(generation + 1))


def file(home: Path, name: str) -> Path:
    return home / FOLDER / name


def ahead(home: Path, generation: int) -> Path:
    return file(home, paths.next_file("workspace-memory.json", generation))


def document(home: Path) -> Path:
    return file(home, "workspace-memory.json")


def previous(home: Path) -> Path:
    return file(home, ".workspace-memory.json.spare")


def mendable(home: Path) -> list[str]:
    return [finding.code for finding in check(opened(home), deep=True) if finding.repairable]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Generation 3, "new", was acknowledged, and the power cut reverted its renames: the document
    and its previous copy hold generation 2, "old"."""
    home = tmp_path / "wm"
    store = opened(home)
    put(store, "first")
    put(store, "old")
    old = document(home).read_bytes()
    put(store, "new")
    store.close()
    document(home).rename(ahead(home, 3))
    for path in (document(home), previous(home)):
        path.write_bytes(old)
        path.chmod(0o600)
    return home


def test_a_reader_uses_an_unfinished_write_and_changes_nothing(home: Path) -> None:
    before = sorted(path.name for path in (home / FOLDER).iterdir())
    reading = opened(home).read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.OK, ["new"])
    assert sorted(path.name for path in (home / FOLDER).iterdir()) == before


def test_a_writer_completes_an_unfinished_write_first(home: Path) -> None:
    with opened(home).transaction([MEMORY]) as tx:
        assert texts(tx.read(MEMORY).document) == ["new"]
        assert not ahead(home, 3).exists()
        tx.put(MEMORY, memory("newer"))
    reading = opened(home).read(MEMORY)
    assert texts(reading.document) == ["newer"]
    assert reading.document is not None
    assert reading.document.generation == 4


def test_an_update_of_a_living_writer_does_not_count(home: Path) -> None:
    other = opened(home)
    transaction = other.transaction([MEMORY])
    try:
        assert texts(opened(home).read(MEMORY).document) == ["old"]
    finally:
        transaction.close()
    assert texts(opened(home).read(MEMORY).document) == ["new"]


def test_an_incomplete_write_is_removed_by_the_next_update_of_that_name(home: Path) -> None:
    ahead(home, 3).write_bytes(ahead(home, 3).read_bytes()[:100])
    store = opened(home)
    assert texts(store.read(MEMORY).document) == ["old"]
    put(store, "again")
    assert texts(opened(home).read(MEMORY).document) == ["again"]
    assert not ahead(home, 3).exists()


def test_of_two_unfinished_writes_the_newer_counts(home: Path) -> None:
    raw = ahead(home, 3).read_bytes()
    document(home).write_bytes(raw)
    store = opened(home)
    put(store, "newest")
    store.close()
    document(home).rename(ahead(home, 4))
    document(home).write_bytes(raw)
    ahead(home, 3).write_bytes(raw)
    assert texts(opened(home).read(MEMORY).document) == ["newest"]
    with opened(home).transaction([MEMORY]) as tx:
        assert texts(tx.read(MEMORY).document) == ["newest"]
    assert texts(opened(home).read(MEMORY).document) == ["newest"]


def test_an_unfinished_write_stays_in_force_after_an_edit_of_the_document(home: Path) -> None:
    document(home).write_bytes(document(home).read_bytes().replace(b"old", b"odd"))
    reading = opened(home).read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert texts(reading.document) == ["new"]
    assert texts(reading.outside) == ["odd"]
    with opened(home).transaction([MEMORY]) as tx:
        assert texts(tx.read(MEMORY).document) == ["new"]


def test_a_restored_much_older_document_is_reported(home: Path) -> None:
    raw = document(home).read_bytes()
    store = opened(home)
    for text in ("a", "b", "c"):
        put(store, text)
    store.close()
    document(home).rename(ahead(home, 6))
    document(home).write_bytes(raw)
    reading = opened(home).read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert texts(reading.document) == ["c"]


def test_a_damaged_document_is_restored_from_its_unfinished_write(home: Path) -> None:
    document(home).write_bytes(b"{")
    reading = opened(home).read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.RESTORED, ["new"])


def test_a_deleted_document_stays_deleted(home: Path) -> None:
    with opened(home).transaction([MEMORY]) as tx:
        tx.delete(MEMORY)
    assert opened(home).read(MEMORY).health is Health.MISSING
    assert not ahead(home, 3).exists()


def test_a_cached_document_notices_an_unfinished_write(home: Path) -> None:
    raw = ahead(home, 3).read_bytes()
    ahead(home, 3).unlink()
    store = opened(home)
    assert texts(store.read(MEMORY).document) == ["old"]
    ahead(home, 3).write_bytes(raw)
    with store.transaction([MEMORY]) as tx:
        assert texts(tx.read(MEMORY).document) == ["new"]


def test_fsck_reports_an_unfinished_write_and_repair_completes_it(home: Path) -> None:
    assert mendable(home) == ["unfinished"]
    assert [f.message for f in repair(opened(home))] == ["Completed the write."]
    assert mendable(home) == []
    assert texts(opened(home).read(MEMORY).document) == ["new"]


def test_repair_removes_an_incomplete_write(home: Path) -> None:
    ahead(home, 3).write_bytes(b"{")
    assert [f.message for f in repair(opened(home))] == ["Removed."]
    assert mendable(home) == []
    assert texts(opened(home).read(MEMORY).document) == ["old"]


def test_repair_of_two_unfinished_writes_leaves_no_findings(home: Path) -> None:
    ahead(home, 4).write_bytes(b"{")
    ahead(home, 4).chmod(0o600)
    assert len(list(repair(opened(home)))) > 0
    assert mendable(home) == []
    assert texts(opened(home).read(MEMORY).document) == ["new"]


def test_a_failed_update_leaves_neither_document_nor_record(home: Path) -> None:
    class FullDisk(Disk):
        def flush_all(self, handles: object) -> None:
            raise OSError(28, "No space left on device")

    store = opened(home)
    with store.transaction([MEMORY]):
        pass
    known = len(store.evidence(KEY).records)
    broken = opened(home, FullDisk(home))
    with pytest.raises(Exception, match="No space left"):
        put(broken, "never")
    assert texts(opened(home).read(MEMORY).document) == ["new"]
    assert len(opened(home).evidence(KEY).records) == known
    assert not ahead(home, 4).exists()


def test_a_document_is_renamed_only_after_its_flush(tmp_path: Path) -> None:
    seen: list[str] = []

    class TellingDisk(Disk):
        def flush_all(self, handles: list[Handle]) -> None:  # type: ignore[override]
            seen.append("flush")
            super().flush_all(handles)

        def rename(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
            seen.append(new)
            super().rename(folder, old, new, target)

    home = tmp_path / "wm"
    put(opened(home), "first")
    put(opened(home, TellingDisk(home)), "second")
    assert seen == ["flush", "workspace-memory.json", ".workspace-memory.json.spare"]
