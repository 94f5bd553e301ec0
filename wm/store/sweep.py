"""List the files of a workspace's folder as facts, and delete the files that a plan names (GV-3).

`domain/governance` decides which files may be deleted; nothing is decided here. An unknown file is
reported as such, an unknown folder is not entered, and no symlink is followed. Names are read one
by one and never sorted, so that a folder of 100,000 files causes no long step; `pause` is called
between short steps.

Protects: a file that changed since it was listed is kept. A document is deleted under its lock:
first the copies that would count in its place, then the document, and the lock file last. A crash
leaves the complete document, or fewer files beside it. The next run deletes what a power cut
restores before `flush`.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import Any

from msgspec import Struct

from wm.domain.governance import FileFact, FileKind, FilePart
from wm.formats.base import Document
from wm.formats.core_memory import NEXT, CoreMemory
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import SessionState
from wm.formats.tombstones import TrashedEntry
from wm.formats.tool_output import ToolOutput, of_file_name
from wm.store import evidence, fsops, paths, tree
from wm.store.base import Pause, Ref
from wm.store.core import Core
from wm.store.fsops import Handle, explained, if_there
from wm.store.jsonlines import json_object
from wm.store.paths import FilePlace

Contents = Callable[[FileFact], FileFact]
"""Adds to the fact of a document what only its contents show."""

_KINDS = {
    ToolOutput: FileKind.OUTPUT,
    SessionState: FileKind.SESSION,
    PromptEpoch: FileKind.EPOCH,
    TrashedEntry: FileKind.TRASH,
}
_PARTS = {
    "": FilePart.DOCUMENT,
    "lock": FilePart.LOCK,
    "tmp": FilePart.TEMP,
    "spare": FilePart.COPY,
    "next": FilePart.COPY,
    "v": FilePart.OLD,
}


def scan(core: Core, workspace: str, complete: Contents, pause: Pause) -> Iterator[FileFact]:
    """Every file below a workspace's folder. Raises StoreError."""
    locked_inodes = fsops.locked_inodes()
    waiting = [paths.workspace_folder(workspace)]
    while waiting:
        path = waiting.pop()
        with explained("look through", core.home, path):
            try:
                folder = core.disk.folder(path)
            except FileNotFoundError:
                continue
            kind = tree.kind_of(path)
            with folder:
                for name in core.disk.names(folder):
                    pause()
                    fact = _fact(core, folder, name, kind, locked_inodes, waiting)
                    if fact is not None:
                        yield complete(fact)


def _fact(
    core: Core,
    folder: Handle,
    name: str,
    found_in: tree.FolderKind | None,
    locked_inodes: frozenset[int],
    waiting: list[str],
) -> FileFact | None:
    try:
        found = core.disk.stat(folder, name)
    except FileNotFoundError:
        return None
    path = f"{folder.path}/{name}"
    if stat.S_ISDIR(found.st_mode) and tree.kind_of(path) is not None:
        waiting.append(path)
        return None
    what = classify(found_in, name) if stat.S_ISREG(found.st_mode) else None
    kind, part, session, owner = what or (FileKind.UNKNOWN, FilePart.DOCUMENT, "", name)
    return FileFact(
        path,
        path if owner == name else f"{folder.path}/{owner}",
        kind,
        part,
        session,
        found.st_mtime,
        found.st_size,
        locked=part is FilePart.LOCK and found.st_ino in locked_inodes,
    )


def classify(
    folder: tree.FolderKind | None, name: str
) -> tuple[FileKind, FilePart, str, str] | None:
    """(kind, part, session, document) of a file in such a folder; None for a file that is not
    ours."""
    owner, companion = paths.companion(name)
    part = _PARTS[companion]
    for model in folder.models if folder is not None else ():
        known = paths.name_of(model, owner)
        if known is None:
            continue
        if model is CoreMemory and known == NEXT:
            # It belongs to the next session, which does not exist yet, so it is not an orphan.
            break
        kind = _KINDS.get(model, FileKind.SISTER if paths.is_of_session(model) else FileKind.KEPT)
        session = known if kind in (FileKind.SESSION, FileKind.SISTER) else ""
        if kind is FileKind.OUTPUT:
            session = of_file_name(known)[1]
        return kind, part, session, owner
    if folder is None or not folder.knows(name):
        return None
    of_session = folder.others in (FileKind.SISTER, FileKind.RECORDING)
    session = (paths.session_of_log(owner) if of_session else None) or ""
    return folder.others, part, session, owner


def contents(core: Core, fact: FileFact) -> dict[str, Any]:
    """A document's JSON, unverified: for its owner, never for the text in force. Empty for a
    damaged or missing document. Raises StoreError if it cannot be read."""
    folder, _, name = fact.path.rpartition("/")
    raw = b"{}"
    with if_there("read", core.home, fact.path), core.disk.folder(folder) as opened:
        raw = core.disk.read(opened, name, core.settings.max_document_bytes)
    return json_object(raw) or {}


def log_bytes(core: Core, workspace: str) -> int:
    """Size of a workspace's evidence. Raises StoreError."""
    path = paths.evidence_folder(workspace)
    with if_there("look through", core.home, path), core.disk.folder(path) as folder:
        names = map(evidence.file_name, evidence.segments(core.disk.list(folder)))
        return sum(core.disk.stat(folder, name).st_size for name in names)
    return 0


def modified(core: Core, ref: Ref[Document]) -> float:
    """When a document's file was last written, in seconds since 1970; 0 if there is none."""
    place = paths.place(ref)
    with suppress(OSError), core.disk.folder(place.folder) as folder:
        return core.disk.stat(folder, place.name).st_mtime
    return 0.0


class Removal(Struct, eq=False):
    """Deletes the files of one plan, document by document."""

    core: Core
    _touched: dict[str, None] = {}

    def remove(self, files: Sequence[FileFact]) -> str:
        """Delete files of one document; returns "" when they are gone, else why they stay. Raises
        StoreError."""
        place = tree.place_at(files[0].document)
        # If something is missing, the folder is gone, or another process was first.
        with (
            if_there("delete", self.core.home, place.path),
            self.core.disk.folder(place.folder) as folder,
        ):
            self._touched[place.folder] = None
            return self._remove(folder, place, files)
        return ""

    def flush(self) -> None:
        """Flush the removals to disk, so that no power cut restores the files. Raises
        StoreError."""
        with explained("flush", self.core.home), ExitStack() as stack:
            folders = []
            for path in self._touched:
                with suppress(FileNotFoundError):
                    folders.append(stack.enter_context(self.core.disk.folder(path)))
            self.core.disk.flush_all(folders)
        self._touched.clear()

    def _remove(self, folder: Handle, place: FilePlace, files: Sequence[FileFact]) -> str:
        if files[0].kind is FileKind.OUTPUT:
            return self._unlink_all(folder, place, files)  # tool outputs have no locks
        # Taking the lock creates its file, so a lock file that did not exist before must not stay.
        had_lock = self.core.disk.exists(folder, paths.lock(place.name))
        loses_lock = not had_lock or any(file.part is FilePart.LOCK for file in files)
        with self.core.locks.try_hold(folder, place.name) as lock:
            if lock is None:
                return "locked"
            why = self._unlink_all(folder, place, files)
            if loses_lock and not why:
                self.core.locks.remove(lock)
        return why

    def _unlink_all(self, folder: Handle, place: FilePlace, files: Sequence[FileFact]) -> str:
        disk = self.core.disk
        targets = [(f.path.rpartition("/")[2], f) for f in files if f.part is not FilePart.LOCK]
        if not all(self._is_unchanged(folder, name, fact) for name, fact in targets):
            return "changed"
        parts = {fact.part for fact in files}
        came_back = FilePart.DOCUMENT not in parts and disk.exists(folder, place.name)
        if came_back and parts & {FilePart.COPY, FilePart.LOCK}:
            return "changed"
        if parts & {FilePart.DOCUMENT, FilePart.COPY}:
            self.core.drop_pending(place)
            self.core.cache.pop(place.path)
        # The document last: it counts until then, and no copy is left that would count instead.
        for name, _fact in sorted(targets, key=lambda file: file[1].part is FilePart.DOCUMENT):
            disk.remove(folder, name)
        return ""

    def _is_unchanged(self, folder: Handle, name: str, fact: FileFact) -> bool:
        """Whether the file is the one that was listed, or gone."""
        try:
            now = self.core.disk.stat(folder, name)
        except FileNotFoundError:
            return True
        return (now.st_mtime, now.st_size) == (fact.modified, fact.size)
