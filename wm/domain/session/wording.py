"""The words of a text that can tell where it came from, sentence by sentence (TR-3).

A word is a keyed 32-bit digest of its stem, so that what is kept of a tool's output cannot be
read. Chinese, Japanese and Korean go by pairs of letters. Words that every text has (articles,
"the user prefers …") say nothing about an origin and are left out; a negation is no word but
turns the sentence, because "push without asking" is not "never push without asking". Pure and
linear in the input's length (EX-6); knows nothing of who said what.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import operator
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple
from urllib.parse import unquote

from wm.domain.patterns import Lazy
from wm.domain.recall.terms import STOP_WORDS
from wm.domain.session.common_words import COMMON, FRAMING, NEGATIONS
from wm.domain.stems import stem
from wm.domain.text import is_cjk, normalised, one_of, translated

LONGEST_SENTENCE = 64
"""Words of one sentence that are looked at; a longer one is cut into several."""

LONGEST_WORD = 60
MAX_NEGATIONS = 3

END = "\x01"
"""Stands for the end of a sentence between words; no text that was normalised holds it."""

_END, _TURN = -(1 << 40), -(1 << 41)
_MASK = 0xFFFFFFFF
_ENDS = ("\n", ". ", "! ", "? ", "; ", "。", "！", "？", "；")


class _Spaced(dict[int, str | None]):
    """Translation to a space for all but letters, digits, the full stop and our own mark."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        return char if char.isalnum() or char in (END, ".") else " "


_SPACED = _Spaced(
    {code: _Spaced().__missing__(code) for code in range(128)} | {39: None, 0x2019: None}
)
_NO_LETTER = Lazy(r"[^\pL\pN. \n\t\x01]")


class Sentence(NamedTuple):
    """words: digests in order. negations: how often it is turned, at most three."""

    words: tuple[int, ...]
    negations: int

    def pairs(self) -> list[int]:
        """Digests of neighbours, whichever comes first."""
        words, turned = self.words, self.negations
        return [pair(one, other, turned) for one, other in pairwise(words)]


def pair(one: int, other: int, negations: int) -> int:
    """The digest of two words side by side in a sentence with so many negations."""
    return (one + other + negations * 0xC2B2AE35) & _MASK


def sentences(text: str, key: bytes) -> Iterator[Sentence]:
    """Every sentence that has a word. Linear."""
    words: list[int] = []
    negations = 0
    for digest in _flat(_raw_words(text), key):
        if digest >= 0:
            words.append(digest)
        elif digest == _TURN:
            negations += 1
        elif words:
            yield from _cut(words, negations)
            words, negations = [], 0
    yield from _cut(words, negations)


def features(plain_text: str, key: bytes) -> tuple[set[int], set[int]]:
    """The words and the neighbours of a `plain` text, as its `sentences` have them; in one pass,
    because a tool shows much."""
    lines = plain_text.split("\n")
    once = dict.fromkeys(lines)
    flat = list(_flat(_split("\n".join(once) if len(once) * 2 < len(lines) else plain_text), key))
    words = set(flat)
    if _TURN in words and len(once) * 2 < len(lines):
        # A "no" may stand in a line of its own and turn the next: each line counts.
        flat = list(_flat(_split(plain_text), key))
    pairs: set[int] = set()
    if _TURN in words:
        flat, turned = _parted(flat)
        for sentence, negations in turned:
            pairs.update(pair(one, other, negations) for one, other in pairwise(sentence))
    # As `pair`, with no negation. The end of a sentence is so far below zero that no sum with it
    # is a digest.
    sums = set(map(operator.add, flat, islice(flat, 1, None)))
    pairs.update([both & _MASK for both in sums if both >= 0])
    return words - {_END, _TURN}, pairs


def _parted(flat: list[int]) -> tuple[list[int], list[tuple[list[int], int]]]:
    """The text without the sentences that are turned, and those, each with how often it is. A "no"
    that stands alone turns what follows it, as in `sentences`."""
    straight: list[int] = []
    turned: list[tuple[list[int], int]] = []
    at, size = 0, len(flat)
    while (turn := _index(flat, _TURN, at)) < size:
        start = turn
        while start > at and flat[start - 1] != _END:
            start -= 1
        straight += flat[at:start]
        sentence: list[int] = []
        negations = 0
        at = start
        while not sentence and at < size:
            stop = _index(flat, _END, at)
            sentence = [word for word in flat[at:stop] if word != _TURN]
            negations += stop - at - len(sentence)
            at = stop + 1
        turned.append((sentence, min(negations, MAX_NEGATIONS)))
        straight.append(_END)
    return straight + flat[at:], turned


def _index(flat: list[int], mark: int, at: int) -> int:
    """Where the mark comes next, the end for nowhere."""
    try:
        return flat.index(mark, at)
    except ValueError:
        return len(flat)


def _flat(raw: list[str], key: bytes) -> Iterator[int]:
    """All digests and marks of raw words in order."""
    # Most words of a long output come again and again: each is looked up once.
    known = {word: _of_word(word, key) for word in set(raw)}
    return chain.from_iterable(map(known.__getitem__, raw))


def _cut(words: list[int], negations: int) -> Iterator[Sentence]:
    turned = min(negations, MAX_NEGATIONS)
    for at in range(0, len(words), LONGEST_SENTENCE):
        yield Sentence(tuple(words[at : at + LONGEST_SENTENCE]), turned)


def _raw_words(text: str) -> list[str]:
    return _split(plain(text))


def _split(text: str) -> list[str]:
    """The raw words of a `plain` text."""
    if "--no-" in text:
        # `--no-verify` is a name, and no sentence that says no to something.
        text = text.replace("--no-", " optionno ")
    for end in _ENDS:
        if end in text:
            text = text.replace(end, f" {END} ")
    return translated(text, _SPACED, _NO_LETTER).split()


def _of_word(word: str, key: bytes) -> tuple[int, ...]:
    """What one raw word counts as. Only short ones are worth to be remembered by the process;
    a long one is a run of Chinese letters or no word at all."""
    if len(word) <= LONGEST_WORD:
        return _digests(word, key)
    return _cjk_digests(word, key) if not word.isascii() and any(map(is_cjk, word)) else ()


@lru_cache(maxsize=65_536)
def _digests(word: str, key: bytes) -> tuple[int, ...]:
    """What one raw word counts as: digests, and the marks of a negation and of an end."""
    if word == END:
        return (_END,)
    bare = word.strip(".")
    end = (_END,) if word[-1] == "." else ()
    if "." in bare and not bare.replace(".", "").isdigit():
        return (*(d for part in bare.split(".") if part for d in _digests(part, key)), *end)
    if not bare.isascii() and any(map(is_cjk, bare)):
        return _cjk_digests(bare, key) + end
    if bare in NEGATIONS:
        return (_TURN, *end)
    root = stem(bare)
    letter = len(bare) < 2 and not bare.isdigit()
    if letter or bare in STOP_WORDS or root in FRAMING:
        return end
    return (_hashed(root, key), *end)


def _cjk_digests(word: str, key: bytes) -> tuple[int, ...]:
    """Pairs of letters of each run; what stands between the runs as usual."""
    found: list[int] = []
    start = 0
    for at in range(1, len(word) + 1):
        if at < len(word) and is_cjk(word[at]) == is_cjk(word[start]):
            continue
        run = word[start:at]
        start = at
        if not is_cjk(run[0]):
            found += _digests(run, key) if len(run) <= LONGEST_WORD else ()
            continue
        pieces = [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        found += [_TURN for turn in NEGATIONS if not turn.isascii() and turn in run]
        found += [_digest(piece, key) for piece in pieces]
    return tuple(found)


def _hashed(word: str, key: bytes) -> int:
    told = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4, key=key)
    return int.from_bytes(told.digest(), "little")


_digest = lru_cache(maxsize=16_384)(_hashed)
"""For pairs of Chinese, Japanese and Korean letters, which stand in words of any length."""


def says_no(text: str) -> bool:
    """Is any word a negation?"""
    return _holds_no(set(_split(plain(text))))


def ends_in_no(text: str) -> bool:
    """May the last words be a negation whose sentence goes on in the next line?"""
    return _holds_no(_split(plain(text[-2 * LONGEST_WORD :]))[-4:])


def _holds_no(words: Iterable[str]) -> bool:
    return any(word.strip(".") in NEGATIONS for word in words)


def plain(text: str) -> str:
    """The text in which phrases are looked for."""
    return normalised(text).lower()


# --- what a candidate says ---------------------------------------------------------------------

NAME, PLAIN, ORDINARY = "name", "plain", "ordinary"


def kinds(text: str, key: bytes) -> dict[int, str]:
    """The words of a candidate, each with what it is: a name (number, path, host, option, code),
    a plain word, or one so ordinary in such texts that it alone tells nothing of an origin."""
    found: dict[int, str] = {}
    for chunk in _apart(normalised(text)).split():
        name = _is_name(chunk)
        for word in _raw_words(chunk):
            for digest in _of_word(word, key):
                if digest >= 0:
                    kind = NAME if name else _kind(word)
                    found[digest] = NAME if found.get(digest) == NAME else kind
    return found


def _apart(text: str) -> str:
    """Chinese, Japanese and Korean letters with a gap to what stands beside them."""
    if text.isascii():
        return text
    gaps = (a + (" " if is_cjk(a) != is_cjk(b) else "") for a, b in pairwise(text))
    return "".join(gaps) + text[-1:]


def names(text: str, key: bytes) -> Iterator[tuple[int, ...]]:
    """The words of each name in a candidate, in order."""
    for chunk in _apart(normalised(text)).split():
        if _is_name(chunk):
            found = (d for word in _raw_words(chunk) for d in _of_word(word, key))
            yield tuple(digest for digest in found if digest >= 0)


def _kind(word: str) -> str:
    return ORDINARY if stem(word.strip(".")) in COMMON else PLAIN


_NAME = Lazy(r"[0-9]|[\w)][/\\@_=:#$][\w/(]|\w\.\w|^\W*--?[a-zA-Z]|^\W*[./~]+\w|\w\(\)")


def _is_name(chunk: str) -> bool:
    """Does this piece between spaces look like a name rather than like a word of prose?"""
    return _NAME.search(chunk.strip("\"'`“”«»()[]{}<>,;:!?。，")) is not None


# --- what else a text says to a model -------------------------------------------------------------

_BASE64 = Lazy(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = Lazy(r"\b(?:[0-9a-fA-F]{2}){16,}\b")
MAX_DECODED = 40
"""Runs of one text that are tried; a text full of them is an image, not a message."""

_HIDDEN = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202d\u202e\u2066\u2067\u2068")
_MANY_HIDDEN = 8
_HIDES = Lazy(f"{one_of(map(ord, _HIDDEN)).text}|[\\x{{e0020}}-\\x{{e007f}}]")
_TAG_LETTER = Lazy(r"[\x{e0020}-\x{e007f}]")


def decoded(text: str) -> str:
    """What a model could read out of base64, hex, entities and escapes of a text, "" for none."""
    found = [_readable(_from_base64(run)) for run in _runs(_BASE64, text)]
    found += [_readable(bytes.fromhex(run)) for run in _runs(_HEX, text)]
    if "&#" in text:
        import html  # here, not above: few texts need its table of two thousand names

        found.append(html.unescape(text))
    if "%20" in text:
        found.append(unquote(text))
    if "\u202e" in text:
        found.append("".join(reversed(text)))
    return "\n".join(filter(None, found))


def _runs(pattern: Lazy, text: str) -> list[str]:
    runs: list[str] = []
    for match in pattern.finditer(text):
        if len(runs) == MAX_DECODED:
            return []
        runs.append(match.group())
    return runs


def _from_base64(run: str) -> bytes:
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(bare[: len(bare) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _readable(raw: bytes) -> str:
    """The bytes as prose: several words, all of them printable."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    enough = len(text.split()) >= 3 or (not text.isascii() and len(text) >= 6)
    return text if enough and text.replace("\n", " ").isprintable() else ""


def hides_text(text: str) -> bool:
    """Are there letters that a person does not see but a model reads?"""
    if text.isascii():
        return False
    if not _HIDES.holds(text):
        return False
    hidden = sum(map(text.count, _HIDDEN))
    return hidden >= _MANY_HIDDEN or "\u202e" in text or _TAG_LETTER.holds(text)
