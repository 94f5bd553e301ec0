"""One sync: fetch, join, commit what changed here, push, take in what arrived (SY-1, SY-2, SY-4).

Calls the use cases of `sending` and `receiving` and git in turn, so git runs without a lock.
Each step may be the last one before a crash: the next sync repeats it, and what was done changes
nothing. The memory changes last, and only towards a tree that is committed.
"""

from __future__ import annotations

import functools
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from msgspec import Struct, field, structs

from wm.api.sync import Arriving, Leaving, Outgoing, SentEntry, Synced, SyncPart
from wm.domain.sync.clock import is_of_node
from wm.domain.sync.merge import CLEARED, Invalid, canonical_bytes, join, parsed
from wm.domain.sync.portable import (
    author_id,
    author_name,
    base_of,
    creator_of,
    differing,
    digest,
    revised,
    stated,
)
from wm.errors import StoreError, UserError
from wm.formats.sharing.shared_entry import Field, SharedEntry, Value, Version
from wm.formats.sharing.sync import Remote
from wm.store.git.mirror import LOST_RACE, REF, Identity, Mirror
from wm.store.git.objects import MAX_ENTRY_BYTES, VERSION_FILE, Difference, Objects, path_of

FORMAT = 1
TRIES = 8
"""Pushes that may lose the race against others, and rounds in which an edit here came between."""
LONGEST_PAUSE_S = 2.0
CHUNK_CHARS = 4_000_000
"""Text that one call takes in: a request of the daemon has a limit."""

Call = Callable[..., Any]
"""Runs a use case by name with the fields of its request; returns its response."""


class Choices(Struct, frozen=True):
    """What a person chose. remote: a name, or for all own memory a URL; "" as before. confirm:
    asked before the first push, with what would leave and the remote as shown to people. adopts:
    whether a folder that claims to be a project of the tree may use what is there. quiet: nobody
    watches, so nothing is asked."""

    remote: str = ""
    confirm: Callable[[Sequence[Leaving], str], bool] = lambda _leaving, _remote: False
    adopts: Callable[[str], bool] = lambda _root: False
    dry_run: bool = False
    purge: bool = False
    quiet: bool = False


class Plan(Struct, frozen=True):
    """What to sync with whom. parts: folders in the tree, each with the fields that name its
    workspace in a request; two clones of a project have one folder. is_known: the remote was synced
    with before. allowed_signers: see `signed_files`; None: signatures do not matter. publish_to:
    the project."""

    parts: Sequence[tuple[str, Mapping[str, Any]]]
    mine: bool
    url: str
    remote: Remote
    is_known: bool
    who: Identity
    author: str
    choices: Choices
    now: Callable[[], datetime]
    allowed_signers: str | None = None
    publish_to: str = ""

    @property
    def sends(self) -> bool:
        """Whether anything may be sent: in the background nobody can unlock a key that signs."""
        return not (self.choices.quiet and self.who.signs)


class _Part(Struct):
    """What a round found for one folder of the tree. ask: runs a use case on its workspace. again:
    entries that have to be compared again before they are taken in. sent: entries that leave.
    received: outcome -> number."""

    space: str
    ask: Call
    out: Outgoing
    again: Sequence[str] = ()
    sent: dict[str, SentEntry] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)


_Signed = tuple[str, str, str, Field]
"""Entry, author and name of a field in a signed commit, and its value with its clock."""


class _File(Struct, frozen=True):
    """A file of a tree, and the shared entry in it."""

    raw: bytes
    entry: SharedEntry


class Trees(Objects):
    """The shared entries in the commits of a mirror. Each file is read and parsed once."""

    def __init__(self, mirror: str) -> None:
        super().__init__(mirror)
        self._files: dict[str, _File] = {}

    def parse(self, names: Iterable[str]) -> None:
        """Read and parse the files with these object names. Files that are not shared entries are
        absent."""
        fresh = (name for name in names if name not in self._files)
        for name, raw in self.read(fresh, MAX_ENTRY_BYTES).items():
            with suppress(Invalid):
                self._files[name] = _File(raw, parsed(raw))

    def file(self, name: str, entry_id: str) -> _File | None:
        """A file that was read, if it is that entry's."""
        file = self._files.get(name)
        return file if file is not None and entry_id in ("", file.entry.id) else None

    def entry(self, name: str, entry_id: str = "") -> SharedEntry | None:
        file = self.file(name, entry_id)
        return file.entry if file is not None else None

    def changed(self, before: str, after: str, author: str) -> set[_Signed]:
        """The fields of an author's version that a file has, and the one before had not."""
        old, new = self.entry(before), self.entry(after)
        if new is None:
            return set()
        fields = _version(new, author).items() - _version(old, author).items()
        return {(new.id, author, name, field) for name, field in fields}

    def unnoted(self, applied: str, ours: str, place: tuple[str, str, str]) -> list[str]:
        """The entries that a sync on this machine wrote before it died: what the memory noted of
        them is older, so they may have to be sent even if they are again as noted. place: folder
        in the tree, author and node of this machine."""
        space, author, node = place
        found = self.difference(applied, ours).files
        files = {name: pair for (where, name), pair in found.items() if where == space}
        self.parse(name for pair in files.values() for name in pair)
        return [
            name
            for name, pair in files.items()
            if any(is_of_node(field[0], node) for *_, field in self.changed(*pair, author))
        ]


def _version_file(purges: int = 0) -> bytes:
    """The version file of a tree. purges: how often its history was rewritten."""
    plain = {"format": "wm-memory", "purges": purges, "version": FORMAT}
    return (json.dumps(plain, indent=1) + "\n").encode()


def synchronise(plan: Plan, mirror: Mirror, call: Call) -> Synced:
    """Sync once. Raises UserError for a remote that cannot be used, Unavailable without git."""
    for attempt in range(TRIES):
        run, is_last = _Run(plan, mirror, call), attempt == TRIES - 1
        try:
            if run.ends(is_last=is_last):
                break
        except StoreError:
            # Another sync on this machine moved the mirror's ref.
            if is_last:
                raise
        plan = structs.replace(plan, remote=run.remote)  # nobody is asked twice
        time.sleep(random.uniform(0, min(LONGEST_PAUSE_S, 0.02 * 2**attempt)))  # noqa: S311
    if run.has_news and not plan.choices.dry_run:
        mirror.tidy()
    return run.report()


class _Run:
    """One round, and what it found."""

    def __init__(self, plan: Plan, mirror: Mirror, call: Call) -> None:
        self._plan, self._mirror, self._call = plan, mirror, call
        self._trees = Trees(mirror.path)
        self._ours = self._theirs = self._written = self._trouble = ""
        self._agreed = plan.remote.pushes
        self._rewrites = self._pushed = self._compared = False
        self._held_back = 0
        self._left_out = Difference()
        self._parts: list[_Part] = []

    def ends(self, *, is_last: bool) -> bool:
        """Do it all; False if another round is due, because others pushed first, or an edit here
        came between."""
        plan = self._plan
        self._ours = self._written = self._mirror.refs().get(REF, "")
        self._parts = [self._outgoing(space, scope) for space, scope in plan.parts]
        self._theirs, self._trouble = self._mirror.fetch(plan.url)
        if plan.choices.dry_run:
            self._preview()
            return True
        if self._trouble and not plan.is_known:
            return True  # a wrong name or URL is not remembered
        self._join_theirs()
        self._commit_own()
        self._push()
        if self._trouble == LOST_RACE and not is_last:
            return False
        if plan.publish_to and self.has_news:
            # Before the memory notes this commit as applied: a sync after a crash repeats it.
            self._mirror.publish(plan.publish_to)
        unsent = [part.space for part in self._parts if self._take_in(part)]
        return bool(self._held_back) or not unsent

    @property
    def has_news(self) -> bool:
        """Whether the tree changed since the last sync that ended."""
        return any(part.out.applied != self._ours for part in self._parts)

    def report(self) -> Synced:
        parts = (
            SyncPart(key=part.out.place.key, sent=tuple(part.sent), received=part.received)
            for part in self._parts
        )
        return Synced(
            remote=self._plan.remote.shown,
            parts=tuple(parts),
            dry_run=self._plan.choices.dry_run,
            trouble=self._trouble,
            pushed=self._pushed,
            held_back=self._held_back,
            left_out=tuple(self._left_out.odd),
            left_out_count=self._left_out.odd_count,
        )

    def _outgoing(self, space: str, scope: Mapping[str, Any]) -> _Part:
        ask = functools.partial(self._call, **scope, mine=self._plan.mine)
        out: Outgoing = ask("outgoing")
        applied = out.applied
        if applied not in ("", self._ours) and not self._mirror.has(applied):
            # The mirror was lost: what was in it and is not in the remote is sent again.
            out = ask("outgoing", everything=True).model_copy(update={"applied": ""})
            return _Part(space, ask, out, [one.id for one in out.leaving])
        again = self._trees.unnoted(applied, self._ours, (space, self._plan.author, out.node))
        return _Part(space, ask, ask("outgoing", again=again) if again else out, again)

    # --- joining -------------------------------------------------------------------------------

    def _join_theirs(self) -> None:
        """Let our commit contain what was fetched. Raises UserError for a tree of another form."""
        ours, theirs = self._ours, self._theirs
        if theirs in ("", ours):
            return
        there = self._purges(theirs)
        here = self._purges(ours) if ours else there
        behind, ahead = self._mirror.relation(ours, theirs)
        if ahead:
            return
        news, ours_lack = self._joined()
        if here < there or (behind and self._left_out.odd_count == 0):
            self._mirror.move(theirs, ours)
            self._ours, changes, parents = theirs, news, [theirs]
        else:
            if not ours:
                self._commit({VERSION_FILE: _version_file(there)}, [], "Begin")
            self._rewrites = here > there  # they still have the history that was purged
            changes, parents = ours_lack, [self._ours, *([] if self._rewrites else [theirs])]
        if changes or len(parents) > 1:
            self._commit(changes, parents, "Join")

    def _joined(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """The joined files, by path, that differ from theirs, and those that differ from ours."""
        found = self._left_out = self._trees.difference(self._ours, self._theirs)
        self._trees.parse(name for pair in found.files.values() for name in pair)
        news: dict[str, bytes] = {}
        ours_lack: dict[str, bytes] = {}
        for key, (left, right) in found.files.items():
            mine, theirs = self._trees.file(left, key[1]), self._trees.file(right, key[1])
            if right and theirs is None:
                found.leave_out(path_of(key))
            states = [file.entry for file in (mine, theirs) if file is not None]
            if states:
                raw = canonical_bytes(functools.reduce(join, states))
                if theirs is None or raw != theirs.raw:
                    news[path_of(key)] = raw
                if mine is None or raw != mine.raw:
                    ours_lack[path_of(key)] = raw
        return news, ours_lack

    def _purges(self, commit: str) -> int:
        """How often a tree was purged. Raises UserError for a newer one, and for another form."""
        try:
            found = json.loads(self._trees.version(commit))
            version, purges = found["version"], found.get("purges", 0)
            is_ours = found["format"] == "wm-memory" and type(version) is type(purges) is int
        except (ValueError, KeyError, TypeError, RecursionError):
            is_ours = False
        if not is_ours or purges < 0:
            raise UserError.of("sync.foreign_ref", ref=REF, remote=self._plan.remote.shown)
        if version > FORMAT:
            raise UserError.of("sync.newer", remote=self._plan.remote.shown)
        return int(purges)

    # --- own changes -----------------------------------------------------------------------------

    def _commit_own(self) -> None:
        if not self._plan.sends:
            return
        changes: dict[str, bytes] = {}
        leaving: dict[str, Leaving] = {}
        for part in self._parts:
            for one, raw in self._own(part):
                leaving[one.id], changes[path_of((part.space, one.id))] = one, raw
        if not self._agreed and (shown := tuple((self._unpushed() | leaving).values())):
            agrees = self._plan.choices.confirm
            self._agreed = not self._trouble and agrees(shown, self._plan.remote.shown)
            if not self._agreed:
                self._held_back = len(shown)
                for part in self._parts:
                    part.sent = {}
                return
        self._compared = True
        if changes:
            count = f"{len(changes)} entries" if len(changes) > 1 else "an entry"
            if not self._ours:
                changes[VERSION_FILE] = _version_file()
            parents = [self._ours] if self._ours else []
            self._commit(changes, parents, f"Share {count}", signs=True)
        if self._plan.choices.purge and self._ours:
            more = _version_file(self._purges(self._ours) + 1)
            self._commit({VERSION_FILE: more}, [self._ours], "Purge", is_first=True)
            self._rewrites = True

    def _unpushed(self) -> dict[str, Leaving]:
        """What our tree says and the remote's does not: of a sync that died before its push, or
        from an earlier remote."""
        if self._ours in ("", self._theirs) or self._trouble:
            return {}
        found = self._trees.difference(self._theirs, self._ours).files
        self._trees.parse(ours for _, ours in found.values())
        entries = (self._trees.entry(ours, name) for (_, name), (_, ours) in found.items())
        return {
            one.id: Leaving(id=one.id, fields=stated(one.authors[creator_of(one)]), digest="")
            for one in entries
            if one is not None
        }

    def _own(self, part: _Part) -> Iterator[tuple[Leaving, bytes]]:
        """The files that have to change, with their new bytes. Notes what the tree then says."""
        out, author = part.out, self._plan.author
        commits = (out.applied, self._written, self._ours)
        paths = {one.id: path_of((part.space, one.id)) for one in out.leaving}
        self._trees.parse(
            f"{commit}:{path}" for commit in commits if commit for path in paths.values()
        )
        for one in out.leaving:
            was = [self._trees.entry(f"{commit}:{paths[one.id]}", one.id) for commit in commits]
            entry = was[-1]
            before, written, version = (_version(state, author) for state in was)
            known = base_of(before, written, out.node)
            changes = _changes(one, version, known, is_base_known=bool(commits[0] or known))
            if changes:
                own = one.author in ("", author)
                entry = revised(
                    entry,
                    one.id,
                    author,
                    changes,
                    name=author_name(self._plan.who.name),
                    created=one.created_at if own else "",
                    now=self._plan.now(),
                    node=out.node,
                )
            if entry is None:
                continue
            raw = canonical_bytes(entry)
            try:
                parsed(raw)
            except Invalid:
                self._left_out.leave_out(one.id)  # a text or tag that is longer than the form
                continue
            # A version that changed elsewhere too is taken in like any other.
            said = digest(stated(_version(entry, author))) if stated(version) == known else ""
            part.sent[one.id] = SentEntry(digest=one.digest, version=said)
            if changes:
                yield one, raw

    # --- push and take in ------------------------------------------------------------------------

    def _push(self) -> None:
        may_push = self._agreed and self._plan.sends and not self._trouble
        if may_push and self._ours not in ("", self._theirs):
            replaces = self._theirs if self._rewrites else None
            self._trouble = self._mirror.push(self._plan.url, self._ours, replaces=replaces)
            self._pushed = not self._trouble

    def _take_in(self, part: _Part) -> bool:
        """Let the memory follow the tree; whether an edit here came between."""
        out, applied = part.out, part.out.applied
        waiting = frozenset(() if self._compared else part.again)
        found = self._trees.difference(applied, self._ours).files
        names = {
            entry_id: name
            for (space, entry_id), (_, name) in found.items()
            if space == part.space and entry_id not in waiting
        }
        if self._ours:
            names |= {name: f"{self._ours}:{path_of((part.space, name))}" for name in out.lost}
        self._trees.parse(names.values())
        files = [file for name, at in names.items() if (file := self._trees.file(at, name))]
        signed = self._signed_fields(applied) if files else frozenset()
        unsent = False
        for number, chunk in enumerate(chunks := list(_chunks(files)), 1):
            is_last = number == len(chunks)
            answer = part.ask(
                "arrive",
                entries=[Arriving(entry=one, signed=_signed(one, signed)) for one in chunk],
                sent=part.sent if number == 1 else {},
                node=out.node,
                author=self._plan.author,
                space=part.space,
                applied="" if unsent or waiting or not is_last else self._ours,
                remote=self.remote,
                trouble=self._trouble,
            )
            unsent = unsent or bool(answer.unsent)
            for outcome, count in answer.counts.items():
                part.received[outcome] = part.received.get(outcome, 0) + count
        return unsent

    def _signed_fields(self, applied: str) -> frozenset[_Signed]:
        """The fields that their author wrote in a signed commit. What such a commit only carries
        along is not its author's word."""
        allowed = self._plan.allowed_signers
        if allowed is None:
            return frozenset()
        files = self._mirror.signed_files(applied, self._ours, allowed)
        self._trees.parse(name for before, after, _ in files for name in (before, after))
        return frozenset(
            signed
            for before, after, email in files
            for signed in self._trees.changed(before, after, author_id(email))
        )

    # --- parts ------------------------------------------------------------------------------------

    def _preview(self) -> None:
        """Note what a sync would send and take in. Changes nothing but the mirror."""
        if self._theirs:
            self._left_out = self._trees.difference(self._ours, self._theirs)
        for part in self._parts:
            part.sent = {one.id: part.sent[one.id] for one, _ in self._own(part)}
            files = self._left_out.files.items()
            arrive = sum(space == part.space and bool(name) for (space, _), (_, name) in files)
            part.received = {"changed": arrive} if arrive else {}

    @property
    def remote(self) -> Remote:
        """The remote, with what was agreed to."""
        return self._plan.remote.model_copy(update={"pushes": self._agreed})

    def _commit(
        self, changes: Mapping[str, bytes], parents: Sequence[str], message: str, **how: bool
    ) -> None:
        """how: see `Mirror.commit`."""
        who, at = self._plan.who, int(self._plan.now().timestamp())
        commit = self._mirror.commit
        self._ours = commit(changes, parents, who=who, message=message, at=at, **how)


def _version(entry: SharedEntry | None, author: str) -> Version:
    return entry.authors.get(author, {}) if entry is not None else {}


def _signed(entry: SharedEntry, signed: frozenset[_Signed]) -> dict[str, tuple[str, ...]]:
    """Per author the fields of an entry that a signature covers."""
    return {
        author: tuple(n for n, f in fields.items() if (entry.id, author, n, f) in signed)
        for author, fields in (entry.authors if signed else {}).items()
    }


def _changes(
    one: Leaving, version: Version, known: Mapping[str, Value], *, is_base_known: bool
) -> dict[str, Value]:
    """The fields to write into the author's version. known: what it said when the memory last
    agreed with it, so that a field that only changed elsewhere stays.

    Without that (the mirror was lost) the newer of the local entry and the field counts. What ended
    here at an unknown time has ended.
    """
    present = stated(version)
    newer = {n for n, f in version.items() if f[0] > one.updated_at}
    if not one.fields:
        is_back = bool(newer and one.updated_at) and not is_base_known
        is_there = bool(present) or (one.author and CLEARED not in version)
        return {CLEARED: one.cleared} if is_there and not is_back else {}
    if is_base_known:
        changes = differing(one.fields, known)
        if "text" in changes and not present:  # a tombstone elsewhere removed all fields
            changes = differing(one.fields, {})
    else:
        changes = {n: v for n, v in differing(one.fields, present).items() if n not in newer}
    return {name: value for name, value in changes.items() if present.get(name) != value}


def _chunks(files: Iterable[_File]) -> Iterator[list[SharedEntry]]:
    """The entries in groups of limited size; one empty group if there are none."""
    chunk: list[SharedEntry] = []
    size = 0
    for file in files:
        size += len(file.raw)
        if chunk and size > CHUNK_CHARS:
            yield chunk
            chunk, size = [], len(file.raw)
        chunk.append(file.entry)
    yield chunk
