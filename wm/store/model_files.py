"""The files of installed models, below `models/` of the data folder (RC-2).

They are large, are written once and never change: no envelope, no previous copy. A folder counts as
a model only by its record in `models.json`, which has the digest of every file. A folder is filled
under a temporary name and renamed to the model's name when it is complete; it is removed through a
temporary name, too. Does not know what a model is.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from wm.errors import UserError
from wm.formats.home import ModelFile
from wm.store import paths
from wm.store.files import FileStore
from wm.store.fsops import Disk, explained, if_there

Part = tuple[str, Iterable[bytes]]
"""A file's name below the model's folder, and its bytes."""

STALE_S = 86400.0


class Staging:
    """A folder that is being filled. Used in a `with`, which removes it if it was not kept."""

    def __init__(self, store: FileStore, name: str) -> None:
        self._core = store.core
        self._disk = store.disk
        self._name = name
        self._temp = paths.temp(name, secrets.token_hex(8))
        self._place = f"{paths.MODELS}/{self._temp}"
        self._kept = False
        self.path: Path = store.home / paths.MODELS / self._temp

    def __enter__(self) -> Staging:
        home = self._core.home
        self._core.key_to_write()  # creates the data folder if this is its first file
        with explained("write", home, self._place), self._core.make_folder(paths.MODELS) as above:
            self._disk.mkdir(above, self._temp)
        return self

    def __exit__(self, *_error: object) -> None:
        if not self._kept:
            with contextlib.suppress(OSError):
                _remove(self._disk, self._place)

    def fill(self, parts: Iterable[Part]) -> tuple[ModelFile, ...]:
        """Write files and flush them to disk; returns what was written."""
        return tuple(self._write(name, data) for name, data in parts)

    def _write(self, name: str, data: Iterable[bytes]) -> ModelFile:
        """Write one file. `data` raises its own errors; an OSError here is one of our folder."""
        digest, size = hashlib.sha256(), 0
        above, _, base_name = f"{self._place}/{name}".rpartition("/")
        with (
            explained("write", self._core.home, self._place, name),
            self._core.make_folder(above) as folder,
            self._disk.create(folder, base_name) as file,
        ):
            for chunk in data:
                digest.update(chunk)
                size += len(chunk)
                self._disk.write(file, chunk)
            self._disk.flush(file)
            self._disk.flush(folder)
        return ModelFile(name=name, bytes=size, sha256=digest.hexdigest())

    def keep(self) -> None:
        """Rename the folder to the model's name. Raises UserError if that name is taken."""
        with (
            explained("write", self._core.home, paths.MODELS, self._name),
            self._core.make_folder(paths.MODELS) as above,
        ):
            if not self._disk.exists(above, self._name):
                self._disk.rename(above, self._temp, self._name)
                self._disk.flush(above)
                self._kept = True
                return
        raise UserError.of(
            "model.folder_exists",
            folder=self._core.home / paths.MODELS / self._name,
            name=self._name,
        )


def sweep(store: FileStore, now_s: float) -> None:
    """Remove what a killed import left behind at least a day ago."""
    with if_there("clean up", store.home, paths.MODELS), store.disk.folder(paths.MODELS) as above:
        for name in store.disk.list(above):
            left = paths.companion(name)[1] == "tmp"
            if left and now_s - store.disk.stat(above, name).st_mtime > STALE_S:
                _remove(store.disk, f"{paths.MODELS}/{name}")


def remove(store: FileStore, name: str) -> int | None:
    """Remove a model's folder; returns its size in bytes, None if there is none.

    The folder is renamed first: if the process is killed, the sweep removes the rest like an
    unfinished import.
    """
    temp = paths.temp(name, secrets.token_hex(8))
    with (
        if_there("remove", store.home, paths.MODELS, name),
        store.disk.folder(paths.MODELS) as above,
    ):
        total = _bytes(store.disk, f"{paths.MODELS}/{name}")
        store.disk.rename(above, name, temp)
        store.disk.flush(above)
        _remove(store.disk, f"{paths.MODELS}/{temp}")
        return total
    return None


def _bytes(disk: Disk, path: str) -> int:
    """Total size of the files in a folder."""
    total = 0
    with disk.folder(path) as folder:
        for name in disk.list(folder):
            found = disk.stat(folder, name)
            inner = stat.S_ISDIR(found.st_mode)
            total += _bytes(disk, f"{path}/{name}") if inner else found.st_size
    return total


def _remove(disk: Disk, path: str) -> None:
    """Remove a folder with its contents; a symlink in it is removed, its target is not."""
    with disk.folder(path) as folder:
        for name in disk.list(folder):
            if stat.S_ISDIR(disk.stat(folder, name).st_mode):
                _remove(disk, f"{path}/{name}")
            else:
                disk.unlink(folder, name)
    above, _, base_name = path.rpartition("/")
    with disk.folder(above) as folder:
        disk.rmdir(folder, base_name)
