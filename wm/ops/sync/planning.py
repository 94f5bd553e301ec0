"""Decide with whom to sync what, and run it: a project with its remote, or all own memory (SY-1).

Only remotes that a person agreed to are contacted in the background; a remote whose URL changed
needs a new agreement.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from typing import Any

from wm.api.protocol import Scoped, WorkspacePlace
from wm.api.sync import Synced
from wm.domain.memory.checkouts import remote_name
from wm.domain.sync.arrivals import SIGNED
from wm.domain.sync.portable import author_id
from wm.errors import Corrupt, NotFound, UserError
from wm.formats.sharing.sync import Remote, Replica
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.place import USER_PLACE, locate, place_of
from wm.ops.runtime import Runtime
from wm.ops.sync.documents import replica_of, sync_ref
from wm.ops.sync.exchange import Call, Choices, Plan, synchronise
from wm.store import identity
from wm.store.git.mirror import Identity, Mirror, absolute_url, configured
from wm.store.git.objects import Objects

ORIGIN = "origin"
DEADLINE_S = 5.0
MINE = author_id("mine")
"""The author of everything in the user's own repository, whichever address git knows."""


def sync_project(
    runtime: Runtime, call: Call, scope: Mapping[str, Any], choices: Choices
) -> Synced:
    """Sync what is shared of a project. Raises UserError, Unavailable."""
    place = locate(runtime, Scoped.model_validate(scope))
    if not place.root or place.key == USER_PLACE.key:
        raise UserError.of("sync.no_project")
    known = replica(runtime, place.key, mine=False)
    name = choices.remote or (known.remote.name if known.remote else ORIGIN)
    git = configured(place.root)
    url = absolute_url(place.root, git.remotes.get(name, ""))
    if not url:
        mine = "For your own memory, without a project: wm sync --mine URL"
        if not git.is_repository:
            raise UserError.of("sync.no_repository", root=place.root, name=name, mine=mine)
        new = "NAME" if set("/: ") & set(name) else name
        raise UserError.of("sync.unknown_remote", name=name, root=place.root, new=new, mine=mine)
    if git.who is None:
        raise UserError.of("sync.no_identity")
    remote, team = _remote(runtime, known, name, url), runtime.settings.team
    is_known = remote is known.remote
    if choices.quiet and not is_known:
        raise UserError.of("sync.changed_url", name=name)
    plan = Plan(
        parts=[("entries", scope)],
        mine=False,
        url=url,
        remote=remote,
        is_known=is_known,
        who=git.who,
        author=known.author or author_id(git.who.email),
        choices=choices,
        now=runtime.now,
        allowed_signers=team.allowed_signers if team.accept == SIGNED else None,
        publish_to=place.root,
    )
    return _run(plan, Mirror(runtime.store, place.key, quiet=choices.quiet), call)


def sync_mine(runtime: Runtime, call: Call, choices: Choices, scope: Mapping[str, Any]) -> Synced:
    """Sync all own memory with a repository of the user's own. scope: a project that takes part
    even if nothing is remembered there yet. Raises UserError, Unavailable."""
    known = replica(runtime, USER_PLACE.key, mine=True)
    url = known.remote.name if known.remote else ""
    if choices.remote:  # the daemon names none: its working folder may be gone
        url = absolute_url(str(scope.get("directory") or os.getcwd()), choices.remote)
    if not url:
        raise UserError.of("sync.no_own_repository")
    if "@" in url.partition("://")[2] and ":" in url.partition("://")[2].partition("@")[0]:
        raise UserError.of("sync.password_in_url")
    mirror = Mirror(runtime.store, USER_PLACE.key, quiet=choices.quiet)
    mirror.prepare()
    fetched, trouble = mirror.fetch(url)
    here, workspaces = _here(runtime, scope), runtime.store.workspaces()
    roots = {here.key: here.root, **{key: place_of(runtime, key).root for key in workspaces}}
    roots.pop(USER_PLACE.key, None)
    spaces = {key: replica(runtime, key, mine=True).space for key in roots}
    taken = {*spaces.values(), *(Objects(mirror.path).spaces(fetched) if fetched else ())}
    for key, root in roots.items():
        # Without the tree nothing says which projects it has, so no other folder takes part.
        if not trouble and not spaces[key] and os.path.isdir(root):
            spaces[key] = _claimed(root, taken, choices)
            taken.add(spaces[key])
    parts: list[tuple[str, Mapping[str, Any]]] = [("user", {"workspace": USER_PLACE.key})]
    for key, space in spaces.items():
        parts += [(space, {"workspace": key} if key in workspaces else scope)] if space else []
    apart = "" if trouble or spaces.get(here.key, "user") else here.root
    remote = _remote(runtime, known, url, url)
    plan = Plan(
        parts=parts,
        mine=True,
        url=url,
        remote=remote,
        is_known=remote is known.remote,
        who=configured(str(runtime.store.home)).who or Identity("wm", "wm@localhost"),
        author=MINE,
        choices=choices,
        now=runtime.now,
    )
    return _run(plan, mirror, call).model_copy(update={"apart": apart})


def sync_quietly(runtime: Runtime, workspace: str) -> None:
    """A sync that nobody watches, while a session is active: of a project, and of the user's own
    memory, as far as a person agreed to a remote.

    It sends only after the first push was seen, and signs nothing: what has to be signed waits for
    `wm sync`.
    """
    choices = Choices(quiet=True)

    def call(name: str, /, **fields: Any) -> Any:
        operation = OPERATIONS[name]
        return execute(runtime, operation, operation.requested(fields))

    try:
        if replica(runtime, workspace, mine=False).remote is not None:
            sync_project(runtime, call, {"workspace": workspace}, choices)
    finally:  # whatever is wrong with the remote of a project
        if replica(runtime, USER_PLACE.key, mine=True).remote is not None:
            sync_mine(runtime, call, choices, {})


def _run(plan: Plan, mirror: Mirror, call: Call) -> Synced:
    mirror.prepare(plan.publish_to)
    try:
        return synchronise(plan, mirror, call)
    except Corrupt:
        mirror.set_aside()
        mirror.prepare(plan.publish_to)
        return synchronise(plan, mirror, call)


def replica(runtime: Runtime, key: str, *, mine: bool) -> Replica:
    """What a workspace last saw of a tree; an empty one if it shares nothing."""
    document = runtime.store.read(sync_ref(key)).document
    return Replica() if document is None else replica_of(document, mine)


def _remote(runtime: Runtime, known: Replica, name: str, url: str) -> Remote:
    """The remote as agreed; a changed URL was not agreed to."""
    keyed = runtime.store.digest(url)
    if known.remote is not None and (known.remote.name, known.remote.digest) == (name, keyed):
        return known.remote
    shown = runtime.redactor.text(remote_name(url))
    moment = runtime.now().isoformat(timespec="seconds")
    return Remote(name=name, shown=shown, digest=keyed, approved_at=moment)


def _here(runtime: Runtime, scope: Mapping[str, Any]) -> WorkspacePlace:
    """The project of the command; the user's own place if it runs in the home folder, in `/`, or in
    the background. Raises NotFound."""
    try:
        return locate(runtime, Scoped.model_validate(scope))
    except NotFound:
        raise
    except UserError:
        return USER_PLACE


def _claimed(root: str, taken: Collection[str], choices: Choices) -> str:
    """The folder in the user's own tree of a checkout that has none yet; "" if it does not take
    part. First commit and remote are claims that any folder can make (ID-3)."""
    space = claimed_space(root)
    return space if space and (space not in taken or choices.adopts(root)) else ""


def claimed_space(root: str) -> str:
    """The folder of a checkout in the user's own tree, by its first commits and its remote; "" for
    a shallow clone and outside git."""
    try:
        commits, urls = identity.origins(root, deadline_s=DEADLINE_S)
    except NotFound:
        return ""
    if not commits:
        return ""
    origin = configured(root).remotes.get(ORIGIN, "") or (urls[0] if urls else "")
    name = remote_name(absolute_url(root, origin)) if origin else ""
    claim = "\0".join((*sorted(commits), name))
    return "w_" + hashlib.sha256(claim.encode("utf-8", "surrogatepass")).hexdigest()[:16]
