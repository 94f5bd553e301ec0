"""Decide whether a newer statement of the user changes what an older entry says (WM-8).

Compares which words the two share, which values differ, and which phrases of change the newer one
has. A pair that only looks alike (another environment, package or subject) is no change. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from wm.domain.change.contradiction import VALUE_WORDS
from wm.domain.change.statement import (
    ALSO,
    CHANGES,
    EXCEPT,
    LIFTS,
    NEEDS,
    NOT_YET,
    NOW,
    OVER,
    ContentWord,
    ParsedStatement,
)
from wm.text.scripts import is_cjk


class Change(Enum):
    """NONE: both hold. UNCLEAR: a person must decide. DIFFERS: only the value differs, and no word
    says that it changed. REPLACES: the older one is out of date."""

    NONE = "none"
    UNCLEAR = "unclear"
    DIFFERS = "differs"
    REPLACES = "replaces"


def _alike(a: ContentWord, b: ContentWord) -> bool:
    if a.term == b.term:
        return True
    if a.is_number and b.is_number:
        return False
    for whole, part in ((a, b), (b, a)):
        if whole.parts and not part.parts and part.term in whole.parts and not part.is_number:
            return True
        if whole.parts and part.parts and whole.term.endswith("/" + part.term):
            return True
    if a.parts or b.parts:
        return False
    if is_cjk(a.term[0]) or is_cjk(b.term[0]):
        return _alike_cjk(a.term, b.term)
    least = min(len(a.term), len(b.term))
    same = next((i for i in range(least) if a.term[i] != b.term[i]), least)
    longest = max(len(a.term), len(b.term))
    return (same >= 4 and same * 3 >= longest * 2) or (same >= 3 and same * 4 >= longest * 3)


def _alike_cjk(a: str, b: str) -> bool:
    """Whether they share more than half of the shorter one, and two letters."""
    short, long = sorted((a, b), key=len)
    size = max(2, len(short) // 2 + 1)
    return any(short[i : i + size] in long for i in range(len(short) - size + 1))


class _Pair:
    """Two readings compared: which words of each the other one has."""

    def __init__(self, new: ParsedStatement, old: ParsedStatement) -> None:
        self.new, self.old = new, old
        self.shared = [w for w in old.words if any(_alike(w, o) for o in new.words)]
        self.lost = [w for w in old.words if w not in self.shared]
        self.added = [w for w in new.words if not any(_alike(w, o) for o in old.words)]

    def over(self) -> list[ContentWord]:
        """Words of the old text that the new one says are over."""
        found = []
        for word in self.shared:
            said = [o for o in self.new.words if _alike(word, o)]
            ended = [o for o in said if self._in(o, "old")]
            if not ended or any(self._in(o, "new") for o in said):
                continue
            # "Staging is now X" ends no use of staging; "we renamed X to Y" ends that of the name.
            clause = self.new.clauses[ended[0].clause]
            if clause.ends or word in self.old.tail or (word.is_value and word.parts):
                found.append(word)
        return found

    def _in(self, word: ContentWord, side: str) -> bool:
        spans: Iterable[tuple[int, int]] = getattr(self.new.clauses[word.clause], side)
        return any(start <= word.start < end for start, end in spans)

    def unmatched_in_over(self) -> int:
        return sum(self._in(word, "old") for word in self.added)

    def contrasts(self) -> bool:
        """Whether each of the two names a case that the other does not."""
        mine, theirs = self.new.cases - self.old.cases, self.old.cases - self.new.cases
        return bool(mine and theirs) or self._other_head()

    def _other_head(self) -> bool:
        """Whether the words before one shared word differ, and another value as well."""
        if not self.old.tail or self.old.tail[0] in self.shared or len(self.added) < 2:
            return False
        heads = {b.term for a, b in self._steps(self.old, self.lost) if b in self.shared}
        rivals = [b for _, b in self._steps(self.new, self.added)]
        return any(_alike(w, b) for b in rivals for w in self.shared if w.term in heads)

    @staticmethod
    def _steps(
        text: ParsedStatement, differing: list[ContentWord]
    ) -> Iterator[tuple[ContentWord, ContentWord]]:
        """Words that differ and are no numbers, each with the word that follows."""
        for a, b in zip(text.words, text.words[1:], strict=False):
            if a in differing and not a.is_number and a.clause == b.clause:
                yield a, b

    @property
    def subject(self) -> list[ContentWord]:
        """The old words that are neither values nor the units of values that went."""
        tail = () if len(self.old.words) < 2 else self.old.tail
        gone = self.old.units(self.lost)
        units = [w for w in self.lost if w.word in gone]
        return [w for w in self.old.words if not w.is_value and w not in tail and w not in units]

    def agrees(self) -> bool:
        """Whether the new value is the one that the old text has."""
        values = [w for w in self.old.words if w.is_value or w in self.old.tail]
        if any(w in self.lost for w in values):
            return False
        said = [o for o in self.new.words if any(_alike(v, o) for v in values)]
        return bool(said) and all(self._in(o, "new") for o in said)

    def coverage(self) -> float:
        """The share of the old subject that the new text names."""
        words = self.subject or [w for w in self.old.words if w not in self.old.tail]
        words = words or list(self.old.words)
        return sum(w in self.shared for w in words) / len(words) if words else 0.0

    def other_units(self) -> bool:
        """Whether the numbers that went and came count different things."""
        one, two = self.old.units(self.lost), self.new.units(self.added)
        return bool(one and two) and one.isdisjoint(two) and not one | two <= VALUE_WORDS

    def names_value(self, words: list[ContentWord]) -> bool:
        return any(w.is_value or w in self.old.tail for w in words)


def judge(new: ParsedStatement, old: ParsedStatement) -> Change:
    """Whether `new`, said later, changes what `old` says."""
    pair = _Pair(new, old)
    if not pair.shared or new.text.rstrip().endswith(("?", "？")):
        return Change.NONE
    over = pair.over()
    lifts = new.has(LIFTS)
    if new.has(NOT_YET) or (new.has(ALSO) and not over):
        return Change.NONE
    if over and any(c.ends for c in new.clauses):
        return _ended(pair, over, lifts)
    if new.has(EXCEPT) and pair.coverage() >= 0.99 and not pair.contrasts():
        return Change.REPLACES
    if lifts and old.demands and not new.denies:
        sure = pair.coverage() >= 0.5 or pair.names_value(pair.shared)
        return Change.REPLACES if sure else Change.UNCLEAR
    if over or lifts or new.has(NOW) or new.has(CHANGES):
        return _marked(pair, over, lifts)
    return _unmarked(pair)


def _ended(pair: _Pair, over: list[ContentWord], lifts: bool) -> Change:
    """The new text says that something which the old one names is over."""
    if pair.old.denies and not lifts and not pair.new.denies:
        return Change.NONE
    if not pair.lost and not pair.added and not pair.new.has(OVER):  # the same words, denied
        return Change.UNCLEAR
    outside = [w for w in pair.shared if w not in over]
    covered = len(over) / len(pair.old.words)
    if pair.contrasts():
        return Change.NONE
    more = pair.unmatched_in_over()
    if outside or (covered >= 0.5 and more <= 1 and more < len(over) + (pair.old.tail[0] in over)):
        return Change.REPLACES
    if pair.names_value(over) and more <= 1:
        return Change.REPLACES if pair.added else Change.UNCLEAR
    return Change.UNCLEAR if covered >= 0.34 else Change.NONE


def _marked(pair: _Pair, over: list[ContentWord], lifts: bool) -> Change:
    """The new text has a phrase of change, but does not say what is over."""
    if pair.contrasts():
        return Change.NONE
    if over and pair.names_value(over):
        return Change.REPLACES
    covered = pair.coverage()
    if lifts and covered >= 0.99 and pair.old.denies != pair.new.denies:
        return Change.REPLACES
    if pair.new.has(NEEDS) and not pair.old.has(NEEDS) and len(pair.shared) < 2:
        return Change.NONE
    if not pair.added or pair.agrees() or pair.other_units():
        return Change.NONE
    if covered >= 0.5 and pair.lost and _same_kind(pair):
        return Change.REPLACES
    if covered >= 0.99 and not pair.lost:
        return Change.REPLACES
    unclear = covered >= 0.5 and pair.lost and len(pair.shared) > 1
    return Change.UNCLEAR if unclear else Change.NONE


def _unmarked(pair: _Pair) -> Change:
    """Only the value differs; nothing in the words says that it changed."""
    if pair.contrasts() or pair.new.cases != pair.old.cases:
        return Change.NONE
    if not pair.lost or not pair.added or pair.coverage() < 0.99:
        return Change.NONE
    if any(not w.is_value and w not in pair.old.tail for w in pair.lost):
        return Change.NONE
    # A name in the first half tells subjects apart: service 1 and service 2.
    if any(pair.old.words.index(w) * 2 < len(pair.old.words) for w in pair.lost):
        return Change.NONE
    if not _same_kind(pair) or pair.other_units() or pair.old.denies != pair.new.denies:
        return Change.NONE
    more = [w for w in pair.added if not w.is_value and w not in pair.new.tail]
    return Change.DIFFERS if not more else Change.UNCLEAR


def _same_kind(pair: _Pair) -> bool:
    """Whether a value that went and one that came are of one kind: numbers, or names."""
    gone = {w.is_number for w in pair.lost if w.is_value or w in pair.old.tail}
    came = {w.is_number for w in pair.added if w.is_value or w in pair.new.tail}
    if not gone:
        return True
    return bool(gone & came) or (bool(came) and len(pair.shared) > 1)
