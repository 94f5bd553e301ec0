"""What each folder of the data folder may hold, and what a file there belongs to (ID-4). Pure.

The inverse of `paths`: from a path to its meaning. Protects: a file that matches nothing here is
not ours and never touched.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from wm.domain.governance import FileKind
from wm.errors import StoreError
from wm.formats.base import Document
from wm.store import evidence, paths
from wm.store.base import Ref

_OURS_AT_HOME = frozenset({paths.KEY_FILE, "daemon.lock", "daemon.log", "daemon.log.1"})
OTHER_FOLDERS = frozenset({"run", paths.QUARANTINE, paths.MODELS, paths.MIRRORS})
"""Folders of the data folder that hold no documents: only their own mode is checked."""


class FolderKind(Struct, frozen=True):
    """What a folder of ours may hold: documents of some formats, and other files. owns: whether it
    is such a file. others: what these files are for the sweep."""

    models: tuple[type[Document], ...] = ()
    owns: Callable[[str], object] = lambda _name: False
    others: FileKind = FileKind.KEPT

    def knows(self, name: str) -> bool:
        """Whether a file is a document or log of this folder, or a file that belongs to one."""
        owner = paths.companion(name)[0]
        is_document = any(paths.name_of(model, owner) is not None for model in self.models)
        return is_document or bool(self.owns(owner))


def _is_evidence(name: str) -> bool:
    return name == evidence.LOCKED or bool(evidence.segments([name]))


_LOGS = {
    paths.EVIDENCE: FolderKind(owns=_is_evidence),
    paths.FLOWS: FolderKind(owns=paths.session_of_log, others=FileKind.SISTER),
    paths.RECORDINGS: FolderKind(owns=paths.session_of_log, others=FileKind.RECORDING),
    paths.OBJECTS: FolderKind(owns=paths.session_of_log, others=FileKind.PAGED),
    paths.DECISIONS: FolderKind(owns=paths.session_of_log, others=FileKind.PAGED),
    paths.VECTORS: FolderKind(owns=paths.is_vectors, others=FileKind.VECTORS),
}
"""The folders of a workspace that hold no documents."""


def _models(folder: str, *, in_home: bool = False) -> tuple[type[Document], ...]:
    rows = paths.LAYOUT.items()
    return tuple(m for m, row in rows if row.folder == folder and row.in_home == in_home)


def kind_of(path: str) -> FolderKind | None:
    """What a folder may hold; None for a folder that wm does not know."""
    if not path:
        return FolderKind(_models("", in_home=True), _OURS_AT_HOME.__contains__)
    if path == paths.WORKSPACES:
        return FolderKind()
    workspace, below = paths.owner(path)
    if workspace != paths.USER and not paths.is_workspace(workspace):
        return None
    if below in _LOGS:
        return _LOGS[below]
    models = _models(below)
    above = any(row.folder.startswith(f"{below}/") for row in paths.LAYOUT.values())
    return FolderKind(models) if models or above else None


def place_at(path: str) -> paths.FilePlace:
    folder, _, name = path.rpartition("/")
    return paths.FilePlace(folder, name)


def ref_at(path: str) -> Ref[Document]:
    """The document of a path. StoreError if the path is not one of a document."""
    place = place_at(path)
    workspace, _ = paths.owner(place.folder)
    kind = kind_of(place.folder)
    for model in kind.models if kind else ():
        name = paths.name_of(model, place.name)
        if name is not None:
            return Ref(model, workspace, name)
    raise StoreError(f"{path} is not a document of wm.")
