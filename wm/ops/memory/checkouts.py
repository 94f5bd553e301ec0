"""Offer the memory of another checkout of the same repository, and link to it (ID-3).

Git is queried before any lock is taken, at most once a minute, and only while the workspace's own
claims are unknown or have no remote. The document has keyed digests of the claims, never a URL.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress

from wm.api.protocol import LinkAnswer, LinkRequest, WorkspacePlace, WorkspaceSummary
from wm.domain.counts import counted
from wm.domain.facts import Fact
from wm.domain.memory import checkouts, scope
from wm.errors import StoreError, UserError
from wm.formats.home import Aliases
from wm.formats.workspace_memory import Checkout, WorkspaceMemory
from wm.ops.memory.documents import read_memory
from wm.ops.operation import LocatedWork, Operation, Work, as_written, granted, home_queue
from wm.ops.place import ALIASES, locate, memory_ref, named_key, place_of, unrooted
from wm.ops.runtime import Runtime
from wm.store import identity

DEADLINE_S = 1.0
MOST_COMPARED = 300
"""Workspaces that are compared with one that has no memory yet."""


def ask(runtime: Runtime, place: WorkspacePlace) -> Checkout | None:
    """What the folder claims to be a checkout of, where that is not stored yet, or has no remote,
    which a repository often gets later. Call without a lock; None without git, outside a
    repository, and for a shallow clone."""
    memory = runtime.store.read(memory_ref(place.key)).document
    known = memory.checkout if memory is not None else None
    if not place.root or (known is not None and known.remotes):
        return None
    return runtime.of_git(
        ("checkout", place.key), (place.root,), lambda: _claims(runtime, place.root)
    )


def _claims(runtime: Runtime, root: str) -> Checkout | None:
    commits, remotes = identity.origins(root, deadline_s=DEADLINE_S)
    if not commits:
        return None
    digest = runtime.store.digest
    names = sorted({digest(checkouts.remote_name(url)) for url in remotes})
    return Checkout(commits=tuple(sorted(map(digest, commits))), remotes=tuple(names))


def offer(work: LocatedWork, claims: Checkout | None) -> str:
    """What a person reads where a session starts without a memory; "" if nothing fits."""
    memory = read_memory(work)
    own = claims or memory.checkout
    if own is None or memory.entries:
        return ""
    found = checkouts.offers(own, _others(work))
    if not found:
        return ""
    best = found[0]
    has = counted(best.entries, "entry", "entries")
    said = f"wm knows another checkout of this repository: {best.root} ({has}"
    old, here = shlex.quote(best.root), shlex.quote(work.place.root)
    if best.there:
        return f"{said}). wm workspace link {old} uses its memory here, too."
    return f"{said}; the folder is gone). If it moved: wm workspace mv {old} {here}"


def _others(work: LocatedWork, *, asks: bool = False) -> Iterator[checkouts.Candidate]:
    """The other workspaces whose claims are known. asks: query git for those with entries that no
    session has stored the claims of yet."""
    for key in work.store.workspaces()[:MOST_COMPARED]:
        memory = _readable(work, key)
        if key == work.key or memory is None:
            continue
        root = memory.workspace.root
        entries = sum(entry.status == "active" for entry in memory.entries)
        there = os.path.isdir(root)
        claims = memory.checkout
        if claims is None and asks and entries and there:
            claims = _claims(work.runtime, root)
        if claims is not None:
            yield checkouts.Candidate(key, root, claims, there, entries)


def _readable(work: Work, key: str) -> WorkspaceMemory | None:
    with suppress(StoreError):
        return work.read(memory_ref(key)).document
    return None


def _link(work: Work, request: LinkRequest) -> LinkAnswer:
    """List what fits without `old`; else link, or unlink."""
    if not request.directory:
        raise UserError.of("link.key_named")
    work = work.at(locate(work.runtime, request))
    if request.unlink:
        return _unlinked(work, request)
    if not request.old:
        own = read_memory(work).checkout or _claims(work.runtime, work.place.root)
        found = checkouts.offers(own, _others(work, asks=True)) if own is not None else ()
        return LinkAnswer(key=work.key, offers=tuple(map(_summary, found)))
    new = identity.find(request.directory, explicit=request.explicit)
    filled = {k for k in work.store.workspaces() if (m := _readable(work, k)) and m.entries}
    plan = granted(
        checkouts.plan_link(
            named_key(work.runtime, request.old),
            new.key,
            new_root=new.root,
            folders=work.store.workspaces(),
            filled=filled,
            aliases=work.read(ALIASES).document or Aliases(),
            now=work.now,
        )
    )
    _put(work, plan, "linked", new.root)
    root = place_of(work.runtime, plan.target).root
    said = f"{new.root} uses the memory of {root} now; `wm workspace unlink` ends that."
    return LinkAnswer(key=plan.target, message=said)


def _unlinked(work: Work, request: LinkRequest) -> LinkAnswer:
    new = identity.find(request.directory, explicit=request.explicit)
    aliases = work.read(ALIASES).document or Aliases()
    target = scope.resolve(new.key, aliases)
    owner = place_of(work.runtime, target).root
    plan = granted(checkouts.plan_unlink(new.key, new_root=new.root, owner=owner, aliases=aliases))
    _put(work, plan, "unlinked", new.root)
    return LinkAnswer(key=new.key, message=f"{new.root} uses a memory of its own again.")


def _put(work: Work, plan: scope.Move, code: str, root: str) -> None:
    work.put(ALIASES, plan.aliases)
    fact = Fact("workspace_linked", "user", "changed", "", (code,), {"folder": root})
    work.at(unrooted(plan.target)).log([fact])


def _summary(one: checkouts.Candidate) -> WorkspaceSummary:
    return WorkspaceSummary(key=one.key, root=one.root, active=one.entries, exists=one.there)


link_workspace = Operation("link_workspace", LinkRequest, LinkAnswer, _link, as_written, home_queue)
