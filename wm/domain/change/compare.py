"""Decide whether a newer statement of the user changes what an older entry says (WM-8).

Compares which words the two share, which values differ, and which phrases of change the newer one
has. A pair that only looks alike (another environment, package or subject) is not a change. Rules
give a verdict; a linear model of the pair, with this verdict as one of its features, confirms it,
replaces it, or leaves the pair to the person. Its weights are data, which
`python -m tests.bench fit_change` makes. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from functools import cache, cached_property
from itertools import pairwise, takewhile
from typing import NamedTuple

from wm.domain.change.alignment import Slot, alike, slots, split, split_compounds
from wm.domain.change.contradiction import VALUE_WORDS
from wm.domain.change.same_fact import fact_statement
from wm.domain.change.statement import (
    ALSO,
    BANS,
    BE,
    BOUNDS,
    CHANGES,
    ELSEWHERE,
    EXCEPT,
    LIFTS,
    NAMES,
    NEEDS,
    NOT_ONLY,
    NOT_YET,
    NOW,
    OVER,
    PAST,
    PERMITS,
    SIZES,
    THEIR_OWN,
    VALUE_NOUNS,
    ContentWord,
    ParsedStatement,
    is_action,
    is_amount,
    is_owning,
)
from wm.text.linear_model import LinearModel, read_model
from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk

REPLACES_SCORE, SURE_SCORE, UNCLEAR_SCORE = 0.85, 2.0, -0.35
"""A pair of at least the first score is a change; one that the rules leave to the person, or whose
statement is not kept for itself, needs the second. From the third on it may be one, and the person
is asked. Of 1,252 changes that no fit uses, 741 are found and 193 asked about, beside 13 and 33 of
10,606 other entries of their memories, and 14 and 98 of 9,953 pairs of a statement and a later
message about something else."""


class Change(Enum):
    """NONE: both hold. UNCLEAR: a person must decide. DIFFERS: only the value differs, and no word
    says that it changed. REPLACES: the older one is out of date."""

    NONE = "none"
    UNCLEAR = "unclear"
    DIFFERS = "differs"
    REPLACES = "replaces"


class Pair:
    """Two readings compared: which words of each the other one has."""

    def __init__(self, new: ParsedStatement, old: ParsedStatement) -> None:
        self.new, self.old = new, old
        self.old_words, self.new_words = old.words, new.words
        if not (old.text.isascii() or new.text.isascii()):
            self.old_words = split_compounds(old.words, new.words)
            self.new_words = split_compounds(new.words, old.words)
        self.lost = _without(self.old_words, self.new_words)
        self.shared = [w for w in self.old_words if w not in self.lost]
        self.added = _without(self.new_words, self.old_words)
        if self.lost and not self.added:  # "the main branch is main now"
            terms = [w.term for w in self.new_words]
            self.added = [w for at, w in enumerate(self.new_words) if w.term in terms[:at]][:1]
        if self.lost and not self.added:  # `make release`, and the release branch before
            values = [w for w in self.old_words if w.is_value]
            plain = (w for w in self.new_words if not any(alike(w, o) for o in values))
            self.added = [w for w in plain if w.is_value]

    @cached_property
    def tail(self) -> list[ContentWord]:
        """The words where the old text names its value."""
        ends = {(w.clause, w.end) for w in self.old.tail}
        return [w for w in self.old_words if (w.clause, w.end) in ends]

    @cached_property
    def over(self) -> list[ContentWord]:
        """Words of the old text that the new one says are over."""
        found = []
        for word in self.shared:
            ended = [o for o in self.new_words if alike(word, o) and self.is_over(o)]
            # "Staging is now X" ends no use of staging; "we renamed X to Y" ends that of the name.
            if ended and (self.new.clauses[ended[0].clause].ends or self.names_value([word])):
                found.append(word)
        return found

    def says(self, phrases: Lazy) -> bool:
        """Whether the new statement has one of the phrases, in a clause that shares words with the
        older one or has none ("also, …")."""
        apart = {w.clause for w in self.added} - self.clauses_about
        clauses = {*range(len(self.new.clauses))} - apart
        return bool(clauses) and self.new.has(phrases, clauses)

    @property
    def known(self) -> frozenset[ContentWord]:
        """The words of the new statement that the older one has."""
        return frozenset(self.new_words).difference(self.added)

    @cached_property
    def clauses_about(self) -> set[int]:
        """The clauses of the new statement that share a word with the older one."""
        return {w.clause for w in self.new_words if w not in self.added}

    def exchanges_roles(self) -> bool:
        """Whether two words have changed places, and another word differs: "web waits 30 s for
        mail" and "mail waits 60 s for web" both hold. Not if it says that something changed, or
        which of the two is to be used: "tabs over spaces"."""
        if self.new.has(NOW) or self.new.prefers:
            return False
        both = zip(self.old_words, self.new_words, strict=False)
        other = {(o.term, n.term) for o, n in both if o.term != n.term}
        exchanged = {(o, n) for o, n in other if (n, o) in other}
        same_length = len(self.old_words) == len(self.new_words)
        return same_length and bool(exchanged) and exchanged != other

    @property
    def shares_content(self) -> bool:
        """Whether they share more than adverbs: two statements with "directly" need not be about
        the same thing."""
        return not all(w.is_adverb for w in self.shared)

    @property
    def same_duty(self) -> bool:
        """Whether both say who has something, or both say who reviews it."""
        return self.new.duty == self.old.duty != ""

    def is_over(self, word: ContentWord) -> bool:
        """Whether the new statement says of this word of its own that it is over."""
        return any(start <= word.start < end for start, end in self.new.clauses[word.clause].old)

    def contrasts(self) -> bool:
        """Whether each of the two names a case or an action that the other does not."""
        mine, theirs = self.new.cases - self.old.cases, self.old.cases - self.new.cases
        if mine and theirs:
            return True
        one, two = self.new.actions, self.old.actions
        return bool(one and two) and one.isdisjoint(two)

    @cached_property
    def differing(self) -> list[Slot]:
        """The slots in which words of both differ, split where both are split."""
        parts = (part for slot in slots(self.old_words, self.new_words) for part in split(slot))
        kept = (
            Slot(
                tuple(w for w in part.old if w in self.lost),
                tuple(w for w in part.new if w in self.added),
            )
            for part in parts
        )
        return [slot for slot in kept if slot.old and slot.new]

    def other_subject(self) -> bool:
        """Whether the subject differs, and a value as well: the crawler retries 3 times, the mailer
        retries 5 times."""
        for one, other in pairwise(self.differing):
            between = self.old_words[
                self.old_words.index(one.old[-1]) + 1 : self.old_words.index(other.old[0])
            ]
            leads = one.old[0] is self.old_words[0] and one.new[-1].clause == other.new[0].clause
            numbered = any(map(str.isdigit, one.old[-1].term))  # shard x003 takes 12 GB
            if (leads or between or numbered) and not one.old[0].is_number:
                return True
        return False

    def other_topic(self) -> bool:
        """Whether words differ at two places, of which only one can be the value."""
        return any(not w.is_number for slot in self.differing[:-1] for w in slot.old)

    def differs_twice(self) -> bool:
        """Whether words differ at two places, and not numbers alone: one place is the subject."""
        lost = [w for slot in self.differing for w in slot.old]
        return len(self.differing) > 1 and not all(w.is_number for w in lost)

    def inherits_other_subject(self, over: Sequence[ContentWord]) -> Change:
        """What a clause that retires a value says of an entry with this value and another subject:
        "the docs are on port 9000, no longer on port 8000" and "the shop is on port 8000"."""
        if self._ends_alone(over):
            return Change.REPLACES
        rest = [w for w in self.new_words if not w.is_verb and not any(alike(w, o) for o in over)]
        # "We use pnpm, npm breaks the lockfile": a clause of its own gives a reason, no subject.
        clauses = {w.clause for w in over}
        found = Change.REPLACES
        for slot in slots([w for w in self.old_words if not w.is_verb], rest):
            others = [w for w in slot.old if w not in over and w.clause in clauses]
            if not others or not slot.new:
                continue
            if len(others) == len(slot.old):
                return Change.NONE
            left = self._without_value(slot, over)
            if left and (slot.old[0] is others[0]) == (slot.new[0] is left[0]):
                return Change.NONE
            found = Change.UNCLEAR if left else found
        return found

    def _without_value(self, slot: Slot, over: Sequence[ContentWord]) -> list[ContentWord]:
        """The words of the new statement in this slot that are not its new value."""
        free = [w for w in slot.new if not self.is_over(w)]
        values = [w for w in free if w.is_value]
        values = values or (free[-1:] if slot.old[-1] in over else free[:1])
        return [w for w in slot.new if w not in values]

    def _ends_alone(self, over: Sequence[ContentWord]) -> bool:
        """Whether a clause says of these words alone that they are over: "Jenkins is gone"."""
        for at, clause in enumerate(self.new.clauses):
            ended = [w for w in self.new_words if w.clause == at and self.is_over(w)]
            if clause.inherits or not ended:
                continue
            known = [any(alike(w, o) for o in over) for w in ended]
            # "Changelog entries by hand are gone", but not "the inheritance docs moved".
            if all(known) or (clause.ends and known[0]):
                return True
        return False

    @property
    def subject(self) -> list[ContentWord]:
        """The old words that are neither values nor the units of values that went."""
        tail = self.tail
        gone = self.old.units(self.lost)
        units = [w for w in self.lost if w.word in gone or is_action(w.word)]
        if self.new.actions & self.old.actions:
            units += [w for w in self.lost if is_owning(w.word)]
            if self.lost[:1] == list(self.old_words[:1]):
                tail = self.lost[:1]  # "Jun owns the parser": the value comes first
        return [w for w in self.old_words if not w.is_value and w not in tail and w not in units]

    def coverage(self) -> float:
        """The share of the old subject that the new text names."""
        words = self.subject or [w for w in self.old_words if w not in self.tail] or self.old_words
        return sum(w in self.shared for w in words) / len(words) if words else 0.0

    def other_units(self) -> bool:
        """Whether the numbers that went and came count different things."""
        shared = {w.word for w in (*self.shared, *self.new_words) if w not in self.added}
        old, new = self.old.units(self.lost) - shared, self.new.units(self.added) - shared
        if not (old and new) or not old.isdisjoint(new):
            return False
        # Hours may take the place of minutes, and kilobytes that of megabytes.
        return not old | new <= VALUE_WORDS or old.isdisjoint(SIZES) is not new.isdisjoint(SIZES)

    def names_value(self, words: list[ContentWord]) -> bool:
        return any(w.is_value or w in self.tail for w in words)

    def may_agree_in_kind(self) -> bool:
        """Whether a value that went and one that came may be of one kind: numbers, or names."""
        if self.agrees_in_kind() or self.differs_in_kind():
            return self.agrees_in_kind()
        lost = [w for w in self.lost if w.is_value] or [w for w in self.lost if w in self.tail]
        added = [w for w in self.added if w.is_value]
        if not lost:
            return True
        if not added:  # "Caddy serves the files now": the value comes first
            return not any(map(is_amount, (*lost, *self.added)))
        in_path = all("/" in w.word and self.new.lead(w) not in {*BE, ""} for w in added)
        if in_path and not any("/" in w.word for w in lost):
            return False  # "auth uses JWT" and "auth is in services/auth now"
        if not {*map(is_amount, lost)}.isdisjoint(map(is_amount, added)):
            return True
        return len(self.shared) > 1 and self.new.has(CHANGES)

    def serves_same_purpose(self) -> bool:
        """Whether another thing is used for the same purpose: "we use yarn for installs", "we use
        pnpm for installs"."""
        if len(self.differing) != 1 or self.old.denies or self.new.denies:
            return False
        (slot,) = self.differing
        is_all = len(self.lost) == len(slot.old) and len(self.added) == len(slot.new)
        uses = self.old.uses_first(slot.old[0]) and self.new.uses_first(slot.new[0])
        return is_all and uses and all(w.role == "of" for w in self.shared)

    def names_another_tool(self) -> bool:
        """Whether another thing is used for what the older statement names: "we use jest for tests"
        and "tests run with vitest now". Not for a part of it: "for e2e tests"."""
        part = any(w in self.added for w in self.new.purpose())
        return not part and any(map(self.new.names_tool, self.added))

    def is_measured(self) -> bool:
        """Whether it only says how much there is, and the older one how much must be: "coverage is
        at 75% now" and "coverage must be at least 80%"."""
        bound = self.old.has(BOUNDS) and not (self.new.has(BOUNDS) or self.new.has(NEEDS))
        return bound and not self.new.phrases - {"now"} and all(map(is_amount, self.added))

    def reports_trouble(self) -> bool:
        """Whether the new statement reports a condition of its subject, and the older one says what
        it is: "CI is red now" and "our CI is CircleCI", or "CI does not respond any more"."""
        if any(map(self.new.is_fault, self.added)):
            return not self.new.phrases - {"now", "over", "ends", "spans"}
        for word in self.added:
            if word.clause in self.clauses_about and self.new.is_trouble(word):
                return not self.new.phrases - {"now", "lifts"} and self.names_value(self.lost)
            if self.new.names_tool(word) or word.role == "in":
                return False
        return False

    def says_more(self) -> bool:
        """Whether the older text has another fact, of which the new one says nothing: "staging is
        on 5433 and production on 6000"."""
        parts = self.old.conjuncts
        often = Counter(term for part in parts for term in {w.term for w in part})
        for part in parts:
            rest = [w for w in part if w not in self.shared]
            has_value = any(w.is_value or w in self.tail for w in rest)
            apart = all(w in rest or often[w.term] > 1 for w in part)
            if len(rest) > 1 and has_value and apart:
                return True
        return False

    def begins_with_another(self) -> bool:
        """Whether the new statement begins with something that the older one does not name, and
        has another new word: "the docs are deployed to Netlify", "deploys go through Jenkins"."""
        first = self.new_words[0]
        if first not in self.added or is_amount(first) or self._exchanges_amount():
            return False
        if self.new.has(CHANGES):
            return False  # "Tom switched the reviews to GitLab"
        clause = [w for w in self.new_words if w.clause == first.clause]
        led = list(takewhile(lambda w: w in self.added, clause))
        return len(led) < len(clause) and any(w in self.added for w in clause[len(led) :])

    def relates_otherwise(self) -> bool:
        """Whether what came belongs to the subject in another way than what went: "the worker uses
        Kafka" and "is written in Go", "the linter runs before each commit" and "is flake8"."""
        if not (self.lost and self.added) or self._exchanges_amount():
            return False
        new, old = self.new, self.old
        behind = takewhile(lambda w: w in self.added, reversed(self.new_words))
        when = any(map(new.is_occasion, behind)) and not any(map(old.is_occasion, self.lost))
        state = any(w.is_participle and w in self.tail for w in self.lost)
        act = (
            bool(old.actions) and not (new.actions or new.has(CHANGES)) and new.uses(self.new_words)
        )
        return when or act or (state and not any(w.is_participle for w in self.added))

    @cached_property
    def kinds(self) -> tuple[frozenset[str], frozenset[str]]:
        """The kinds of value that went and that came; empty if unknown."""
        added = [w for w in self.added if w.clause in self.clauses_about] or self.added
        return self.old.kinds(self.lost), self.new.kinds(added)

    def differs_in_kind(self) -> bool:
        """Whether what went and what came are of kinds that exclude each other: "docs are written
        in Markdown" and "docs live in the wiki"."""
        lost, added = self.kinds
        # A language also differs from a word of unknown kind.
        known = (lost and added) or {"language"} in (lost, added)
        return bool(known) and lost.isdisjoint(added)

    def agrees_in_kind(self) -> bool:
        """Whether what went and what came are of one known kind."""
        lost, added = self.kinds
        return lost == added and len(lost) == 1 and lost <= {"amount", "place", "language"}

    def is_other_attribute(self) -> bool:
        """Whether the new statement may be about something else that belongs to its subject, or
        about something that only shares a word with it."""
        if self.over or self.value_apart or not (self.lost and self.added):
            return False
        if self.differs_in_kind() or self.ends_another():
            return True
        about = [w for w in self.new_words if w.clause in self.clauses_about] or self.new_words
        if about[0] not in self.added:
            return False
        # "Fixtures are in tests/data" and "we use Jest for tests"
        known = [w for w in self.new_words if w not in self.added]
        if all(w.parts for w in known) and not any(w.parts for w in self.shared):
            return True
        # "Emojis are fine in commit messages" and "write commit messages in German"
        permits = self.new.lifts and not (self.old.demands or self.new.has(CHANGES))
        return permits and not self._exchanges_amount()

    def ends_another(self) -> bool:
        """Whether the new statement says of something else that it is over: "we moved auth from JWT
        to cookies" and "sessions are in Redis"."""
        ended = [w for w in self.new_words if self.is_over(w) and w.word != "one"]
        ended = [w for w in ended if w.is_value or w.clause in self.clauses_about]
        parts = {part for w in self.old_words for part in w.parts}
        if not ended or any(w not in self.added or w.term in parts for w in ended):
            return False
        others_have_amount = any(is_amount(w) for w in self.added if w not in ended)
        return any(map(is_amount, ended)) is others_have_amount

    def is_about_another(self) -> bool:
        """Whether the new statement has another number or subject, or restricts what the older one
        says without this restriction: by what opens it ("on the test server, …"), or of whom or
        what it is."""
        if not self.shared:
            return False
        first = self.new_words[0]
        opens = first.opens and first in self.added and not first.is_number
        if opens or self._has_another_number() or self._has_another_subject():
            return True
        return any(
            (part.role == "of" and part in self.added and not part.is_number
            and named not in self.added and not named.role and named.clause == part.clause
            and not self._may_be_value(named))
            or (named in self.added and alike(part, self.old_words[0])
            and self.new.is_of(named, part))
            for named, part in pairwise(self.new_words)
        )  # fmt: skip

    def _has_another_number(self) -> bool:
        """Whether one subject has two numbers or letters: "worker 1 listens on 9001", "worker 6
        listens on 9006". If nothing else differs, the number may be a value: "port 80 is open"."""
        several = all(sum(w.is_number for w in s.words) > 1 for s in (self.new, self.old))
        mine, theirs = (_numbered_subjects(said, phrase=several) for said in (self.new, self.old))
        values = self.new.phrases or not VALUE_NOUNS.isdisjoint(w.word for w in mine.values())
        if values and len(self.lost) + len(self.added) < 3:
            return False
        same = {mark.term for mark in mine} & {mark.term for mark in theirs}
        return not same and any(alike(a, b) for a in mine.values() for b in theirs.values())

    def _has_another_subject(self) -> bool:
        """Whether the new statement opens with a part of the older one's subject ("the docs builds
        …"), or with another person or group where the older one is about us ("Carla deploys …")."""
        first = [w for w in self.new_words if w.clause == self.new_words[0].clause]
        led = list(takewhile(lambda w: w in self.added and not w.is_number, first))
        if not led or len(led[0].word) < 3 or is_cjk(led[0].word[0]):
            return False
        rest = first[len(led) :][:1]
        if rest and alike(rest[0], self.old_words[0]) and self.new.acts(led[-1], rest[0]):
            return len(led) == 1 or self.old.is_ours
        return len(self.added) > 1 and self.new.uses([*led[:2], *rest])

    def has_another_holder(self) -> bool | None:
        """Whether another has the duty: "Ann leads sales", "Bo leads sales". False if one has
        another duty too: "Ann leads support". None if more differs, or less."""
        gone = [w for w in self.lost if not self.old.is_duty(w)]
        came = [w for w in self.added if not self.new.is_duty(w)]
        if not _is_name(gone) or not _is_name(came) or _is_long(gone) is not _is_long(came):
            return None
        before, after = self.old.has_duty(gone[0], gone[-1]), self.new.has_duty(came[0], came[-1])
        return before if before is after else None

    def has_another_duty(self) -> bool:
        """Whether it says that the same person or team has another duty too."""
        return self.same_duty and self.has_another_holder() is False

    def other_is_denied(self) -> bool:
        """Whether another than the holder does not have the duty: "Bo does not lead sales"."""
        denied = self.new.denies and not self.old.denies
        return denied and self.same_duty and self.has_another_holder() is True

    def is_another_case(self) -> bool:
        """Whether the differing words are not a value, but another thing that is banned, needed, or
        done something before: "ask before pushing" and "ask before merging"."""
        if all(map(is_amount, self.lost)):
            return False
        return any(self.old.is_one_of_several(w) or self.old.is_occasion(w) for w in self.lost)

    def calls_anew(self) -> bool:
        """Whether the name that the old text gives has another one now: "colibri is called mesange"
        and "the package is called colibri"."""
        if not (self.tail and self.new.has(NAMES) and self.old.has(NAMES)):
            return False
        name = self.new_words[-1]
        return (
            name in self.added and alike(self.new_words[0], self.tail[0]) and self.new.calls(name)
        )

    def turns_rule(self) -> bool:
        """Whether one permits what the other one forbids, in the same words."""
        for one, other in ((self.old, self.new), (self.new, self.old)):
            if one.has(PERMITS) and other.has(BANS) and one.without(PERMITS) == other.without(BANS):
                return True
        return False

    def names_kind(self) -> bool:
        """Whether the older statement is about a kind of what the new one names: "force-push"."""
        terms = {w.term for w in self.new_words}
        return any(w.parts and w.term not in terms for w in self.shared)

    def permits_another(self) -> Sequence[ContentWord]:
        """What is permitted and not in the ban: "never push to main", "hotfixes may be pushed to
        main". A participle may be another word for the same act, and a value may take the place of
        another one. A clause without words of the ban says why: "the freeze is over"."""
        values = [w for s in self.differing if any(o.is_value for o in s.old) for w in s.new]
        found = (w for w in self.added if not (w.is_verb or w.is_participle or w in values))
        return [w for w in found if w.clause in self.clauses_about]

    def _may_be_value(self, word: ContentWord) -> bool:
        return word.is_number or any(alike(word, w) for w in (*self.tail, *self.new.tail))

    def exchanges_value(self) -> bool:
        """Whether a number took the place of a number, or a name that of a name."""
        lost = {is_amount(w) for w in self.lost if w.is_value}
        return self.agrees_in_kind() or any(is_amount(w) in lost for w in self.added if w.is_value)

    def _exchanges_amount(self) -> bool:
        return any(map(is_amount, self.lost)) and any(map(is_amount, self.added))

    def other_predicate(self) -> bool:
        """Whether the new statement says something else about its subject: "the parser is written
        in Rust", "the parser is covered by tests now"."""
        return not self._exchanges_amount() and any(
            w.is_participle and not w.is_value for w in self.added
        )

    def ends_other_use(self) -> bool:
        """Whether what is over is another use of the same thing: "we don't use Redis for the queue
        any more" and "we use Redis for sessions"."""
        purpose = self.old.purpose()
        if purpose and not any(w in self.shared for w in purpose):
            return any(w.role == "of" or self.is_over(w) for w in self.added)
        return any(all(map(self.is_over, slot.new)) for slot in self.differing)

    @cached_property
    def value_apart(self) -> bool:
        """Whether the new statement names the old value in another clause than the subject:
        "the emulator is on 4411, 4400 was taken"."""
        values = [w for w in self.old_words if w.is_value] or self.tail
        value = {w.clause for w in self.new_words if any(alike(w, o) for o in values)}
        others = [o for o in self.old_words if o not in values]
        about = {w.clause for w in self.new_words if any(alike(w, o) for o in others)}
        apart = bool(value) and value.isdisjoint(about)
        return apart and not about.isdisjoint(w.clause for w in self.added)


def _numbered_subjects(said: ParsedStatement, *, phrase: bool) -> dict[ContentWord, ContentWord]:
    """The numbers that belong to the first word, or to what restricts it. phrase: also to a word
    of the phrase that it opens, "loading bay 3", of which a verb may be the last."""
    first, *others = said.words
    lead = [first, *(w for w in others[:1] if w.role or first.is_number)]
    if phrase:
        lead += takewhile(lambda w: w.role or said.words[said.words.index(w) - 1].gap(w), others)
    return {mark: noun for mark, noun in said.numbered.items() if noun in lead or mark is first}


def _is_name(words: Sequence[ContentWord]) -> bool:
    """Whether these may be one name: they follow each other, and count nothing."""
    plain = not any(map(is_amount, words))
    return bool(words) and plain and all(0 <= b.start - a.end < 2 for a, b in pairwise(words))


def _is_long(words: Sequence[ContentWord]) -> bool:
    """Whether a Chinese word, which no space separates from the next, may be more than a name."""
    return any(_LONG_HAN.fits(w.word) for w in words)


def _without(words: Sequence[ContentWord], others: Sequence[ContentWord]) -> list[ContentWord]:
    """The words that the other statement does not have. The file `spec/openapi.yaml` has a word of
    "the OpenAPI file", but is another value."""
    terms = {w.term for w in words}
    return [
        w
        for w in words
        if not any(
            alike(w, o) and (o.term == w.term or not w.parts or o.term not in terms) for o in others
        )
    ]


class Rarity(NamedTuple):
    """How rare what a statement shares with an entry is among all entries that it may change.

    naming: how many entries have the rarest part that both have. related: the sum of one divided by
    that number over all parts; best_other: the highest such sum of another entry.
    """

    naming: int = 1
    related: float = 1.0
    best_other: float = 0.0


ALONE = Rarity()
_LONG_HAN = Lazy(r"\p{Han}{4,}")


def judge(
    new: ParsedStatement, old: ParsedStatement, rarity: Rarity = ALONE, *, in_passing: bool = False
) -> Change:
    """Whether `new`, said later, changes what `old` says. in_passing: it is not kept for itself, so
    only a change that the rules or its words show counts, and is UNCLEAR unless it is sure."""
    pair = Pair(new, old)
    if not pair.shares_content or pair.exchanges_roles():
        return Change.NONE
    found = by_rules(pair)
    if in_passing and found is Change.NONE and new.says_change <= 0:
        return Change.NONE
    score = model().weigh(features(pair, rarity, new.says_change, found), frozenset())
    verdict = _confirmed(pair, found, score)
    unsure = in_passing and score < SURE_SCORE and verdict is not Change.NONE
    return Change.UNCLEAR if unsure else verdict


def _confirmed(pair: Pair, found: Change, score: float) -> Change:
    """The verdict of the rules, confirmed or replaced by the score of the model."""
    if pair.over and pair.says_more():
        return Change.UNCLEAR
    if found in (Change.REPLACES, Change.DIFFERS):
        return found if score >= UNCLEAR_SCORE else Change.UNCLEAR
    if score >= (REPLACES_SCORE if found is Change.NONE else SURE_SCORE):
        return Change.REPLACES
    return found if score < UNCLEAR_SCORE else Change.UNCLEAR


def _is_aside(pair: Pair) -> bool:
    """Whether the newer one asks, adds, or is about a plan, the past, a part of the subject, or
    another's affairs."""
    new = pair.new
    if new.text.rstrip().endswith(("?", "？")) or new.has(NOT_YET) or new.has(NOT_ONLY):
        return True
    if pair.is_about_another() or pair.reports_trouble() or pair.is_measured():
        return True
    # "Never log tokens" and "never log passwords"
    forbids_more = new.forbids and pair.old.forbids and bool(pair.lost)
    if not pair.over and (forbids_more or pair.says(ALSO)):
        return True
    past = new.has(PAST) and not (new.has(NOW) or new.has(OVER))
    return past or new.has(ELSEWHERE) != pair.old.has(ELSEWHERE)


@cache
def model() -> LinearModel:
    """The fitted weights of pairs."""
    return read_model("wm.domain.change", "change_pairs.toml")


def features(pair: Pair, rarity: Rarity, says_change: float, verdict: Change) -> frozenset[str]:
    """The features of a pair that shares words. says_change: that of the newer statement. verdict:
    that of the rules."""
    numbers = _measures(pair, rarity, says_change).items()
    above = {f"{name}>{at}" for name, (n, limits) in numbers for at in limits if n > at}
    conditions = _conditions(pair, rarity) | _phrasing(pair.new, pair.old)
    true = {name for name, is_true in conditions.items() if is_true}
    return frozenset({f"rules:{verdict.value}", *above, *true})


def _measures(
    pair: Pair, rarity: Rarity, says_change: float
) -> dict[str, tuple[float, tuple[float, ...]]]:
    """Each number of a pair, and the limits that it may exceed."""
    known = len(pair.new_words) - len(pair.added)
    return {
        "says": (says_change, (-3, -2, -1, 0, 1, 2, 3, 5)),
        "naming": (rarity.naming, (1, 2, 3, 5)),
        "related": (rarity.related, (0.3, 0.6, 1)),
        "added_plain": (sum(not w.is_value for w in pair.added), (0, 1, 2, 4)),
        "coverage": (pair.coverage(), (0, 0.66, 0.99)),
        "shared": (len(pair.shared), (1,)),
        "shared_of_old": (len(pair.shared) / len(pair.old_words), (0.2, 0.34, 0.5)),
        "shared_of_new": (known / len(pair.new_words), (0.2, 0.34, 0.67)),
        "lost": (len(pair.lost), (1, 2, 4)),
        "words": (len(pair.new_words), (8, 12)),
        "clauses": (len(pair.new.clauses), (1, 2)),
        "clauses_about": (len(pair.clauses_about), (1,)),
    }


def _conditions(pair: Pair, rarity: Rarity) -> dict[str, bool]:
    """Whether each condition of the words of a pair is true."""
    names_old, clauses_added = pair.names_value(pair.shared), {w.clause for w in pair.added}
    return {
        "about_another": pair.is_about_another(),
        "added_amount": any(map(is_amount, pair.added)),
        "added_value": any(w.is_value for w in pair.added),
        "agrees": pair.agrees_in_kind(),
        "another_holder": pair.has_another_holder() is True,
        "begins_with_another": pair.begins_with_another(),
        "exchanges_value": pair.exchanges_value(),
        "far_best": rarity.related > 1.5 * rarity.best_other,
        "first_added": pair.new_words[0] in pair.added,
        "first_lost": pair.old_words[0] in pair.lost,
        "lost_amount": any(map(is_amount, pair.lost)),
        "lost_value": any(w.is_value for w in pair.lost),
        "names_old": names_old,
        "names_old_alone": names_old and bool(clauses_added - pair.clauses_about),
        "nothing_lost": not pair.lost,
        "other_attribute": pair.is_other_attribute(),
        "other_predicate": pair.other_predicate(),
        "other_subject": pair.other_subject(),
        "other_use": bool(pair.over) and pair.ends_other_use(),
        "over_any": bool(pair.over),
        "over_value": pair.names_value(pair.over),
        "renames": pair.calls_anew(),
        "same_duty": pair.same_duty,
        "same_lead": pair.old_words[0] in pair.shared,
        "same_leads": pair.old_words[0] in pair.shared and pair.new_words[0] not in pair.added,
        "shared_tail": bool(pair.tail) and all(w in pair.shared for w in pair.tail),
        "shared_value": any(w.is_value for w in pair.shared),
        "value_apart": pair.value_apart,
    }


def _phrasing(new: ParsedStatement, old: ParsedStatement) -> dict[str, bool]:
    """Whether each condition of the phrases of both statements is true."""
    return {
        "denies": new.denies,
        "is_ours": new.is_ours,
        "lifts_demand": new.lifts and old.demands,
        "not_yet": new.has(NOT_YET),
        "old_needs": old.has(NEEDS),
        "old_phrases": bool(old.phrases),
        "other_case": bool(new.cases - old.cases),
        "question": new.text.rstrip().endswith(("?", "？")),
        "same_action": bool(new.actions & old.actions),
        "same_cases": new.cases == old.cases,
        "spans": "spans" in new.phrases,
        "unmarked": not new.phrases,
    }


def by_rules(pair: Pair) -> Change:
    """The verdict of the rules, with the doubts about it."""
    change = Change.NONE if _is_aside(pair) else _by_words(pair)
    if change is Change.NONE:
        return change
    if pair.is_other_attribute():
        known = pair.kinds[0] | pair.kinds[1]
        # Three kinds are "with" and "in" against another one; more include a word of unknown kind.
        certain = pair.differs_in_kind() and ("amount" in known or len(known) == 3)
        return Change.NONE if certain or change is Change.UNCLEAR else Change.UNCLEAR
    another = pair.begins_with_another() or pair.relates_otherwise()
    # One word that two languages share, as a name, says little of what each is about.
    another |= (
        pair.new.lang != pair.old.lang and len(pair.shared) < 2 and not pair.exchanges_value()
    )
    unsure = pair.says_more() or (another and not pair.over)
    return Change.UNCLEAR if unsure else change


def _by_words(pair: Pair) -> Change:
    """What the phrases of the newer statement say of the words that differ."""
    new, old, over, lifts = pair.new, pair.old, pair.over, pair.new.lifts
    if pair.calls_anew():
        return Change.REPLACES
    if pair.turns_rule():
        return Change.DIFFERS
    if pair.other_is_denied():
        return Change.NONE
    if over and any(c.ends for c in new.clauses):
        return _ended(pair, over)
    if new.has(EXCEPT) and pair.coverage() >= 0.99:
        return Change.REPLACES
    if lifts and old.demands and not new.forbids:
        return _lifted(pair)
    if over or lifts or new.has(NOW) or new.has(CHANGES):
        return _marked(pair, over, lifts)
    if pair.value_apart and not pair.lost:
        return Change.REPLACES  # "Ann is ill, ask Bo about billing" and "ask Ann about billing"
    return _unmarked(pair)


def _ended(pair: Pair, over: list[ContentWord]) -> Change:
    """The new text says that something which the old one names is over."""
    if (pair.old.denies_all(over) and not pair.new.denies) or pair.ends_other_use():
        return Change.NONE
    if not (pair.lost or pair.added or pair.new.has(OVER)):  # the same words, denied
        return Change.UNCLEAR
    inherited = pair.inherits_other_subject(over)
    if inherited is not Change.REPLACES:
        return inherited
    outside = [w for w in pair.shared if w not in over]
    covered = len(over) / len(pair.old_words)
    more = sum(map(pair.is_over, pair.added))
    if outside or (covered >= 0.5 and more <= 1 and more < len(over) + (pair.tail[0] in over)):
        return Change.REPLACES
    if pair.names_value(over) and more <= 1:
        return Change.REPLACES if pair.added else Change.UNCLEAR
    return Change.UNCLEAR if covered >= 0.34 else Change.NONE


def _lifted(pair: Pair) -> Change:
    """The new text allows what the old one forbids, or drops what it demands."""
    new, old = pair.new, pair.old
    if not new.has(LIFTS) and (pair.lost or pair.names_kind()):
        return Change.NONE if pair.added else Change.UNCLEAR  # "you can push now"
    if other := pair.permits_another():  # an exception, or something else
        another = other[0] is pair.new_words[0] or pair.contrasts()
        return Change.NONE if another else Change.UNCLEAR
    if pair.lost and old.kinds(pair.lost) == {"has"}:
        return Change.NONE  # "deploys need a ticket" and "deploys are allowed again"
    # "We never deploy on Fridays" and "deploys are allowed again": on Fridays, too?
    some = any(w.role == "in" or is_amount(w) for w in pair.lost)
    sure = pair.coverage() >= 0.5 or pair.names_value(pair.shared)
    return Change.REPLACES if sure and not some else Change.UNCLEAR


def _marked(pair: Pair, over: list[ContentWord], lifts: bool) -> Change:
    """The new text has a phrase of change, but does not say what is over."""
    if pair.contrasts() or pair.other_subject() or pair.is_another_case():
        return Change.NONE
    if pair.new.forbids or pair.old.bans:
        return Change.NONE  # "now we don't use it for the queue"; or about what a ban names
    if over:
        return pair.inherits_other_subject(over)
    if pair.old.purpose() and (lifts or not pair.names_another_tool()):
        return Change.NONE  # "tests run in parallel now", whatever is used for them
    if (pair.new.has(NEEDS) and len(pair.shared) < 2) or not pair.added or pair.other_units():
        return Change.NONE
    if not pair.lost:
        return Change.REPLACES if pair.value_apart else Change.NONE
    covered = pair.coverage()
    sure = covered > 0.5 or (covered >= 0.5 and (len(pair.shared) > 1 or pair.exchanges_value()))
    if sure and pair.may_agree_in_kind() and not (pair.other_topic() or pair.other_predicate()):
        return Change.REPLACES
    return Change.UNCLEAR if covered >= 0.5 and len(pair.shared) > 1 else Change.NONE


def _unmarked(pair: Pair) -> Change:
    """Only the value differs; nothing in the words says that it changed."""
    if pair.new.cases != pair.old.cases:
        return Change.NONE
    if pair.same_duty and not all(map(pair.old.is_duty, pair.shared)):
        other = pair.has_another_holder()
        if other is False or (other and pair.new.has(THEIR_OWN)):
            return Change.NONE
        if other:
            return Change.UNCLEAR if pair.new.duty == "checks" else Change.DIFFERS
    if pair.serves_same_purpose():
        return Change.UNCLEAR
    if not pair.lost or not pair.added or pair.coverage() < 0.99 or pair.differs_twice():
        return Change.NONE
    # A name in the first half tells subjects apart: service 1 and service 2.
    lost = [w for w in pair.lost if not is_amount(w)]
    words = [w for w in pair.old_words if not w.is_verb]
    if any(w in words and words.index(w) * 2 < len(words) for w in lost):
        return Change.NONE
    if pair.is_another_case():
        return Change.NONE
    if not pair.may_agree_in_kind() or pair.other_units() or pair.old.denies != pair.new.denies:
        return Change.NONE
    more = [w for w in pair.added if not w.is_value and w not in pair.new.tail]
    numbers = all(w.is_number for w in pair.lost)
    several = fact_statement(pair.old.text).leads or (more and len(pair.shared) < 2)
    if several and not all(map(is_amount, pair.lost)):
        return Change.NONE  # a file has several contents, and a verb several objects
    sure = not more or (numbers and not any(w.role for w in more))
    if any(pair.old.is_object(w) for w in pair.lost if not (w.is_value or is_amount(w))):
        sure = False  # "the job cleans the logs": also the cache?
    return Change.DIFFERS if sure else Change.UNCLEAR
