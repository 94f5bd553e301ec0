"""The quick look at a document: it tells "unchanged" and nothing else."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.samples import KEY, MEMORY, SESSION, memory, session
from wm.settings import StoreSettings
from wm.store import glance, paths
from wm.store.base import Health, Ref
from wm.store.envelope import HEAD_BYTES
from wm.store.files import FileStore
from wm.store.fsops import Disk

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")

RAW = b'{"version": 1, "text": "\0"}'
HEAD = b'{"gen'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    inner = tmp_path / "home" / "one" / "two"
    inner.mkdir(parents=True)
    (inner / "document").write_bytes(RAW)
    (inner / "spare").write_bytes(HEAD + b"eration")
    return tmp_path / "home"


def look(home: Path, raw: bytes = RAW, folder: str = "one/two") -> bytes | None:
    disk = Disk(home)
    disk.folder("").__exit__(None, None, None)  # from then on it knows its folder
    return disk.head_of_unchanged(folder, "document", raw, "spare", len(HEAD))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_where_nothing_changed_the_head_of_the_other_file_is_told(home: Path) -> None:
    before = open_files()
    assert look(home) == HEAD
    assert open_files() == before


def test_a_shorter_head_is_told_as_it_is(home: Path) -> None:
    (home / "one/two/spare").write_bytes(b"{")
    assert look(home) == b"{"


def to_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change",
    [
        lambda home: (home / "one/two/document").write_bytes(RAW[:-1] + b")"),
        lambda home: (home / "one/two/document").write_bytes(RAW + b" "),
        lambda home: (home / "one/two/document").write_bytes(RAW[:-1]),
        lambda home: (home / "one/two/document").write_bytes(b""),
        lambda home: (home / "one/two/document").unlink(),
        lambda home: (home / "one/two/spare").unlink(),
        lambda home: to_link(home / "one/two/document"),
        lambda home: to_link(home / "one/two/spare"),
        lambda home: to_link(home / "one/two"),
        lambda home: to_link(home / "one"),
        lambda home: to_pipe(home / "one/two/document"),
        lambda home: to_folder(home / "one/two/document"),
        lambda home: to_folder(home / "one/two/spare"),
        lambda home: (home / "one").rename(home / "gone"),
    ],
)
def test_whatever_else_it_meets_it_does_not_tell(
    home: Path, change: Callable[[Path], object]
) -> None:
    change(home)
    before = open_files()
    assert look(home) is None
    assert open_files() == before


def test_a_data_folder_in_the_place_of_ours_is_not_looked_at(home: Path) -> None:
    disk = Disk(home)
    disk.folder("").__exit__(None, None, None)
    home.rename(home.with_name("away"))
    (home / "one/two").mkdir(parents=True)
    for name in ("document", "spare"):
        (home / "one/two" / name).write_bytes(
            (home.with_name("away") / "one/two" / name).read_bytes()
        )
    assert disk.head_of_unchanged("one/two", "document", RAW, "spare", 5) is None
    assert look(home) == HEAD


def test_a_large_document_is_left_to_the_usual_way(home: Path) -> None:
    for size, told in ((glance.MOST_BYTES, HEAD), (glance.MOST_BYTES + 1, None)):
        raw = b"x" * size
        (home / "one/two/document").write_bytes(raw)
        assert look(home, raw) == told


def test_looks_of_many_lengths_leave_nothing_for_the_collector(home: Path) -> None:
    """A daemon keeps what stands when it freezes the collector, garbage as well."""
    look(home)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for size in range(1000, 1100):
            (home / "one/two/document").write_bytes(b"x" * size)
            assert look(home, b"x" * size) == HEAD
        assert len(gc.get_objects()) - before < 100
    finally:
        gc.enable()


def test_only_the_main_thread_keeps_the_lock(home: Path) -> None:
    seen: list[bytes | None] = []
    thread = threading.Thread(target=lambda: seen.append(look(home)))
    thread.start()
    thread.join()
    assert seen == [None]


def test_a_disk_that_sees_every_access_takes_no_quick_look(home: Path) -> None:
    class Seeing(Disk):
        pass

    disk = Seeing(home)
    disk.folder("").__exit__(None, None, None)
    assert disk.head_of_unchanged("one/two", "document", RAW, "spare", 5) is None


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    opened = FileStore(tmp_path / "store", StoreSettings())
    for text in ("first", "second"):
        with opened.transaction([MEMORY]) as tx:
            tx.put(MEMORY, memory(text))
    return opened


def test_an_older_copy_that_was_put_back_is_not_taken_for_the_kept_one(store: FileStore) -> None:
    place = paths.place(MEMORY)
    file = store.home / place.path
    spare = file.with_name(paths.spare(place.name))
    kept = store.core.unchanged(MEMORY, place)
    assert kept is not None
    older, older_spare = file.read_bytes(), spare.read_bytes()

    with FileStore(store.home, StoreSettings()).transaction([MEMORY]) as tx:  # another process
        tx.put(MEMORY, memory("third"))
    file.write_bytes(older)

    assert store.core.unchanged(MEMORY, place) is None
    assert store.read(MEMORY).health is Health.OUTSIDE
    spare.write_bytes(older_spare)
    assert store.read(MEMORY).health is Health.OK


def flips(file: Path, places: range) -> Iterator[tuple[int, int]]:
    """Which bit is flipped meanwhile, and in which byte."""
    fd = os.open(file, os.O_RDWR)
    try:
        for place in places:
            byte = os.pread(fd, 1, place)
            for bit in range(8):
                os.pwrite(fd, bytes([byte[0] ^ 1 << bit]), place)
                yield place, bit
            os.pwrite(fd, byte, place)
    finally:
        os.close(fd)


@pytest.mark.parametrize("ref", [MEMORY, SESSION], ids=["full", "relaxed"])
def test_no_flipped_bit_is_taken_for_what_is_kept_and_the_usual_look_agrees(
    tmp_path: Path, ref: Ref[Any]
) -> None:
    store = FileStore(tmp_path / "store", StoreSettings())
    document = memory("first") if ref is MEMORY else session()
    with store.transaction([ref]) as tx:
        tx.put(ref, document)
    store.flush()  # from then on both have a spare
    place = paths.place(ref)
    file = store.home / place.path
    spare = file.with_name(paths.spare(place.name))
    kept = store.core.unchanged(ref, place)
    assert kept is not None

    for _ in flips(file, range(0, file.stat().st_size, 5)):
        assert store.core.unchanged(ref, place) is None

    if file.samefile(spare):  # what was linked at a flush has one inode
        spare.unlink()
        spare.write_bytes(file.read_bytes())
    later = 0
    with store.disk.folder(place.folder) as folder:
        for _ in flips(spare, range(HEAD_BYTES)):
            holds = store.core._holds(kept, place, folder)
            assert (store.core.unchanged(ref, place) is kept) == holds
            later += not holds
    assert later > 0
    assert store.core.unchanged(ref, place) is kept


def test_what_was_never_read_is_not_kept(store: FileStore) -> None:
    fresh = FileStore(store.home, StoreSettings())
    assert fresh.core.unchanged(MEMORY, paths.place(MEMORY)) is None
    assert fresh.read(MEMORY).health is Health.OK
    assert fresh.core.unchanged(MEMORY, paths.place(MEMORY)) is not None
    assert KEY in paths.place(MEMORY).path
