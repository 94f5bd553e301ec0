"""Concepts that a sentence expresses, by word tables in seventeen languages (EX-7).

`words.toml` has the tables: one concept, one row per language, and `any` for words that are the
same in all of them. A word counts as a whole, without case and accents; Chinese, Japanese and
Korean phrases count anywhere. Pure and linear (EX-6). Does not decide what the concepts mean for
memory; `stated` does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from wm.text.letters import without_invisible
from wm.text.patterns import Lazy
from wm.text.tables import Tables
from wm.text.word_grams import JOINED

_TABLES = Tables("wm.domain.learning")

REQUESTS = (
    "request_verb", "request_link", "request_pointer", "request_direct", "request_tail",
    "request_finite", "opener", "stays", "please", "also", "forget_hint",
)  # fmt: skip
"""Tables of `inner_requests` and `requests`."""

KEEPING = (
    "by_heart", "slips", "stores", "notebook", "again", "explains", "weary", "next_time",
    "sessions", "for_good", "ruling", "knows", "workfile", "oneself", "defers", "spoken",
)  # fmt: skip
"""Concepts of a request to remember (`asking`)."""

JOINT, ASIDE = "joint", "aside"
"""The tables of the words between two clauses, and before a remark, as they are written; not
concepts."""

_SCRIPTS = (
    ("ja", Lazy(r"[\x{3040}-\x{30ff}]")),
    ("ko", Lazy(r"[\x{ac00}-\x{d7af}]")),
    ("zh", Lazy(r"[\x{3400}-\x{9fff}]")),
    ("ru", Lazy(r"[\x{0400}-\x{04ff}]{2}")),
    ("ar", Lazy(r"[\x{0600}-\x{06ff}]{2}")),
    ("hi", Lazy(r"[\x{0900}-\x{097f}]{2}")),
)
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_LOOSE = "._/-"
"""Characters that belong to a word only between two of its letters."""


class _Spaced(dict[int, str]):
    """Translation table: marks get spaces around them, other signs become a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in ",:;?!()":
            self[code] = f" {char} "
        elif char == "'":
            self[code] = "' "
        else:
            kept = char in _LOOSE or unicodedata.category(char)[0] in "LNM"
            self[code] = char if kept else " "
        return self[code]


_SPACED = _Spaced({ord("\u2019"): "' ", ord("ı"): "i", ord("đ"): "d", ord("ł"): "l"})


@cache
def concept_names() -> tuple[str, ...]:
    """All concepts, in the order of the tables."""
    return tuple(name for name in _TABLES.names() if name not in (JOINT, ASIDE, *REQUESTS))


def phrases(name: str) -> dict[str, str]:
    """The row of each language of a table, phrases separated by `|`."""
    return _TABLES.rows_of(name)


def folded(text: str) -> str:
    """The text for matching: lower case without accents, words and marks between single spaces."""
    text = without_invisible(text)
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.lower())
        text = unicodedata.normalize("NFC", apart.translate(_ACCENTS)).replace("ß", "ss")
    words = [word.strip(_LOOSE) for word in text.lower().translate(_SPACED).split()]
    return " ".join(filter(None, words))


def language(text: str) -> str:
    """The language of a `folded` text, "en" if unknown. The words and pieces of words that are more
    frequent in one language than in the others decide, so a few words are enough."""
    script = script_of(text)
    if script is not None:
        return script
    names, _ = _languages()
    odds = map(_odds, text.split()[:LANGUAGE_WORDS])
    sums = dict(zip(names, map(sum, zip(*odds, strict=True)), strict=False))
    best = max(sums, key=sums.__getitem__, default="en")
    return best if sums and sums[best] > sums["en"] + ENGLISH_FIRST else "en"


ENGLISH_FIRST = 120
"""Log odds [tenths] by which another language must be likelier than English, because most words of
programs are English: "packages/api uses jest"."""

LANGUAGE_WORDS = 60
LONGEST_WORD = 20
"""Letters of a word that tells a language; a longer one is a name of code."""


def script_of(text: str) -> str | None:
    """The language that alone of ours has the script of a text."""
    return next((lang for lang, script in _SCRIPTS if script.is_match(text)), None)


def letter_grams(word: str) -> Iterator[str]:
    """The pairs and triples of letters of a word with its borders (`_`), and the word in brackets.
    None of a path, a number or a name of code."""
    if len(word) <= LONGEST_WORD and word.rstrip("'").isalpha():
        yield f"[{word}]"
        bordered = f"_{word}_"
        for size in (2, 3):
            yield from (bordered[at : at + size] for at in range(len(bordered) - size + 1))


@cache
def _languages() -> tuple[tuple[str, ...], dict[str, str]]:
    """The languages of the table, and how much more often each gram occurs in each of them: a row
    of numbers, because a text has few of the grams."""
    table = Tables("wm.domain.learning", "language.toml")
    return table.words("languages"), dict(table.rows("grams", columns=2))


@lru_cache(maxsize=8_192)
def _odds(word: str) -> tuple[int, ...]:
    names, known = _languages()
    rows = (known[gram].split() for gram in letter_grams(word) if gram in known)
    found = [map(int, row) for row in rows]
    return tuple(map(sum, zip(*found, strict=True))) or (0,) * len(names)


class Found(NamedTuple):
    """The concepts that a text expresses, and those that its first word or phrase expresses."""

    anywhere: frozenset[str]
    first: frozenset[str]


def concepts_in(text: str) -> Found:
    """The concepts of a text as it was written, in its own language."""
    plain = folded(text)
    return concepts_of(plain, language(plain))


@lru_cache(maxsize=256)
def concepts_of(text: str, lang: str, file: str = "", of: tuple[str, ...] = ()) -> Found:
    """The concepts of a `folded` text. file: the tables to use instead of `words.toml`. of: the
    only concepts to look for; all of them take some 10 us per word."""
    if lang in JOINED:
        return _in_joined(text, lang, file, of)
    return _in_words(text.split(), lang, file, of)


@cache
def _rows(lang: str, file: str, of: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each concept of a file with its phrases in a language, and those that all share."""
    tables = Tables("wm.domain.learning", file) if file else _TABLES
    names = of or (tables.names() if file else concept_names())
    rows = ((name, tables.rows_of(name)) for name in names)
    both = ((name, f"{row.get(lang, '')}|{row.get('any', '')}") for name, row in rows)
    return tuple((name, tuple(filter(None, row.split("|")))) for name, row in both)


def _in_joined(text: str, lang: str, file: str, of: tuple[str, ...]) -> Found:
    rows = _rows(lang, file, of)
    found = (concept for concept, phrases in rows if any(map(text.__contains__, phrases)))
    first = (concept for concept, phrases in rows if text.startswith(phrases))
    return Found(frozenset(found), frozenset(first))


class _Phrase(NamedTuple):
    concept: str
    words: tuple[str, ...]
    """The words after the first; `~`: up to `GAP` words of any kind."""


GAP = 5


class _Phrases(NamedTuple):
    """The phrases of a language by their first word; by two letters where that word is only the
    beginning or the end of a word, which is the second value."""

    whole: dict[str, list[_Phrase]]
    begin: dict[str, list[tuple[str, _Phrase]]]
    end: dict[str, list[tuple[str, _Phrase]]]


_OTHER_WORDS = frozenset({"well", "were", "its", "id", "ill", "wed"})
"""English words that differ from a contraction ("we'll") by the apostrophe alone."""


def _written(phrase: str, lang: str) -> Iterator[str]:
    """The phrase, and as people type it in a hurry: "dont" for "don't"."""
    yield phrase
    bare = phrase.replace("'", "")
    if lang == "en" and bare != phrase and _OTHER_WORDS.isdisjoint(bare.split()):
        yield bare


@cache
def _phrases(lang: str, file: str, of: tuple[str, ...]) -> _Phrases:
    known = _Phrases({}, {}, {})
    for concept, rows in _rows(lang, file, of):
        for text in (form for row in rows for form in _written(row, lang)):
            first, *rest = text.replace("'", "' ").split()
            phrase = _Phrase(concept, tuple(rest))
            if first.endswith("*"):
                known.begin.setdefault(first[:2], []).append((first[:-1], phrase))
            elif first.startswith("*"):
                known.end.setdefault(first[-2:], []).append((first[1:], phrase))
            else:
                known.whole.setdefault(first, []).append(phrase)
    return known


class _Begun(NamedTuple):
    """The phrases that a word may begin. alone: the concepts of those that end with it. next: the
    others by their second word; more: those whose second word is not one word."""

    alone: frozenset[str]
    next: dict[str, list[_Phrase]]
    more: tuple[_Phrase, ...]


@lru_cache(maxsize=8_192)
def _begun(lang: str, file: str, of: tuple[str, ...], word: str) -> _Begun:
    known = _phrases(lang, file, of)
    begin = (p for text, p in known.begin.get(word[:2], ()) if word.startswith(text))
    end = (p for text, p in known.end.get(word[-2:], ()) if word.endswith(text))
    alone: set[str] = set()
    following: dict[str, list[_Phrase]] = {}
    more: list[_Phrase] = []
    for phrase in (*known.whole.get(word, ()), *begin, *end):
        if not phrase.words:
            alone.add(phrase.concept)
        elif phrase.words[0] == "~" or phrase.words[0].endswith("*"):
            more.append(phrase)
        else:
            following.setdefault(phrase.words[0], []).append(phrase)
    return _Begun(frozenset(alone), following, tuple(more))


def _in_words(words: list[str], lang: str, file: str, of: tuple[str, ...]) -> Found:
    found: set[str] = set()
    first: frozenset[str] = frozenset()
    for at, (word, after) in enumerate(pairwise((*words, ""))):
        begun = _begun(lang, file, of, word)
        found |= begun.alone
        for phrase in (*begun.next.get(after, ()), *begun.more):
            if phrase.concept not in found and _goes_on(words, at + 1, phrase.words):
                found.add(phrase.concept)
        if at == 0:
            first = frozenset(found)
    return Found(frozenset(found), first)


def _goes_on(words: list[str], at: int, rest: tuple[str, ...]) -> bool:
    """Whether the words from `at` on are the rest of a phrase."""
    for n, wanted in enumerate(rest):
        if wanted == "~":
            return any(_goes_on(words, at + gap, rest[n + 1 :]) for gap in range(GAP + 1))
        if at >= len(words):
            return False
        word = words[at]
        if word != wanted and not (wanted.endswith("*") and word.startswith(wanted[:-1])):
            return False
        at += 1
    return True


HEAD_CHARS = 80
"""Characters of a heading; a longer text before a list is itself a statement."""


def bans_what_follows(head: str) -> bool:
    """Whether words before a colon or a list ban something that they do not name themselves."""
    plain = folded(head).rstrip(" :")
    lang = language(plain)
    found = concepts_of(plain, lang).anywhere
    if "ban" not in found:
        return False
    last = plain.split()[-1]
    return not found.isdisjoint(_POINTS_AHEAD) or "ban" in concepts_of(last, lang).anywhere


_POINTS_AHEAD = frozenset(("deictic", "refers", "myself"))
"""Concepts of "never do the following", "not these", "things that I don't want"."""
