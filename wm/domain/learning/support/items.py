"""The items of a statement: digests of words with flags, by stem and by synonym (TR-3).

An item is a number, which does not reveal the text. Numbers below `FIRST_WORD` are marks
of the structure (`function_words`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from wm.text.letters import normalised, unaccented
from wm.text.patterns import Lazy
from wm.text.stems import stem
from wm.text.tables import Tables

FIRST_WORD = 46
"""The smallest digest of a word; smaller numbers are marks."""
VALUE = 1 << 31
"""Flag on the digest of a number, version, path or other name."""
EDGE = 1 << 29
"""Flag on a pair of Chinese letters that may span two words."""
DENIED = 1 << 28
"""Flag on the digest of a word after a negation."""
CLASS = 1 << 27
"""Flag on the digest of a word that adds nothing beside a name: "the pnpm tool"."""
REVERSING = 1 << 30
"""Flag on the digest of a word that, if added, reverses a statement: "is deleted from"."""
LIGHT = 1 << 26
"""Flag on the digest of a word that a paraphrase may put for "use": "tests are run in Docker"."""
ADDED = 1 << 25
"""Flag on the digest of a word that a paraphrase may add: "written in German", "log messages"."""
GROUP = 1 << 24
"""Flag on the digest of a word for those who say "we": "the team runs the tests"."""
FLAGS = EDGE | DENIED | CLASS | REVERSING | LIGHT | ADDED | GROUP
_WORD = 0xFFFFFFFF & ~(VALUE | FLAGS)
POST = 16
"""Added to a mark that governs the word before it, not the word after it."""

_VOWELS = "aeiouyаеиоуыюяьй"
_PARTICIPLE = Lazy(r"^(|a[bn]|au[fs]|bei|ein|her|hin|los|mit|nach|um|vor|weg|zu)ge(.{3,})(?:t|en)$")
SAME = Tables("wm.domain.learning", "support.toml")
_ROOTS = {lang: tuple(map(int, sizes)) for lang, *sizes in SAME.rows("roots")}
NUMBERS = {normalised(word): row[0] for row in SAME.rows("numbers") for word in row[1:]}


def item(word: str, digest: Callable[[str], int], lang: str = "", behind: str = "") -> int:
    """behind: the tool that is called with the word, or "": "make ship" is not "make release".
    lang: the language of the sentence."""
    word = NUMBERS.get(word, word)
    word = word[1:] if word[0] == "v" and word[1:].isdigit() else word
    if behind:
        return number(digest(f"{behind} {stem(word)}")) | VALUE
    value = any(char.isdigit() for char in word) and word not in synonyms()
    kind = VALUE if value else 0
    return number(digest(word if value else _meaning(word, lang))) | kind | class_flag(word)


@lru_cache(maxsize=8192)
def class_flag(word: str) -> int:
    """The flags of a word, of its stem, or of the word that it means."""
    forms = (word, stem(word), synonyms().get(word, word))
    return next((_flags()[form] for form in forms if form in _flags()), 0)


def _meaning(word: str, lang: str) -> str:
    """The representative of a word's synonyms, or its root."""
    bare = root(word, lang)
    return synonyms().get(word) or _synonyms_by_root(lang).get(bare, bare)


def is_known(word: str) -> bool:
    """Whether a word of four letters or more is in the tables."""
    return len(word) > 3 and (word in synonyms() or word in _flags())


def number(digest: int) -> int:
    return max(digest & _WORD, FIRST_WORD)


@lru_cache(maxsize=8192)
def root(word: str, lang: str) -> str:
    """The first letters of a word's stem: in most languages, inflected forms differ behind them."""
    bare = unaccented(stem(unaccented(word)))
    participle = _PARTICIPLE.match(bare) if "ge" in bare else None
    bare = f"{participle.group(1)}{participle.group(2).rstrip('e')}en" if participle else bare
    short, middle, long = _ROOTS.get(lang, (5, 5, 5))
    letters = short if len(bare) < 10 else middle if len(bare) < 14 else long
    return bare[:4] + bare[4:letters].rstrip(_VOWELS)


@cache
def synonyms() -> dict[str, str]:
    """The representative of each word: the first of its row."""
    rows = [[*map(normalised, row)] for row in SAME.rows("synonyms")]
    return {word: row[0] for row in reversed(rows) for word in row}


@cache
def _synonyms_by_root(lang: str) -> dict[str, str]:
    """The representative of each root: that of the first row that has it."""
    return {root(word, lang): first for word, first in synonyms().items()}


@cache
def _flags() -> dict[str, int]:
    tables = dict.fromkeys(("reversing", "over", "qualifying", "undecided"), REVERSING)
    tables.update(
        added=ADDED, light=LIGHT | ADDED, classes=CLASS, universals=CLASS | ADDED, teams=GROUP
    )
    return {
        form: flag
        for name, flag in tables.items()
        for word in SAME.words(name)
        for form in (stem(word), word)
    }


def word_of(token: int) -> int:
    """A token without what it says about its word, apart from the kind of a value."""
    return token & _WORD | token & VALUE if token >= FIRST_WORD else token


@lru_cache(maxsize=4096)
def words(statement: tuple[int, ...]) -> frozenset[int]:
    """The content words of a statement."""
    return frozenset(word_of(token) for token in statement if token >= FIRST_WORD)


def content_words(statement: tuple[int, ...], general: int = CLASS) -> frozenset[int]:
    """The content words of a statement that say more than the class of a name. general: the flags
    of the words that do not."""
    return words(tuple(t for t in statement if t >= FIRST_WORD and not t & general))
