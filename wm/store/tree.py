"""What each folder of the data folder may hold, and what a file there belongs to (ID-4). Pure.

The inverse of `paths`: from a path to its meaning. Protects: a file that matches nothing here is
not ours and never touched.
"""

from __future__ import annotations

import re

from msgspec import Struct

from wm.errors import StoreError
from wm.formats.base import Document
from wm.store import evidence, paths
from wm.store.base import Ref

_OURS_AT_HOME = frozenset({paths.KEY_FILE, "daemon.lock", "daemon.log", "daemon.log.1"})
OTHER_FOLDERS = frozenset({"run", paths.QUARANTINE, paths.MODELS})
"""Folders of the data folder that hold no documents: only their own mode is checked."""
_OLD_VERSION = re.compile(r"\.(.+)\.v[0-9]{1,9}", re.ASCII)


class FolderKind(Struct, frozen=True):
    """What a folder of ours may hold: documents of some formats, a log, the data folder's own
    files."""

    models: tuple[type[Document], ...] = ()
    home: bool = False
    log: bool = False
    flows: bool = False
    """One log per session."""
    bodies: bool = False
    """One log of recorded bodies per session."""
    vectors: bool = False

    def knows(self, name: str) -> bool:
        """Whether a file is a document or log of this folder, or a file that belongs to one."""
        owner = owner_of(name)
        return (
            any(paths.name_of(model, owner) is not None for model in self.models)
            or (self.home and owner in _OURS_AT_HOME)
            or (self.log and (owner == "log" or bool(evidence.segments([owner]))))
            or (self.flows and paths.session_of_flows(owner) is not None)
            or (self.vectors and paths.is_vectors(owner))
        )


def owner_of(name: str) -> str:
    """The document that a file belongs to: the file itself, or the document whose previous copy,
    lock, temporary file, next or older version it is."""
    found = (
        paths.document_of_temp(name)
        or paths.document_of_previous_copy(name)
        or paths.document_of_next(name)
    )
    if found is None and name.startswith(".") and name.endswith(".lock"):
        found = name[1:-5]
    old = _OLD_VERSION.fullmatch(name)
    return found or (old.group(1) if old else name)


def _models(folder: str, *, in_home: bool = False) -> tuple[type[Document], ...]:
    rows = paths.LAYOUT.items()
    return tuple(m for m, row in rows if row.folder == folder and row.in_home == in_home)


def kind_of(path: str) -> FolderKind | None:
    """What a folder may hold; None for a folder that wm does not know."""
    parts = path.split("/") if path else []
    if not parts:
        return FolderKind(_models("", in_home=True), home=True)
    if parts[0] != paths.WORKSPACES or not all(paths.is_workspace(key) for key in parts[1:2]):
        return None
    if len(parts) == 1:
        return FolderKind()
    if len(parts) == 2:
        return FolderKind(_models(""))
    below = "/".join(parts[2:])
    models, log = _models(below), below == paths.EVIDENCE
    bodies, vectors = below == paths.RECORDINGS, below == paths.VECTORS
    flows = bodies or below == paths.FLOWS
    if models or log or flows or vectors:
        return FolderKind(models, log=log, flows=flows, bodies=bodies, vectors=vectors)
    return (
        FolderKind()
        if any(row.folder.startswith(f"{below}/") for row in paths.LAYOUT.values())
        else None
    )


def place_at(path: str) -> paths.FilePlace:
    folder, _, name = path.rpartition("/")
    return paths.FilePlace(folder, name)


def ref_at(path: str) -> Ref[Document]:
    """The document of a path. StoreError if the path is not one of a document."""
    place = place_at(path)
    parts = place.folder.split("/")
    workspace = parts[1] if parts[0] == paths.WORKSPACES and len(parts) > 1 else ""
    kind = kind_of(place.folder)
    for model in kind.models if kind else ():
        name = paths.name_of(model, place.name)
        if name is not None:
            return Ref(model, workspace, name)
    raise StoreError(f"{path} is not a document of wm.")
