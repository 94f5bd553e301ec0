"""The clauses of a statement: who does what, what is denied, under which condition (TR-3)."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from msgspec import Struct, field

from wm.domain.learning import function_words as fw
from wm.domain.learning.support.items import ADDED, DENIED, FIRST_WORD, FLAGS, POST, word_of

DIRECTED = {fw.FROM, fw.TO, fw.BY, fw.BEFORE, fw.AFTER, fw.THAN, fw.SUBJECT, fw.OBJECT}
_TAGS = frozenset((*DIRECTED, fw.PREP, fw.FOR))

HEDGED = 16
"""Added to the negations of a clause for each word like "maybe", so that a clause with a doubt
differs from a plain one and from a negated one."""


class Clause(Struct):
    """words in order. tags: the class of the function word that governs each word (0: none)."""

    words: list[int] = field(default_factory=list)
    tags: dict[int, int] = field(default_factory=dict)
    turns: int = 0
    """The number of its negations, plus `HEDGED` for each doubt."""
    passive: bool = False
    joined: int = 0
    """The mark before the clause: COORD if it may be a statement of its own."""
    condition: bool = False
    general: bool = False
    """Whether it speaks of all or only of something, so that less text says more."""
    framed: bool = False
    """Whether it says that the user wants it."""
    of_group: bool = False
    """Whether its subject is "we"."""
    force: int = 0
    """CAN or MUST."""
    flags: dict[int, int] = field(default_factory=dict)
    """The flags of each word (`items`)."""
    limit: int = 0
    """ONLY or ONLY_SUBJECT if the clause speaks only of `focus`, the word behind it."""
    focus: int = 0
    refers: int = 0
    """1 or 2 if its subject or a later word is a pronoun."""
    adds: bool = False
    """Whether it says "also"."""
    is_alternative: bool = False
    """Whether "or" precedes it."""
    bound: int = 0
    """ABOVE or BELOW if a number in it is a limit."""

    @property
    def known(self) -> frozenset[int]:
        return frozenset(self.words)

    def flagged(self, flag: int) -> set[int]:
        return {word for word, flags in self.flags.items() if flags & flag}


_SET_BY = {
    fw.ALL: ("general", True),
    fw.FRAME: ("framed", True),
    fw.WE: ("of_group", True),
    fw.ALSO: ("adds", True),
    fw.ABOVE: ("bound", fw.ABOVE),
    fw.BELOW: ("bound", fw.BELOW),
    fw.CAN: ("force", fw.CAN),
    fw.MUST: ("force", fw.MUST),
    fw.VOICE: ("passive", True),
}
"""What a mark sets in its clause."""

_BORDERS = (fw.SPLIT, fw.COORD, fw.OR, fw.CONDITION)
_TIMES = (fw.BEFORE, fw.AFTER)
_TURNS = {fw.TURN: 1, fw.HEDGE: HEDGED}
_AUXILIARIES = (fw.CAN, fw.MUST, fw.VOICE)
"""Marks behind which a preposition governs no more. "Before it gets merged": a conjunction governs
the verb behind the auxiliary."""


@lru_cache(maxsize=2048)
def clauses(statement: tuple[int, ...]) -> tuple[Clause, ...]:
    """The clauses of a statement that have a word. Cached: do not change the result."""
    reader = _Reader()
    for token in statement:
        reader.take(token)
    return tuple(_with_negations(reader.found))


class _Reader(Struct):
    """Reads the tokens of a statement from left to right. tag: the function word that governs the
    next words, or 0. governs: it decides although another one follows: "antes de las pruebas"."""

    found: list[Clause] = field(default_factory=lambda: [Clause()])
    tag: int = 0
    governs: bool = False

    def take(self, token: int) -> None:
        now = self.found[-1]
        if token == fw.QUALIFIED:
            return
        if token in _BORDERS:
            self._begin(token)
        elif token >= FIRST_WORD or token == fw.VERB:
            self._add(token)
        elif token in _SET_BY:
            setattr(now, *_SET_BY[token])
            self.tag = 0 if token in _AUXILIARIES and self.tag not in _TIMES else self.tag
        elif token in (fw.ONLY, fw.ONLY_SUBJECT):
            now.general, now.limit, now.focus = True, token, 0
        elif token in _TURNS:
            now.turns += _TURNS[token]
        elif token == fw.PRONOUN:
            now.refers = 2 if now.words else 1
        elif token == fw.CONDITION_END:
            now.condition, self.tag = True, 0
            self.found.append(Clause(joined=fw.SPLIT))
        elif token & POST:
            _govern_last(now, token & ~POST)
        elif token == fw.NOTHING:
            self.tag = 0
        elif self.tag not in _TIMES and (self.tag not in DIRECTED or not self.governs):
            self.tag = token
        # "before each of them"
        self.governs = token in _TAGS or (self.governs and token == fw.ALL)

    def _begin(self, border: int) -> None:
        """Begin a clause, in the place of one that has no word yet."""
        now, joined = self.found[-1], fw.COORD if border == fw.OR else border
        self.tag = 0
        if now.words:
            now = Clause()
            self.found.append(now)
        elif border != fw.CONDITION:
            # "No, use …" denies what was done before, "never without …" what follows, and
            # "I think, the port is …" doubts what follows.
            now.turns = now.turns // HEDGED * HEDGED
        now.joined = joined
        now.condition = now.condition or border == fw.CONDITION
        now.is_alternative = border == fw.OR

    def _add(self, token: int) -> None:
        now, word = self.found[-1], word_of(token)
        if word == fw.VERB and self.tag not in _TIMES:
            self.tag = 0
        now.words.append(word)
        if now.limit and word != fw.VERB and not token & ADDED:
            now.focus = now.focus or word
        now.flags[word] = now.flags.get(word, 0) | token & FLAGS
        now.tags[word] = self.tag


def _with_negations(found: list[Clause]) -> list[Clause]:
    """The clauses that have words. A negation also counts for a single word that is coordinated
    with what it negates."""
    if len(found) > 1 and not found[-1].words:
        found[-2].turns += HEDGED * found[-1].turns  # "Jest is slow, so drop it"
    found = [clause for clause in found if clause.words]
    for first, second in pairwise(found):
        if second.joined != fw.COORD:
            continue
        if len(second.words) == 1:  # "not brew or apt"
            second.turns = second.turns or first.turns
        if len(first.words) == 1 and not second.flagged(DENIED):  # "brew and apt are banned"
            first.turns = first.turns or second.turns
    return found


def _govern_last(clause: Clause, mark: int) -> None:
    if mark == fw.TURN:
        clause.turns += 1
    elif mark == fw.VOICE:
        clause.passive = True
    elif mark == fw.COORD:
        return
    elif clause.words:
        clause.tags[clause.words[-1]] = mark
