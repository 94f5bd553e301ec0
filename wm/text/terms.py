"""Split texts and queries into search terms (RC-1).

A word becomes its stem. An identifier becomes itself and its parts (`nextInvoice_no`,
`app.cfg`, `src/pay/hook.go`); Chinese, Japanese and Korean become pairs of letters. A whole
identifier or path has a term of its own, marked `=`, so that an exact name outranks its words.
Terms ignore case and accents, because few people type them in a search. Does no ranking.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from wm.text.letters import unaccented, without_invisible
from wm.text.scripts import is_cjk, is_hiragana
from wm.text.stems import TABLES, stem

STOP_WORDS = frozenset(TABLES.words("stop"))
"""Words without a topic. A query drops them unless nothing else is left."""

_EMPTY_HAN = frozenset("的了吗呢吧谁誰哪么麼什怎几幾是在")
_EMPTY_PAIRS = frozenset(TABLES.words("empty_pairs"))
_ASKING = frozenset(form for word in TABLES.words("asking") for form in (word, unaccented(word)))

_INSIDE = frozenset("._/-:@#$+\\")
_MAX_RAW = 200
_MAX_RAWS = 4000
_KEPT_WORDS = 50_000
"""Size of the cache of terms per word: the words of texts and queries recur."""


def raw_words(text: str) -> list[str]:
    """The unstemmed words of a text, names and paths in one piece."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", without_invisible(text))
    return text.translate(_SPACED).split()[:_MAX_RAWS]


def _is_accent(char: str) -> bool:
    """True for a mark that people leave out: an accent, a Hebrew point, an Arabic vowel."""
    optional = char <= "\u036f" or "\u0591" <= char <= "\u05c7" or "\u064b" <= char <= "\u065f"
    return optional and unicodedata.combining(char) > 0


def _is_vowel(char: str) -> bool:
    """True for a combining mark that is part of the spelling, as in Hindi. False for scripts
    without spaces between words, where marks separate the words."""
    if char.isascii() or "\u0e00" <= char <= "\u0eff" or "\u1000" <= char <= "\u109f":
        return False
    return unicodedata.category(char)[0] == "M" and not "\u1780" <= char <= "\u17ff"


def _in_word(char: str) -> bool:
    return char.isalnum() or _is_vowel(char)


class _WordLetters(dict[int, str]):
    """Translation table: every character that is not part of a word or a name becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if _is_accent(char):
            return ""  # a mark without a base letter: `i̇` of a lower-case `İ`
        return char if char in _INSIDE or _in_word(char) else " "


_SPACED = _WordLetters({code: _WordLetters().__missing__(code) for code in range(128)})


class _Unaccented(dict[int, str]):
    """Translation table: a letter becomes the same letter without its accents."""

    def __missing__(self, code: int) -> str:
        letters = unicodedata.normalize("NFD", chr(code))
        return letters[0] if all(map(_is_accent, letters[1:])) else chr(code)


_WITHOUT = "ßss ẞSS ıi øo ØO łl ŁL đd ĐD æae ÆAE œoe ŒOE ςσ Σσ"
"""Letters that do not decompose, each with its usual substitute."""
_UNACCENTED = _Unaccented({ord(pair[0]): pair[1:] for pair in _WITHOUT.split()})


def folded(text: str) -> str:
    """The text without case and accents: the form in which terms are compared."""
    if text.isascii():
        return text.lower()
    spelt = unicodedata.normalize("NFKC", text).translate(_UNACCENTED)
    return "".join(char for char in spelt if not _is_accent(char)).casefold()


@lru_cache(maxsize=_KEPT_WORDS)
def terms_of(raw: str) -> tuple[str, ...]:
    """The terms of one raw word: its stem, or itself, its parts and their stems."""
    raw = raw[:_MAX_RAW]
    if not raw.isascii():
        if any(map(is_cjk, raw)):
            return _mixed_terms(raw)
        raw = raw.translate(_UNACCENTED)
    if raw.isascii() and raw.isalpha() and (raw[1:].islower() or len(raw) == 1 or raw.isupper()):
        return (stem(raw.lower()),)
    bare = raw.strip("._/-:@#$+\\")
    if not bare:
        return ()
    if bare.isdigit() or (_is_word(bare) and not _has_hump(bare)):
        return (stem(bare.lower()),)
    parts = _parts(bare)
    if len(parts) < 2:
        return tuple(map(stem, parts))
    return (f"={_whole(bare)}", *_tails(bare), *map(stem, parts))


def terms_in(text: str) -> Iterator[str]:
    """The terms of all words of a text, in order."""
    return chain.from_iterable(map(terms_of, raw_words(text)))


def is_name(raw: str) -> bool:
    """True for an identifier or path: inner capitals, digits, underscores, dots, slashes."""
    return any(term.startswith("=") for term in terms_of(raw))


def in_other_script(text: str) -> bool:
    """True for text that is not in Latin letters. One Chinese, Japanese or Korean letter is enough,
    because a short text says much in them; of other scripts more than half of the letters."""
    if text.isascii():
        return False
    letters = [char for char in unicodedata.normalize("NFKC", text) if char.isalpha()]
    others = sum(map(_is_other, letters))
    return any(map(is_cjk, letters)) or 2 * others > len(letters)


def _is_other(letter: str) -> bool:
    return letter >= "\u0370" and not "\u1e00" <= letter <= "\u1eff"


def is_particle(pair: str) -> bool:
    """True for a pair that is only grammar or a question word: `です`, `什么`, `나요`."""
    if pair in _EMPTY_PAIRS or not _EMPTY_HAN.isdisjoint(pair):
        return True
    return all(map(is_hiragana, pair))


def only_asks(word: str) -> bool:
    """True for a word that only asks or connects, such as `happens` or `somebody`."""
    return word.lower().strip("?!.,") in _ASKING


def query_words(query: str) -> list[str]:
    """The raw words of a query that carry meaning, without repeats, in order."""
    return telling_words(raw_words(query))


def telling_words(raws: Iterable[str]) -> list[str]:
    """The raw words that carry meaning, without repeats, in order; all if none does."""
    words = list(dict.fromkeys(raws))
    telling = [w for w in words if w.strip("._/-:@#$+\\").lower() not in STOP_WORDS]
    return telling or words


def _whole(bare: str) -> str:
    return bare.lower().removeprefix("./").replace("\\", "/").rstrip("/")


def _tails(path: str) -> tuple[str, ...]:
    """The file name of a path as a term: `=hook.go` of `src/pay/hook.go`."""
    name = _whole(path).rsplit("/", 1)[-1]
    return (f"={name}",) if name != _whole(path) and "." in name else ()


def _parts(bare: str) -> list[str]:
    """`nextInvoice_no` -> next, invoice, no; `HTTPServer2` -> http, server, 2."""
    parts: list[str] = []
    start = 0
    for at in range(1, len(bare) + 1):
        if at < len(bare) and not _breaks(bare, at):
            continue
        piece = bare[start:at].strip("._/-:@#$+\\").lower()
        if piece:
            parts.append(piece)
        start = at
    return parts


def _breaks(text: str, at: int) -> bool:
    before, here = text[at - 1], text[at]
    if not here.isalnum() or not before.isalnum():
        return _in_word(here) != _in_word(before)
    if before.isdigit() != here.isdigit():
        return True
    after = text[at + 1] if at + 1 < len(text) else ""
    return here.isupper() and (before.islower() or (before.isupper() and after.islower()))


def _is_word(bare: str) -> bool:
    return bare.isalpha() or all(char.isalpha() or _is_vowel(char) for char in bare)


def _has_hump(word: str) -> bool:
    return any(map(str.isupper, word[1:])) and not word.isupper()


def _mixed_terms(raw: str) -> tuple[str, ...]:
    """Pairs of letters for runs of CJK; the usual terms for the text between them."""
    terms: list[str] = []
    start = 0
    for at in range(1, len(raw) + 1):
        if at < len(raw) and is_cjk(raw[at]) == is_cjk(raw[start]):
            continue
        run = raw[start:at]
        if is_cjk(run[0]):
            terms += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        else:
            terms += terms_of(run)
        start = at
    return tuple(terms)
