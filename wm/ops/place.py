"""Find the workspace of a request, by directory or key; follows aliases (ID-2, ID-3).

Protects the rule that no root reads or writes the memory of another one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache

from wm.api.protocol import Scoped, WorkspacePlace
from wm.domain.memory import scope
from wm.errors import NotFound, RootMismatch, UserError
from wm.formats.home import Aliases
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import Workspace, WorkspaceMemory
from wm.ops.runtime import PLACE_KNOWN_S, Runtime
from wm.store import identity
from wm.store.base import Health, Ref
from wm.store.paths import USER


def locate(runtime: Runtime, request: Scoped) -> WorkspacePlace:
    """The workspace of a request.

    Raises UserError without directory and key, and the errors of `identity.find` for a directory
    that cannot be a workspace.
    """
    if request.workspace:
        return _beside(runtime, request) or place_of_key(runtime, request.workspace)
    if not request.directory:
        raise UserError.of("workspace.not_named")
    asked = (request.directory, request.explicit)
    moment = runtime.now().timestamp() // PLACE_KNOWN_S
    # A move or a link counts at once: the next command asks for the folder that it was about.
    aliases = runtime.store.read(ALIASES).document
    return runtime.caches.places.get(
        asked, (moment, aliases), lambda: _look(runtime, request, aliases)
    )


def _beside(runtime: Runtime, request: Scoped) -> WorkspacePlace | None:
    """The workspace of the directory, if it is the one with this key. `wm run` names the key before
    anything of the workspace is stored, so the key alone is not known."""
    if request.directory:
        with suppress(UserError):
            scoped = Scoped(directory=request.directory, explicit=request.explicit)
            place = locate(runtime, scoped)
            return place if place.key == request.workspace else None
    return None


def _look(runtime: Runtime, request: Scoped, aliases: Aliases | None) -> WorkspacePlace:
    found = identity.find(request.directory, explicit=request.explicit)
    key = _followed(aliases, found.key)
    if key == found.key:
        _refuse_foreign(runtime, found)
    if runtime.store.read(memory_ref(key)).health is Health.MISSING:
        # Outside git: the nearest folder above in which something is remembered.
        for above in identity.folders_above(found.path):
            place = WorkspacePlace(key=_followed(aliases, above.key), root=above.root)
            reading = runtime.store.read(memory_ref(place.key))
            memory = reading.document
            # A linked folder uses a memory with another root; without a link that one moved away.
            is_own = place.key != above.key or memory is None or memory.workspace.root == above.root
            # What was forgotten counts, too: else the session would leave before its undo. So does
            # a damaged memory: a new one would hide it.
            is_used = bool(memory and memory.entries) or reading.health is Health.LOST
            if is_own and (is_used or runtime.store.names(TrashedEntry, place.key)):
                return place
    return WorkspacePlace(
        key=key, root=found.root, branch=runtime.redacted_name(found.branch or "")
    )


def _refuse_foreign(runtime: Runtime, found: identity.WorkspaceIdentity) -> None:
    """A key is a prefix of a digest: two roots may share it, and a root may have given its memory
    away. Neither root may read or write the other's memory."""
    owner = place_of(runtime, found.key).root
    if owner in ("", found.root):
        return
    if identity.key_of(owner) == found.key:
        raise RootMismatch.of("workspace.same_key", root=found.root, owner=owner, key=found.key)
    raise RootMismatch.of("workspace.given_away", root=found.root, owner=owner)


USER_PLACE = WorkspacePlace(key=USER, root="")
"""The entries of scope `user`: a memory of their own, which every workspace shows (ID-3)."""


def place_of_key(runtime: Runtime, key: str) -> WorkspacePlace:
    """The workspace with this key or unambiguous key prefix. Raises UserError."""
    if key == USER:
        return USER_PLACE
    known = runtime.store.workspaces()
    key = follow(runtime, key)
    matches = [name for name in known if name.startswith(key)]
    if len(matches) != 1 and key not in known:
        how = "is not known" if not matches else f"matches {len(matches)} workspaces"
        raise UserError.of("workspace.unknown_key", key=key, how=how)
    return place_of(runtime, follow(runtime, key if key in known else matches[0]))


def place_of(runtime: Runtime, key: str) -> WorkspacePlace:
    """The workspace of a folder of the data folder."""
    memory = runtime.store.read(memory_ref(key)).document
    return WorkspacePlace(key=key, root=memory.workspace.root if memory is not None else "")


def unrooted(key: str) -> WorkspacePlace:
    """The workspace for work that needs only its key."""
    return WorkspacePlace(key=key, root="")


def follow(runtime: Runtime, key: str) -> str:
    """The key of the folder with the memory of `key`."""
    return _followed(runtime.store.read(ALIASES).document, key)


def _followed(aliases: Aliases | None, key: str) -> str:
    return key if aliases is None else scope.resolve(key, aliases)


@lru_cache(maxsize=256)
def memory_ref(key: str) -> Ref[WorkspaceMemory]:
    return Ref(WorkspaceMemory, key)


ALIASES: Ref[Aliases] = Ref(Aliases)


def named_key(runtime: Runtime, named: str) -> str:
    """The key that a key, a folder, or the former path of a folder means."""
    if named in runtime.store.workspaces():
        return named
    try:
        return identity.find(named, explicit=True).key
    except NotFound:
        return identity.key_of(os.path.realpath(named))


def workspace_of(place: WorkspacePlace) -> Workspace:
    return Workspace(root=place.root, key=place.key)
