"""Bring to disk what was acknowledged as relaxed (ST-1): within a second, and before we leave.

A relaxed document is copied to its spare and that is flushed: whatever a power cut does to the
document, its last flushed generation is whole in a file of its own. Spares of class full and
logs are flushed where they lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from wm.errors import StoreError
from wm.store import atomic, envelope, paths
from wm.store.atomic import Staged
from wm.store.core import Core, Pending, Wait
from wm.store.failures import explained
from wm.store.fsops import Handle
from wm.store.locks import Lock

# So many files are flushed at once.
_TOGETHER = 32


def flush(core: Core) -> None:
    """Flush everything that waits. Raises the first StoreError after trying all; what failed
    waits on."""
    waits = core.take_waits()
    errors: list[StoreError] = []
    in_place = [wait for wait in waits if wait.wait is not Wait.COPY]
    copies = [wait for wait in waits if wait.wait is Wait.COPY]
    for begin in range(0, len(in_place), _TOGETHER):
        _attempt(core, in_place[begin : begin + _TOGETHER], errors)
    for begin in range(0, len(copies), _TOGETHER):
        _attempt(core, copies[begin : begin + _TOGETHER], errors)
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
            core.wait_for(wait.place, wait.wait)
        core.sweep_again(wait.place.folder for wait in waits)
        errors.append(error)


def _flush_in_place(core: Core, waits: Sequence[Pending]) -> None:
    with explained("flush", core.home), ExitStack() as stack:
        files = []
        for wait in waits:
            name = wait.place.name
            try:
                with core.disk.folder(wait.place.folder) as folder:
                    file = core.disk.open(
                        folder, paths.spare(name) if wait.wait is Wait.SPARE else name
                    )
            except FileNotFoundError:
                continue  # deleted since
            files.append(stack.enter_context(file))
        core.disk.flush_all(files)


def _copy_all(core: Core, waits: Sequence[Pending]) -> None:
    """Copy under the documents' locks: a slower flusher must not put back an older copy, and
    none may bring back a deleted document."""
    with explained("flush", core.home), ExitStack() as stack:
        folders = _folders(core, stack, waits)
        wanted = [
            (folders[wait.place.folder], wait.place.name)
            for wait in sorted(waits, key=lambda wait: wait.place.path)
            if wait.place.folder in folders
        ]
        held: list[Lock] = []
        busy: list[tuple[Handle, str]] = []
        try:
            for folder, name in wanted:
                lock = core.locks.try_take(folder, name)
                if lock is None:
                    busy.append((folder, name))
                else:
                    held.append(lock)
            _copy_locked(core, [(lock.folder, lock.name) for lock in held])
        finally:
            core.locks.release_all(held)
        for document in busy:
            # One lock at a time and none held meanwhile: no order, no deadlock.
            held = core.locks.take_all([document])
            try:
                _copy_locked(core, [document])
            finally:
                core.locks.release_all(held)
        _flush_folders(core, stack, folders)


def _folders(core: Core, stack: ExitStack, waits: Sequence[Pending]) -> dict[str, Handle]:
    """The open folders of the documents; one that is gone is left out."""
    folders: dict[str, Handle] = {}
    for path in sorted({wait.place.folder for wait in waits}):
        try:
            folders[path] = stack.enter_context(core.disk.folder(path))
        except FileNotFoundError:
            continue
    return folders


def _flush_folders(core: Core, stack: ExitStack, folders: dict[str, Handle]) -> None:
    wanted = core.to_flush(folders)
    core.disk.flush_all(
        [folders.get(path) or stack.enter_context(core.disk.folder(path)) for path in wanted]
    )
    core.flushed(wanted)


def _copy_locked(core: Core, documents: Sequence[tuple[Handle, str]]) -> None:
    """Write the spares of locked documents and flush them together."""
    staged: list[Staged] = []
    try:
        for folder, name in documents:
            try:
                raw = core.disk.read(folder, name, core.settings.max_document_bytes)
            except FileNotFoundError:
                continue  # deleted since
            if envelope.is_ours(raw, core.key_to_write()):
                # Else it was changed outside: its spare must stay the last that wm wrote.
                staged.append(atomic.stage(core.disk, folder, name, raw, spare=False))
        core.disk.flush_all([copy.file for copy in staged])
        for copy in staged:
            atomic.install_spare(core.disk, copy)
    finally:
        for copy in staged:
            atomic.discard(core.disk, copy)
