"""Recognise other checkouts of one repository, and link a folder to the memory of one (ID-3). Pure.

Root commits and remotes are claims that any folder can make, so a match is only offered: nothing of
another folder is shown before a person links it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec import Struct

from wm.domain.facts import Refusal
from wm.domain.memory.scope import Move, aliased, resolve, without_alias
from wm.domain.times import iso
from wm.formats.home import Alias, Aliases
from wm.formats.workspace_memory import Checkout


class Candidate(Struct, frozen=True):
    """Another workspace. there: its folder exists."""

    key: str
    root: str
    checkout: Checkout
    there: bool
    entries: int


def remote_name(url: str) -> str:
    """A remote as host and path: the same for ssh and https, without user and password."""
    text = url.strip().rstrip("/").removesuffix(".git")
    _scheme, is_url, rest = text.partition("://")
    host, found, path = (rest if is_url else text).partition("/" if is_url else ":")
    host = host.rpartition("@")[2].partition(":")[0].lower()
    is_path = not found or not host or (not is_url and "/" in host)
    return text if is_path else f"{host}/{path.strip('/')}"


def is_same(one: Checkout, other: Checkout, *, moved: bool) -> bool:
    """Whether two folders claim the same repository: a first commit in common, and a remote.
    moved: the other folder is gone, so the first commit alone tells that it was moved."""
    commits = not set(one.commits).isdisjoint(other.commits)
    return commits and (moved or not set(one.remotes).isdisjoint(other.remotes))


def offers(own: Checkout, others: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The workspaces with entries that claim the repository of `own`, most entries first."""
    fits = (
        one for one in others if one.entries and is_same(own, one.checkout, moved=not one.there)
    )
    return tuple(sorted(fits, key=lambda one: (-one.entries, one.key)))


def plan_link(
    old: str,
    new: str,
    *,
    new_root: str,
    folders: Collection[str],
    filled: Collection[str],
    aliases: Aliases,
    now: datetime,
) -> Move | Refusal:
    """Let the folder with key `new` use the memory of `old`, which keeps its own folder, too.

    folders: keys that have a folder; filled: those whose memory has entries. Refusals: unknown_old,
    already, new_has_memory.
    """
    target = resolve(old, aliases)
    if target not in folders:
        return Refusal.of("link.unknown_old", old=old)
    if resolve(new, aliases) == target:
        return Refusal.of("link.already", root=new_root)
    if resolve(new, aliases) in filled:
        return Refusal.of("link.new_has_memory", root=new_root)
    return aliased(aliases, Alias(key=new, target=target, root=new_root, at=iso(now)))


def plan_unlink(new: str, *, new_root: str, owner: str, aliases: Aliases) -> Move | Refusal:
    """Let a folder use its own memory again. owner: the folder that the linked memory belongs to.
    Refusals: not_linked, moved."""
    linked = next((alias for alias in aliases.aliases if alias.key == new), None)
    if linked is None:
        return Refusal.of("link.not_linked", root=new_root)
    if owner == new_root:
        return Refusal.of("link.moved", root=new_root)
    return Move(without_alias(aliases, new), linked.target)
