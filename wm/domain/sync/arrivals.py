"""What arrived shared entries mean for the local memory (SY-2, SY-3).

The version of the author who shared an entry is the one in force; whether it is taken or waits in
the inbox is the user's rule. Every other author's version is a proposal in the inbox. Leaves
alone what the user edited here since the last sync: that edit has to be sent first.

Protects: nothing foreign replaces, retires or removes what is not its own author's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cache, cached_property

from msgspec import Struct, structs

from wm.domain.facts import Detail, Fact
from wm.domain.memory.edits import changed_fields
from wm.domain.memory.outside_changes import CHANGED, DELETED
from wm.domain.sync import portable
from wm.domain.sync.merge import CLEARED
from wm.domain.times import iso
from wm.formats.evidence import Outcome
from wm.formats.sharing.shared_entry import SharedEntry, Value, Version
from wm.formats.sharing.sync import SharedRecord
from wm.formats.workspace_memory import TEAM, MemoryEntry, WorkspaceMemory
from wm.settings import ACCEPT
from wm.text.letters import canonical

SIGNED, ALL = ACCEPT[1:]
"""How entries of others enter, if not after approval: with a verified signature, or at once."""

PROPOSED = "m_"


class Rules(Struct, frozen=True):
    """How this user takes what arrives.

    accept: one of ACCEPT. own_repository: all of it is the user's own. redact: removes secrets.
    judge: the gate's reasons against an entry. is_gone: whether an id was forgotten, rejected or
    undone here. is_forgotten: whether a text was.
    """

    accept: str
    own_repository: bool
    redact: Callable[[str], str]
    judge: Callable[[MemoryEntry], tuple[str, ...]]
    is_gone: Callable[[str], bool]
    is_forgotten: Callable[[str], bool]
    now: datetime

    def trusts(self, needed: Collection[str], signed: Collection[str]) -> bool:
        """Whether what these fields say is taken at once. signed: those with a signature."""
        is_signed = self.accept == SIGNED and set(signed).issuperset(needed)
        return self.own_repository or self.accept == ALL or is_signed


class _Said(Struct, frozen=True):
    """What an author's version says of an entry. version: with clocks; fields: without, and
    redacted; none if it was withdrawn. signed: the fields that a signature covers. digest: of the
    version; before: of that which was handled last, "" for none."""

    entry_id: str
    author: str
    version: Version
    fields: Mapping[str, Value]
    signed: Collection[str]
    digest: str
    before: str

    def proposal(self, said: str) -> str:
        """The id of the proposal that its author makes with the version of this digest."""
        key = "\0".join((self.entry_id, self.author, said))
        return PROPOSED + hashlib.sha256(key.encode()).hexdigest()[:20]


class Reception:
    """A memory that takes in arrivals: a working value. `finished` gives the result.

    records: what was known of the tree. Each arrival is taken once; taking it again changes
    nothing.
    """

    def __init__(
        self, memory: WorkspaceMemory, records: Mapping[str, SharedRecord], rules: Rules
    ) -> None:
        self._memory = memory
        self._rules = rules
        self._redact = cache(rules.redact)  # names, types and tags repeat from entry to entry
        self._entries = {entry.id: entry for entry in memory.entries}
        self._replaced: list[_Said] = []
        """Entries that their author replaced."""
        self._agreed: list[str] = []
        self.records = dict(records)
        self.facts: list[Fact] = []
        self.trashed: list[tuple[MemoryEntry, bool]] = []
        """Withdrawn entries, and whether their text must not be learned again."""
        self.forgotten: list[tuple[str, str]] = []
        """Id and portable digest of what another machine of the user forgot, and is not here."""
        self.unsent: list[str] = []
        """Shared entries that changed here and there: the local change has to be sent first."""

    def take(self, shared: SharedEntry, signed: Mapping[str, Collection[str]]) -> None:
        """Take in one entry. signed: author -> the fields that a signature covers."""
        known = self.records.get(shared.id)
        creator = (known.author if known is not None else "") or portable.creator_of(shared)
        seen = dict(known.seen) if known is not None and not self._is_lost(shared.id) else {}
        self.records[shared.id] = known or SharedRecord(author=creator)
        if known is None and shared.id in self._entries:
            self._adopt(shared.id, portable.stated(shared.authors[creator]))
        elif self._is_unsent(shared, seen):
            self.unsent.append(shared.id)
            return
        for author in sorted(shared.authors, key=lambda name: (name != creator, name)):
            version = shared.authors[author]
            fields = portable.stated(version)
            said, before = portable.digest(fields), seen.get(author, "")
            if said == before:
                continue
            seen[author] = said
            cleaned, covered = self._clean(fields), signed.get(author, ())
            one = _Said(shared.id, author, version, cleaned, covered, said, before)
            if author == creator:
                self._in_force(one)
            elif fields or CLEARED in version:  # else it only has fields that we do not know
                self._propose(one)
        self._record(shared.id, seen=seen)

    def finished(self) -> WorkspaceMemory:
        """The memory with everything that was taken in."""
        for said in self._replaced:
            self._replace(said)
        for entry_id in self._agreed:
            self._record(entry_id, digest=self._local_digest(entry_id))
        return self._memory.model_copy(update={"entries": tuple(self._entries.values())})

    # --- the version in force -------------------------------------------------------------

    def _in_force(self, said: _Said) -> None:
        entry = self._entries.get(said.entry_id)
        if not said.fields:
            self._withdraw(said, CLEARED)
        elif entry is not None:
            self._change(entry, said)
        elif self._is_back(said) or not self._rules.is_gone(said.entry_id):
            self._enter(said)
        if said.fields.get("superseded_by", "") not in ("", said.entry_id):
            self._replaced.append(said)

    def _is_back(self, said: _Said) -> bool:
        """Whether it was removed here because its author ended it, or because the user left."""
        return self.records[said.entry_id].digest == portable.GONE

    def _enter(self, said: _Said) -> None:
        own = self._rules.own_repository
        entry = portable.arrived(
            said.entry_id,
            said.version,
            said.fields,
            author="" if own else self._name(said),
            now=self._rules.now,
        )
        trusted = self._rules.trusts(said.fields, said.signed)
        reasons = self._reasons(entry, trusted, is_back=self._is_back(said))
        twin = self._twin(entry)
        if reasons:
            entry = entry.model_copy(update={"status": "inbox", "reasons": reasons})
        elif twin is not None and (not own or _age(twin) < _age(entry)):
            update = {"status": "superseded", "superseded_by": twin.id}
            entry = entry.model_copy(update=update)
        self._put(entry)
        if twin is not None and entry.status == "active":
            self._retire(twin, entry.id)
        self._agreed.append(entry.id)
        outcomes: dict[str, Outcome] = {"active": "promoted", "inbox": "inbox"}
        outcome = outcomes.get(entry.status, "absorbed")
        carried = {"carriedBy": entry.superseded_by} if entry.superseded_by else {}
        self._log("memory_received", outcome, entry, entry.reasons, **carried)

    def _change(self, entry: MemoryEntry, said: _Said) -> None:
        rules, fields = self._rules, said.fields
        as_synced = self._is_as_synced(entry.id)
        if as_synced and entry.status == "superseded" and not fields.get("superseded_by"):
            self._enter(said)  # its author took it back into force
            return
        update = portable.changed_by(entry, fields, own_repository=rules.own_repository)
        if not update:
            self._agreed.append(entry.id)
            return
        changed = entry.model_copy(update={**update, "updated_at": iso(rules.now)})
        trusted = rules.trusts(portable.fields_behind(update, fields), said.signed)
        reasons = self._reasons(changed, trusted)
        if as_synced and entry.status == "inbox" and not entry.outside:
            changed = changed.model_copy(update={"reasons": reasons or entry.reasons})
        elif reasons or not as_synced:
            self._propose(said)
            return
        if "text" in update:
            changed = changed.model_copy(update={"retention_clock": iso(rules.now)})
        self._put(changed)
        self._agreed.append(entry.id)
        logged = {n: v for n, v in update.items() if n != "tags"}
        codes = tuple(sorted(update))
        self._log("memory_edited", "changed", changed, codes, **changed_fields(entry, logged))

    def _withdraw(self, said: _Said, needed: str) -> None:
        """Remove an entry whose author ended it with the field `needed`."""
        entry_id = said.entry_id
        entry = self._entries.get(entry_id)
        stone = str(said.version[CLEARED][1]) if CLEARED in said.version else ""
        is_forgotten = self._rules.own_repository and bool(stone)
        if entry is None:
            self.forgotten += [(entry_id, stone)] if is_forgotten else []
            self._record(entry_id, digest=portable.GONE)
            return
        trusted = self._rules.trusts((needed,), said.signed)
        if self._is_as_synced(entry_id) and (trusted or entry.status == "inbox"):
            del self._entries[entry_id]
            self._record(entry_id, digest=portable.GONE)
            self.trashed.append((entry, is_forgotten))
            self._log("memory_trashed", "trashed", entry, ("team_withdrew",), stone=is_forgotten)
        else:
            self._propose(said)

    def _replace(self, said: _Said) -> None:
        """Retire an entry that its author replaced, once the replacement is in force here."""
        entry_id, heir_id = said.entry_id, str(said.fields["superseded_by"])
        entry, heir = self._entries.get(entry_id), self._entries.get(heir_id)
        if entry is None or entry.status not in ("active", "inbox") or entry.outside:
            self._ask(entry, heir)
            return
        known = self.records.get(heir_id)
        is_own = known is not None and known.author == self.records[entry_id].author
        if not self._rules.own_repository and (heir is None or not is_own):
            # Its author keeps the replacement private: to us the entry is only withdrawn.
            version = {name: f for name, f in said.version.items() if name != CLEARED}
            withdrawn = structs.replace(
                said, version=version, fields={}, digest=portable.GONE, before=said.digest
            )
            self._withdraw(withdrawn, "superseded_by")
        elif heir is not None and heir.status == "inbox" and entry.status == "active":
            waits = tuple(dict.fromkeys((*heir.supersedes, entry_id)))
            self._put(heir.model_copy(update={"supersedes": waits}))
        else:
            self._retire(entry, heir_id)
            self._agreed.append(entry_id)
            self._log("memory_superseded", "superseded", entry, (), by=heir_id)

    def _ask(self, entry: MemoryEntry | None, heir: MemoryEntry | None) -> None:
        """Mark two entries that replaced one on two machines: the user is asked which is right."""
        other = self._entries.get(entry.superseded_by) if entry is not None else None
        if heir is None or other is None or other.id == heir.id:
            return
        if heir.status == other.status == "active":
            self._put(heir.model_copy(update={"conflicts": (*heir.conflicts, other.id)}))

    # --- proposals -------------------------------------------------------------------------

    def _propose(self, said: _Said) -> None:
        """Put an author's version of an entry into the inbox, in place of its earlier proposal."""
        entry_id, fields = said.entry_id, said.fields
        entry = self._entries.get(entry_id)
        if entry is None or entry.status not in ("active", "inbox"):
            return
        gone = not fields
        update = {} if gone else portable.changed_by(entry, fields, own_repository=False)
        old, name = self._entries.get(said.proposal(said.before)), said.proposal(said.digest)
        if old is not None and old.status == "inbox":
            del self._entries[old.id]
            self.facts = [fact for fact in self.facts if fact.entry != old.id]
        if not (gone or update) or name in self._entries or self._rules.is_gone(name):
            return
        proposal = entry.model_copy(
            update={
                **update,
                "id": name,
                "status": "inbox",
                "outside": DELETED if gone else CHANGED,
                "supersedes": (entry_id,),
                "superseded_by": "",
                "conflicts": (),
                "pinned": False,
                "origin": TEAM + self._name(said),
                "updated_at": iso(self._rules.now),
            }
        )
        judged = () if gone else self._reasons(proposal, True)
        reasons = ("team_deleted" if gone else "team_changed", *judged)
        proposal = proposal.model_copy(update={"reasons": reasons})
        self._put(proposal)
        self._log("memory_received", "inbox", proposal, reasons, of=entry_id)

    # --- parts ------------------------------------------------------------------------------

    def _reasons(
        self, entry: MemoryEntry, trusted: bool, *, is_back: bool = False
    ) -> tuple[str, ...]:
        """Why it must wait for the user's approval. is_back: who forgot it took that back."""
        rules = self._rules
        is_forgotten = not is_back and rules.is_forgotten(entry.text)
        forgotten = ("forgotten",) if is_forgotten else ()
        reasons = (*rules.judge(entry), *forgotten)
        if rules.own_repository:
            return reasons
        why = "team_unsigned" if rules.accept == SIGNED else "team_entry"
        waits = () if trusted else (why,)
        return (*waits, *reasons, *(("tainted",) if entry.tainted else ()))

    def _adopt(self, entry_id: str, fields: Mapping[str, Value]) -> None:
        """A tree that names an entry which is here already: agreed if both say the same."""
        entry = self._entries[entry_id]
        if fields and not portable.changed_by(
            entry, fields, own_repository=self._rules.own_repository
        ):
            self._record(entry_id, digest=self._local_digest(entry_id))

    def _is_unsent(self, shared: SharedEntry, seen: Mapping[str, str]) -> bool:
        """Whether the user changed it here since the last sync, and its author there."""
        record, entry = self.records[shared.id], self._entries.get(shared.id)
        own = self._rules.own_repository
        if entry is None or not (record.shared or own) or self._is_as_synced(shared.id):
            return False
        if portable.may_leave(entry, own_repository=own):
            return False
        said = portable.digest(portable.stated(shared.authors.get(record.author, {})))
        return seen.get(record.author) != said

    def _is_lost(self, entry_id: str) -> bool:
        """Whether it was here, and nobody removed it: a restored backup, for example."""
        is_here = entry_id in self._entries or self.records[entry_id].digest in ("", portable.GONE)
        return not is_here and not self._rules.is_gone(entry_id)

    def _is_as_synced(self, entry_id: str) -> bool:
        return self.records[entry_id].digest == self._local_digest(entry_id)

    @cached_property
    def _texts(self) -> dict[str, MemoryEntry]:
        """The active entries by what they say. Made when the first new entry arrives: a sync that
        brings none must not read all texts."""
        return {canonical(e.text): e for e in self._entries.values() if e.status == "active"}

    def _twin(self, entry: MemoryEntry) -> MemoryEntry | None:
        """Another active entry that says the same."""
        twin = self._texts.get(canonical(entry.text))
        is_twin = twin is not None and twin.id != entry.id and twin.type == entry.type
        return twin if is_twin else None

    def _clean(self, fields: Mapping[str, Value]) -> dict[str, Value]:
        redact = self._redact
        return {redact(n): redact(v) if isinstance(v, str) else v for n, v in fields.items()}

    def _name(self, said: _Said) -> str:
        return portable.name_of(said.version, self._redact)

    def _put(self, entry: MemoryEntry) -> None:
        self._entries[entry.id] = entry
        if "_texts" not in self.__dict__:
            return
        text = canonical(entry.text)
        if entry.status == "active":
            self._texts[text] = entry
        elif self._texts.get(text, entry).id == entry.id:
            self._texts.pop(text, None)

    def _retire(self, entry: MemoryEntry, heir_id: str) -> None:
        moment = iso(self._rules.now)
        update = {"status": "superseded", "superseded_by": heir_id, "updated_at": moment}
        self._put(entry.model_copy(update=update))
        heir = self._entries.get(heir_id)
        if heir is not None and entry.id not in heir.supersedes:
            self._put(heir.model_copy(update={"supersedes": (*heir.supersedes, entry.id)}))

    def _record(self, entry_id: str, **update: object) -> None:
        self.records[entry_id] = self.records[entry_id].model_copy(update=update)

    def _local_digest(self, entry_id: str) -> str:
        entry = self._entries.get(entry_id)
        return portable.GONE if entry is None else portable.digest(portable.fields_of(entry))

    def _log(
        self,
        kind: str,
        outcome: Outcome,
        entry: MemoryEntry,
        codes: tuple[str, ...],
        **more: Detail,
    ) -> None:
        details: dict[str, Detail] = {"text": entry.text, "origin": entry.origin, **more}
        self.facts.append(Fact(kind, "sync", outcome, entry.id, codes, details))


def _age(entry: MemoryEntry) -> tuple[str, str]:
    """Of two entries with one text the older survives: every machine decides the same."""
    return entry.created_at, entry.id
