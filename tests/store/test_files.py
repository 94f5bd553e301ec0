"""How `FileStore` handles outside edits, damage, newer and older versions."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from tests.store.samples import KEY, MEMORY, SESSION, entry, memory, record, session, texts
from wm.errors import Conflict, StoreError, TooNew
from wm.settings import StoreSettings
from wm.store.base import Health
from wm.store.check import check
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

FOLDER = f"workspaces/{KEY}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder whose memory holds one entry, at generation 2, everything flushed."""
    home = tmp_path / "wm"
    store = FileStore(home, StoreSettings())
    for text in ("older", "tests first"):
        with store.transaction([MEMORY, SESSION]) as tx:
            tx.put(MEMORY, memory(text))
            tx.put(SESSION, session())
            tx.log(record(1))
    store.close()
    return home


def opened(home: Path) -> FileStore:
    return FileStore(home, StoreSettings(lock_wait_s=0.2))


def document(home: Path) -> Path:
    return home / FOLDER / "workspace-memory.json"


def previous(home: Path) -> Path:
    return home / FOLDER / ".workspace-memory.json.spare"


def edit(path: Path, old: str, new: str) -> None:
    """Edit like an editor that writes in place: the inode stays."""
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))


def edit_by_rename(path: Path, old: str, new: str) -> None:
    """Edit like an editor that writes a new file and renames it."""
    other = path.with_name("edited")
    other.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
    other.rename(path)


def kept(home: Path) -> dict[str, bytes]:
    """Quarantined bytes by reason."""
    folder = home / "quarantine"
    if not folder.exists():
        return {}
    reasons = [path for path in folder.iterdir() if path.name.endswith(".reason.json")]
    return {
        json.loads(path.read_text())["reason"]: (
            folder / path.name.removesuffix(".reason.json")
        ).read_bytes()
        for path in reasons
    }


def put(store: FileStore, text: str, *, absorbs: bool = False) -> None:
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory(text), absorbs=absorbs)


@pytest.mark.parametrize("change", [edit, edit_by_rename])
def test_an_outside_edit_is_reported_with_the_active_text(
    home: Path, change: Callable[[Path, str, str], None]
) -> None:
    store = opened(home)
    assert texts(store.read(MEMORY).document) == ["tests first"]
    change(document(home), "tests first", "tests never")
    reading = store.read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert texts(reading.document) == ["tests first"]
    assert texts(reading.outside) == ["tests never"]


def test_a_whitespace_only_edit_is_an_outside_edit(home: Path) -> None:
    document(home).write_text(document(home).read_text() + "\n")
    reading = opened(home).read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert reading.outside == reading.document


@pytest.mark.parametrize("change", [edit, edit_by_rename])
def test_a_write_keeps_an_outside_edit_in_quarantine(
    home: Path, change: Callable[[Path, str, str], None]
) -> None:
    store = opened(home)
    change(document(home), "tests first", "tests never")
    edited = document(home).read_bytes()
    put(store, "tests last")
    assert texts(store.read(MEMORY).document) == ["tests last"]
    assert store.read(MEMORY).health is Health.OK
    assert kept(home) == {"changed outside wm": edited}


def test_a_write_that_absorbs_the_edit_keeps_nothing(home: Path) -> None:
    store = opened(home)
    edit(document(home), "tests first", "tests never")
    put(store, "tests never", absorbs=True)
    assert texts(store.read(MEMORY).document) == ["tests never"]
    assert kept(home) == {}


def test_an_edit_between_reading_and_writing_is_kept(home: Path) -> None:
    store = opened(home)
    with store.transaction([MEMORY]) as tx:
        assert texts(tx.read(MEMORY).document) == ["tests first"]
        edit_by_rename(document(home), "tests first", "in between")
        edited = document(home).read_bytes()
        tx.put(MEMORY, memory("new"))
    assert list(kept(home).values()) == [edited]
    assert texts(store.read(MEMORY).document) == ["new"]


def test_an_editor_that_is_still_writing_loses_nothing(home: Path) -> None:
    store = opened(home)
    with document(home).open("r+b") as editor:
        editor.write(b"x" * 10)
        editor.flush()
        put(store, "new")
        editor.write(b"y" * 10)
    assert texts(store.read(MEMORY).document) == ["new"]
    (held,) = kept(home).values()
    assert held.startswith(b"x" * 10 + b"y" * 10)


def test_a_restored_older_copy_is_an_outside_change(home: Path) -> None:
    old = document(home).read_bytes()
    store = opened(home)
    put(store, "newest")
    document(home).write_bytes(old)
    reading = opened(home).read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.OUTSIDE, ["newest"])
    assert texts(reading.outside) == ["tests first"]


def test_a_reader_that_cached_the_older_copy_detects_its_restoration(home: Path) -> None:
    reader = opened(home)
    assert texts(reader.read(MEMORY).document) == ["tests first"]
    old = document(home).read_bytes()
    with opened(home).transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("newer"))
    document(home).write_bytes(old)
    reading = reader.read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert (texts(reading.document), texts(reading.outside)) == (["newer"], ["tests first"])


@pytest.mark.parametrize(
    ("bytes_now", "why"),
    [
        (b"", "it is empty"),
        (b"\0" * 500, "it contains only zero bytes"),
        (b'{"version": 3, "entr', "it is not valid JSON"),
        (b"[1, 2]", "it is not a JSON object"),
        (b'{"version": "two"}', "its version is not a number"),
        (b'{"version": 3}', "workspace: missing"),
        (b"\xff\xfe{}", "it is not valid JSON"),
        (
            b'{"version": 3, "workspace": ' + b"[" * 5000 + b"]" * 5000 + b"}",
            "it is not valid JSON",
        ),
        (b'{"version": 3, "workspace": NaN}', "it is not valid JSON"),
    ],
)
def test_an_unreadable_file_is_served_from_its_previous_copy(
    home: Path, bytes_now: bytes, why: str
) -> None:
    document(home).write_bytes(bytes_now)
    store = opened(home)
    reading = store.read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.RESTORED, ["tests first"])
    assert reading.detail.startswith(why)
    with store.transaction([MEMORY]) as tx:
        again = tx.read(MEMORY).document
        assert again is not None
        tx.put(MEMORY, again)
    assert store.read(MEMORY).health is Health.OK
    assert list(kept(home).values()) == [bytes_now]


def test_a_missing_file_is_served_from_its_previous_copy(home: Path) -> None:
    document(home).unlink()
    reading = opened(home).read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.RESTORED, ["tests first"])


def test_with_both_copies_damaged_nothing_is_served_and_nothing_deleted(home: Path) -> None:
    document(home).write_bytes(b"one")
    previous(home).write_bytes(b"two")
    store = opened(home)
    reading = store.read(MEMORY)
    assert (reading.health, reading.document) == (Health.LOST, None)
    assert (document(home).read_bytes(), previous(home).read_bytes()) == (b"one", b"two")
    put(store, "begun anew")
    assert sorted(kept(home).values()) == [b"one", b"two"]
    assert store.read(MEMORY).health is Health.OK


def test_a_single_flipped_bit_is_always_detected(home: Path) -> None:
    whole = document(home).read_bytes()
    store = opened(home)
    for position in range(len(whole)):
        flipped = bytearray(whole)
        flipped[position] ^= 1 << position % 8
        document(home).write_bytes(flipped)
        reading = store.read(MEMORY)
        assert reading.health is not Health.OK, position
        if reading.health is not Health.TOO_NEW:
            assert texts(reading.document) == ["tests first"], position


def test_a_damaged_previous_copy_is_kept_in_quarantine_and_written_again(home: Path) -> None:
    previous(home).write_bytes(b"torn")
    store = opened(home)
    assert store.read(MEMORY).health is Health.OK
    put(store, "next")
    assert list(kept(home).values()) == [b"torn"]
    assert previous(home).read_bytes() == document(home).read_bytes()


@pytest.mark.parametrize("odd", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/none")])
def test_an_object_in_place_of_a_previous_copy_does_not_block_a_cached_document(
    home: Path, odd: Callable[[Path], None]
) -> None:
    store = opened(home)
    assert store.read(MEMORY).health is Health.OK
    previous(home).unlink()
    odd(previous(home))
    put(store, "next")
    assert previous(home).read_bytes() == document(home).read_bytes()
    assert len(list((home / "quarantine").glob("*.reason.json"))) == 1


def test_document_and_previous_copy_never_share_a_file(home: Path) -> None:
    for name in ("workspace-memory.json", f"sessions/{SESSION.name}.json"):
        path = home / FOLDER / name
        other = path.with_name(f".{path.name}.spare")
        assert path.stat().st_ino != other.stat().st_ino
        assert path.read_bytes() == other.read_bytes()


def test_a_newer_version_is_read_and_never_written(home: Path) -> None:
    edit(document(home), '"version": 3', '"version": 4')
    before = document(home).read_bytes()
    store = opened(home)
    reading = store.read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.TOO_NEW, ["tests first"])
    with store.transaction([MEMORY, SESSION]) as tx:
        with pytest.raises(TooNew, match="newer wm"):
            tx.put(MEMORY, memory("x"))
        with pytest.raises(TooNew):
            tx.delete(MEMORY)
        tx.put(SESSION, session("opencode"))
    assert document(home).read_bytes() == before
    assert kept(home) == {}


def test_an_older_version_is_converted_and_its_file_kept(home: Path) -> None:
    old = {
        "version": 1,
        "workspace": {"root": "/src/app", "key": KEY},
        "entries": [
            {"id": "mem_1", "type": "decision", "text": "from the plugin", "source": "explicit",
             "createdAt": 1750000000000, "updatedAt": 1750000000000},
        ],
    }  # fmt: skip
    previous(home).unlink()
    document(home).write_text(json.dumps(old))
    before = document(home).read_bytes()
    store = opened(home)
    reading = store.read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert reading.outside is not None
    assert reading.outside.version == MEMORY.model.current_version
    assert texts(reading.outside) == ["from the plugin"]
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, reading.outside, absorbs=True)
    assert document(home).with_name(".workspace-memory.json.v1").read_bytes() == before
    assert texts(store.read(MEMORY).document) == ["from the plugin"]


def test_reading_does_not_change_files(home: Path) -> None:
    edit(document(home), "tests first", "tests never")
    (home / FOLDER / "pending-journal.json").write_bytes(b"broken")

    def state() -> list[tuple[str, int, int, int, bytes]]:
        return [
            (str(path), path.stat().st_ino, path.stat().st_mtime_ns, path.stat().st_nlink,
             path.read_bytes() if path.is_file() else b"")
            for path in sorted(home.rglob("*"))
        ]  # fmt: skip

    before = state()
    store = opened(home)
    store.read(MEMORY)
    store.read(SESSION)
    store.evidence(KEY)
    store.names(type(session()), KEY)
    list(check(store, deep=True))
    assert state() == before


def test_reading_a_missing_document_creates_no_folder(tmp_path: Path) -> None:
    store = opened(tmp_path / "wm")
    assert store.read(MEMORY).health is Health.MISSING
    store.close()
    assert not (tmp_path / "wm").exists()


def test_an_unchanged_document_is_parsed_once(home: Path) -> None:
    store = opened(home)
    assert store.read(MEMORY).document is store.read(MEMORY).document
    put(store, "new")
    assert store.read(MEMORY).document is store.read(MEMORY).document


def test_a_write_of_another_store_is_noticed(home: Path) -> None:
    one, other = opened(home), opened(home)
    assert texts(one.read(MEMORY).document) == ["tests first"]
    put(other, "by the other")
    assert texts(one.read(MEMORY).document) == ["by the other"]


def test_a_symlinked_workspace_is_not_entered(home: Path, tmp_path: Path) -> None:
    (home / FOLDER).rename(tmp_path / "moved")
    (home / FOLDER).symlink_to(tmp_path / "moved")
    with pytest.raises(StoreError):
        opened(home).read(MEMORY)


def test_a_document_over_the_limit_is_not_written(home: Path) -> None:
    store = FileStore(home, StoreSettings(max_document_bytes=5000))
    with pytest.raises(StoreError, match="more than 5000"):
        put(store, "x" * 6000)
    assert texts(store.read(MEMORY).document) == ["tests first"]
    assert not list(home.rglob("*.tmp"))


def test_a_data_folder_that_was_moved_is_not_created_again(home: Path, tmp_path: Path) -> None:
    store = opened(home)
    store.read(MEMORY)
    home.rename(tmp_path / "moved")
    with pytest.raises(StoreError, match="gone") as caught:
        put(store, "x")
    assert "restart" in caught.value.fix
    assert not home.exists()
    shutil.copytree(tmp_path / "moved", home)
    with pytest.raises(StoreError, match="another folder"):
        store.read(MEMORY)


def test_a_lock_file_removed_under_the_writer_stops_the_write(home: Path) -> None:
    store = opened(home)
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory("x"))
        document(home).with_name(".workspace-memory.json.lock").unlink()
        with pytest.raises(Conflict, match="removed or replaced"):
            tx.commit()
    assert texts(store.read(MEMORY).document) == ["tests first"]
    assert not list(home.rglob("*.tmp"))


def test_files_are_private_under_any_umask(tmp_path: Path) -> None:
    for umask in (0o000, 0o777):
        before = os.umask(umask)
        try:
            home = tmp_path / f"wm{umask}"
            store = FileStore(home, StoreSettings())
            with store.transaction([MEMORY, SESSION]) as tx:
                tx.put(MEMORY, memory("x"))
                tx.put(SESSION, session())
                tx.log(record(1))
            edit(document(home), '"x"', '"y"')
            put(store, "z")
            store.close()
        finally:
            os.umask(before)
        modes = {oct(path.stat().st_mode & 0o777) for path in home.rglob("*") if path.is_file()}
        assert modes == {"0o600"}
        folders = {oct(path.stat().st_mode & 0o777) for path in home.rglob("*") if path.is_dir()}
        assert folders | {oct(home.stat().st_mode & 0o777)} == {"0o700"}


def test_leftover_temporary_files_are_removed_by_the_next_writer(home: Path) -> None:
    left = document(home).with_name(".workspace-memory.json.0123456789abcdef.tmp")
    other = document(home).with_name(".pending-journal.json.0123456789abcdef.tmp")
    foreign = document(home).with_name("notes.tmp")
    for path in (left, other, foreign):
        path.write_bytes(b"half")
    busy = opened(home)
    with busy.transaction([MEMORY]):
        assert not left.exists()
        assert not other.exists()
        assert foreign.exists()


def test_a_temporary_file_of_a_living_writer_stays(home: Path) -> None:
    writer = opened(home)
    with writer.transaction([SESSION]):
        temp = home / FOLDER / "sessions" / f".{SESSION.name}.json.0123456789abcdef.tmp"
        temp.write_bytes(b"half")
        sister = type(SESSION)(SESSION.model, KEY, "a-sister")
        with opened(home).transaction([sister]) as tx:
            tx.put(sister, session())
        assert temp.exists()


def test_entries_keep_unknown_fields(home: Path) -> None:
    store = opened(home)
    with store.transaction([MEMORY]) as tx:
        odd = entry("x").model_copy(update={"mood": "calm"})
        tx.put(MEMORY, memory().model_copy(update={"entries": (odd,)}))
    raw = json.loads(document(home).read_bytes())
    assert list(raw)[:3] == ["version", "generation", "checksum"]


@pytest.mark.parametrize(
    ("edited", "damaged"),
    [(document, previous), (previous, document)],
    ids=["document", "previous copy"],
)
def test_a_write_that_absorbs_an_edit_keeps_the_unreadable_copy(
    home: Path, edited: Callable[[Path], Path], damaged: Callable[[Path], Path]
) -> None:
    edit(edited(home), "tests first", "tests never")
    torn = damaged(home).read_bytes()[:200]
    damaged(home).write_bytes(torn)
    with opened(home).transaction([MEMORY]) as tx:
        outside = tx.read(MEMORY).outside
        assert texts(outside) == ["tests never"]
        assert outside is not None
        tx.put(MEMORY, outside, absorbs=True)
    kept = [path for path in (home / "quarantine").iterdir() if path.suffix != ".json"]
    assert [path.read_bytes() for path in kept] == [torn]
    assert opened(home).read(MEMORY).health is Health.OK
    assert previous(home).read_bytes() == document(home).read_bytes()


@pytest.mark.parametrize(("times", "health"), [(1, Health.OK), (100, Health.RESTORED)])
def test_after_a_drive_error_a_cached_document_reads_as_in_a_new_process(
    home: Path, times: int, health: Health
) -> None:
    class FailingDisk(Disk):
        left = 0

        def _fail(self, name: str) -> None:
            if self.left and name == "workspace-memory.json":
                self.left -= 1
                raise OSError(errno.EIO, "Input/output error")

        def read(self, folder: Handle, name: str, limit: int) -> bytes:
            self._fail(name)
            return super().read(folder, name, limit)

        def has(self, folder: Handle, name: str, raw: bytes) -> bool:
            self._fail(name)
            return super().has(folder, name, raw)

    disk = FailingDisk(home)
    store = FileStore(home, StoreSettings(), disk)
    assert store.read(MEMORY).health is Health.OK
    disk.left = times
    reading = store.read(MEMORY)
    assert (reading.health, texts(reading.document)) == (health, ["tests first"])


def test_a_failed_read_is_tried_again(home: Path) -> None:
    """Otherwise only the hand edit would be left, and the text in force would count as lost."""

    class FlakyDisk(Disk):
        failed: ClassVar[set[str]] = set()

        def read(self, folder: Handle, name: str, limit: int) -> bytes:
            if "workspace-memory" in name and name not in self.failed:
                self.failed.add(name)
                raise OSError(errno.EIO, "Input/output error")
            return super().read(folder, name, limit)

    edit(document(home), "tests first", "tests never")
    reading = FileStore(home, StoreSettings(), FlakyDisk(home)).read(MEMORY)
    assert reading.health is Health.OUTSIDE
    assert texts(reading.document) == ["tests first"]
