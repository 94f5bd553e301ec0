"""Repair the findings of `check` that can be repaired without losing a byte (ST-3).

Restores documents from their previous copy and the other way round, moves damaged files to
quarantine, removes access for others, deletes temporary files of dead writers and cuts
incomplete ends of logs, each under the lock of the document. A restored document has the bytes of
the other copy: its generation is not increased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from wm.errors import StoreError
from wm.formats.base import Document
from wm.store import check, evidence, fsops, paths
from wm.store import key as keys
from wm.store.base import Finding, Health
from wm.store.copies import CopiesFound
from wm.store.files import FileStore
from wm.store.fsops import Handle, explained
from wm.store.tree import OTHER_FOLDERS, kind_of, place_at, ref_at


def repair(store: FileStore) -> Iterator[Finding]:
    """Repair what `check` calls repairable; yields what was done, and what failed."""
    todo = [finding for finding in check.check(store, deep=True) if finding.code in _REPAIRS]
    order = list(_REPAIRS)
    for finding in sorted(todo, key=lambda finding: order.index(finding.code)):
        if not finding.repairable:
            continue
        try:
            with explained("repair", store.home, finding.path):
                done = _REPAIRS[finding.code](store, finding.path)
        except StoreError as error:
            yield Finding(finding.code, "error", finding.path, f"Could not repair it: {error}")
        else:
            if done:
                yield Finding(finding.code, "note", finding.path, done)


def _renew_key(store: FileStore, _path: str) -> str:
    keys.renew(store.disk, store.core.quarantine)
    return "Created a new key; every document now waits for your review."


def _repair_key(store: FileStore, _path: str) -> str:
    store.core.key_to_write()
    return "Restored from the other copy."


def _restrict_mode(store: FileStore, path: str) -> str:
    above, _, name = path.rpartition("/")
    with explained("change the mode of", store.home, path):
        if path == "" or kind_of(path) is not None or path in OTHER_FOLDERS:
            with store.disk.folder(path) as handle:
                store.disk.chmod(handle, fsops.FOLDER_MODE)
        else:
            with store.disk.folder(above) as folder, store.disk.open(folder, name) as handle:
                store.disk.chmod(handle, fsops.FILE_MODE)
    return "Removed access for other users."


def _sweep(store: FileStore, path: str) -> str:
    above, _, name = path.rpartition("/")
    with (
        explained("clear", store.home, path),
        store.disk.folder(above) as folder,
        store.core.locks.try_hold(folder, paths.companion(name)[0]) as lock,
    ):
        removed = lock is not None and store.disk.remove(folder, name)
    return "Removed." if removed else ""


def _finish(store: FileStore, path: str) -> str:
    """Install an unfinished update that counts, and renew the previous copy; delete one that was
    cut off before it counted. Of two such files, the other one may be the one that counts."""
    above, _, name = path.rpartition("/")
    main = paths.FilePlace(above, paths.companion(name)[0])
    ref = ref_at(main.path)
    both = {paths.next_file(main.name, parity) for parity in (0, 1)}
    with store.transaction([ref]) as transaction, _opened(store, main) as folder:
        left = both.intersection(store.disk.list(folder))
        if name not in left:
            return ""
        if transaction.read(ref).health is Health.TOO_NEW:
            return ""  # the newer wm that left it finishes it
        counted = left.difference(store.disk.list(folder))
        if name not in counted:
            store.disk.unlink(folder, name)
    if counted:
        _renew_previous_copy(store, paths.FilePlace(above, paths.previous_copy(main.name)).path)
    return "Completed the write." if name in counted else "Removed."


def _restore(store: FileStore, path: str) -> str:
    """Give a damaged or missing document the bytes of its previous copy."""
    place = place_at(path)
    with store.transaction([ref_at(path)]), _opened(store, place) as folder:
        found = _find_copies(store, path, folder)
        if found.reading.health is not Health.RESTORED:
            return ""
        if found.keep_main:
            store.core.quarantine.keep(folder, place.name, found.keep_main)
        _copy(store, folder, paths.previous_copy(place.name), place.name)
    return "Restored from its previous copy; the damaged file is in the quarantine folder."


def _renew_previous_copy(store: FileStore, path: str) -> str:
    """Give the previous copy the bytes of its document, which is intact."""
    above, _, previous = path.rpartition("/")
    main = paths.FilePlace(above, paths.companion(previous)[0])
    with store.transaction([ref_at(main.path)]), _opened(store, main) as folder:
        found = _find_copies(store, main.path, folder)
        if found.reading.health is not Health.OK:
            return ""
        if previous in store.disk.list(folder):
            reason = "a previous copy that did not match its document"
            store.core.quarantine.keep(folder, previous, reason)
        _copy(store, folder, main.name, previous)
    return "Copied from the document."


def _set_aside(store: FileStore, path: str) -> str:
    """Move all copies of a document to quarantine if none of them can be read."""
    ref = ref_at(path)
    with store.transaction([ref]) as transaction:
        if transaction.read(ref).health is not Health.LOST:
            return ""
        transaction.delete(ref)
    return "Moved to the quarantine folder; the document starts empty."


def _cut_log(store: FileStore, path: str) -> str:
    above = path.rpartition("/")[0]
    workspace = above.split("/")[1]
    with (
        explained("repair", store.home, path),
        store.disk.folder(above) as folder,
        store.core.locks.hold(folder, evidence.LOCKED),
        store.core.log.open_end(workspace, folder, store.core.key_to_write()).file as file,
    ):
        store.disk.flush(file)
    return "Cut back to the last whole record."


def _drop_vectors(store: FileStore, path: str) -> str:
    """Delete damaged vectors. Nothing is lost: the next search computes them again."""
    above, _, name = path.rpartition("/")
    with explained("delete", store.home, path), store.disk.folder(above) as folder:
        removed = store.disk.remove(folder, name)
    return "Removed; the next search computes them again." if removed else ""


_REPAIRS: Mapping[str, Callable[[FileStore, str], str]] = {
    "no_key": _renew_key,
    "damaged_key": _repair_key,
    "open_to_others": _restrict_mode,
    "stale_temp": _sweep,
    "unfinished": _finish,
    "restored": _restore,
    "unreadable": _set_aside,
    "damaged_spare": _renew_previous_copy,
    "spare_mismatch": _renew_previous_copy,
    "no_spare": _renew_previous_copy,
    "stale_spare": _renew_previous_copy,
    "torn_tail": _cut_log,
    "damaged_vectors": _drop_vectors,
}
"""Code of a finding -> its repair, in this order; each returns what it did, "" for nothing."""


def _opened(store: FileStore, place: paths.FilePlace) -> Handle:
    with explained("open", str(store.home / place.path)):
        return store.disk.folder(place.folder)


def _find_copies(store: FileStore, path: str, folder: Handle) -> CopiesFound[Document]:
    place = place_at(path)
    with explained("read", store.home, path):
        return store.core.find(ref_at(path), place, folder, store.core.key_to_write(), locked=True)


def _copy(store: FileStore, folder: Handle, source: str, target: str) -> None:
    """Copy the bytes of one file to another name, as a separate file, and flush them."""
    disk, limit = store.disk, store.settings.max_document_bytes
    document = paths.companion(target)[0]
    with explained("write", store.home, paths.FilePlace(folder.path, target).path):
        raw = disk.read(folder, source, limit)
        store.core.replace(folder, target, [raw], durable=True, owner=document)
        disk.flush(folder)
        store.core.cache.pop(paths.FilePlace(folder.path, document).path)
