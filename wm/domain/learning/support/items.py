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

FIRST_WORD = 42
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
FLAGS = EDGE | DENIED | CLASS | REVERSING | LIGHT | ADDED
_WORD = 0xFFFFFFFF & ~(VALUE | FLAGS)
POST = 16
"""Added to a mark that governs the word before it, not the word after it."""

_PARTICIPLE = Lazy(r"^(|ab|an|auf|aus|bei|ein|her|hin|los|mit|nach|um|vor|weg|zu)ge(.{3,})$")
_CLITIC = Lazy(r"^(?:(.*[áéíóú].*)(?:me|l[aeo]s?|nos)|(.+[aei]r)(?:l[aeo]s?|nos))$")
"""A Spanish or Italian verb and the pronoun behind it: "pregúntame", "escribirlos"."""
SAME = Tables("wm.domain.learning", "support.toml")
_SUFFIXES = normalised(SAME.table("suffixes")).split()
_BY_LETTER = {end: [e for e in _SUFFIXES if e[-1] == end] for end in {e[-1] for e in _SUFFIXES}}
"""The endings by their last letter, in the same order: a process reads 1,400 words first."""
NUMBERS = {normalised(word): row[0] for row in SAME.rows("numbers") for word in row[1:]}


def item(word: str, digest: Callable[[str], int], *, behind: str = "") -> int:
    """behind: the tool that is called with the word, or "": "make ship" is not "make release"."""
    word = NUMBERS.get(word, word)
    if behind:
        return number(digest(f"{behind} {root(word)}")) | VALUE
    value = not word.isalpha() and any(char.isdigit() for char in word)
    kind = VALUE if value else 0
    return number(digest(word if value else _meaning(word))) | kind | class_flag(word)


@lru_cache(maxsize=8192)
def class_flag(word: str) -> int:
    """The flags of a word by its tables. "worker" is not a form of "work"."""
    found = _flags().get(word, 0)
    is_doer = word.rstrip("s").endswith(("er", "or"))
    return found if found or is_doer else _flags().get(root(word), 0)


def _meaning(word: str) -> str:
    """The representative of a word's synonyms, or its stem."""
    bare = root(word)
    return synonyms().get(word) or synonyms().get(bare, bare)


def number(digest: int) -> int:
    return max(digest & _WORD, FIRST_WORD)


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """The stem of a word of any Latin-script language: inflected forms usually share it."""
    clitic = _CLITIC.match(word)
    bare = unaccented(word if clitic is None else clitic.group(1) or clitic.group(2))
    participle = _PARTICIPLE.match(bare) if "ge" in bare else None
    bare = participle.group(1) + participle.group(2) if participle is not None else bare
    bare = unaccented(stem(bare))
    least = 4 if bare.isascii() else 3
    likely = _BY_LETTER.get(bare[-1:], ())
    ending = next((e for e in likely if bare.endswith(e) and len(bare) >= len(e) + least), "")
    bare = bare.removesuffix(ending)
    return bare[:-1] if len(bare) > 4 and bare[-1] == bare[-2] else bare


@cache
def synonyms() -> dict[str, str]:
    """The representative of each spelling; rows that share a word count as one."""
    found: dict[str, str] = {}
    for row in SAME.rows("synonyms"):
        words = list(map(normalised, row))
        spelled = {form for word in words for form in (word, root(word))}
        first = min((found[form] for form in spelled if form in found), default=root(words[0]))
        found.update(dict.fromkeys(spelled, first))
    return found


@cache
def _flags() -> dict[str, int]:
    tables = dict.fromkeys(("reversing", "over", "qualifying", "undecided"), REVERSING)
    tables |= {"added": ADDED, "kinds": ADDED, "light": LIGHT | ADDED}
    tables |= {"classes": CLASS, "universals": CLASS | ADDED}
    return {
        f: flag for name, flag in tables.items() for w in SAME.words(name) for f in (w, root(w))
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
