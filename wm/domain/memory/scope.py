"""Entry scopes, and which folder a workspace key means (ID-3). Pure.

Does not read repositories: the caller passes which branch is checked out, merged or gone
(`wm.store.identity`). Protects the rule that nothing is shared silently: a workspace reads the
memory of another path only through an alias that a person requested.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec import Struct

from wm.domain.facts import Refusal
from wm.domain.times import iso
from wm.formats.home import Alias, Aliases
from wm.formats.workspace_memory import MemoryEntry

WORKSPACE = "workspace"
USER = "user"
BRANCH = "branch:"


def branch_of(scope: str) -> str | None:
    """The branch that a scope names; None for every other scope."""
    return scope[len(BRANCH) :] if scope.startswith(BRANCH) and scope != BRANCH else None


def visible(entry_scope: str, branch: str | None) -> bool:
    """Whether an entry of this scope is shown while `branch` is checked out (None: detached or
    outside git). A scope unknown to this version is never shown."""
    if entry_scope in (WORKSPACE, USER, ""):
        return True
    named = branch_of(entry_scope)
    return named is not None and named == branch


def branches(entries: Iterable[MemoryEntry]) -> tuple[str, ...]:
    """Branches of active entries, sorted: the names to look up in git."""
    named = (branch_of(entry.scope) for entry in entries if entry.status == "active")
    return tuple(sorted({name for name in named if name is not None}))


class Offer(Struct, frozen=True):
    """A branch entry that may become a workspace entry. reason: branch_merged | branch_gone."""

    id: str
    branch: str
    reason: str


def offer_for_promotion(
    entries: Iterable[MemoryEntry], *, merged: Collection[str], gone: Collection[str]
) -> tuple[Offer, ...]:
    """Active entries whose branch was merged or no longer exists, in document order.

    A merged branch that is gone as well counts as merged: its facts reached the trunk.
    """
    offers = []
    for entry in entries:
        branch = branch_of(entry.scope)
        if entry.status != "active" or branch is None:
            continue
        if branch in merged:
            offers.append(Offer(entry.id, branch, "branch_merged"))
        elif branch in gone:
            offers.append(Offer(entry.id, branch, "branch_gone"))
    return tuple(offers)


def offer_id(entry_id: str, branch: str) -> str:
    """The id of the offer for this entry. Deterministic, so that it is made once, and a rejected
    offer is recognised by its id in the trash."""
    return "m_" + hashlib.sha256(f"offer\0{entry_id}\0{branch}".encode()).hexdigest()[:20]


def unoffered(entries: Iterable[MemoryEntry], known: Collection[str]) -> tuple[MemoryEntry, ...]:
    """Active branch entries without an offer. known: ids that are taken."""
    return tuple(
        entry
        for entry in entries
        if entry.status == "active"
        and (branch := branch_of(entry.scope)) is not None
        and offer_id(entry.id, branch) not in known
    )


def offered(entry: MemoryEntry, offer: Offer, *, now: datetime) -> MemoryEntry:
    """The offer as an inbox entry: once accepted, it supersedes the branch entry."""
    return entry.model_copy(
        update={
            "id": offer_id(entry.id, offer.branch),
            "status": "inbox",
            "scope": WORKSPACE,
            "supersedes": (entry.id,),
            "reasons": (offer.reason,),
            "updated_at": iso(now),
        }
    )


def resolve(key: str, aliases: Aliases) -> str:
    """The key of the folder that holds what `key` means.

    Follows chains. A cycle, which only a hand edit can make, resolves to `key` itself.
    """
    step = {alias.key: alias.target for alias in aliases.aliases}
    seen = {key}
    at = key
    while at in step:
        at = step[at]
        if at in seen:
            return key
        seen.add(at)
    return at


class Move(Struct, frozen=True):
    """The allowed result of `wm workspace mv`: write `aliases`. target: the folder that stays."""

    aliases: Aliases
    target: str


def plan_move(
    old: str, new: str, *, new_root: str, folders: Collection[str], aliases: Aliases, now: datetime
) -> Move | Refusal:
    """Let the checkout with key `new` use the memory of `old` (both are keys of paths).

    folders: the keys that have a folder with a memory to keep. No data moves: the folder of `old`
    stays and `new` becomes an alias for it; moving back restores the previous state. Refusals:
    unknown_old, already, new_has_memory.
    """
    target = resolve(old, aliases)
    if target not in folders:
        return Refusal.of("move.unknown_old", old=old)
    taken = resolve(new, aliases)
    if new == target and old != new:
        # Moved back: the folder already has the key `new`, so the alias from `old` is removed.
        return Move(without_alias(aliases, old), target)
    if taken == target:
        return Refusal.of("move.already", root=new_root, target=target)
    if taken in folders:
        return Refusal.of("move.new_has_memory", root=new_root, taken=taken)
    return aliased(aliases, Alias(key=new, target=target, root=new_root, at=iso(now)))


def aliased(aliases: Aliases, alias: Alias) -> Move:
    """The folder with the key of this alias uses the memory of its target."""
    known = without_alias(aliases, alias.key)
    return Move(known.model_copy(update={"aliases": (*known.aliases, alias)}), alias.target)


def without_alias(aliases: Aliases, key: str) -> Aliases:
    """The folder with this key uses its own memory."""
    left = tuple(alias for alias in aliases.aliases if alias.key != key)
    return aliases.model_copy(update={"aliases": left})
