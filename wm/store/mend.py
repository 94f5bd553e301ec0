"""Mend what `check` finds and what can be mended without losing a byte (ST-3).

Restores documents from their second copy and the other way round, moves what is damaged to
quarantine, closes what is open to others, clears temporary files of dead writers and cuts torn
ends of logs, each under the lock of the document. A document that is restored is the very
bytes of the other copy: no generation is counted.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from wm.errors import StoreError
from wm.formats.base import Document
from wm.store import atomic, check, evidence, fsops, paths
from wm.store import key as keys
from wm.store.base import Finding, Health
from wm.store.copies import Found
from wm.store.failures import explained
from wm.store.files import FileStore
from wm.store.fsops import Handle
from wm.store.tree import OTHER_FOLDERS, kind_of, owner_of, place_at, ref_at


def repair(store: FileStore) -> Iterator[Finding]:
    """Mend what `check` calls repairable; yields what was done, and what could not be."""
    todo = [finding for finding in check.check(store, deep=True) if finding.code in _MENDS]
    order = list(_MENDS)
    for finding in sorted(todo, key=lambda finding: order.index(finding.code)):
        if not finding.repairable:
            continue
        try:
            with explained("mend", store.home, finding.path):
                done = _MENDS[finding.code](store, finding.path)
        except StoreError as error:
            yield Finding(finding.code, "error", finding.path, f"Could not mend it: {error}")
        else:
            if done:
                yield Finding(finding.code, "note", finding.path, done)


def _renew_key(store: FileStore, _path: str) -> str:
    keys.renew(store.disk, store.core.quarantine)
    return "Made a new key; every document now waits for your review."


def _mend_key(store: FileStore, _path: str) -> str:
    store.core.key_to_write()
    return "Restored from the other copy."


def _close_to_others(store: FileStore, path: str) -> str:
    above, _, name = path.rpartition("/")
    with explained("change the mode of", store.home, path):
        if path == "" or kind_of(path) is not None or path in OTHER_FOLDERS:
            with store.disk.folder(path) as handle:
                store.disk.chmod(handle, fsops.FOLDER_MODE)
        else:
            with store.disk.folder(above) as folder, store.disk.open(folder, name) as handle:
                store.disk.chmod(handle, fsops.FILE_MODE)
    return "Closed to others."


def _sweep(store: FileStore, path: str) -> str:
    above, _, name = path.rpartition("/")
    document = paths.document_of_temp(name)
    with explained("clear", store.home, path), store.disk.folder(above) as folder:
        lock = store.core.locks.try_take(folder, document or name)
        if lock is None:
            return ""
        try:
            store.disk.unlink(folder, name)
        except FileNotFoundError:
            return ""
        finally:
            store.core.locks.release_all([lock])
    return "Cleared."


def _finish(store: FileStore, path: str) -> str:
    """An update that counts takes its name, and its spare follows; what was cut before it counted
    is cleared. Of two that are left, the one that counts may be the other."""
    above, _, name = path.rpartition("/")
    main = paths.Place(above, paths.document_of_next(name) or name)
    ref = ref_at(main.path)
    both = {paths.next_file(main.name, parity) for parity in (0, 1)}
    with store.transaction([ref]) as transaction, _opened(store, main) as folder:
        left = both.intersection(store.disk.list(folder))
        if name not in left:
            return ""
        transaction.read(ref)
        counted = left.difference(store.disk.list(folder))
        if name not in counted:
            store.disk.unlink(folder, name)
    if counted:
        _renew_spare(store, paths.Place(above, paths.spare(main.name)).path)
    return "Finished." if name in counted else "Cleared."


def _restore(store: FileStore, path: str) -> str:
    """Give a damaged or missing document the bytes of its spare."""
    place = place_at(path)
    with store.transaction([ref_at(path)]), _opened(store, place) as folder:
        found = _found(store, path, folder)
        if found.reading.health is not Health.RESTORED:
            return ""
        if found.keep_main:
            store.core.quarantine.keep(folder, place.name, found.keep_main)
        _copy(store, folder, paths.spare(place.name), place.name)
    return "Restored from its second copy; what was damaged is in quarantine."


def _renew_spare(store: FileStore, path: str) -> str:
    """Give the spare the bytes of its document, which is whole."""
    above, _, spare = path.rpartition("/")
    main = paths.Place(above, paths.document_of_spare(spare) or spare)
    with store.transaction([ref_at(main.path)]), _opened(store, main) as folder:
        found = _found(store, main.path, folder)
        if found.reading.health is not Health.OK:
            return ""
        if spare in store.disk.list(folder):
            store.core.quarantine.keep(folder, spare, "a second copy that was not the document")
        _copy(store, folder, main.name, spare)
    return "Copied from the document."


def _set_aside(store: FileStore, path: str) -> str:
    """Make room where no copy of a document can be read; all of them are kept."""
    ref = ref_at(path)
    with store.transaction([ref]) as transaction:
        if transaction.read(ref).health is not Health.LOST:
            return ""
        transaction.delete(ref)
    return "Moved to quarantine; the document begins anew."


def _cut_log(store: FileStore, path: str) -> str:
    above = path.rpartition("/")[0]
    workspace = above.split("/")[1]
    with explained("mend", store.home, path), store.disk.folder(above) as folder:
        held = store.core.locks.take_all([(folder, evidence.LOCKED)])
        try:
            end = store.core.log.open_end(workspace, folder, store.core.key_to_write())
            with end.file:
                store.disk.flush(end.file)
        finally:
            store.core.locks.release_all(held)
    return "Cut back to the last whole record."


def _drop_vectors(store: FileStore, path: str) -> str:
    """Nothing is lost: the next search makes them again."""
    above, _, name = path.rpartition("/")
    with explained("delete", store.home, path), store.disk.folder(above) as folder:
        try:
            store.disk.unlink(folder, name)
        except FileNotFoundError:
            return ""
    return "Removed; the next search makes them again."


_MENDS: Mapping[str, Callable[[FileStore, str], str]] = MappingProxyType(
    {
        "no_key": _renew_key,
        "damaged_key": _mend_key,
        "open_to_others": _close_to_others,
        "stale_temp": _sweep,
        "unfinished": _finish,
        "restored": _restore,
        "unreadable": _set_aside,
        "damaged_spare": _renew_spare,
        "spare_mismatch": _renew_spare,
        "no_spare": _renew_spare,
        "stale_spare": _renew_spare,
        "torn_tail": _cut_log,
        "damaged_vectors": _drop_vectors,
    }
)
"""Code of a finding -> what mends it, in this order; each says what it did, "" for nothing."""


def _opened(store: FileStore, place: paths.Place) -> Handle:
    with explained("open", str(store.home / place.path)):
        return store.disk.folder(place.folder)


def _found(store: FileStore, path: str, folder: Handle) -> Found[Document]:
    place = place_at(path)
    with explained("read", store.home, path):
        return store.core.find(ref_at(path), place, folder, store.core.key_to_write(), held=True)


def _copy(store: FileStore, folder: Handle, source: str, target: str) -> None:
    """Put the bytes of one file under another name, in a file of its own, on disk."""
    disk, limit = store.disk, store.settings.max_document_bytes
    with explained("write", store.home, paths.Place(folder.path, target).path):
        raw = disk.read(folder, source, limit)
        temp = paths.temp(owner_of(target), secrets.token_hex(8))
        atomic.write_new(disk, folder, temp, raw)
        with disk.open(folder, temp) as file:
            disk.flush(file)
        disk.rename(folder, temp, target)
        disk.flush(folder)
        store.core.cache.drop(paths.Place(folder.path, owner_of(target)).path)
