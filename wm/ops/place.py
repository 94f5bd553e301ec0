"""Which workspace a request speaks of: directory or key, aliases followed (ID-2, ID-3)."""

from __future__ import annotations

from functools import lru_cache

from wm.domain.workspace import scope
from wm.errors import RootMismatch, UserError
from wm.formats.home import Aliases
from wm.formats.protocol import Place, Scoped
from wm.formats.workspace_memory import Workspace, WorkspaceMemory
from wm.ops.runtime import Runtime
from wm.store import identity
from wm.store.base import Ref


def locate(runtime: Runtime, request: Scoped) -> Place:
    """The workspace of a request.

    Raises UserError where neither a directory nor a key is given, and what
    `identity.find` raises for a directory that cannot be a workspace.
    """
    if request.workspace:
        return place_of_key(runtime, request.workspace)
    if not request.directory:
        raise UserError(
            "The request names no workspace.",
            fix="Give a directory (-C DIR) or a workspace key (--workspace KEY).",
        )
    asked = (request.directory, request.explicit)
    place: Place = runtime.places.get(asked, runtime.now(), lambda: _look(runtime, request))
    return place


def _look(runtime: Runtime, request: Scoped) -> Place:
    found = identity.find(request.directory, explicit=request.explicit)
    aliases = runtime.store.read(Ref(Aliases)).document
    key = _followed(aliases, found.key)
    if key == found.key:
        _refuse_foreign(runtime, found, aliases)
    return Place(key=key, root=found.root, branch=runtime.redacted_name(found.branch or ""))


def _refuse_foreign(runtime: Runtime, found: identity.Identity, aliases: Aliases | None) -> None:
    """A key is the beginning of a digest: two roots may share it, and a root may have given its
    memory away. Neither may read or write what belongs to the other."""
    owner = _owner(runtime, found.key, aliases)
    if owner in ("", found.root):
        return
    if identity.key_of(owner) == found.key:
        raise RootMismatch(
            f"{found.root} and {owner} have the same workspace key {found.key}; the memory there "
            f"belongs to {owner}.",
            fix="Rename or move one of the two folders.",
        )
    raise RootMismatch(
        f"The memory of {found.root} was given to {owner}.",
        fix=f"`wm workspace mv {owner} {found.root}` gives it back.",
    )


def _owner(runtime: Runtime, key: str, aliases: Aliases | None) -> str:
    """The root that the memory under this key belongs to, "" while there is none.

    Read once: only a move gives a memory to another root, and it changes the aliases.
    """

    def read() -> str:
        memory = runtime.store.read(memory_ref(key)).document
        return memory.workspace.root if memory is not None else ""

    owner: str = runtime.owners.get(key, (aliases,), read)
    if not owner:
        runtime.owners.forget(key)
    return owner


def place_of_key(runtime: Runtime, key: str) -> Place:
    """The workspace with this key, or an unambiguous beginning of it. Raises UserError."""
    known = runtime.store.workspaces()
    key = follow(runtime, key)
    matches = [name for name in known if name.startswith(key)]
    if len(matches) != 1 and key not in known:
        how = "is not known" if not matches else f"fits {len(matches)} workspaces"
        raise UserError(
            f"The workspace key {key!r} {how}.", fix="`wm workspace list` shows all keys."
        )
    full = follow(runtime, key if key in known else matches[0])
    memory = runtime.store.read(memory_ref(full)).document
    return Place(key=full, root=memory.workspace.root if memory is not None else "")


def follow(runtime: Runtime, key: str) -> str:
    """The key whose folder holds the memory of `key`."""
    return _followed(runtime.store.read(Ref(Aliases)).document, key)


def _followed(aliases: Aliases | None, key: str) -> str:
    return key if aliases is None else scope.resolve(key, aliases)


@lru_cache(maxsize=256)
def memory_ref(key: str) -> Ref[WorkspaceMemory]:
    return Ref(WorkspaceMemory, key)


def workspace_of(place: Place) -> Workspace:
    return Workspace(root=place.root, key=place.key)
