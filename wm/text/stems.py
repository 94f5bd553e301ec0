"""English word stems, small and predictable: plural, past, -ing, a few noun endings.

For comparing and finding words, never for display. A stem need not be a word. All forms of one
word share a stem; short words and words of other languages stay unchanged.
"""

from __future__ import annotations

from functools import lru_cache

from wm.text.tables import Tables

VOWELS = frozenset("aeiouy")
DOUBLES = frozenset("bdfgklmnprt")
TABLES = Tables("wm.text")
"""Also of `terms`."""

ENDINGS = tuple((row[0], "".join(row[1:])) for row in TABLES.rows("endings"))
"""Endings and their replacements, tried in order; at least four letters must remain."""

_ANY_ENDING = tuple(ending for ending, _ in ENDINGS)

IRREGULAR = {form: row[0] for row in TABLES.rows("irregular") for form in row}
"""Irregular forms. The first word of each row is the stem of all of them."""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The stem of a lower-case word. Words with digits or non-ASCII letters stay unchanged."""
    known = IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _inflection(_plural(word))
    if word.endswith(_ANY_ENDING):
        for ending, put in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 4:
                return _tail(word[: -len(ending)] + put)
    return _tail(word)


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _inflection(word: str) -> str:
    if not word.endswith(("ingly", "edly", "ing", "ed", "ied")):
        return word
    for ending in ("ingly", "edly", "ing", "ed"):
        root = word.removesuffix(ending)
        if root != word:
            if len(root) < 3 or not VOWELS.intersection(root):
                return word
            return _undoubled(root)
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    return word


def _undoubled(root: str) -> str:
    """`runn` of running becomes `run`. `fall`, `miss` and `buzz` need not keep both letters, as
    long as every form of the word gets the same stem."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] in DOUBLES:
        return root[:-1]
    return root


def _tail(word: str) -> str:
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if word.endswith("y") and len(word) > 3 and word[-2] not in VOWELS:
        word = word[:-1] + "i"
    return _undoubled(word)
