"""The words of a sentence, their pairs, and their prefixes and suffixes, as features of a model
(EX-7).

A rare word is replaced by its shape (a path, a name in code, a number, "~ing"), so that "runs on
port 5433" and "listens on port 80" share features. Beginnings and ends join the forms of a word,
which Polish, Russian and Turkish have many of. Chinese, Japanese and Korean text becomes runs of
one to three letters. Which words are frequent enough is data of the model that uses them. Pure and
linear (EX-6).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

JOINED = ("zh", "ja", "ko")
"""Languages whose words are not separated, or carry endings without a border."""

LETTERS = (1, 2, 3)
"""Lengths of the runs of letters."""

BEGINNINGS, ENDS = (3, 4, 5), (2, 3, 4)
"""Letters of the prefixes and suffixes of a word that are features."""

APART = (2, 3, 4)
"""Distances of the words of a pair that are not neighbours."""

START, END = "^", "$"
_EDGE = "\"'`“”‘’«»()[]{}<>,;:!?.。，、،؛؟*…"
_MARKS = ",:;.!?"
_ENDINGS = ("ing", "ed", "ly", "tion", "s")


def grams(text: str, lang: str, known: Collection[str]) -> frozenset[str]:
    """The features of a sentence. known: the words that are features as they are."""
    if lang in JOINED:
        plain = "".join(text.lower().split())
        return frozenset(plain[at : at + n] for n in LETTERS for at in range(len(plain) - n + 1))
    found = list(words(text))
    shown = [START, *_shown(found, known), END]
    parts = chain.from_iterable(map(_parts, found))
    return frozenset(
        (*shown, *(f"{a} {b}" for a, b in pairwise(shown)), *_apart(shown, known), *parts)
    )


def _apart(shown: Sequence[str], known: Collection[str]) -> Iterator[str]:
    """Pairs of known words with other words between them: "we … not"."""
    words = [word if word in known else "" for word in shown]
    for step in APART:
        for one, other in zip(words, words[step:], strict=False):
            if one and other:
                yield f"{one} … {other}"


@lru_cache(maxsize=8192)
def _parts(word: str) -> tuple[str, ...]:
    """The beginnings of a word as `<abc`, its ends as `abc>`."""
    word = word.lower()
    size = len(word)
    begins = ("<" + word[:n] for n in BEGINNINGS if n <= size)
    return (*begins, *(word[-n:] + ">" for n in ENDS if n <= size))


def words(text: str) -> Iterator[str]:
    """The words of a text without the marks around them, and the marks that may end a clause."""
    for chunk in text.replace("’", "'").split():
        word = chunk.strip(_EDGE)
        if word:
            yield f"`{word}" if "`" in (chunk[0], chunk[-1]) else word
        if chunk[-1] in _MARKS:
            yield chunk[-1]


def _shown(found: Sequence[str], known: Collection[str]) -> Iterator[str]:
    for at, word in enumerate(found):
        plain = word.lower()
        if plain in known or plain in _MARKS:
            yield plain
        else:
            yield _shape(plain if at == 0 and word[1:].islower() else word)


def _shape(word: str) -> str:
    """What a rare word looks like."""
    if "/" in word or word[0] in "@~":
        return "/"
    if word[0] == "`" or "_" in word or "." in word[1:-1]:
        return "_"
    if word[0].isdigit():
        return "0"
    if any(map(str.isupper, word[1:])):
        return "AA" if word.isupper() else "_"
    if word[0].isupper():
        return "A"
    return "~" + next((e for e in _ENDINGS if word.endswith(e) and len(word) > len(e) + 2), "")
