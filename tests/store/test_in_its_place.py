"""Another thing is in a document's place: a folder, a pipe, a link, a file that cannot be read.

With a whole previous copy beside it, reads serve that copy, and the next locked writer moves the
thing to quarantine unchanged. Without one the error names the file and what to do.
"""

from __future__ import annotations

import errno
import hmac
import json
import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.samples import KEY, MEMORY, SESSION, memory, session, texts
from wm.errors import StoreError, TooNew
from wm.settings import StoreSettings
from wm.store import paths
from wm.store.base import Health
from wm.store.check import check
from wm.store.check.repair import repair
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

LIMIT = 20_000
FOLDER = f"workspaces/{KEY}"
NAME = "workspace-memory.json"

Replace = Callable[[Path], None]


class DeniedDisk(Disk):
    """Refuses to open files without mode bits, as the system does for users other than root."""

    def _require(self, folder: Handle, name: str) -> None:
        found = os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
        if not stat.S_IMODE(found.st_mode):
            raise PermissionError(errno.EACCES, "Permission denied", name)

    def read(self, folder: Handle, name: str, limit: int) -> bytes:
        self._require(folder, name)
        return super().read(folder, name, limit)

    def has(self, folder: Handle, name: str, raw: bytes) -> bool:
        self._require(folder, name)
        return super().has(folder, name, raw)

    def open(self, folder: Handle, name: str, *, write: bool = False) -> Handle:
        self._require(folder, name)
        return super().open(folder, name, write=write)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("kept")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def listening(path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as made, _working_in(path.parent):
        made.bind(path.name)  # a full path may exceed the length limit of socket names


def device(path: Path) -> None:
    path.unlink()
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root can make a device")


def link_to_a_document(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to(path.parent / "elsewhere")


def link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("/none/such")


def oversized(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" " * LIMIT)


def unreadable(path: Path) -> None:
    path.chmod(0)


THINGS = [
    folder, pipe, listening, device, link_to_a_document, link_to_nothing, oversized, unreadable,
]  # fmt: skip


class _working_in:  # noqa: N801  # read as a clause
    def __init__(self, path: Path) -> None:
        self.path, self.before = path, Path.cwd()

    def __enter__(self) -> None:
        os.chdir(self.path)

    def __exit__(self, *_error: object) -> None:
        os.chdir(self.before)


def opened(home: Path) -> FileStore:
    settings = StoreSettings(lock_wait_s=0.2, max_document_bytes=LIMIT)
    return FileStore(home, settings, DeniedDisk(home))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "wm"
    store = opened(home)
    for text in ("older", "tests first"):
        put(store, text)
    store.close()
    return home


def put(store: FileStore, text: str) -> None:
    with store.transaction([MEMORY]) as tx:
        tx.put(MEMORY, memory(text))


def document(home: Path) -> Path:
    return home / FOLDER / NAME


def previous(home: Path) -> Path:
    return home / FOLDER / paths.previous_copy(NAME)


def looks(path: Path) -> tuple[object, ...]:
    found = path.lstat()
    content = sorted(p.name for p in path.iterdir()) if stat.S_ISDIR(found.st_mode) else None
    target = os.readlink(path) if stat.S_ISLNK(found.st_mode) else None
    return stat.S_IFMT(found.st_mode), found.st_ino, content, target


def kept(home: Path) -> list[Path]:
    names = home.joinpath("quarantine").glob("*")
    return [path for path in names if not path.name.endswith(".reason.json")]


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("known", [False, True], ids=["new process", "kept in memory"])
def test_the_previous_copy_is_served_and_the_next_write_succeeds(
    home: Path, thing: Replace, known: bool
) -> None:
    store = opened(home)
    if known:
        assert store.read(MEMORY).health is Health.OK
    thing(document(home))
    before = looks(document(home))
    reading = store.read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.RESTORED, ["tests first"])
    assert reading.detail.startswith("it cannot be read: ")
    assert looks(document(home)) == before
    put(store, "tests last")
    assert store.read(MEMORY).health is Health.OK
    assert texts(opened(home).read(MEMORY).document) == ["tests last"]
    assert [looks(path) for path in kept(home)] == [before]
    assert previous(home).read_bytes() == document(home).read_bytes()


@pytest.mark.parametrize("thing", THINGS)
def test_an_object_in_place_of_the_previous_copy_goes_to_quarantine(
    home: Path, thing: Replace
) -> None:
    store = opened(home)
    thing(previous(home))
    before = looks(previous(home))
    assert texts(store.read(MEMORY).document) == ["tests first"]
    put(store, "tests last")
    assert [looks(path) for path in kept(home)] == [before]
    assert previous(home).read_bytes() == document(home).read_bytes()


@pytest.mark.parametrize("thing", THINGS)
def test_repair_restores_the_document(home: Path, thing: Replace) -> None:
    thing(document(home))
    before = looks(document(home))
    store = opened(home)
    assert [found.code for found in repair(store) if found.severity == "error"] == []
    assert store.read(MEMORY).health is Health.OK
    assert texts(store.read(MEMORY).document) == ["tests first"]
    assert [looks(path) for path in kept(home)] == [before]
    left = [found for found in check(store, deep=True) if found.path.endswith(NAME)]
    assert {found.code for found in left} == {"root_mismatch"}  # from the sample's made-up root


@pytest.mark.parametrize("thing", THINGS)
def test_without_an_intact_copy_the_error_names_the_file(home: Path, thing: Replace) -> None:
    thing(document(home))
    previous(home).write_bytes(b"torn")
    store = opened(home)
    with pytest.raises(StoreError, match=NAME) as caught:
        store.read(MEMORY)
    assert caught.value.fix
    before = looks(document(home))
    with pytest.raises(StoreError):
        put(store, "tests last")
    assert (looks(document(home)), previous(home).read_bytes()) == (before, b"torn")


@pytest.mark.parametrize("thing", THINGS)
def test_deleting_the_document_moves_the_object_to_quarantine(home: Path, thing: Replace) -> None:
    thing(document(home))
    before = looks(document(home))
    with opened(home).transaction([MEMORY]) as tx:
        tx.delete(MEMORY)
    assert opened(home).read(MEMORY).health is Health.MISSING
    assert [looks(path) for path in kept(home)] == [before]


@pytest.mark.parametrize("thing", THINGS)
def test_a_flush_of_hot_state_skips_an_object_in_its_place(home: Path, thing: Replace) -> None:
    store = opened(home)
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session())
    store.flush()
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session("opencode"))
    place = paths.place(SESSION)
    thing(home / place.path)
    store.flush()
    assert not store.dirty()
    reading = store.read(SESSION)
    assert (reading.health, reading.document) != (Health.LOST, None)
    with store.transaction([SESSION]) as tx:
        tx.put(SESSION, session("opencode"))
    assert store.read(SESSION).health is Health.OK


@pytest.mark.parametrize("signed", [True, False], ids=["by a newer wm", "by hand"])
@pytest.mark.parametrize("fits", [True, False], ids=["fits", "of another shape"])
def test_a_newer_document_is_refused_beside_an_older_copy(
    home: Path, signed: bool, fits: bool
) -> None:
    raw = document(home).read_bytes().replace(b'"version": 3', b'"version": 4')
    raw = raw if fits else raw.replace(b'"entries": [', b'"entries": 7, "rows": [')
    raw = _signed(home, raw) if signed else raw
    document(home).write_bytes(raw)
    others = {previous(home): previous(home).read_bytes()}
    _refused(home, {document(home): raw, **others}, ["tests first"])


def test_a_newer_copy_is_refused_beside_an_older_document(home: Path) -> None:
    """A newer wm wrote both, then a person put an older file back."""
    raw = document(home).read_bytes().replace(b'"generation": 2', b'"generation": 3')
    raw = _signed(home, raw.replace(b'"version": 3', b'"version": 4'))
    previous(home).write_bytes(raw)
    _refused(
        home, {previous(home): raw, document(home): document(home).read_bytes()}, ["tests first"]
    )


def test_an_unfinished_write_of_a_newer_wm_is_left_for_it(home: Path) -> None:
    raw = document(home).read_bytes().replace(b'"generation": 2', b'"generation": 3')
    raw = _signed(home, raw.replace(b'"version": 3', b'"version": 4'))
    ahead = home / FOLDER / paths.next_file(NAME, 3)
    ahead.touch(0o600)
    ahead.write_bytes(raw)
    _refused(home, {ahead: raw, document(home): document(home).read_bytes()}, ["tests first"])


def _refused(home: Path, files: dict[Path, bytes], served: list[str]) -> None:
    store = opened(home)
    reading = store.read(MEMORY)
    assert (reading.health, texts(reading.document)) == (Health.TOO_NEW, served)
    with store.transaction([MEMORY]) as tx:
        with pytest.raises(TooNew, match="newer wm"):
            tx.put(MEMORY, memory("x"))
        with pytest.raises(TooNew):
            tx.delete(MEMORY)
    assert not [found for found in repair(store) if found.severity != "error"]
    assert {path: path.read_bytes() for path in files} == files
    assert kept(home) == []


def _signed(home: Path, raw: bytes) -> bytes:
    """The bytes with a valid checksum of ours."""
    key = opened(home).core.key_to_read()
    begin, _, rest = raw.partition(b'"checksum": "')
    zeros = begin + b'"checksum": "' + b"0" * 64 + rest[64:]
    digest = hmac.new(key, zeros, "sha256").hexdigest().encode()
    assert json.loads(raw)
    return begin + b'"checksum": "' + digest + rest[64:]


def test_the_object_is_never_opened_blocking(home: Path) -> None:
    """For a pipe with a writer: its content must stay in it."""
    pipe(document(home))
    fd = os.open(document(home), os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(fd, b"words")
        put(opened(home), "tests last")
        assert os.read(fd, 100) == b"words"
    finally:
        os.close(fd)


def test_the_target_of_a_link_is_not_changed(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.json"
    shutil.copy(document(home), target)
    before = target.read_bytes()
    document(home).unlink()
    document(home).symlink_to(target)
    put(opened(home), "tests last")
    assert target.read_bytes() == before
    assert not document(home).is_symlink()
