"""Flush acknowledged writes of class relaxed to disk (ST-1): within a second, and before exit.

A relaxed document is copied to its previous copy, and that is flushed: whatever a power cut does to
the document, its last flushed generation is complete in a separate file. Logs are flushed in place.
For previous copies of class full only the name is flushed.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from wm.errors import StoreError
from wm.store import atomic, envelope, paths
from wm.store.atomic import Staged
from wm.store.copies import UNREADABLE
from wm.store.core import Core, Pending, Wait
from wm.store.fsops import Handle, explained
from wm.store.locks import Lock

# Number of files that are flushed at once.
_TOGETHER = 32


def flush(core: Core) -> None:
    """Flush everything that is pending. Raises the first StoreError after trying all; what failed
    stays pending."""
    waits = core.take_pending()
    errors: list[StoreError] = []
    in_place = [wait for wait in waits if wait.wait is not Wait.COPY]
    copies = [wait for wait in waits if wait.wait is Wait.COPY]
    for group in (in_place, copies):
        for begin in range(0, len(group), _TOGETHER):
            _attempt(core, group[begin : begin + _TOGETHER], errors)
    if errors:
        raise errors[0]


def _attempt(core: Core, waits: Sequence[Pending], errors: list[StoreError]) -> None:
    try:
        if waits[0].wait is Wait.COPY:
            _copy_all(core, waits)
        else:
            _flush_in_place(core, waits)
    except StoreError as error:
        for wait in waits:
            core.add_pending(wait.place, wait.wait)
        core.sweep_again(wait.place.folder for wait in waits)
        errors.append(error)


def _flush_in_place(core: Core, waits: Sequence[Pending]) -> None:
    """Flush each file and, with its folder, its name. The bytes of a previous copy are on disk
    already, but its name is not: it is renamed after the update, so a power cut could leave the
    copy before it."""
    with explained("flush", core.home), ExitStack() as stack:
        folders = _folders(core, stack, waits)
        files = []
        for wait in waits:
            folder = folders.get(wait.place.folder)
            if folder is None or wait.wait is Wait.PREVIOUS_COPY:
                continue
            with suppress(FileNotFoundError):  # deleted since
                files.append(stack.enter_context(core.disk.open(folder, wait.place.name)))
        core.flush_names(folders, folders, files)


def _copy_all(core: Core, waits: Sequence[Pending]) -> None:
    """Copy under the documents' locks, so that a slower flusher does not write an older copy over
    a newer one, and none restores a deleted document."""
    with explained("flush", core.home), ExitStack() as stack:
        folders = _folders(core, stack, waits)
        wanted = [
            (folders[wait.place.folder], wait.place.name)
            for wait in sorted(waits, key=lambda wait: wait.place.path)
            if wait.place.folder in folders
        ]
        locks: list[Lock] = []
        busy: list[tuple[Handle, str]] = []
        try:
            for folder, name in wanted:
                lock = core.locks.try_take(folder, name)
                if lock is None:
                    busy.append((folder, name))
                else:
                    locks.append(lock)
            _copy_locked(core, [(lock.folder, lock.name) for lock in locks])
        finally:
            core.locks.release_all(locks)
        for document in busy:
            # Take one lock at a time while holding no other: no lock order, no deadlock.
            with core.locks.hold(*document):
                _copy_locked(core, [document])
        core.flush_names(folders, folders)


def _folders(core: Core, stack: ExitStack, waits: Sequence[Pending]) -> dict[str, Handle]:
    """The open folders of the documents; a missing folder is left out."""
    folders: dict[str, Handle] = {}
    for path in sorted({wait.place.folder for wait in waits}):
        with suppress(FileNotFoundError):
            folders[path] = stack.enter_context(core.disk.folder(path))
    return folders


def _copy_locked(core: Core, documents: Sequence[tuple[Handle, str]]) -> None:
    """Write the previous copies of locked documents and flush them together."""
    staged: list[Staged] = []
    try:
        for folder, name in documents:
            try:
                raw = core.disk.read(folder, name, core.settings.max_document_bytes)
            except OSError as error:
                if error.errno == errno.EIO or error.errno not in (errno.ENOENT, *UNREADABLE):
                    raise
                continue  # deleted or replaced since
            if envelope.is_ours(raw, core.key_to_write()):
                # If it was changed outside, its previous copy must stay the last version that wm
                # wrote.
                staged.append(atomic.stage(core.disk, folder, name, raw, previous_copy=False))
        core.disk.flush_all([copy.file for copy in staged])
        for copy in staged:
            atomic.install(core.disk, copy, paths.previous_copy(copy.name))
    finally:
        for copy in staged:
            atomic.discard(core.disk, copy)
