"""Whether a statement that was said supports a sentence, clause by clause (TR-3).

Each clause takes its words from one clause of the statement, has the same negation, and keeps who
does what to whom. Does not judge meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise, takewhile
from typing import NamedTuple

from wm.domain.learning import function_words as fw
from wm.domain.learning.support import items
from wm.domain.learning.support.clauses import DIRECTED, Clause, clauses
from wm.domain.learning.support.items import ADDED, CLASS, DENIED, EDGE, GROUP, LIGHT, REVERSING

MAX_SHARED = 0.5
"""Maximum share of another clause's words that a clause may take if it leaves some of them out."""
_PLACED = {fw.PREP, fw.FOR}
_CONDITIONS = {fw.CONDITION, fw.CONDITION_END}
_OPPOSITE = {fw.FROM: fw.TO, fw.TO: fw.FROM, fw.BEFORE: fw.AFTER, fw.AFTER: fw.BEFORE}

_DROPPED = ((fw.FROM, fw.TO), (fw.BEFORE, 0))
"""Two marks: a word had the first one and has none now, and a word with the second one is left
out."""

_OTHER_TIME = ({fw.BEFORE, fw.TO}, {fw.BEFORE, fw.FROM})
"""German "nach" is "after" as well as "to"."""


Clauses = Sequence[Clause]


class _Match(NamedTuple):
    """A sentence and a statement that may support it."""

    given: Clauses
    stated: Clauses
    sources: Sequence[Sequence[int]]
    """For each clause of `given`: the places in `stated` of the clauses that have its words."""

    def each(self) -> Iterator[tuple[Clause, Sequence[int]]]:
        return zip(self.given, self.sources, strict=True)


def supports(
    text: tuple[int, ...], said: Sequence[tuple[int, ...]], known: frozenset[int] = frozenset()
) -> bool:
    """Whether one statement, or up to three in a row, supports this sentence, or one statement
    each of its independent parts.

    known: words of names that belong to the project; the sentence may add them, but they do not
    replace other words."""
    given = clauses(text)
    if not given:
        return True
    limited = fw.QUALIFIED in text
    near = _related(text, said, min(len(given), 3))
    stated = [clauses(one) for one in near if (fw.QUALIFIED in one) == limited]
    alone = [one for one in stated if one in map(clauses, said)]
    cuts = [at for at, clause in enumerate(given) if clause.joined == fw.COORD and at]
    apart = [given[at:end] for at, end in pairwise((0, *cuts, len(given)))]
    added = CLASS | ADDED | EDGE | GROUP
    general = known.union({fw.VERB}, *(one.flagged(added) for one in given))
    return any(
        all(any(_agrees(part, one, known, general) for one in sources) for part in parts)
        for parts, sources in (([given], stated), (apart, alone))
    )


def _related(
    text: tuple[int, ...], said: Sequence[tuple[int, ...]], most: int
) -> Iterator[tuple[int, ...]]:
    """The statements that share words with a sentence; few do. most: so many in a row that
    continue each other may be one."""
    mine = items.words(text)
    least = min(2, len(items.content_words(text, CLASS | ADDED | GROUP)))
    shared = [len(mine & items.words(one)) for one in said]
    for one, count in zip(said, shared, strict=True):
        if count >= least:
            yield one
    runs = ((at, at + size) for size in range(2, most + 1) for at in range(len(said) - size + 1))
    for at, end in runs:
        if all(shared[at:end]) and 2 * sum(shared[at:end]) >= len(mine):
            joined = tuple(chain(*((fw.SPLIT, *one) for one in said[at:end])))
            if _CONDITIONS.isdisjoint(joined):  # A condition belongs to its own sentence.
                yield joined


def _agrees(
    given: Clauses, stated: Clauses, known: frozenset[int], general: frozenset[int]
) -> bool:
    """Whether a statement supports the clauses of a sentence. general: the words that a sentence
    may add to a statement."""
    mine = _all_words(given)
    new = mine - _all_words(stated)
    if not new <= general or not new < mine:
        return False
    new = new - known - {fw.VERB}
    match = _Match(given, stated, [_sources(clause, stated) for clause in given])
    for clause, taken in match.each():
        new -= _added(clause, stated[taken[0]], mine) if taken else set()
        new -= _joints(clause, new)
    if new:
        return False
    moved = _by_mark(given) == _by_mark(stated)
    for clause, taken in match.each():
        if not taken:
            if fw.VERB in clause.known:
                return False
            continue
        if not (moved or _is_bound(clause, taken, match)):
            return False
        is_mixed = len(taken) > 1 and not _is_resolved(clause, taken, stated)
        if is_mixed and any(_takes_away(clause, at, match) for at in taken):
            return False
        source = stated[taken[0]]
        if _is_replaced(clause, source, mine) or _drops_scope(stated, taken[0], mine):
            return False
        if _has_other_subject(clause, source, mine):
            return False
    checks = (_same_polarity, _same_roles, _same_conditions, _same_limits, _same_alternatives)
    return all(check(match) for check in checks)


def _added(clause: Clause, source: Clause, mine: frozenset[int]) -> set[int]:
    """The general words that a clause may have beside those of its source, if it leaves none out:
    "the tool is pnpm" for "use pnpm". Neither an agent nor a direction: "by the user"; nor a
    subject: "the user deploys" for "deploy"; but "the team deploys" for "we deploy"."""
    lost = source.known - mine - source.flagged(CLASS | EDGE)
    if not lost <= {fw.VERB} or clause.general > source.general:
        return set()
    free = clause.flagged(CLASS | LIGHT if lost else CLASS | ADDED)
    free |= clause.flagged(GROUP) & {*clause.words[:1]} if source.of_group else set()
    if clause.words[1:2] and clause.words[1] in source.known - {fw.VERB}:
        is_said = source.framed or clause.passive or clause.tags[clause.words[0]]
        free -= set() if is_said else {clause.words[0]} & clause.flagged(CLASS)
    strange = DIRECTED - {fw.TO, fw.SUBJECT, *source.tags.values()}
    return {word for word in free if clause.tags[word] not in strange}


def _joints(clause: Clause, new: frozenset[int]) -> set[int]:
    """The pairs of Chinese letters that only join two words that were said."""
    edges = clause.flagged(EDGE) & new
    near = {w: {*clause.words[max(0, at - 1) : at + 2]} for at, w in enumerate(clause.words)}
    return {word for word in edges if near[word] & new == {word}}


def _all_words(given: Clauses) -> frozenset[int]:
    return frozenset().union(*(clause.known for clause in given))


def _sources(clause: Clause, stated: Clauses) -> list[int]:
    """The clauses that the words come from, the one with the most words first. A word for a class
    counts only if one of them has it beside the same word: "user accounts"."""
    apart = {w for w in clause.flagged(CLASS) if not any(_is_beside(w, clause, s) for s in stated)}
    left = clause.known - {fw.VERB} - apart or clause.known - {fw.VERB} or clause.known
    found: list[int] = []
    while left:
        best = max(
            range(len(stated)),
            key=lambda at: (len(left & stated[at].known), stated[at].turns == clause.turns, -at),
            default=-1,
        )
        taken = left & stated[best].known if best >= 0 else set()
        if not taken:
            break
        found.append(best)
        left -= taken
    return [*reversed(found)] if _is_resolved(clause, found[::-1], stated) else found


def _is_resolved(clause: Clause, taken: Sequence[int], stated: Clauses) -> bool:
    """Whether a clause is one that was said, with what its pronoun refers to in the place of it:
    the subject of the clause before, or its object."""
    if len(taken) != 2 or taken[0] != taken[1] + 1 or stated[taken[1]].turns:
        return False
    source, before = (stated[at] for at in taken)
    free = [w for w in before.words if not before.tags[w] and w != fw.VERB]
    used = clause.known & before.known - source.known - {fw.VERB}
    named = free[: len(used)] if source.refers == 1 else free[len(free) - len(used) :]
    is_all_said = source.known <= clause.known | {fw.VERB}
    return bool(source.refers) and is_all_said and used == {*named}


def _is_beside(word: int, clause: Clause, source: Clause) -> bool:
    """Whether a word is next to another word of the clause in a source, too."""
    if word not in source.tags:
        return False
    at = source.words.index(word)
    beside = {*source.words[max(0, at - 1) : at], *source.words[at + 1 : at + 2]}
    return not clause.known.isdisjoint(beside - {fw.VERB})


def _is_bound(clause: Clause, taken: Sequence[int], match: _Match) -> bool:
    """Whether the words stay with the words that they were said with."""
    stated = match.stated
    homes = {source[0] for other, source in match.each() if source and other is not clause}
    if len(taken) == 1 or _is_resolved(clause, taken, stated):
        return True
    if not clause.turns and any(stated[at].turns for at in taken):
        return False
    whole = [at for at in taken if stated[at].known <= clause.known | {fw.VERB}]
    if len(whole) == len(taken):
        between = set(range(min(taken), max(taken))).difference(taken)
        are_beside = all(stated[at].turns for at in between)
        return are_beside and _in_groups(clause, taken, stated)
    own = _all_words([stated[at] for at in whole])
    for at in set(taken).difference(whole) if len(own - {fw.VERB}) > 1 else taken:
        shared = (clause.known & stated[at].known) - own
        # "A on port 1, B on 2": the port is also named where it was said.
        if any(stated[at].tags[word] for word in shared) and at not in homes:
            return False
        if len(shared) > MAX_SHARED * len(stated[at].known) or {at - 1, at + 1}.isdisjoint(whole):
            return False
    return True


def _takes_away(clause: Clause, at: int, match: _Match) -> bool:
    """Whether a clause uses words that belong to another clause, which lacks them: "small files go
    to S3, large ones to the API" from "large ones …, small files …"."""
    words = clause.known & match.stated[at].known
    heirs = (other for other, taken in match.each() if taken[:1] == [at] and other is not clause)
    return any(not words <= one.known for one in heirs if len(one.known - {fw.VERB}) > 1)


def _in_groups(clause: Clause, taken: Sequence[int], stated: Clauses) -> bool:
    """Whether the words of each source are adjacent: not "accept XML, refuse JSON" from "accept
    JSON, refuse XML"."""
    homes = [{at for at in taken if word in stated[at].known} for word in clause.words]
    order = [next(iter(home)) for home in homes if len(home) == 1]
    changes = sum(one != other for one, other in pairwise(order))
    return changes < len(set(order)) or not order


def _by_mark(statement: Clauses) -> list[list[list[int]]]:
    """The words without a mark and those with one, each in order, with the negations of each."""
    words = [(word, one.turns, bool(one.tags[word])) for one in statement for word in one.words]
    return [[word for *word, has_mark in words if has_mark == want] for want in (False, True)]


def _is_replaced(clause: Clause, source: Clause, mine: frozenset[int]) -> bool:
    """Whether a word was put in the place of one that was said."""
    lost = source.known - source.flagged(EDGE | CLASS) - mine - {fw.VERB}
    lost -= {*source.words[: source.framed]} - source.flagged(REVERSING)
    is_wider = clause.general and (not source.general or source.words[0] in lost)
    if lost and is_wider:
        return True  # "on every push" for "nightly"
    missing = lost - source.flagged(ADDED)
    is_used = fw.VERB in clause.known - source.known
    loose = any(not source.tags[word] for word in missing)
    return bool(missing & source.flagged(REVERSING)) or (is_used and loose)


def _drops_scope(stated: Clauses, at: int, mine: frozenset[int]) -> bool:
    """Whether the place or purpose was dropped for which a clause was said: "use pnpm in apps/web",
    "on the docs site, use yarn"."""
    beside = [stated[at - 1]] if at and stated[at].joined == fw.SPLIT else []
    after = [one for one in stated[at + 1 : at + 2] if one.joined == fw.SPLIT]
    beside += [one for one in after if one.turns == stated[at].turns]
    free = (one for one in beside if not (one.passive or one.framed))
    scopes = (one for one in free if _PLACED.issuperset(one.tags.values()))
    later = [word for word in stated[at].words if stated[at].tags[word] == fw.BEFORE]
    ordered = set() if mine.isdisjoint(later) else set(later[1:])  # "before you start editing"
    return any(
        scope.tags[word] in (*_PLACED, fw.SUBJECT) or word in ordered
        for scope in (stated[at], *scopes)
        for word in scope.known - mine - scope.flagged(CLASS | ADDED) - {fw.VERB}
    )


def _has_other_subject(clause: Clause, source: Clause, mine: frozenset[int]) -> bool:
    """Whether the first word of the source was dropped where the clause has another subject: "the
    user wants B" for "Tom wants B"; "Ana does A and B" for "Ana does A, Ben B"; or none: "use B"
    for "Tom uses B"."""
    words = source.words
    if source.framed:  # "I work on …", "please tell me …" begin with a verb.
        words = [w for w in words[1:] if w not in source.flagged(CLASS)]
    first = [*words, fw.VERB][0]
    is_lost = first not in {*mine, fw.VERB} and not source.tags.get(first)
    has_new = clause.words[0] not in {*source.known, fw.VERB}
    subject = {*takewhile(lambda word: word != fw.VERB, source.words)}
    has_none = fw.VERB in source.words and not (mine & subject or subject <= source.flagged(CLASS))
    return is_lost and (clause.framed or clause.joined == fw.COORD or has_new or has_none)


def _same_polarity(match: _Match) -> bool:
    """Whether each clause has as many negations as its source."""
    turns = [match.stated[taken[0]].turns if taken else 0 for taken in match.sources]
    return turns == [clause.turns for clause in match.given]


def _same_roles(match: _Match) -> bool:
    """Whether each word does in the sentence what it does in the statement."""
    given, stated = match.given, match.stated
    for mark in (fw.BEFORE, fw.AFTER):
        first, then = _governed(stated, mark), _governed(given, mark)
        heads = {*first[:1]}.difference(then) if then else set[int]()
        if heads & _all_words(given):
            return False
    pairs = [(clause, stated[at]) for clause, taken in match.each() for at in taken]
    changes = (_is_exchanged, _is_turned_about, _is_stronger, _denies_another)
    if any(is_changed(*pair) for pair in pairs for is_changed in changes):
        return False
    main = ((clause, stated[taken[0]]) for clause, taken in match.each() if taken)
    if any(_widens_ban(*pair, _all_words(given)) for pair in main):
        return False
    return not any(_limits_another(*pair, stated) for pair in pairs)


def _is_stronger(mine: Clause, theirs: Clause) -> bool:
    """Whether "may" became "must" or "does", or "at most 5" became "5"."""
    allowed = theirs.force == fw.CAN and not theirs.turns
    # "Only admins may export": exports are for admins.
    kept = mine.force == fw.CAN or (theirs.limit and mine.force != fw.MUST)
    return (allowed and not kept) or theirs.bound not in (0, mine.bound)


def _governed(statement: Clauses, mark: int) -> list[int]:
    return [w for one in statement for w in one.words if one.tags[w] == mark and w != fw.VERB]


def _is_exchanged(mine: Clause, theirs: Clause) -> bool:
    """Whether two words exchanged their directions ("from A to B")."""
    both = [word for word in mine.words if word in theirs.tags]
    changed = [(theirs.tags[w], mine.tags[w]) for w in both if theirs.tags[w] != mine.tags[w]]
    if any(_OPPOSITE.get(old) == new or {old, new} in _OTHER_TIME for old, new in changed):
        return True
    first = mine.words[0]
    if theirs.of_group and not mine.passive and theirs.tags.get(first) == fw.TO:
        is_other_verb = mine.words[1:2] == [fw.VERB]  # "Safari has no support"
        if theirs.words[0] != first and not mine.tags[first] and not is_other_verb:
            return True  # "ops sends the report" for "we send the report to ops"
    dropped = {tag for word, tag in theirs.tags.items() if word not in mine.tags}
    # "Jest is used" for "we moved from jest to vitest"; "push" for "ask before you push".
    if any((mark, 0) in changed and kept in dropped for mark, kept in _DROPPED):
        return True
    lost = {old for old, _ in changed if old in DIRECTED}
    won = {new for _, new in changed if new in DIRECTED}
    exchanged = lost & won
    if exchanged <= {fw.SUBJECT, fw.OBJECT} and mine.passive != theirs.passive:
        return False
    if exchanged == {fw.SUBJECT}:
        # "DB는 5433 포트", "DB 포트는 5433": the subject names its attribute.
        one = next(w for w in both if theirs.tags[w] == fw.SUBJECT != mine.tags[w])
        other = next(w for w in both if mine.tags[w] == fw.SUBJECT != theirs.tags[w])
        orders = [clause.words.index(one) < clause.words.index(other) for clause in (mine, theirs)]
        return not all(orders)
    return bool(exchanged)


def _is_turned_about(mine: Clause, theirs: Clause) -> bool:
    """Whether two words changed sides of a third one between them ("A calls B")."""
    places = {word: at for at, word in reversed(list(enumerate(theirs.words)))}
    once = list(dict.fromkeys(word for word in mine.words if word in places))
    # "Replaced with B" has no agent where "replaced by B" was said.
    agent = [w for w in once if fw.BY in (mine.tags[w], theirs.tags[w])]
    agent = [w for w in agent if not {mine.tags[w], theirs.tags[w]} & {fw.PREP, fw.TO}]
    if agent and mine.passive != theirs.passive:
        return not _has_agent_first(mine, theirs, once)
    if mine.passive != theirs.passive or fw.SUBJECT in (*mine.tags.values(), *theirs.tags.values()):
        return _takes_place(mine, theirs, once, places)
    at = once.index(theirs.words[0]) if theirs.turns and theirs.words[0] in once else 0
    if at and any(theirs.tags[w] == fw.PREP and not mine.tags[w] for w in once[at:]):
        return True  # "the copy of A must never touch B" for "never touch the copy of A in B"
    unmarked = ({0}, {0, fw.OBJECT})  # an object that both mark may be anywhere
    core = [places[w] for w in once if {mine.tags[w], theirs.tags[w]} in unmarked]
    is_reversed = any(a > b > c for a, b, c in combinations(core, 3))
    return is_reversed or _takes_place(mine, theirs, once, places)


def _takes_place(
    mine: Clause, theirs: Clause, once: Sequence[int], places: Mapping[int, int]
) -> bool:
    """Whether two words changed sides and their preposition stayed: "A depends on B", "replace A
    with B"."""
    loose = (fw.PREP, fw.FOR)
    free = [w for w in once if not theirs.tags[w] and mine.tags[w] in loose]
    bound = [w for w in once if theirs.tags[w] in loose and not mine.tags[w]]
    return any(
        places[one] < places[other] and once.index(other) < once.index(one)
        for one in free
        for other in bound
        if (theirs.tags[other], mine.tags[one]) != loose  # "A is in B", "B is for A"
    )


def _has_agent_first(mine: Clause, theirs: Clause, once: Sequence[int]) -> bool:
    """Whether the agent of the passive clause ("by …") comes first in the active clause."""
    passive, active = (mine, theirs) if mine.passive else (theirs, mine)
    by = [w for w in once if passive.tags[w] == fw.BY]
    others = [w for w in once if not passive.tags[w] and not active.tags[w]]
    if not by or not others:
        return True
    return active.words.index(by[0]) < min(active.words.index(w) for w in others)


def _denies_another(mine: Clause, theirs: Clause) -> bool:
    """Whether a negation moved from one word of the clause to another."""
    ours, said = mine.flagged(DENIED), theirs.flagged(DENIED)
    return bool((ours - said) & theirs.known and (said - ours) & mine.known)


def _limits_another(mine: Clause, theirs: Clause, stated: Clauses) -> bool:
    """Whether a clause has an "only" that was not said, or that was said of another subject. "X and
    never Y" says "only X", too."""
    if theirs.limit and mine.adds > theirs.adds:
        return True  # "also nightly" for "only nightly"
    if not mine.limit or not theirs.limit:
        denied = not mine.turns and any(one.turns for one in stated)
        is_new = mine.limit and not (theirs.general or denied)
        return bool(is_new and mine.tags.get(mine.focus, 0) not in (fw.BEFORE, fw.AFTER))
    if not theirs.focus:  # "named exports only"
        return mine.focus not in (0, *theirs.words[-2:])
    if theirs.tags.get(theirs.focus) in _PLACED and mine.tags.get(mine.focus) == 0:
        return True  # "use only Docker for Postgres" for "use Docker only for Postgres"
    if mine.focus != theirs.focus and mine.tags.get(mine.focus) == fw.TO:
        return True  # "CI goes only to Buildkite" for "only CI goes to Buildkite"
    if _limits_object(mine, theirs) or _limits_object(theirs, mine):
        return True
    if fw.ONLY_SUBJECT not in (mine.limit, theirs.limit) or mine.focus == theirs.focus:
        return False
    return not (mine.passive != theirs.passive and fw.BY in mine.tags.values())


def _limits_object(one: Clause, other: Clause) -> bool:
    """Whether one says "Mara approves only migrations", the other "only Mara approves …"."""
    same = one.words[0] == other.words[0] == other.focus
    objects = [w for w in one.words[2:] if one.tags[w] in (0, fw.OBJECT)]
    return same and one.focus != other.focus and one.focus in objects


def _widens_ban(mine: Clause, theirs: Clause, kept: frozenset[int]) -> bool:
    """Whether a denied or general clause lost what limits it: "never deploy on Fridays"."""
    if not (theirs.general or (mine.turns and theirs.turns)):
        return False
    # The first word without a mark is a verb.
    if not theirs.turns:
        kept |= theirs.flagged(ADDED) & theirs.flagged(CLASS)  # "everywhere"
    lost = (w for w in theirs.known - kept if theirs.tags[w] or w not in theirs.words[:1])
    lost = (word for word in lost if word != fw.VERB)
    return not all(_names_class(word, mine, theirs) for word in lost)


def _names_class(word: int, mine: Clause, theirs: Clause) -> bool:
    """Whether the name beside a word of `theirs` says as much: "on the main branch"."""
    at = theirs.words.index(word)
    beside = (*theirs.words[max(0, at - 1) : at], *theirs.words[at + 1 : at + 2])
    names = (w for w in beside if w in mine.known and theirs.tags[w] == theirs.tags[word])
    return theirs.flags[word] & (CLASS | ADDED) == CLASS and any(names)


def _same_conditions(match: _Match) -> bool:
    """Whether each condition stays with the clause that it was said for."""
    given, stated, sources = match
    taken = [source[0] for source in sources if source]
    step = 1 if stated[0].condition else -1
    conditional = {at for at, one in enumerate(stated) if one.condition}
    conditions = [at for at in taken if at in conditional]
    others = [at for at in taken if at not in conditional]
    mains = {at + step for at in conditions}
    mine = _all_words(given) | {fw.VERB}
    kept = {*taken, *(at for at, one in enumerate(stated) if one.known <= mine)}
    if not (conditional - kept).isdisjoint(at - step for at in others):
        return False  # the condition was dropped
    if not conditions or not others:
        # "The port is 80" for "if the port is 80, change it"
        used = {at for source in sources for at in source}
        return not conditions or any(c.condition for c in given) or bool(used & mains)
    return any(at in mains for at in others)


def _same_alternatives(match: _Match) -> bool:
    """Whether "or" joins what it joined: not "Anna and Ben sign" for "Anna or Ben signs". Behind a
    negation both mean the same."""
    stated, used = match.stated, set[int]().union(*match.sources)
    either = any(one.is_alternative and not one.turns for one in match.given)
    places = [at for at, one in enumerate(stated) if one.is_alternative and not one.turns]
    return either == any({at - 1, at} & used for at in places)


def _same_limits(match: _Match) -> bool:
    """Whether each "until …" limits what it was said of: not "is removed until v3" for "stays until
    v3, then we remove it"."""
    given, stated, sources = match
    for at, (clause, taken) in enumerate(match.each()):
        first = clause.words[0]
        home = next((source for source in taken if first in stated[source].known), -1)
        if home < 0 or clause.tags[first] != fw.TO:
            continue
        beside = sources[at - 1 if at else 1] if len(given) > 1 else ()
        main = {*taken, *beside} - {home}
        limited = {home - 1} if at and home else {home - 1, home + 1}
        if len(main) > 1 or not main <= limited:
            return False
    return True
