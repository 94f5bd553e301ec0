"""Texts and queries as search terms (RC-1).

A word is its stem; an identifier counts whole and in its parts (`nextInvoice_no`, `app.cfg`,
`src/pay/hook.go`); Chinese, Japanese and Korean go by pairs of letters. A whole identifier or
path has a term of its own, marked `=`, so that an exact name beats its words. Case and accents
tell no terms apart, because few people type them in a search. Knows nothing of ranking.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from wm.domain.stems import stem
from wm.domain.text import is_cjk, unaccented, without_invisible

_STOP_WORDS = (
    "a an and are as at be been but by can could did do does for from had has have how i if in is"
    " it its may me my of on or our shall should so than that the their them then there these they"
    " this those to up us was we were what when where which who whom whose why will with would you"
    " your about all any everything matter s t"
    " der die das den dem des ein eine einer eines einem einen und oder ist sind wie was wer wo"
    " wann von im in zu zum zur mit auf für bei es"
    " le la les un une des du de et ou est sont quel quelle quels quelles qui que quoi à au aux"
    " el los las una unos y o es son qué cuál cómo del al por para"
    " en os as uma e do da dos das é são qual quais como no na"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that no text is about. They are dropped from queries unless nothing else is left."""

_EMPTY_HAN = frozenset("的了吗呢吧谁誰哪么麼什怎几幾是在")
_EMPTY_PAIR_TEXT = (
    "多少 나요 하나 인가 가요 니까 습니 합니 입니 있나 어디 디서 디에 디로 누가 누구 구에 에게"
    " 어떻 떻게 무슨 언제 얼마 마나 에서 까지 부터 으로 한다 된다 해줘 려줘 주세 세요 했나 되나"
    " 받을 수있"
)
_EMPTY_PAIRS = frozenset(_EMPTY_PAIR_TEXT.split())
_ASKING_TEXT = (
    "know knows happen happens tell show explain need needs needed want get gets give gives given"
    " find thing things please much many long often there here into any anything anybody somebody"
    " nobody someone something nothing say says said go goes make makes take takes put else also"
    " still already again ever never only just very really own same other another must might may"
    " wenn ich man muss kann wir nicht noch auch nur etwas hat habe werden wird am an dem sich"
    " einem welche welcher welches gibt wie viel viele hoch"
    " se su sus me mi nos hay qué cuál quién dónde cuánto cuándo cómo está están cada lo a en con"
    " sin où se sont est-ce il elle on nous vous je ce cette ces son sa ses dans par pour sur avec"
    " sans comment combien quand y ne pas plus"
    " se meu minha seu sua ao aos à às em um para com sem quando onde quem quanto foi ser está este"
    " esta isso mais não"
)
_ASKING = frozenset(f"{_ASKING_TEXT} {unaccented(_ASKING_TEXT)}".split())

_INSIDE = frozenset("._/-:@#$+\\")
_MAX_RAW = 200
_MAX_RAWS = 4000
_KEPT_WORDS = 4096
"""Words whose terms are kept: each of a question is asked for several times."""
_END = "\0"
"""Stands between texts that are looked at as one."""


def raw_words(text: str) -> list[str]:
    """The words of a text as they stand, names and paths in one piece."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", without_invisible(text))
    return text.translate(_SPACED).split()[:_MAX_RAWS]


def raw_words_of(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text. Several short ones are looked at as one, which is cheaper."""
    if not texts or not all(map(str.isascii, texts)) or sum(map(len, texts)) > _MAX_RAWS:
        return [raw_words(text) for text in texts]
    joined = _END.join(text.replace(_END, " ") for text in texts)
    return [own.split() for own in joined.translate(_PARTED).split(_END)]


def _is_accent(char: str) -> bool:
    """Is this a mark that people leave out: an accent, a Hebrew point, an Arabic vowel?"""
    optional = char <= "\u036f" or "\u0591" <= char <= "\u05c7" or "\u064b" <= char <= "\u065f"
    return optional and unicodedata.combining(char) > 0


def _is_vowel(char: str) -> bool:
    """Is this a mark that spells, as in Hindi? Where words stand without spaces between them, marks
    are what parts them here."""
    if char.isascii() or "\u0e00" <= char <= "\u0eff" or "\u1000" <= char <= "\u109f":
        return False
    return unicodedata.category(char)[0] == "M" and not "\u1780" <= char <= "\u17ff"


def _in_word(char: str) -> bool:
    return char.isalnum() or _is_vowel(char)


class _Spaced(dict[int, str]):
    """Translation to a space for everything that is neither part of a word nor of a name."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if _is_accent(char):
            return ""  # one that no letter took up: `i̇` of a lower-case `İ`
        return char if char in _INSIDE or _in_word(char) else " "


_SPACED = _Spaced({code: _Spaced().__missing__(code) for code in range(128)})
_PARTED = _Spaced({**_SPACED, ord(_END): _END})


class _Unaccented(dict[int, str]):
    """Translation of a letter to the one that it is without its accents."""

    def __missing__(self, code: int) -> str:
        letters = unicodedata.normalize("NFD", chr(code))
        return letters[0] if all(map(_is_accent, letters[1:])) else chr(code)


_WITHOUT = "ßss ẞSS ıi øo ØO łl ŁL đd ĐD æae ÆAE œoe ŒOE ςσ Σσ"
"""Letters with no accent to take away, each with what it is written as where it is missing."""
_UNACCENTED = _Unaccented({ord(pair[0]): pair[1:] for pair in _WITHOUT.split()})


def folded(text: str) -> str:
    """The text in no case and without accents: what terms are told apart by."""
    spelt = unicodedata.normalize("NFKC", text).translate(_UNACCENTED)
    return "".join(char for char in spelt if not _is_accent(char)).casefold()


@lru_cache(maxsize=_KEPT_WORDS)
def terms_of(raw: str) -> tuple[str, ...]:
    """The terms of one raw word: its stem, or its whole, its parts and their stems."""
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


def is_name(raw: str) -> bool:
    """Is this word written as an identifier or path: humps, digits, underscores, dots, slashes?"""
    return any(term.startswith("=") for term in terms_of(raw))


def in_other_script(text: str) -> bool:
    """Is this not written in Latin letters? One Chinese, Japanese or Korean letter is enough,
    because a language without spaces says much in it; of others half of the letters."""
    if text.isascii():
        return False
    letters = [char for char in unicodedata.normalize("NFKC", text) if char.isalpha()]
    others = sum(map(_is_other, letters))
    return any(map(is_cjk, letters)) or 2 * others > len(letters)


def _is_other(letter: str) -> bool:
    return letter >= "\u0370" and not "\u1e00" <= letter <= "\u1eff"


def is_particle(pair: str) -> bool:
    """Does this pair of letters only tie a sentence together or ask: `です`, `什么`, `나요`?"""
    if pair in _EMPTY_PAIRS or not _EMPTY_HAN.isdisjoint(pair):
        return True
    return all("\u3041" <= char <= "\u309f" for char in pair)


def only_asks(word: str) -> bool:
    """Does this word only ask or tie: nothing is about `happens` or `somebody`?"""
    return word.lower().strip("?!.,") in _ASKING


def query_words(query: str) -> list[str]:
    """The raw words of a query that say something, once each, in order."""
    return telling_words(raw_words(query))


def telling_words(raws: Iterable[str]) -> list[str]:
    """Those of a query's raw words that say something, once each, in order."""
    words = list(dict.fromkeys(raws))
    telling = [w for w in words if w.strip("._/-:@#$+\\").lower() not in STOP_WORDS]
    return telling or words


def _whole(bare: str) -> str:
    return bare.lower().removeprefix("./").replace("\\", "/").rstrip("/")


def _tails(path: str) -> tuple[str, ...]:
    """A path is also found by its file name: `=hook.go` of `src/pay/hook.go`."""
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
    """Runs of CJK letters by pairs, what stands between them as usual."""
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
