# ruff: noqa: E501  Rows of words.
"""Detect entries that contradict each other. A hint for people: both entries stay (WM-8).

There are three kinds of contradiction: the same words with different values (a number, a day, a
name); the same words, once affirmed and once denied; and a text that ends the use of what the
other one uses ("moved from Redis to …"). Does not decide which is right. Pure and linear (EX-6).
"""

from __future__ import annotations

import unicodedata
from itertools import chain
from typing import NamedTuple

from wm.domain.change.same_fact import FILLERS, NEGATIONS, FactStatement, fact_statement
from wm.text.letters import canonical
from wm.text.patterns import Lazy, PatternSet, encoded
from wm.text.scripts import is_cjk
from wm.text.stems import stem
from wm.text.tables import Tables
from wm.text.terms import folded

_TABLES = Tables("wm.domain.change", "contradiction.toml")

MAX_CHARS = 600
"""Longer texts state several things; a comparison of their words proves nothing."""

VALUE_WORDS = frozenset(
    chain.from_iterable((word, folded(word)) for word in _TABLES.words("values"))
)
"""Words of an amount or a time, in the languages that have spaces."""
_MODAL_WORDS = frozenset(_TABLES.words("modals"))
"""Words that say how strictly, not what."""

_SPLIT_DENIAL = frozenset(_TABLES.words("split_denials"))
_DENIES = NEGATIONS | _SPLIT_DENIAL | set(_TABLES.words("denials"))

ANTONYMS = tuple(tuple(map(stem, row)) for row in _TABLES.rows("antonyms"))
"""Each row: words of one meaning, then words that deny it."""

# The first row with a word decides.
_POSITIVE = {w: row[0] for row in reversed(ANTONYMS) for w in row[row.index("|") + 1 :]}
_SAME = {word: row[0] for row in reversed(ANTONYMS) for word in row[: row.index("|")]}

UNIQUE = frozenset(map(stem, _TABLES.words("unique")))
"""Verbs with one subject: two different names before one of them cannot both be right."""

_CJK_DENIALS = _TABLES.phrases("cjk_denials")
_CJK_ENDINGS = _TABLES.phrases("cjk_endings")

_CJK_OPENINGS = _TABLES.phrases("cjk_openings")

_ENDS = (
    r"\b(?:moved?|migrat\w+|switch\w*|changed?|went|ported|transition\w*) (?:\w+ ){0,3}?(?:away )?from (?:the )?(\S+)",
    r"\b(?:replac\w+|supersed\w+|instead of|rather than|no longer (?:uses?|on|runs? on|in)|dropped?|retired?|abandon\w*|got rid of|without) (?:the )?(\S+)",
    r"((?:\S+ ){1,4})(?:was|is|were|are|has been|have been|got) (?:now )?(?:switched off|turned off|shut down|forbidden|banned|gone|removed|retired|dropped|deprecated|abandoned|replaced|decommissioned|cancelled|canceled|deleted|frozen|discontinued|phased out|no longer)",
    r"\b(?:statt|anstelle von|von|abgelöst|nicht mehr|ersetzt) (\S+)(?: auf| zu|\b)",
    r"\b(?:en lugar de|en vez de|ya no (?:se )?us\w+|reemplaza a?|sustituye a?|migr\w+ de) (\S+)",
    r"\b(?:au lieu de|plutôt que|remplace|n'utilis\w+ plus|abandonn\w+|migr\w+ de|passé\w* de) (\S+)",
    r"\b(?:em vez de|não us\w+ mais|substitui|migr\w+ d[eoa]) (\S+)",
    r"(?:不再使用|不再用|弃用|棄用|停用|取代了?|替代了?|替换|从|由|代替|而不是|而非)\s?([A-Za-z][\w.-]*)",
    r"([A-Za-z][\w.-]*)\s?(?:から|をやめ|は廃止|を廃止|は使わない|に代わ|の代わりに|ではなく)",
    r"([A-Za-z][\w.-]*)\s?(?:에서|대신|를 그만|을 그만|은 더 이상|는 더 이상|을 대체|를 대체)",
)
_ENDED = PatternSet(Lazy(row, ignore_case=True) for row in _ENDS)


class Proposition(NamedTuple):
    """A text parsed for `contradict`.

    core: its content words without values, denials and modal words. values: the values that it
    names. denied: whether the number of denials is odd. ended: the names whose use it ends. names:
    the words written like names.
    """

    said: FactStatement
    core: tuple[str, ...]
    values: tuple[str, ...]
    denied: bool
    ended: frozenset[str]
    names: frozenset[str]


def proposition(text: str) -> Proposition:
    """Parse a text for `contradict`."""
    text = text[:MAX_CHARS]
    said = fact_statement(text)
    core, values, said_no = [], [], False
    plain, denials = _affirmed(_with_numbers_apart(canonical(text)))
    for word in plain.split():
        if word[0].isdigit() or (word[0] == "v" and word[1:].isdigit()) or word in VALUE_WORDS:
            values.append(word)
        elif word in _DENIES:
            # "don t" and "ne … pas" count as one denial.
            said_no |= word in _SPLIT_DENIAL
            denials += word not in _SPLIT_DENIAL
        elif word not in _MODAL_WORDS:
            core.append(word)
    kept, more = _plain(core)
    ended = frozenset(_ended(text))
    return Proposition(
        said, kept, tuple(values), (denials + more + said_no) % 2 == 1, ended, _names(text)
    )


_NUMBER_BEHIND = Lazy(r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])(\d)")
_NUMBER_BEFORE = Lazy(r"(\d)([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])")


def _with_numbers_apart(plain: str) -> str:
    """`14日間保存する` has a value like `14 days`, but no space separates it from its words."""
    if plain.isascii():
        return plain
    return _NUMBER_BEFORE.sub(r"\1 \2", _NUMBER_BEHIND.sub(r"\1 \2", plain))


def _two_cases(a: Proposition, b: Proposition) -> bool:
    """`3 seconds on 503` and `10 seconds on 429`: if two numbers differ that are not adjacent (as
    those of a time or a range are), one of them names the case that the other applies to."""
    if len(a.values) != len(b.values):
        return False
    both = enumerate(zip(a.values, b.values, strict=True))
    differ = [at for at, (x, y) in both if x != y and x[0].isdigit() and y[0].isdigit()]
    return len(differ) == 2 and differ[1] - differ[0] > 1


def contradict(a: Proposition, b: Proposition) -> bool:
    """Whether the words of the two texts contradict each other."""
    if _ends(a, b) or _ends(b, a):
        return True
    if a.said.identity != b.said.identity:
        return _elsewhere(a, b)
    named = any((len(w) > 4 and is_cjk(w[0])) or "_" in w for w in a.core)
    if a.core == b.core and (len(a.core) >= 2 or named):
        return a.denied != b.denied or (
            a.values != b.values and not _widened(a, b) and not _two_cases(a, b)
        )
    if a.denied != b.denied or a.values != b.values:
        return False
    return _other_name(a, b)


def _affirmed(text: str) -> tuple[str, int]:
    """The text without a Chinese, Japanese or Korean denial, and the number removed (0 or 1)."""
    if not text.isascii():
        for denial in _CJK_DENIALS:
            if denial in text:
                return text.replace(denial, "", 1), 1
    return text, 0


def _plain(core: list[str]) -> tuple[tuple[str, ...], int]:
    """Stems, with antonyms made positive and counted, and CJK words without their modals."""
    found, denials = [], 0
    for word in core:
        if any(map(is_cjk, word)):
            ending = next((e for e in _CJK_ENDINGS if word.endswith(e)), "")
            opening = next((o for o in _CJK_OPENINGS if word.startswith(o)), "")
            bare = word.removesuffix(ending).removeprefix(opening)
            # A Korean verb ends in the same sound with and without its denial, and a Japanese one
            # in the same kanji.
            sounds = unicodedata.normalize("NFD", bare.rstrip(_HIRAGANA) or bare)
            found += [sounds.rstrip(_FINAL_N)] if bare else []
            continue
        root = stem(word)
        if root in _POSITIVE:
            found.append(_POSITIVE[root])
            denials += 1
        else:
            found.append(_SAME.get(root, root))
    return tuple(found), denials


def _widened(a: Proposition, b: Proposition) -> bool:
    """Whether one of them names no value: a less specific text does not contradict."""
    return not a.values or not b.values


def _other_name(a: Proposition, b: Proposition) -> bool:
    """Whether all words but one agree, and that one is a name that only one text can have right."""
    if len(a.core) != len(b.core) or len(a.core) < 2 or a.denied:
        return False
    if a.said.leads and b.said.leads:  # a file has several contents
        return False
    pairs = zip(a.core, b.core, strict=True)
    at = [i for i, (x, y) in enumerate(pairs) if x != y]
    if len(at) != 1 or _SEVERAL.intersection(a.core):
        return False
    one, other = a.core[at[0]], b.core[at[0]]
    if any(map(is_cjk, a.core[0])):
        return at[0] > 0 and one.isascii() and other.isascii()
    if at[0] == 0:
        return len(a.core) > 2 and a.core[1] in UNIQUE
    if at[0] == len(a.core) - 1:
        return len(a.core) > 2
    # Before a noun, a name distinguishes: the tax module, the cart module.
    return at[0] > 1 and bool({one, other} & {stem(name) for name in a.names | b.names})


_SEVERAL = frozenset(map(stem, _TABLES.words("several")))
"""Verbs with several objects: to need Docker does not contradict needing Postgres."""


def _elsewhere(a: Proposition, b: Proposition) -> bool:
    """Whether they place one thing at two locations that exclude each other."""
    if not a.said.identity or not b.said.identity or a.said.leads or b.said.leads:
        return False
    if not (a.said.linked and b.said.linked) or a.values != b.values:
        return False
    words_a, words_b = set(a.said.words) - _MOVING, set(b.said.words) - _MOVING
    return bool(words_a) and words_a == words_b


_MOVING = frozenset(map(stem, _TABLES.words("moving")))


def _ends(newer: Proposition, older: Proposition) -> bool:
    """Whether one ends the use of something that the other one uses."""
    gone = newer.ended & older.names
    if not gone or older.ended & gone or older.denied:
        return False
    if older.core[:1] and older.core[0] in {stem(name) for name in gone}:
        return True
    about = {stem(w) for w in newer.core} | {w[:5] for w in newer.core}
    shared = {w for w in older.core if stem(w) in about or w[:5] in about}
    return bool(shared - {stem(name) for name in gone} - gone) or _shares_cjk(newer, older)


def _shares_cjk(a: Proposition, b: Proposition) -> bool:
    one = "".join(w for w in a.core if any(map(is_cjk, w)))
    two = "".join(w for w in b.core if any(map(is_cjk, w)))
    return any(two[i : i + 3] in one for i in range(len(two) - 2))


def _ended(text: str) -> list[str]:
    found = []
    for pattern in _ENDED.matching(encoded(text)):
        for match in pattern.finditer(text):
            found += [_name(token) for token in match.group(1).split() if _is_name(token)]
    return found


def _names(text: str) -> frozenset[str]:
    """Words written like names: with a capital, an inner dot or a backtick; Latin words among CJK."""
    tokens = text.replace("，", " ").replace("。", " ").split()
    named = (_name(token) for token in tokens if _is_name(token))
    with_cjk = not text.isascii() and any(map(is_cjk, text[:200]))
    latin = (m.group() for m in _LATIN.finditer(text)) if with_cjk else ()
    return frozenset(filter(None, (*named, *(_name(word) for word in latin))))


def _is_name(token: str) -> bool:
    bare = _name(token)
    if len(bare) < 2 or bare in _MODAL_WORDS or bare in FILLERS:
        return False
    return any(map(str.isupper, token)) or "." in token.strip(".,;:!?") or token.startswith("`")


_FINAL_N = "\u11ab"
_HIRAGANA = "".join(map(chr, range(0x3041, 0x3097)))
_LATIN = Lazy(r"[A-Za-z][\w.-]+")


def _name(token: str) -> str:
    return token.strip("\"'`.,;:!?()[]。，、；：").lower()
