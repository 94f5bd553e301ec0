"""Compare a text with statements that were said (TR-3).

A statement is a tuple of numbers: digests of its content words, and marks of its structure
(clause borders, negations, the class of the function word before a word). Nobody can read the
text from it. A statement supports a text if each clause of the text takes its words from one
clause of the statement (values stay with their words), has the same negation, and keeps who does
what to whom. Clauses may move or be left out. Knows words by class only, in eight languages; does
not judge meaning. Pure; the length of one sentence bounds the work.
"""

# ruff: noqa: SIM905  Rows of words.
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby, pairwise

from msgspec import Struct, field

from wm.domain.learning import function_words as fw
from wm.text.letters import unaccented
from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk
from wm.text.stems import stem
from wm.text.tables import Tables

FIRST_WORD = 36
"""The smallest digest of a word; smaller numbers are marks."""
VALUE = 1 << 31
"""Flag on the digest of a number, version, path or other name."""
COMMON = 1 << 30
"""Flag on the digest of a word that occurs in most texts about software."""
EDGE = 1 << 29
"""Flag on a pair of Chinese letters that may span two words."""
DENIED = 1 << 28
"""Flag on the digest of a word after a negation."""
CLASS = 1 << 27
"""Flag on the digest of a word that adds nothing beside a name: "the pnpm tool"."""
_WORD = 0xFFFFFFFF & ~(VALUE | COMMON | EDGE | DENIED | CLASS)

MAX_TOKENS = 160
MIN_SAID = 0.6
"""Minimum share of a sentence's words that the supporting statement must contain."""
MAX_SHARED = 0.5
"""Maximum share of another clause's words that a clause may take if it leaves some of them out."""

_DIRECTED = (fw.FROM, fw.TO, fw.BY, fw.BEFORE, fw.AFTER, fw.THAN, fw.SUBJECT, fw.OBJECT)
_TAGS = frozenset((*_DIRECTED, fw.PREP))
_OPPOSITE = {fw.FROM: fw.TO, fw.TO: fw.FROM, fw.BEFORE: fw.AFTER, fw.AFTER: fw.BEFORE}

_OTHER_TIME = ({fw.BEFORE, fw.TO}, {fw.BEFORE, fw.FROM})
"""German "nach" is "after" as well as "to"."""

COMMA, IN_NAME = "\x02", "\x03"
_ELIDED = Lazy(r"^(?:[ldnsjmtc]|qu|jusqu|lorsqu)'")
_FULL_WIDTH = str.maketrans({char: f"{char} " for char in "，：；（）、"})
_TIGHT_COMMA = Lazy(r",(\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul})")
_COMMA = Lazy(r"[,:、](?:\s|$)|[()]|\s[-–—]+\s")
_PARTICIPLE = Lazy(r"^(|ab|an|auf|aus|bei|ein|her|hin|los|mit|nach|um|vor|weg|zu)ge(.{3,})$")
_SUFFIXES = (
    "ado ada ido ida ent ons ees ez en er es em et te st as os ar ir an on am ee e s t n o a"
).split()


class Clause(Struct):
    """words in order. tags: the class of the function word that governs each word (0: none)."""

    words: list[int] = field(default_factory=list)
    tags: dict[int, int] = field(default_factory=dict)
    turns: int = 0
    passive: bool = False
    joined: int = 0
    """The mark before the clause: COORD if it may be a statement of its own."""
    condition: bool = False
    general: bool = False
    """Whether it speaks of all or only of something, so that less text says more."""
    denied: set[int] = field(default_factory=set)
    classes: set[int] = field(default_factory=set)
    """Words that only name the class of a name beside them."""
    limit: int = 0
    """ONLY or ONLY_SUBJECT if the clause speaks only of `focus`, the word behind it."""
    focus: int = 0
    bound: int = 0
    """ABOVE or BELOW if a number in it is a limit."""

    @property
    def known(self) -> frozenset[int]:
        return frozenset(self.words)


# --- reading -----------------------------------------------------------------------------------


def spaced(text: str) -> str:
    """Insert a space after full-width punctuation, and after a comma before a Chinese, Japanese or
    Korean letter, so that they separate clauses."""
    return _TIGHT_COMMA.sub(r", \1", text.translate(_FULL_WIDTH))


def with_commas(plain_text: str) -> str:
    """Replace the punctuation that separates clauses by a mark."""
    return _COMMA.sub(f" {COMMA} ", plain_text)


def without_elision(chunk: str, word: str) -> str:
    """The raw word of a chunk without an elided French article."""
    match = _ELIDED.match(chunk) if "'" in chunk else None
    return word[len(match.group()) - 1 :] if match is not None else word


def tokens(
    raw: Sequence[str],
    digest: Callable[[str], int],
    is_common: Callable[[str], bool],
    is_framing: Callable[[str], bool],
) -> tuple[int, ...]:
    """Convert one sentence of raw lower-case words into marks and digests. Words of a name begin
    with `IN_NAME`."""
    raw = _joined([chunk.strip(".") for chunk in raw])
    table = _function_words(raw)
    found: list[int] = []
    for at, word in enumerate(raw):
        if word.startswith(IN_NAME):
            found += [_number(digest(p)) | VALUE for p in word[1:].split(".") if p]
            continue
        found += [fw.ALL] if word in fw.UNIVERSAL else []
        found += [_limit(raw, at, found)] if word in fw.ONLY_WORDS else []
        found += [_BOUNDS[word]] if word in _BOUNDS and _has_digit(raw[at + 1 : at + 3]) else []
        if word == COMMA:
            found.append(fw.SPLIT)
        elif not word.isascii() and any(map(is_cjk, word)):
            found += _cjk_tokens(word, digest)
        elif word in table:
            if table[word] == fw.TURN and _is_denied_before(word, raw[:at]):
                continue
            found += _marks(table[word], raw, at, found)
        elif word:
            for part in word.split(".") if not word.replace(".", "").isdigit() else (word,):
                kept = part and not _frames(part, raw, at, is_framing)
                found += [_item(part, digest, is_common)] if kept else []
    if table is not _TABLES["de"]:
        # German is excluded: "nicht" may follow the word that it negates.
        found = _denied(found)
    return tuple(found[:MAX_TOKENS])


def _is_denied_before(word: str, before: Sequence[str]) -> bool:
    """Whether a negation only repeats one before it: "ne … pas", "no … nunca"."""
    return ("ne" in before and word != "ne") or not {"no", "não"}.isdisjoint(before)


def _denied(found: Sequence[int]) -> list[int]:
    """The tokens, with a flag on each word directly after a negation."""
    return [
        token | DENIED if before == fw.TURN and token >= FIRST_WORD else token
        for before, token in zip([0, *found], found, strict=False)
    ]


def _marks(mark: int, raw: Sequence[str], at: int, found: list[int]) -> list[int]:
    if mark == fw.TO and any(word.startswith(fw.PREFERRING) for word in raw[:at]):
        return [fw.THAN]
    if raw[at] == "que" and not fw.COMPARATIVES.isdisjoint(raw):
        return [fw.THAN]
    if mark == fw.NOTHING:
        # "vor dem Linter müssen die Tests …": the next noun is governed by no preposition.
        return [fw.NOTHING] if found and found[-1] >= fw.VERB else []
    if mark == fw.CONTRAST:
        return [fw.SPLIT, fw.TURN]
    if mark == fw.UNTIL:
        # "from 9 until 17" is one range.
        return [fw.TO] if found and found[-1] & VALUE else [fw.SPLIT, fw.TO]
    if raw[at] == "while" and fw.TURN in found:
        return [fw.CONDITION]
    if raw[at] in fw.UNLESS or raw[at] in fw.WITHOUT:
        # "Never X without Y" does not ban X.
        return [fw.CONDITION, fw.TURN]
    if raw[at] == "se" and not fw.AFTER_IF.isdisjoint(raw[at + 1 : at + 2]):
        return [fw.CONDITION]
    return [mark]


def _limit(raw: Sequence[str], at: int, found: Sequence[int]) -> int:
    """The mark of an "only". "Only Mara may …" limits the subject, "Mara may only …" does not."""
    return fw.ONLY if found or fw.MAY.isdisjoint(raw[at + 2 : at + 5]) else fw.ONLY_SUBJECT


def _has_digit(raw: Sequence[str]) -> bool:
    return any(char.isdigit() for word in raw for char in word)


def _item(word: str, digest: Callable[[str], int], is_common: Callable[[str], bool]) -> int:
    word = _NUMBERS.get(word, word)
    value = any(char.isdigit() for char in word)
    kind = VALUE if value else COMMON if is_common(word) else 0
    return _number(digest(word if value else _meaning(word))) | kind | _class_flag(word)


def _class_flag(word: str) -> int:
    return CLASS if word in _CLASSES or root(word) in _CLASSES else 0


def _frames(word: str, raw: Sequence[str], at: int, is_framing: Callable[[str], bool]) -> bool:
    """Whether a word only introduces the statement: "the user wants", but not "the user table"."""
    if not is_framing(word) or word not in _FRAME_NOUNS:
        return is_framing(word)
    after = raw[at + 1] if at + 1 < len(raw) else COMMA
    return after == COMMA or after in fw.MODALS or is_framing(after)


def _joined(raw: Sequence[str]) -> list[str]:
    """The words, with phrases that count as one word joined."""
    found: list[str] = []
    for word in raw:
        if found and (found[-1], word) in _CONTRASTS:
            found[-1] = "instead"
        elif found and (found[-1], word) in _PHRASES:
            found[-1] = f"{found[-1].removesuffix('s')}-{word.removesuffix('s')}"
        else:
            found.append(word)
    return found


def _meaning(word: str) -> str:
    """The representative of a word's synonyms, or its stem."""
    bare = root(word)
    return _SYNONYMS.get(word) or _SYNONYMS.get(bare, bare)


def _number(digest: int) -> int:
    return max(digest & _WORD, FIRST_WORD)


_SAME = Tables("wm.domain.learning", "support.toml")
_HAN_SAME = [(word, row[0]) for row in _SAME.rows("han") for word in row[1:]]
_CONTRASTS = frozenset(tuple(row) for row in _SAME.rows("contrasts"))
_FRAME_NOUNS = frozenset(_SAME.words("frame_nouns"))
_PHRASES = frozenset(tuple(row) for row in _SAME.rows("phrases"))
_NUMBERS = {word: row[0] for row in _SAME.rows("numbers") for word in row[1:]}


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """The stem of a word of any Latin-script language: inflected forms usually share it."""
    bare = unaccented(word)
    participle = _PARTICIPLE.match(bare)
    bare = participle.group(1) + participle.group(2) if participle is not None else bare
    bare = unaccented(stem(bare))
    ending = next((e for e in _SUFFIXES if bare.endswith(e) and len(bare) >= len(e) + 4), "")
    return bare.removesuffix(ending)


def _synonyms() -> dict[str, str]:
    """The representative of each spelling; rows that share a word count as one."""
    found: dict[str, str] = {}
    for row in _SAME.rows("synonyms"):
        spelled = {form for word in row for form in (word, root(word))}
        first = min((found[form] for form in spelled if form in found), default=root(row[0]))
        found.update(dict.fromkeys(spelled, first))
    return found


_CLASSES = frozenset(form for word in _SAME.words("classes") for form in (word, root(word)))
_SYNONYMS = _synonyms()


def _function_words(raw: Sequence[str]) -> dict[str, int]:
    """The function words of the language with the most hint words in this sentence."""
    known = set(raw)
    best = max(_HINTS, key=lambda name: len(known & _HINTS[name]))
    return _TABLES[best] if known & _HINTS[best] else fw.LATIN


_BOUNDS = {**dict.fromkeys(fw.ABOVE_WORDS, fw.ABOVE), **dict.fromkeys(fw.BELOW_WORDS, fw.BELOW)}
_HINTS = {name: frozenset(row.split()) for name, row in fw.HINTS.items()}
_TABLES = {name: {**fw.LATIN, **own} for name, own in fw.BY_LANGUAGE.items()}
_TABLES["pt"].pop("no", None)
_TABLES["pt"].update(fw.BY_LANGUAGE["pt"])


# --- Chinese, Japanese, Korean -------------------------------------------------------------------


def _rows(table: Sequence[tuple[int, str]]) -> list[tuple[str, int]]:
    """The words of a table with their marks, the longest first."""
    words = [(word, mark) for mark, row in table for word in row.split()]
    return sorted(words, key=lambda pair: -len(pair[0]))


_HAN, _HAN_AFTER = _rows(fw.HAN), _rows(fw.HAN_AFTER)
_HAN_KEPT = fw.HAN_KEPT
_KANA = _rows(fw.KANA)
_ENDINGS, _HANGUL = _rows(fw.HANGUL_ENDINGS), _rows(fw.HANGUL_WORDS)
_VERBS = sorted(fw.HANGUL_VERBS, key=len, reverse=True)


def _by_first(table: Sequence[tuple[str, int]]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for word, mark in table:
        found.setdefault(word[0], []).append((word, mark))
    return found


_HAN_AT = _by_first([*((w, -1) for w in _HAN_KEPT), *_HAN_AFTER, *_HAN])
"""Table words by their first letter; -1 marks words that only resemble a function word."""


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"


def _is_kana(char: str) -> bool:
    return "\u3041" <= char <= "\u309f"


def _cjk_tokens(word: str, digest: Callable[[str], int]) -> Iterator[int]:
    """word: of Chinese, Japanese or Korean letters only."""
    if any(map(_is_hangul, word)):
        return _korean(word, digest)
    return (_japanese if any(map(_is_kana, word)) else _chinese)(word, digest)


def _chinese(run: str, digest: Callable[[str], int]) -> Iterator[int]:
    for word, same in _HAN_SAME:
        run = run.replace(word, same)
    for unit in fw.HAN_TIMES:
        run = run.replace(f"{unit}后", f"{unit}之后")
    chunk = ""
    at = 0
    while at < len(run):
        known = _HAN_AT.get(run[at], ())
        then = next((w for w in fw.HAN_THEN if run.startswith(w, at)), "")
        if then and "先" in run[:at]:
            # "First A, then B": A is before B.
            yield from (*_pairs(chunk, digest), fw.BEFORE)
            chunk, at = "", at + len(then)
            continue
        word, mark = next((pair for pair in known if run.startswith(pair[0], at)), (run[at], -1))
        at += len(word)
        if mark < 0:
            chunk += word
            continue
        pairs, chunk = _pairs(chunk, digest), ""
        if mark in (fw.BEFORE, fw.AFTER):
            yield from (mark, *pairs, fw.PREP)
        else:
            yield from pairs
            yield from (fw.SPLIT, fw.TURN) if mark == fw.CONTRAST else (mark,)
    yield from _pairs(chunk, digest)


def _pairs(chunk: str, digest: Callable[[str], int]) -> list[int]:
    """Pairs of letters of one chunk; inner pairs may span two words."""
    if chunk == "用":
        return [fw.VERB]
    chunk = _SYNONYMS.get(chunk, chunk)
    pieces = [chunk[i : i + 2] for i in range(max(1, len(chunk) - 1))] if chunk else []
    last = len(pieces) - 1
    return [
        _number(digest(p)) | (EDGE if 0 < i < last else _class_flag(p))
        for i, p in enumerate(pieces)
    ]


def _japanese(run: str, digest: Callable[[str], int]) -> Iterator[int]:
    """Runs of kanji and of katakana are words; a particle governs the word before it."""
    for is_kana, letters in groupby(run, _is_kana):
        piece = "".join(letters)
        if is_kana:
            yield from _particles(piece)
        else:
            yield _number(digest(_SYNONYMS.get(piece, piece))) | _class_flag(piece)


def _particles(kana: str) -> Iterator[int]:
    at = 0
    while at < len(kana):
        found = next((pair for pair in _KANA if kana.startswith(pair[0], at)), None)
        if found is None:
            at += 1
            continue
        at += len(found[0])
        if found[1] == fw.CONTRAST:
            yield from (fw.TURN, fw.SPLIT)
        else:
            yield POST | found[1]


POST = 16
"""Added to a mark that governs the word before it, not the word after it."""


def _korean(word: str, digest: Callable[[str], int]) -> Iterator[int]:
    if word in _VERBS:
        return
    alone = next((m for w, m in _ENDINGS if word == w), None)
    if alone is not None:
        # The tokenizer separates an ending from the name or number before it ("5433이고").
        yield alone if alone == fw.COORD else POST | alone
        return
    exact = next((m for w, m in _HANGUL if word == w), None)
    if exact is not None:
        if exact == fw.CONTRAST:
            yield from (fw.TURN, fw.SPLIT)
        elif exact != fw.NOTHING:
            yield POST | exact if exact in (fw.BEFORE, fw.AFTER, fw.BY) else exact
        return
    turns = any(word.startswith(w) for w in ("않", "말", "마세", "마십", "없", "금지", "안됩"))
    if turns:
        yield fw.TURN
        return
    if word.endswith("고") and word[:-1] in fw.HANGUL_SHORT:
        yield from (_number(digest(_SYNONYMS.get(word[:-1], word[:-1]))), fw.COORD)
        return
    ends = word.endswith("면") and not word.endswith(fw.HANGUL_SURFACES)
    bare, mark = _without_ending(word[:-1] if ends else word)
    for verb in _VERBS:
        if bare.endswith(verb) and len(bare) > len(verb):
            bare = bare[: -len(verb)]
            break
    yield _number(digest(_SYNONYMS.get(bare, bare))) | _class_flag(bare)
    if ends:
        yield fw.CONDITION_END
    elif mark == fw.COORD:
        yield mark
    elif mark:
        yield POST | mark


def _without_ending(word: str) -> tuple[str, int]:
    for ending, mark in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)], mark
    return word, 0


@lru_cache(maxsize=4096)
def words(statement: tuple[int, ...]) -> frozenset[int]:
    """The content words of a statement."""
    return frozenset(_bare(token) for token in statement if token >= FIRST_WORD)


def content_words(statement: tuple[int, ...]) -> frozenset[int]:
    """The content words of a statement that say more than the class of a name."""
    return words(tuple(token for token in statement if token >= FIRST_WORD and not token & CLASS))


# --- clauses -----------------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def clauses(statement: tuple[int, ...]) -> tuple[Clause, ...]:
    """The clauses of a statement that have a word. Cached: do not change the result."""
    found = [Clause()]
    tag = 0
    governs = False  # "antes de las pruebas": the first of several function words decides
    for token in statement:
        now = found[-1]
        if token in (fw.SPLIT, fw.COORD, fw.CONDITION):
            tag = 0
            if now.words:
                found.append(Clause(joined=token))
            else:
                now.turns = 0  # "No, use …" denies what was done before
                now.joined = token
            found[-1].condition = found[-1].condition or token == fw.CONDITION
        elif token == fw.ALL:
            now.general = True
        elif token in (fw.ABOVE, fw.BELOW):
            now.bound = token
        elif token in (fw.ONLY, fw.ONLY_SUBJECT):
            now.general, now.limit, now.focus = True, token, 0
        elif token == fw.CONDITION_END:
            now.condition, tag = True, 0
            found.append(Clause(joined=fw.SPLIT))
        elif token == fw.TURN:
            now.turns += 1
        elif token == fw.VOICE:
            # "before it gets merged": the conjunction governs the verb behind the auxiliary.
            now.passive, tag = True, tag if tag in (fw.BEFORE, fw.AFTER) else 0
        elif token >= FIRST_WORD or token == fw.VERB:
            tag = 0 if token == fw.VERB else tag
            word = _bare(token)
            now.words.append(word)
            now.focus = now.focus or (word if now.limit and word != fw.VERB else 0)
            if token >= FIRST_WORD and token & DENIED:
                now.denied.add(word)
            if token >= FIRST_WORD and token & CLASS:
                now.classes.add(word)
            now.tags[word] = tag
        elif token & POST:
            _govern_last(now, token & ~POST)
        elif token == fw.NOTHING:
            tag = 0
        elif tag not in _DIRECTED or not governs:
            tag = token
        governs = token in _TAGS
    return tuple(clause for clause in found if clause.words)


def _govern_last(clause: Clause, mark: int) -> None:
    if mark == fw.TURN:
        clause.turns += 1
    elif mark == fw.VOICE:
        clause.passive = True
    elif mark == fw.COORD:
        return
    elif clause.words:
        clause.tags[clause.words[-1]] = mark


def _bare(token: int) -> int:
    return token & _WORD | token & VALUE if token >= FIRST_WORD else token


# --- comparing -----------------------------------------------------------------------------------


class _Text(Struct, frozen=True):
    """A sentence to be judged. known: words of names that belong to the project; the sentence may
    add them, but they do not replace other words."""

    tokens: tuple[int, ...]
    known: frozenset[int]

    @property
    def common(self) -> frozenset[int]:
        return frozenset(_bare(t) for t in self.tokens if t >= FIRST_WORD and t & COMMON)

    def between(self, said: frozenset[int]) -> frozenset[int]:
        """Pairs of Chinese letters that span two words that were said."""
        bare = [_bare(token) for token in self.tokens]
        return frozenset(
            bare[at]
            for at in range(1, len(bare) - 1)
            if self.tokens[at] & EDGE and bare[at - 1] in said and bare[at + 1] in said
        )


def supports(
    text: tuple[int, ...], said: Sequence[tuple[int, ...]], known: frozenset[int] = frozenset()
) -> bool:
    """Whether one statement supports this sentence, or its independent parts are each supported."""
    given = clauses(text)
    if not given:
        return True
    whole = _Text(text, known)
    mine = words(text)
    least = min(2, len(mine))
    # Most statements share no word with the sentence, so only the others are compared.
    stated = [clauses(one) for one in said if len(mine & words(one)) >= least]
    if any(_agrees(given, one, whole) for one in stated):
        return True
    parts = _parts(given)
    return len(parts) > 1 and all(
        any(_agrees(part, one, whole) for one in stated) for part in parts
    )


def _parts(given: Sequence[Clause]) -> list[list[Clause]]:
    parts: list[list[Clause]] = []
    for clause in given:
        if clause.joined == fw.COORD or not parts:
            parts.append([])
        parts[-1].append(clause)
    return parts


def _agrees(given: Sequence[Clause], stated: Sequence[Clause], text: _Text) -> bool:
    theirs, mine = _all_words(stated), _all_words(given)
    new = mine - theirs - text.known - text.between(theirs) - {fw.VERB}
    if any(word & VALUE for word in new) or not _has_most(mine, new):
        return False
    sources = [_sources(clause, stated) for clause in given]
    moved = mine >= theirs and _is_one_move(given, stated)
    for clause, taken in zip(given, sources, strict=True):
        if not taken:
            if clause.known & new:
                return False
            continue
        if not (moved or _is_bound(clause, taken, stated)):
            return False
        if any(_takes_away(clause, at, given, sources, stated) for at in taken[1:]):
            return False
        if _is_replaced(clause, stated[taken[0]], new & clause.known, mine, text.common):
            return False
    return (
        _same_polarity(given, stated, sources)
        and _same_roles(given, stated, sources)
        and _same_conditions(stated, sources)
        and _same_limits(given, stated, sources)
    )


def _has_most(mine: frozenset[int], new: frozenset[int]) -> bool:
    """Whether most of the words were said."""
    words = mine - {fw.VERB}
    return 0 < len(words - new) >= MIN_SAID * len(words)


def _all_words(given: Sequence[Clause]) -> frozenset[int]:
    return frozenset().union(*(clause.known for clause in given))


def _sources(clause: Clause, stated: Sequence[Clause]) -> list[int]:
    """The clauses that the words come from, the one with the most words first."""
    left = set(clause.words) - {fw.VERB} or set(clause.words)
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
    return found


def _is_bound(clause: Clause, taken: Sequence[int], stated: Sequence[Clause]) -> bool:
    """Whether the words stay with the words that they were said with."""
    words = clause.known
    if len(taken) == 1:
        return True
    whole = [at for at in taken if stated[at].known <= words | {fw.VERB}]
    if len(whole) == len(taken):
        return True
    own = frozenset().union(*(stated[at].known for at in whole)) if whole else frozenset()
    if len(own) < 2 or not all(_in_order(clause, stated[at]) for at in whole):
        return False
    for at in taken:
        if at not in whole:
            shared = (words & stated[at].known) - own
            if len(shared) > MAX_SHARED * len(stated[at].known) or any(w & VALUE for w in shared):
                return False
            if any({*_DIRECTED} & ({clause.tags[w]} ^ {stated[at].tags[w]}) for w in shared):
                return False
    return True


def _takes_away(
    clause: Clause,
    at: int,
    given: Sequence[Clause],
    sources: Sequence[Sequence[int]],
    stated: Sequence[Clause],
) -> bool:
    """Whether a clause uses words that belong to another clause, which lacks them: "small files go
    to S3, large ones to the API" from "large ones …, small files …"."""
    words = clause.known & stated[at].known
    heirs = [
        other
        for other, taken in zip(given, sources, strict=True)
        if other is not clause and taken and taken[0] == at
    ]
    return any(not words <= other.known for other in heirs)


def _in_order(clause: Clause, source: Clause) -> bool:
    """Whether the words of a source keep their order, or the voice differs."""
    places = [clause.words.index(w) for w in dict.fromkeys(source.words) if w in clause.tags]
    return places == sorted(places) or clause.passive != source.passive


def _is_one_move(given: Sequence[Clause], stated: Sequence[Clause]) -> bool:
    """Whether the words have the statement's order, except for one block that moved."""
    first = [word for clause in stated for word in clause.words]
    order = [word for clause in given for word in clause.words if word in set(first)]
    if Counter(order) != Counter(first) or len(set(first)) != len(first):
        return False
    free = [w for clause in stated for w in clause.words if not clause.tags[w] and w != fw.VERB]
    homes = [
        next(at for at, one in enumerate(stated) if word in one.known)
        for word in order
        if word in free
    ]
    if sum(a != b for a, b in pairwise(homes)) >= len(set(homes)):
        return False  # words of two clauses mixed
    places = [first.index(word) for word in order]
    breaks = sum(b != a + 1 for a, b in zip([-1, *places], [*places, len(places)], strict=True))
    values = [place for place, word in zip(places, order, strict=True) if word & VALUE]
    return breaks <= 3 and values == sorted(values)


def _is_replaced(
    clause: Clause,
    source: Clause,
    new: frozenset[int],
    mine: frozenset[int],
    common: frozenset[int],
) -> bool:
    """Whether a new word replaces one that was said. A common word replaces one only if both have
    the same governing class ("the billing service is deployed" adds a word and replaces none)."""
    missing = source.known - mine - {fw.VERB}
    tags = {source.tags[word] for word in missing}
    if missing and new and clause.general and not source.general:
        return True  # "on every push" for "nightly"
    return any(missing and (word not in common or clause.tags[word] in tags) for word in new)


def _same_polarity(
    given: Sequence[Clause], stated: Sequence[Clause], sources: Sequence[Sequence[int]]
) -> bool:
    """Whether each clause has as many negations as its source."""
    for at, one in enumerate(stated):
        drawn = [c for c, taken in zip(given, sources, strict=True) if taken and taken[0] == at]
        if any(clause.turns != one.turns for clause in drawn):
            return False
    stray = [c for c, taken in zip(given, sources, strict=True) if not taken and c.turns]
    return not stray


def _same_roles(
    given: Sequence[Clause], stated: Sequence[Clause], sources: Sequence[Sequence[int]]
) -> bool:
    for clause, taken in zip(given, sources, strict=True):
        for at in taken:
            source = stated[at]
            if _is_exchanged(clause, source) or _is_turned_about(clause, source):
                return False
            if _denies_another(clause, source) or _widens_ban(clause, source):
                return False
            if clause.bound and source.bound not in (0, clause.bound):
                return False
            if _limits_another(clause, source, stated):
                return False
    return True


def _is_exchanged(mine: Clause, theirs: Clause) -> bool:
    """Whether two words exchanged their directions ("from A to B")."""
    both = [word for word in mine.words if word in theirs.tags]
    changed = [(theirs.tags[w], mine.tags[w]) for w in both if theirs.tags[w] != mine.tags[w]]
    if any(_OPPOSITE.get(old) == new or {old, new} in _OTHER_TIME for old, new in changed):
        return True
    lost = {old for old, _ in changed if old in _DIRECTED}
    won = {new for _, new in changed if new in _DIRECTED}
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
    agent = [w for w in once if fw.BY in (mine.tags[w], theirs.tags[w])]
    if agent and mine.passive != theirs.passive:
        return not _has_agent_first(mine, theirs, once)
    if mine.passive != theirs.passive or fw.SUBJECT in (*mine.tags.values(), *theirs.tags.values()):
        return False
    unmarked = ({0}, {0, fw.OBJECT})  # an object that both mark may be anywhere
    core = [places[w] for w in once if {mine.tags[w], theirs.tags[w]} in unmarked]
    if any(a > b > c for a, b, c in combinations(core, 3)):
        return True
    free = [w for w in once if (theirs.tags[w], mine.tags[w]) == (0, fw.PREP)]
    bound = [w for w in once if (theirs.tags[w], mine.tags[w]) == (fw.PREP, 0)]
    # "A depends on B", "replace A with B": the words changed sides, the preposition stayed.
    return any(
        places[one] < places[other] and once.index(other) < once.index(one)
        for one in free
        for other in bound
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
    both = mine.known & theirs.known
    return bool(both & (mine.denied - theirs.denied) and both & (theirs.denied - mine.denied))


def _limits_another(mine: Clause, theirs: Clause, stated: Sequence[Clause]) -> bool:
    """Whether a clause has an "only" that was not said, or that was said of another subject. "X and
    never Y" says "only X", too."""
    if not mine.limit or not theirs.limit:
        is_new = mine.limit and not (theirs.general or any(one.turns for one in stated))
        return bool(is_new and mine.tags.get(mine.focus, 0) not in (fw.BEFORE, fw.AFTER))
    if mine.focus and mine.focus not in theirs.known:
        return True
    if fw.ONLY_SUBJECT not in (mine.limit, theirs.limit) or mine.focus == theirs.focus:
        return False
    return not (mine.passive != theirs.passive and fw.BY in mine.tags.values())


def _widens_ban(mine: Clause, theirs: Clause) -> bool:
    """Whether a denied or general clause lost what limits it: "never deploy on Fridays"."""
    if not (theirs.general or (mine.turns and theirs.turns)):
        return False
    lost = (w for w in theirs.known - mine.known if theirs.tags[w] and w != fw.VERB)
    return not all(_names_class(word, mine, theirs) for word in lost)


def _names_class(word: int, mine: Clause, theirs: Clause) -> bool:
    """Whether the name beside a word of `theirs` says as much: "on the main branch"."""
    at = theirs.words.index(word)
    beside = (*theirs.words[max(0, at - 1) : at], *theirs.words[at + 1 : at + 2])
    names = (w for w in beside if w in mine.known and theirs.tags[w] == theirs.tags[word])
    return word in theirs.classes and any(names)


def _same_conditions(stated: Sequence[Clause], sources: Sequence[Sequence[int]]) -> bool:
    """Whether each condition stays with the clause that it was said for."""
    taken = [source[0] for source in sources if source]
    step = 1 if stated[0].condition else -1
    conditions = [at for at in taken if stated[at].condition]
    others = [at for at in taken if not stated[at].condition]
    mains = {at + step for at in conditions}
    if any(_is_conditional(stated, at - step) and at - step not in taken for at in others):
        return False  # the condition was dropped
    if not conditions or not others:
        return True
    return any(at in mains for at in others) and all(
        at in mains or not _is_conditional(stated, at - step) for at in others
    )


def _same_limits(
    given: Sequence[Clause], stated: Sequence[Clause], sources: Sequence[Sequence[int]]
) -> bool:
    """Whether each "until …" limits what it was said of: not "is removed until v3" for "stays until
    v3, then we remove it"."""
    for at, (clause, taken) in enumerate(zip(given, sources, strict=True)):
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


def _is_conditional(stated: Sequence[Clause], at: int) -> bool:
    return 0 <= at < len(stated) and stated[at].condition
