"""The only access to the data folder."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wm.store.fsops import Disk, Handle


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Handle]:
    with Disk(tmp_path).folder("") as opened:
        yield opened


def make(folder: Handle, name: str, data: bytes) -> None:
    with folder.disk.create(folder, name) as file:
        folder.disk.write(file, data)


def test_written_bytes_are_read_back(folder: Handle) -> None:
    make(folder, "a", b"text")
    assert folder.disk.read(folder, "a", 4) == b"text"
    assert folder.disk.list(folder) == ["a"]


def test_a_file_over_the_limit_is_not_read(folder: Handle) -> None:
    make(folder, "a", b"text")
    with pytest.raises(OSError, match="larger than 3 bytes"):
        folder.disk.read(folder, "a", 3)


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(folder: Handle) -> None:
    make(folder, "a", b"text")
    fd = os.open("a", os.O_RDONLY, dir_fd=folder.fd)
    try:
        assert folder.disk._read_all(fd, "a", 2, 100) == b"text"
    finally:
        os.close(fd)


LARGE = bytes(range(251)) * 2200
"""Larger than two read steps, and not a multiple of the step."""


@pytest.mark.parametrize("size", [0, 1, 256 * 1024, 256 * 1024 + 1, len(LARGE)])
def test_has_compares_the_exact_bytes_of_a_file(folder: Handle, size: int) -> None:
    raw = LARGE[:size]
    make(folder, "a", raw)
    assert folder.disk.has(folder, "a", bytes(bytearray(raw)))
    assert not folder.disk.has(folder, "a", raw + b"\0")
    for place in {0, size // 2, size - 1} if size else ():
        assert not folder.disk.has(folder, "a", raw[:place])
        changed = bytearray(raw)
        changed[place] ^= 1
        assert not folder.disk.has(folder, "a", bytes(changed))
    with pytest.raises(FileNotFoundError):
        folder.disk.has(folder, "b", raw)


def test_symlinks_are_never_followed(folder: Handle, tmp_path: Path) -> None:
    disk = folder.disk
    make(folder, "real", b"text")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "folder").mkdir()
    (tmp_path / "door").symlink_to("folder")
    for call in (
        lambda: disk.read(folder, "link", 100),
        lambda: disk.has(folder, "link", b"text"),
        lambda: disk.open(folder, "link"),
        lambda: disk.open_lock(folder, "link"),
        lambda: disk.create(folder, "link"),
        lambda: disk.folder("door"),
        lambda: disk.folder("door/inner"),
    ):
        with pytest.raises(OSError, match=r"symbolic|exists|directory") as caught:
            call()
        assert caught.value.errno in (errno.ELOOP, errno.EEXIST, errno.ENOTDIR)


def test_a_pipe_is_neither_read_nor_written(folder: Handle, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = sorted(os.listdir("/dev/fd"))
    for call in (
        lambda: folder.disk.read(folder, "pipe", 100),
        lambda: folder.disk.has(folder, "pipe", b""),
        lambda: folder.disk.open(folder, "pipe", write=True),
    ):
        with pytest.raises(OSError, match="not a regular file"):
            call()
    assert sorted(os.listdir("/dev/fd")) == before


def test_a_new_file_needs_a_free_name(folder: Handle) -> None:
    make(folder, "a", b"")
    with pytest.raises(FileExistsError):
        folder.disk.create(folder, "a")


def test_log_files_are_appended_to(folder: Handle) -> None:
    make(folder, "a", b"one")
    with folder.disk.open(folder, "a", write=True) as file:
        folder.disk.write(file, b"two")
        assert folder.disk.read_at(file, 2, 2) == b"et"
        folder.disk.truncate(file, 4)
    assert folder.disk.read(folder, "a", 100) == b"onet"


def test_a_handle_closes_once(folder: Handle) -> None:
    file = folder.disk.create(folder, "a")
    folder.disk.close(file)
    folder.disk.close(file)
    assert file.fd == -1


def test_an_unflushable_folder_is_ignored_and_an_unflushable_file_is_an_error(
    folder: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter([errno.EINVAL, errno.ENOTSUP, errno.EIO, errno.EINVAL])

    def fsync(fd: int) -> None:
        raise OSError(next(codes), "from the system")

    monkeypatch.setattr(os, "fsync", fsync)
    folder.disk.flush(folder)
    folder.disk.flush(folder)
    with pytest.raises(OSError, match="from the system"):
        folder.disk.flush(folder)
    with folder.disk.create(folder, "a") as file, pytest.raises(OSError, match="from the system"):
        folder.disk.flush(file)


def test_several_handles_are_flushed_together(folder: Handle) -> None:
    files = [folder.disk.create(folder, f"f{number}") for number in range(20)]
    folder.disk.flush_all([folder, *files])
    for file in files:
        folder.disk.close(file)


def test_home_is_created_private_and_reported_once(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "deep" / "wm")
    assert disk.make_home()
    assert not disk.make_home()
    for path in (tmp_path / "deep", tmp_path / "deep" / "wm"):
        assert path.stat().st_mode & 0o777 == 0o700


def test_a_home_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    with pytest.raises(PermissionError, match="another user"):
        Disk(tmp_path).folder("")
