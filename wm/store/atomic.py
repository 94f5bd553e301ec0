"""Replace one document so that every crash leaves the old or the new, whole (ST-1, TR-2).

The steps, each one call of `fsops`:
  stage    new bytes into a temporary file beside the document; class full also into the
           temporary file of the spare.
  flush    the caller flushes the staged files of a transaction together.
  install  the temporary file takes the name.
  flush    the folder: from now on class full is on disk.
  twin     takes the spare's name. Only now is the update acknowledged.

A document that is written alone counts before it has its name, from the flush of its file and
folder on. That is its only flush, and in what follows the file is as good as the name: see
`transaction`.

The spare takes its name when that of the document is on disk: so at every moment, also after a
power cut that kept any of the unflushed names, the document is at least as new as its spare,
and a reader that looks at the spare first never meets a newer one.
Protects: the spare is a file of its own, so what damages or edits one of them in place leaves
the other. Does not lock, and does not know what a document is.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable

from msgspec import Struct

from wm.store import paths
from wm.store.fsops import Disk, Handle


class Staged(Struct):
    """New bytes that wait for their name. `file` is open until it is flushed or dropped."""

    folder: Handle
    name: str
    temp: str
    spare_temp: str
    file: Handle


def stage(
    disk: Disk, folder: Handle, name: str, raw: bytes, *, spare: bool, file: str = ""
) -> Staged:
    """Write `raw` beside the document, into `file` or a temporary one; leaves nothing behind
    when it raises OSError."""
    temp = file or paths.temp(name, secrets.token_hex(8))
    staged = Staged(folder, name, temp, "", _create(disk, folder, temp, replace=bool(file)))
    try:
        disk.write(staged.file, raw)
        if spare:
            staged.spare_temp = paths.temp(name, secrets.token_hex(8))
            write_new(disk, folder, staged.spare_temp, raw)
    except BaseException:
        discard(disk, staged)
        raise
    return staged


def _create(disk: Disk, folder: Handle, name: str, *, replace: bool) -> Handle:
    try:
        return disk.create(folder, name)
    except FileExistsError:
        if not replace:
            raise
    disk.unlink(folder, name)  # an update that was cut before it counted
    return disk.create(folder, name)


def write_new(disk: Disk, folder: Handle, name: str, raw: bytes) -> None:
    """A new file with these bytes, not flushed."""
    with disk.create(folder, name) as file:
        disk.write(file, raw)


def install(disk: Disk, staged: Staged) -> None:
    """Give the staged bytes the document's name; a twin for the spare waits on."""
    disk.close(staged.file)
    if staged.spare_temp:
        disk.rename(staged.folder, staged.temp, staged.name)
    else:
        swap_in(disk, staged.folder, staged.temp, staged.name)
    staged.temp = ""


def install_twin(disk: Disk, staged: Staged) -> None:
    """Give the twin the spare's name, once the document's own name is on disk."""
    swap_in(disk, staged.folder, staged.spare_temp, paths.spare(staged.name))
    staged.spare_temp = ""


def install_spare(disk: Disk, staged: Staged) -> None:
    """Give the staged, flushed bytes the name of the spare only."""
    disk.close(staged.file)
    disk.rename(staged.folder, staged.temp, paths.spare(staged.name))
    staged.temp = ""


def swap_in(disk: Disk, folder: Handle, temp: str, name: str) -> None:
    """Let an unflushed file take a name, in one step and without writing it out."""
    try:
        swapped = disk.exchange(folder, temp, name)
    except FileNotFoundError:
        swapped = False
    if swapped:
        disk.unlink(folder, temp)
    else:
        disk.rename(folder, temp, name)


def discard(disk: Disk, staged: Staged) -> None:
    """Take back what was staged and not installed. Never raises: it runs while an error is
    told, and the sweep finds what it could not remove."""
    with contextlib.suppress(OSError):
        disk.close(staged.file)
    for temp in (staged.temp, staged.spare_temp):
        if temp:
            try:
                disk.unlink(staged.folder, temp)
            except OSError:
                continue
    staged.temp = staged.spare_temp = ""


def remove(disk: Disk, folder: Handle, name: str) -> None:
    """Delete a document: the spare first, so that no crash brings it back from there."""
    for file in (paths.next_file(name, 0), paths.next_file(name, 1), paths.spare(name), name):
        try:
            disk.unlink(folder, file)
        except FileNotFoundError:
            continue


def sweep(disk: Disk, folder: Handle, is_free: Callable[[str], bool]) -> list[str]:
    """Delete the temporary files that dead writers left; their names.

    `is_free(document)` says that nobody is writing this document now: a temporary file exists
    only while its writer holds the document's lock, so age and process ids do not matter.
    """
    gone: list[str] = []
    for file in disk.list(folder):
        document = paths.document_of_temp(file)
        if document is not None and is_free(document):
            try:
                disk.unlink(folder, file)
            except FileNotFoundError:
                continue
            gone.append(file)
    return gone
