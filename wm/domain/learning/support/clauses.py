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


_SET_BY = {fw.ALL: "general", fw.FRAME: "framed", fw.WE: "of_group", fw.ALSO: "adds"}
"""What a mark sets in its clause."""


@lru_cache(maxsize=2048)
def clauses(statement: tuple[int, ...]) -> tuple[Clause, ...]:
    """The clauses of a statement that have a word. Cached: do not change the result."""
    found = [Clause()]
    tag = 0
    governs = False  # "antes de las pruebas": the first of several function words decides
    for read in statement:
        now, token = found[-1], fw.COORD if read == fw.OR else read
        if token in (fw.SPLIT, fw.COORD, fw.CONDITION):
            tag = 0
            if now.words:
                found.append(Clause(joined=token))
            else:
                # "No, use …" denies what was done before, "never without …" what follows, and
                # "I think, the port is …" doubts what follows.
                now.turns = now.turns if token == fw.CONDITION else now.turns // HEDGED * HEDGED
                now.joined = token
            found[-1].condition = found[-1].condition or token == fw.CONDITION
            found[-1].is_alternative = read == fw.OR
        elif token in _SET_BY:
            setattr(now, _SET_BY[token], True)
        elif token in (fw.ABOVE, fw.BELOW):
            now.bound = token
        elif token in (fw.ONLY, fw.ONLY_SUBJECT):
            now.general, now.limit, now.focus = True, token, 0
        elif token == fw.CONDITION_END:
            now.condition, tag = True, 0
            found.append(Clause(joined=fw.SPLIT))
        elif token == fw.TURN:
            now.turns += 1
        elif token == fw.HEDGE:
            now.turns += HEDGED
        elif token == fw.PRONOUN:
            now.refers = 2 if now.words else 1
        elif token in (fw.CAN, fw.MUST):
            now.force, tag = token, tag if tag in (fw.BEFORE, fw.AFTER) else 0
        elif token == fw.QUALIFIED:
            continue
        elif token == fw.VOICE:
            # "before it gets merged": the conjunction governs the verb behind the auxiliary.
            now.passive, tag = True, tag if tag in (fw.BEFORE, fw.AFTER) else 0
        elif token >= FIRST_WORD or token == fw.VERB:
            tag = 0 if token == fw.VERB and tag not in (fw.BEFORE, fw.AFTER) else tag
            word = word_of(token)
            now.words.append(word)
            limits = now.limit and word != fw.VERB and not token & ADDED
            now.focus = now.focus or (word if limits else 0)
            now.flags[word] = now.flags.get(word, 0) | token & FLAGS
            now.tags[word] = tag
        elif token & POST:
            _govern_last(now, token & ~POST)
        elif token == fw.NOTHING:
            tag = 0
        elif tag not in (fw.BEFORE, fw.AFTER) and (tag not in DIRECTED or not governs):
            tag = token
        governs = token in _TAGS or (governs and token == fw.ALL)  # "before each of them"
    return tuple(_with_negations(found))


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
