"""Bring to disk what was acknowledged as relaxed (ST-1): within a second, and before we leave.

A relaxed document is copied to its spare and that is flushed: whatever a power cut does to the
document, its last flushed generation is whole in a file of its own. Spares of class full and
logs are flushed where they lie.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import ExitStack

from wm.errors import StoreError
from wm.store import envelope, paths
from wm.store.core import Core, Pending, Wait
from wm.store.failures import explained
from wm.store.locks import Lock
from wm.store.paths import Place

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
        errors.append(error)


def _flush_in_place(core: Core, waits: Sequence[Pending]) -> None:
    with explained("flush", str(core.home)), ExitStack() as stack:
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
    places = sorted((wait.place for wait in waits), key=lambda place: place.path)
    busy: list[Place] = []
    held: list[Lock] = []
    try:
        for place in places:
            lock = core.locks.try_take(place) if _there(core, place) else None
            if lock is not None:
                held.append(lock)
            else:
                busy.append(place)
        _copy_locked(core, [lock.place for lock in held])
    finally:
        core.locks.release_all(held)
    for place in busy:
        if _there(core, place):
            # One lock at a time and none held meanwhile: no order, no deadlock.
            lock_one = core.locks.take_all([place])
            try:
                _copy_locked(core, [place])
            finally:
                core.locks.release_all(lock_one)


def _there(core: Core, place: Place) -> bool:
    with explained("read", str(core.home / place.path)):
        try:
            with core.disk.folder(place.folder) as folder:
                core.disk.stat(folder, place.name)
        except FileNotFoundError:
            return False
        return True


def _copy_locked(core: Core, places: Sequence[Place]) -> None:
    key = core.key_to_write()
    with explained("flush", str(core.home)), ExitStack() as stack:
        folders = {
            path: stack.enter_context(core.disk.folder(path))
            for path in sorted({place.folder for place in places})
        }
        temps = []
        try:
            files = []
            for place in places:
                folder = folders[place.folder]
                try:
                    raw = core.disk.read(folder, place.name, core.settings.max_document_bytes)
                except FileNotFoundError:
                    continue
                if not envelope.is_ours(raw, key):
                    continue  # changed outside: its spare must stay the last that wm wrote
                temp = paths.temp(place.name, secrets.token_hex(8))
                file = stack.enter_context(core.disk.create(folder, temp))
                temps.append((folder, temp, paths.spare(place.name)))
                core.disk.write(file, raw)
                files.append(file)
            core.disk.flush_all(files)
            while temps:
                folder, temp, spare = temps[-1]
                core.disk.rename(folder, temp, spare)
                temps.pop()
            wanted = core.to_flush(folders)
            handles = [
                folders.get(path) or stack.enter_context(core.disk.folder(path)) for path in wanted
            ]
            core.disk.flush_all(handles)
        finally:
            for folder, temp, _ in temps:
                try:
                    core.disk.unlink(folder, temp)
                except OSError:
                    continue  # the sweep finds it
    core.flushed(wanted)
