"""Admit entries into a workspace memory, each once (WM-5, WM-8, TR-3).

A new entry that states a known fact counts as a recurrence, or replaces the known entry if its
source is stronger; any other entry is added. A replaced entry stays readable as `superseded`.
Judges no quality (the gate does) and deletes nothing.

Rules protected here: ids never collide; an entry that is already present is admitted once (a
crash may replay it); a tainted entry changes no clean one, and merging never removes taint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain, islice

from msgspec import Struct, field

from wm.domain.change.compare import Change, Pair, Rarity, judge
from wm.domain.change.contradiction import contradict, proposition
from wm.domain.change.same_fact import IDENTITY_TYPES, fact_statement, same_fact
from wm.domain.change.statement import CHANGES, NOW, ParsedStatement, reading
from wm.domain.facts import Detail
from wm.domain.memory.acts import ASKED, SAID, SOURCE_RANK
from wm.domain.memory.consolidate.entry_index import EntryIndex
from wm.domain.memory.questions import MAY_REPLACE, question
from wm.domain.memory.retention import clock_of, reinforce, touched
from wm.domain.times import iso
from wm.formats.evidence import Outcome
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings
from wm.text.letters import canonical

SPECIFICITY_CHARS = 10
"""Texts whose lengths differ by no more than this are equally specific."""
ADMISSIBLE = ("active", "inbox")
GUESSED_TYPE = ("stated", "explicit")
"""Sources of entries whose type is guessed from a user's words."""
MOST_CHANGED = 8
"""Maximum entries that a new statement is compared with for a change."""
COMPARED = 200
"""Maximum near texts, or texts about one path, that are compared word by word."""
MAX_CONTRADICTIONS = 5
MAX_TOOLS = 2
"""Maximum entries to ask about if a statement says only what we switched to. A statement of what we
use now may add one more tool, so it asks about one entry at most."""
MAX_TOOL_CHARS = 80
"""Longest text that may say only what is used; reading 1,500 long ones takes 0.2 s."""
MAX_PARSED = 2_000
"""Maximum parsed texts kept in memory."""
REPLACING = ("promoted", "absorbed", "superseded")
"""Outcomes after which the fact is in force, so the entry that it replaces may be retired."""


class Admission(Struct, frozen=True):
    """The result of admitting an entry.

    outcome: promoted (added), absorbed (a recurrence of `entry_id`), superseded (`entry_id`
    replaced older entries), inbox (waits as `entry_id`), rejected, or retryable. entry_id: the
    entry that carries the fact now, "" if rejected.
    """

    memory: WorkspaceMemory
    outcome: Outcome
    entry_id: str
    reason_codes: tuple[str, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)


def supersede(
    editor: MemoryEditor,
    old_id: str,
    entry: MemoryEntry,
    *,
    now: datetime,
    settings: MemorySettings,
) -> Admission:
    """REPLACE: `entry` replaces `old_id`, which stays readable as history.

    Rejected with a code if the old entry is gone, pinned, reinforced, or not from a compaction; a
    tainted replacement waits in the inbox.
    """
    if _is_replay(editor.find(entry.id), entry):
        return Admission(editor.memory, "superseded", entry.id, ("already_present",))
    old = editor.find(old_id)
    code = _protection(old)
    if old is None or code:
        return Admission(editor.memory, "rejected", "", (code,), {"replaces": old_id})
    if entry.tainted:
        waiting = _waiting(entry, "tainted_replacement", supersedes=(old_id,))
        return editor.admit(waiting, now=now, settings=settings)
    if (entry.type, canonical(entry.text)) == (old.type, canonical(old.text)):
        return editor.admit(entry, now=now, settings=settings)
    return editor.replace(old, entry, now=now, settings=settings)


class MemoryEditor:
    """A memory under change. `memory` is the current result; `renew` reuses the editor and its
    index for the next version of a memory. said: the ids of entries that the message or file of
    the entries to be admitted says again; neither retires the other."""

    def __init__(self, memory: WorkspaceMemory, said: Collection[str] = ()) -> None:
        self._memory = memory
        self._said = frozenset(said)
        self._index = EntryIndex(memory.entries)

    @property
    def memory(self) -> WorkspaceMemory:
        return self._memory.model_copy(update={"entries": tuple(self._index.entries.values())})

    def renew(self, memory: WorkspaceMemory) -> None:
        """Continue with this memory, whatever this editor contains now."""
        self._memory = memory
        if not self._index.follow(memory.entries):
            self._index = EntryIndex(memory.entries)

    def find(self, entry_id: str) -> MemoryEntry | None:
        return self._index.get(entry_id)

    def amend(self, entry: MemoryEntry) -> None:
        """Replace an entry by a new version of itself."""
        self._index.put(entry)

    def twins(self, entry: MemoryEntry) -> tuple[MemoryEntry, ...]:
        """Other entries that state the same fact in the scope of `entry`, best first.

        Active ones come before those in the inbox. Superseded ones do not count, so that a fact can
        return; waiting outside changes do not count either.
        """
        text, known = canonical(entry.text), self._index.entries
        places = {
            at
            for at in self._index.texts.alike(entry.text)
            if canonical(known[at].text) == text and _may_share(known[at], entry)
        }
        if entry.type in IDENTITY_TYPES:
            places |= self._same_identity(entry)
        found = (known[at] for at in sorted(places))
        fitting = [e for e in found if e.id != entry.id and _comparable(e, entry)]
        fitting.sort(key=lambda e: (e.status != "active", -SOURCE_RANK.get(e.source, 0), e.id))
        return tuple(fitting)

    def admit(
        self,
        entry: MemoryEntry,
        *,
        now: datetime,
        settings: MemorySettings,
        same: Sequence[MemoryEntry] = (),
    ) -> Admission:
        """Admit `entry`, or say why not. same: entries that state its fact in other words."""
        refused = self._refused(entry)
        if refused is not None:
            return refused
        present = self.find(entry.id)
        if present is not None:
            if _is_replay(present, entry):
                return self._done("promoted", self._carrier(present), "already_present")
            entry = entry.model_copy(update={"id": fresh_id(entry)})
            return self.admit(entry, now=now, settings=settings, same=same)
        entry = _prepared(entry, settings)
        twins = tuple({twin.id: twin for twin in (*self.twins(entry), *same)}.values())
        active = [t for t in twins if t.status == "active"]
        if active:
            return self._recur(entry, active, now=now, settings=settings)
        if entry.status == "inbox" and twins:
            return self._done("absorbed", twins[0].id, "already_waiting")
        self._index.add(entry)
        for waiting in twins:
            self._retire(waiting, by=entry.id, now=now)
        return self._entered(entry, now)

    def replace(
        self, old: MemoryEntry, entry: MemoryEntry, *, now: datetime, settings: MemorySettings
    ) -> Admission:
        """Replace `old` by `entry` without checking permission (`supersede` does)."""
        entry = entry.model_copy(update={"supersedes": _joined(entry.supersedes, (old.id,))})
        admission = self.admit(entry, now=now, settings=settings)
        if admission.entry_id == old.id or admission.outcome not in REPLACING:
            return admission
        # Add the successor before retiring its predecessor: a crash must never leave neither.
        self._retire(old, by=admission.entry_id, now=now)
        details = {**admission.details, "replaces": old.id}
        return self._done("superseded", admission.entry_id, *admission.reason_codes, **details)

    def _refused(self, entry: MemoryEntry) -> Admission | None:
        if not entry.id:
            return self._done("retryable", "", "missing_id")
        if not canonical(entry.text):
            return self._done("rejected", "", "empty")
        if entry.status not in ADMISSIBLE:
            return self._done("rejected", "", "not_admissible", status=entry.status)
        return None

    def _recur(
        self,
        entry: MemoryEntry,
        twins: list[MemoryEntry],
        *,
        now: datetime,
        settings: MemorySettings,
    ) -> Admission:
        """`entry` restates the active `twins`: count the recurrence and keep the better text."""
        best = twins[0]
        if entry.tainted:
            return self._done("absorbed", best.id, "tainted_recurrence")
        if (
            entry.origin != "user"
            and canonical(entry.text) != canonical(best.text)
            and is_users(best)
        ):
            # A model that words a memory in its own way does not confirm it.
            return self._done("absorbed", best.id, "already_present")
        again = reinforce(best, session=entry.session, now=now, settings=settings)
        if entry.status == "inbox" or not _outranks(entry, best):
            self.amend(again.entry)
            return self._done("absorbed", best.id, *again.reason_codes, **again.details)
        self._index.add(_heir(entry, again.entry))
        for twin in twins:
            self._retire(twin, by=entry.id, now=now)
        done = self._entered(self._index[entry.id], now)
        codes = (*again.reason_codes, *done.reason_codes)
        return self._done("superseded", entry.id, *codes, **{**again.details, **done.details})

    def _carrier(self, entry: MemoryEntry) -> str:
        """The id that carries the entry's fact now; follows the chain of successors."""
        seen = {entry.id}
        while entry.status == "superseded":
            heir = self.find(entry.superseded_by)
            if heir is None or heir.id in seen:
                break
            seen.add(heir.id)
            entry = heir
        return entry.id

    def _entered(self, entry: MemoryEntry, now: datetime) -> Admission:
        if entry.status == "inbox":
            return self._done("inbox", entry.id, *entry.reasons)
        by_user = is_users(entry)
        gone, unclear = self._outdated(entry) if by_user else ([], [])
        for old in gone:
            self._retire(old, by=entry.id, now=now)
        if gone:
            self.amend(self._index[entry.id].model_copy(update={"since": iso(now)}))
        against = self._contradicted(entry)
        if by_user:
            earlier = [n for n in against if not self._is_beside(self._index[n], entry)]
            asked = dict.fromkeys((*(old.id for old in unclear), *earlier))
            self._ask(entry.id, tuple(asked)[:MAX_CONTRADICTIONS], now)
            against = tuple(dict.fromkeys((*asked, *against)))
        codes = (("changed",) if gone else ()) + (("may_contradict",) if against else ())
        details: dict[str, Detail] = {"contradicts": against} if against else {}
        if gone:
            details["replaces"] = tuple(old.id for old in gone)
        return self._done("superseded" if gone else "promoted", entry.id, *codes, **details)

    def retired_by(self, entry: MemoryEntry) -> list[MemoryEntry]:
        """The entries that admitting this statement would retire (WM-8)."""
        return self.outdated_by(entry)[0]

    def outdated_by(
        self, entry: MemoryEntry, *, in_passing: bool = False
    ) -> tuple[list[MemoryEntry], list[MemoryEntry]]:
        """The entries of `retired_by`, and those that it may retire, so the person is asked.
        in_passing: as in `judge`."""
        return self._outdated(entry, in_passing=in_passing) if is_users(entry) else ([], [])

    def with_outdated(self, entry: MemoryEntry) -> MemoryEntry:
        """A waiting statement with the entries that it retires once accepted, and those that it may
        contradict: without them a person accepts a new value, and prompts show both (WM-8). What
        was said after it, it only contradicts: an import brings old statements."""
        gone, unclear = self.outdated_by(entry)
        replaced = [e for e in gone if e.status == "active" and e.created_at <= entry.created_at]
        update = {
            "supersedes": _joined(entry.supersedes, tuple(e.id for e in replaced)),
            "conflicts": tuple(e.id for e in (*gone, *unclear) if e not in replaced),
        }
        return entry.model_copy(update=update)

    def _outdated(
        self, entry: MemoryEntry, *, in_passing: bool = False
    ) -> tuple[list[MemoryEntry], list[MemoryEntry]]:
        """Active entries that this statement of the user retires, and those that it may (WM-8)."""
        gone: list[MemoryEntry] = []
        unclear: list[MemoryEntry] = []
        new = reading(entry.text)
        for old, rarity in self._related(entry, new):
            if _same_session(entry, old) and not _is_about(new, reading(old.text)):
                continue  # "not" and "just" then speak of the work in hand
            found = judge(new, reading(old.text), rarity, in_passing=in_passing)
            # What is said in passing retires what was asked for only if its words say so.
            weak = entry.source == "stated" and old.source in ASKED
            if found is Change.UNCLEAR or (found is Change.DIFFERS and weak):
                unclear += [old] if old.status == "active" else []
            elif found is not Change.NONE:
                (unclear if old.pinned else gone).append(old)
        most = _named_most(new, (*gone, *unclear))
        gone, unclear = ([e for e in some if e.id in most] for some in (gone, unclear))
        doubtful = _several(new, gone)
        gone, unclear = [e for e in gone if e not in doubtful], [*doubtful, *unclear]
        return gone, unclear or ([] if gone else self._other_tools(entry, new))

    def _other_tools(self, entry: MemoryEntry, new: ParsedStatement) -> list[MemoryEntry]:
        """Entries that the statement may retire although they share no word with it: "we use yarn",
        "we switched to pnpm". None if there are too many to guess which."""
        if not (new.names_only_tool and (new.has(NOW) or new.has(CHANGES))):
            return []
        older = (
            e
            for e in self._index.entries.values()
            if e.status == "active" and e.scope == entry.scope and not self._is_beside(e, entry)
        )
        short = (e for e in older if e.id != entry.id and len(e.text) <= MAX_TOOL_CHARS)
        found = [e for e in short if reading(e.text).names_only_tool]
        return found if len(found) <= (MAX_TOOLS if new.has(CHANGES) else 1) else []

    def restatements(self, entry: MemoryEntry) -> list[MemoryEntry]:
        """Older entries, in force or waiting, that may state the fact of this one in other words:
        one of the two has the words of the user, and the other those of a model."""
        if not (is_users(entry) or _is_models(entry)):
            return []
        other = _is_models if is_users(entry) else is_users
        rare = [places for places in self._naming(reading(entry.text)) if len(places) <= COMPARED]
        known = self._index.entries
        fitting = {
            at
            for at in chain.from_iterable(rare)
            if other(e := known[at]) and _comparable(e, entry) and MAY_REPLACE not in e.reasons
        }
        return [known[at] for at in self._nearest(entry, fitting, rare)]

    def _related(
        self, entry: MemoryEntry, new: ParsedStatement
    ) -> list[tuple[MemoryEntry, Rarity]]:
        """Older active entries of this scope that share words with the statement."""
        known = self._index.entries
        fitting = {at for at, e in known.items() if _is_stated(e)}
        nearest = self._nearest(entry, fitting, self._naming(new))
        return [(known[at], rarity) for at, rarity in nearest.items()]

    def _naming(self, new: ParsedStatement) -> list[list[int]]:
        """For each word of a statement, the entries that have it."""
        return [self._index.texts.naming(beginning) for beginning in new.beginnings]

    def _nearest(
        self, entry: MemoryEntry, fitting: Collection[int], named: Sequence[Sequence[int]]
    ) -> dict[int, Rarity]:
        """The older ones of these entries in this scope, with what they share. Those with the
        rarest words come first: most entries may name a port, and few the docs."""
        older = {
            at
            for at in fitting
            if (e := self._index.entries[at]).scope == entry.scope and not self._is_beside(e, entry)
        }
        found = rarities([at for at in places if at in older] for places in named)
        ranked = sorted(found, key=lambda at: -found[at].related)[:MOST_CHANGED]
        return {at: found[at] for at in ranked}

    def _is_beside(self, known: MemoryEntry, entry: MemoryEntry) -> bool:
        """Whether both are said at once, in one message or file: then both hold."""
        return known.created_at == entry.created_at or known.id in self._said

    def _ask(self, entry_id: str, others: tuple[str, ...], now: datetime) -> None:
        """Mark entries of which only one may hold, and put the question into the inbox, once."""
        entry = self._index[entry_id]
        for other in map(self._index.__getitem__, others):
            asked = question(entry, other, iso(now))
            if self._index.get(asked.id) is not None:
                continue
            self.amend(
                other.model_copy(update={"conflicts": _joined(other.conflicts, (entry_id,))})
            )
            self._index.add(asked)
        if others:
            self.amend(entry.model_copy(update={"conflicts": _joined(entry.conflicts, others)}))

    def _contradicted(self, entry: MemoryEntry) -> tuple[str, ...]:
        """Active entries whose words contradict this one (WM-8), of any type: a type is inferred
        from words, and those of a denial differ."""
        said = proposition(entry.text)
        near = (
            e
            for at in self._index.texts.near(entry.text, said.names)
            if (e := self._index.entries[at]).status == "active"
            and e.scope == entry.scope
            and e.id != entry.id
            and e.id not in entry.supersedes
        )
        found = (
            e.id
            for e in islice(near, COMPARED)
            if contradict(_proposition(e.text), said)
            and not (pair := Pair(reading(entry.text), reading(e.text))).is_about_another()
            and not (pair.has_another_duty() or pair.is_another_case())
        )
        return tuple(islice(found, MAX_CONTRADICTIONS))

    def _same_identity(self, entry: MemoryEntry) -> set[int]:
        said = fact_statement(entry.text)
        if not said.identity:
            return set()
        known = self._index.entries
        named = self._index.texts.naming(said.identity.lower())
        near = islice((at for at in named if known[at].type == entry.type), COMPARED)
        return {at for at in near if same_fact(said, _fact_statement(known[at].text))}

    def _retire(self, entry: MemoryEntry, *, by: str, now: datetime) -> None:
        if entry.id == by:
            return
        self.amend(touched(entry, now, status="superseded", superseded_by=by))
        new = self._index[by]
        supersedes = _joined(new.supersedes, (entry.id,))
        self.amend(new.model_copy(update={"supersedes": supersedes}))

    def _done(self, outcome: Outcome, entry_id: str, *codes: str, **details: Detail) -> Admission:
        return Admission(self.memory, outcome, entry_id, codes, details)


_fact_statement = lru_cache(maxsize=MAX_PARSED)(fact_statement)
_proposition = lru_cache(maxsize=MAX_PARSED)(proposition)
"""Known entries that share a name with new ones are compared again and again."""


def _named_most(new: ParsedStatement, entries: Sequence[MemoryEntry]) -> Collection[str]:
    """The ids of the entries that a statement is about: "the staging db moved to db2" names less of
    "we use t3.micro for staging" than of "the staging db is on db1". One that says less of the same
    ("no default exports") counts as well."""
    said = {e.id: reading(e.text) for e in entries}
    named = {at: Pair(new, old).known for at, old in said.items()}
    return [
        at
        for at in said
        if not any(named[at] < named[by] and Pair(said[by], said[at]).lost for by in said)
    ]


def _several(new: ParsedStatement, gone: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """The entries among these that say different things, but for one whose subject the statement
    names more completely than theirs: one value takes the place of one other. Without those that it
    says are over: "Jenkins is gone" is about all that name it."""
    pairs = [Pair(new, reading(e.text)) for e in gone]
    return [
        entry
        for entry, pair in zip(gone, pairs, strict=True)
        if not pair.over
        and any(_differ(pair, other) and other.coverage() >= pair.coverage() for other in pairs)
    ]


def _differ(one: Pair, other: Pair) -> bool:
    """Whether the older statements of two pairs each have a word that the other one has not."""
    both = Pair(one.old, other.old)
    return bool(both.lost and both.added)


def rarities(found: Iterable[Collection[int]]) -> dict[int, Rarity]:
    """The rarity of each entry. found: for each part of the statement, the entries that have it."""
    related: dict[int, float] = {}
    naming: dict[int, int] = {}
    for places in found:
        for at in places:
            related[at] = related.get(at, 0.0) + 1 / len(places)
            naming[at] = min(naming.get(at, len(places)), len(places))
    best, second = (*sorted(related.values(), reverse=True)[:2], 0.0, 0.0)[:2]
    return {
        at: Rarity(naming[at], own, second if own == best else best) for at, own in related.items()
    }


def fresh_id(entry: MemoryEntry) -> str:
    """Another id for an entry whose id is taken; a replay after a crash gets the same one."""
    content = "\0".join((entry.id, entry.type, entry.text, entry.created_at))
    return "m_" + hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _is_replay(present: MemoryEntry | None, entry: MemoryEntry) -> bool:
    """Whether it is the same entry again, perhaps edited since, and not another with its id."""
    if present is None or present.type != entry.type:
        return False
    born = bool(entry.created_at) and present.created_at == entry.created_at
    return born or canonical(present.text) == canonical(entry.text)


def _prepared(entry: MemoryEntry, settings: MemorySettings) -> MemoryEntry:
    """The entry ready for admission: with its clock set, and in the inbox if it must wait."""
    entry = entry.model_copy(update={"retention_clock": clock_of(entry)})
    if entry.status == "active" and entry.tainted:
        entry = _waiting(entry, "tainted")
    if len(entry.text) > settings.max_text_chars:
        entry = _waiting(entry, "too_long")
    if len(entry.rationale) > settings.max_rationale_chars:
        entry = _waiting(entry, "rationale_too_long")
    return entry


def _waiting(entry: MemoryEntry, reason: str, *, supersedes: tuple[str, ...] = ()) -> MemoryEntry:
    return entry.model_copy(
        update={
            "status": "inbox",
            "reasons": _joined(entry.reasons, (reason,)),
            "supersedes": _joined(entry.supersedes, supersedes),
        }
    )


def _is_stated(entry: MemoryEntry) -> bool:
    """Whether it is in force, or a statement of the user that waits only because it was
    unclear whether it is meant to last."""
    waits = entry.status == "inbox" and entry.source == "stated"
    return entry.status == "active" or (waits and MAY_REPLACE not in entry.reasons)


def _same_session(entry: MemoryEntry, old: MemoryEntry) -> bool:
    """Whether both were said in passing in one session."""
    return entry.session == old.session != "" and entry.source == old.source == "stated"


def _is_about(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Whether the new text has half of the content words of the old one, or says from which of its
    values we changed: "we switched from jest to vitest"."""
    pair = Pair(new, old)
    changes = new.has(CHANGES) and pair.names_value(pair.over)
    return changes or 2 * len(pair.shared) >= len(pair.old_words)


def is_users(entry: MemoryEntry) -> bool:
    """Whether it is a statement of the user: only those retire others."""
    return entry.origin == "user" and not entry.tainted and entry.source in SAID


def _is_models(entry: MemoryEntry) -> bool:
    """Whether a model wrote it, perhaps after what the user said."""
    return entry.origin in ("agent", "tool") or (
        entry.origin == "user" and entry.source == "compaction"
    )


def _may_share(known: MemoryEntry, entry: MemoryEntry) -> bool:
    """Whether equal words of the two are one fact: of one type, or of a type that `wm` guessed."""
    guessed = known.source in GUESSED_TYPE or entry.source in GUESSED_TYPE
    return known.type == entry.type or guessed


def _comparable(known: MemoryEntry, entry: MemoryEntry) -> bool:
    """Whether `known` may represent `entry`: it must be in force in the scope of the new entry."""
    if known.status not in ADMISSIBLE or known.outside or entry.outside:
        return False
    return known.scope in (entry.scope, "workspace")


def _outranks(entry: MemoryEntry, known: MemoryEntry) -> bool:
    """What no model wrote comes first. Then compare by source, then confidence, then the more
    specific, then the newer.

    Of two spellings of one canonical text with the same rank the present one stays: refs, pins and
    epochs name its id, and a recurrence must not add an entry each time.
    """
    a = (not _is_models(entry), SOURCE_RANK.get(entry.source, 0), entry.confidence)
    b = (not _is_models(known), SOURCE_RANK.get(known.source, 0), known.confidence)
    if a != b:
        return a > b
    text, other = canonical(entry.text), canonical(known.text)
    if text == other:
        return False
    if abs(len(text) - len(other)) > SPECIFICITY_CHARS:
        return len(text) > len(other)
    return (entry.created_at, entry.id) > (known.created_at, known.id)


def _protection(old: MemoryEntry | None) -> str:
    """The code of the reason why a model may not replace this entry, or ""."""
    if old is None or old.status != "active":
        return "memory_ref_target_unavailable"
    if old.source != "compaction":
        return "protected_memory_source"
    if old.reinforcement_count > 0:
        return "protected_reinforced_target"
    if old.pinned or old.user_importance == "high":
        return "protected_by_user"
    return ""


def _heir(entry: MemoryEntry, known: MemoryEntry) -> MemoryEntry:
    """The new entry with what people and time gave to the entry that it replaces."""
    important = entry.user_importance
    return entry.model_copy(
        update={
            "pinned": entry.pinned or known.pinned,
            "user_importance": known.user_importance if important == "normal" else important,
            "tags": _joined(entry.tags, known.tags),
            "anchors": entry.anchors or known.anchors,
            "rationale": entry.rationale or known.rationale,
            "tainted": entry.tainted or known.tainted,
            "reinforcement_count": known.reinforcement_count,
            "last_reinforced_at": known.last_reinforced_at,
            "last_reinforced_session": known.last_reinforced_session,
            "retention_clock": clock_of(known),
        }
    )


def _joined(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*a, *b)))
