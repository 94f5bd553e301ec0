"""Replace one document so that every crash leaves the complete old or new version (ST-1, TR-2).

The steps, each one call of `fsops`:
  stage    write the new bytes into a temporary file beside the document; for class full also
           into the temporary file of the previous copy.
  flush    the caller flushes the staged files of a transaction together.
  install  rename the temporary file to the document's name.
  flush    flush the folder: from now on class full is on disk.
  copy     rename the second temporary file to the previous copy's name. Only now is the update
           acknowledged.

A document that is written alone already counts before the rename, once its file and folder are
flushed. It needs no other flush, because readers count such a file: see `transaction`.

The previous copy is renamed only when the document's own name is on disk. So at every moment, also
after a power cut that kept any subset of the unflushed names, the document is at least as new as
its previous copy, and a reader that reads the previous copy first never meets a newer one. The
bytes of the copy are flushed before the rename: ext4 writes out an unflushed file that replaces
another by rename, which took 3.3 ms instead of 0.03 ms on a busy drive.

Protects: the previous copy is a separate file, so damage to one file, or an edit in place, leaves
the other intact. Does not lock, and does not know what a document is.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec import Struct

from wm.errors import OnError
from wm.store import paths
from wm.store.fsops import Bytes, Disk, Handle


def make_folder(disk: Disk, path: str) -> Handle:
    """Open a folder, creating missing folders on the path to it."""
    try:
        return disk.folder(path)
    except FileNotFoundError:
        upper, _, name = path.rpartition("/")
        with make_folder(disk, upper) as parent:
            with contextlib.suppress(FileExistsError):  # another writer was faster
                disk.mkdir(parent, name)
            disk.flush(parent)
        return disk.folder(path)


class Staged(Struct):
    """New bytes that are not renamed into place yet. The files stay open until they are flushed or
    dropped."""

    folder: Handle
    name: str
    temp: str
    file: Handle
    previous_temp: str = ""
    previous_file: Handle | None = None

    def files(self) -> list[Handle]:
        return [self.file] if self.previous_file is None else [self.file, self.previous_file]


def stage(
    disk: Disk, folder: Handle, name: str, raw: bytes, *, previous_copy: bool, file: str = ""
) -> Staged:
    """Write `raw` beside the document, into `file` or a temporary file. Leaves nothing behind when
    it raises OSError."""
    temp = file or paths.temp(name, secrets.token_hex(8))
    if file:
        disk.remove(folder, file)  # an update that was cut off before it counted
    staged = Staged(folder, name, temp, disk.create(folder, temp))
    with OnError(partial(discard, disk, staged)):
        disk.write(staged.file, raw)
        if previous_copy:
            staged.previous_temp = paths.temp(name, secrets.token_hex(8))
            staged.previous_file = disk.create(folder, staged.previous_temp)
            disk.write(staged.previous_file, raw)
    return staged


def replace(
    disk: Disk, folder: Handle, name: str, parts: Iterable[Bytes], *, durable: bool, owner: str = ""
) -> None:
    """Replace a file with these bytes, completely or not at all. Leaves nothing behind on an error.

    durable: flush the bytes before the rename; the caller flushes the folder. owner: the document
    whose lock is held, if it has another name.
    """
    with temporary(disk, folder, owner or name, parts, durable=durable) as temp:
        disk.rename(folder, temp, name)


@contextlib.contextmanager
def temporary(
    disk: Disk, folder: Handle, document: str, parts: Iterable[Bytes], *, durable: bool
) -> Iterator[str]:
    """A temporary file with these bytes, closed, and flushed if `durable`; removed on an error."""
    temp = paths.temp(document, secrets.token_hex(8))
    with OnError(partial(_try_unlink, disk, folder, temp)):
        with disk.create(folder, temp) as file:
            for part in parts:
                disk.write(file, part)
            if durable:
                disk.flush(file)
        yield temp


def _try_unlink(disk: Disk, folder: Handle, name: str) -> None:
    """Remove a temporary file; the sweep of the next writer deletes what cannot be removed now."""
    with contextlib.suppress(OSError):
        disk.unlink(folder, name)


def install(disk: Disk, staged: Staged, name: str = "") -> None:
    """Rename the staged bytes to the document's name, or to `name`. The file for the previous copy
    is not renamed yet."""
    disk.close(staged.file)
    disk.rename(staged.folder, staged.temp, name or staged.name)
    staged.temp = ""


def install_previous_copy(disk: Disk, staged: Staged) -> None:
    """Rename the second staged file to the previous copy's name, once the document's own name is on
    disk."""
    assert staged.previous_file is not None
    disk.close(staged.previous_file)
    disk.rename(staged.folder, staged.previous_temp, paths.previous_copy(staged.name))
    staged.previous_temp = ""


def discard(disk: Disk, staged: Staged) -> None:
    """Remove what was staged and not installed. Never raises: it runs while another error is
    reported, and the sweep finds what it could not remove."""
    for file in staged.files():
        with contextlib.suppress(OSError):
            disk.close(file)
    for temp in (staged.temp, staged.previous_temp):
        if temp:
            with contextlib.suppress(OSError):
                disk.unlink(staged.folder, temp)
    staged.temp = staged.previous_temp = ""


def remove(disk: Disk, folder: Handle, name: str) -> None:
    """Delete a document: the previous copy first, so that no crash restores the document from
    it."""
    nexts = (paths.next_file(name, 0), paths.next_file(name, 1))
    for file in (*nexts, paths.previous_copy(name), name):
        disk.remove(folder, file)


def sweep(disk: Disk, folder: Handle, is_free: Callable[[str], bool]) -> list[str]:
    """Delete the temporary files that dead writers left; returns their names.

    `is_free(document)` says that no process is writing this document now: a temporary file exists
    only while its writer holds the document's lock, so age and process ids do not matter.
    """
    gone: list[str] = []
    for file in disk.list(folder):
        document, companion = paths.companion(file)
        if companion == "tmp" and is_free(document) and disk.remove(folder, file):
            gone.append(file)
    return gone
