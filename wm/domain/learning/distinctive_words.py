"""Digests of the words in a text that can identify its origin, sentence by sentence (TR-3).

A word becomes a keyed 32-bit digest of its stem, so what is kept does not reveal a tool's
output. Chinese, Japanese and Korean text becomes pairs of letters. Words that occur in every text
(articles, "the user prefers …") are left out. A negation is not a word; it negates its sentence,
because "push without asking" is not "never push without asking". Pure and linear in the input's
length (EX-6). Does not know the speaker.
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

from wm.domain.learning.common_words import COMMON, FRAMING, NEGATIONS
from wm.domain.learning.support import reading
from wm.text.letters import normalised, one_of, translated
from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk
from wm.text.stems import stem
from wm.text.terms import STOP_WORDS

LONGEST_SENTENCE = 64
"""Maximum words per sentence; a longer sentence is cut into several."""

LONGEST_WORD = 60
MAX_NEGATIONS = 3

END = "\x01"
"""Marks the end of a sentence between words; normalised text never contains it."""

_END, _TURN = -(1 << 40), -(1 << 41)
_MASK = 0xFFFFFFFF
_ENDS = ("\n", ". ", "! ", "? ", "; ", "。", "！", "？", "；")


class _Spaced(dict[int, str | None]):
    """Translation table: every character except letters, digits, the full stop and END becomes a
    space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        return char if char.isalnum() or char in (END, ".") else " "


_SPACED = _Spaced(
    {code: _Spaced().__missing__(code) for code in range(128)} | {39: None, 0x2019: None}
)


class Sentence(NamedTuple):
    """words: digests in order. negations: number of negations, at most three. tokens: the statement
    for `support`; () where no statement was computed."""

    words: tuple[int, ...]
    negations: int
    tokens: tuple[int, ...] = ()

    def pairs(self) -> list[int]:
        """Digests of neighbouring words, independent of their order."""
        words, turned = self.words, self.negations
        return [pair(one, other, turned) for one, other in pairwise(words)]


def pair(one: int, other: int, negations: int) -> int:
    """Digest of two neighbouring words in a sentence with this number of negations."""
    return (one + other + negations * 0xC2B2AE35) & _MASK


def sentences(text: str, key: bytes) -> Iterator[Sentence]:
    """Yield every sentence that has a word. Linear."""
    words: list[int] = []
    raw: list[str] = []
    negations = 0
    for word, marked in _structured(text):
        if word != END:
            raw.append(marked)
        for digest in _of_word(word, key):
            if digest >= 0:
                words.append(digest)
            elif digest == _TURN:
                negations += 1
            elif words:
                yield from _cut(words, negations, raw, key)
                words, raw, negations = [], [], 0
            elif word != END:
                raw.append(reading.COMMA)  # "No. Use pnpm"
    yield from _cut(words, negations, raw, key)


def _structured(text: str) -> Iterator[tuple[str, str]]:
    """Yield the raw words of each line, each with the form for `support`: with commas and marked
    names."""
    for line in reading.with_commas(plain(reading.spaced(text))).split("\n"):
        for chunk in line.split():
            if chunk == reading.COMMA:
                yield chunk, chunk
            else:
                yield from _pieces(chunk)
        yield END, END


@lru_cache(maxsize=8192)
def _pieces(chunk: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for part in _apart(chunk).split():
        mark = reading.IN_NAME if _is_name(part) else ""
        bare = part.lstrip("\"'`“«([{")
        for at, word in enumerate(_split(part)):
            marked = word if at or mark else reading.without_elision(bare, word)
            found.append((word, mark + marked))
    if chunk[-1:] in "!?;":
        found.append((END, END))
    return tuple(found)


def features(plain_text: str, key: bytes) -> tuple[set[int], set[int]]:
    """The words and neighbour pairs of a `plain` text, the same as in its `sentences`. Takes one
    pass, because tool output is long."""
    lines = plain_text.split("\n")
    once = dict.fromkeys(lines)
    flat = list(_flat(_split("\n".join(once) if len(once) * 2 < len(lines) else plain_text), key))
    words = set(flat)
    if _TURN in words and len(once) * 2 < len(lines):
        # A "no" on a line of its own can negate the next line, so the check covers every line.
        flat = list(_flat(_split(plain_text), key))
    pairs: set[int] = set()
    if _TURN in words:
        flat, turned = _parted(flat)
        for sentence, negations in turned:
            pairs.update(pair(one, other, negations) for one, other in pairwise(sentence))
    # Same as `pair` without negation. The mark for the end of a sentence is so far below zero that
    # no sum with it is a digest.
    sums = set(map(operator.add, flat, islice(flat, 1, None)))
    pairs.update([both & _MASK for both in sums if both >= 0])
    return words - {_END, _TURN}, pairs


def _parted(flat: list[int]) -> tuple[list[int], list[tuple[list[int], int]]]:
    """Split the text into its plain sentences and the negated ones, each with its negation count. A
    "no" alone on its line negates the next sentence, as in `sentences`."""
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
    """The next position of the mark, or the end of the list."""
    try:
        return flat.index(mark, at)
    except ValueError:
        return len(flat)


def _flat(raw: list[str], key: bytes) -> Iterator[int]:
    """Yield all digests and marks of raw words in order."""
    # Most words of a long output repeat: each is looked up once.
    known = {word: _of_word(word, key) for word in set(raw)}
    return chain.from_iterable(map(known.__getitem__, raw))


def _cut(words: list[int], negations: int, raw: list[str], key: bytes) -> Iterator[Sentence]:
    """Yield a sentence, in pieces if it is long; only the first piece carries the statement."""
    turned = min(negations, MAX_NEGATIONS)
    tokens: tuple[int, ...] = ()
    if words:
        tokens = reading.tokens(raw, lambda word: _digest(word, key))
    for at in range(0, len(words), LONGEST_SENTENCE):
        yield Sentence(tuple(words[at : at + LONGEST_SENTENCE]), turned, tokens)
        tokens = ()


def _raw_words(text: str) -> list[str]:
    return _split(plain(text))


def _split(text: str) -> list[str]:
    """The raw words of a `plain` text."""
    if "--no-" in text:
        # `--no-verify` is a name, not a negation.
        text = text.replace("--no-", " optionno ")
    for end in _ENDS:
        if end in text:
            text = text.replace(end, f" {END} ")
    return translated(text, _SPACED).split()


def _of_word(word: str, key: bytes) -> tuple[int, ...]:
    """The digests of one raw word. Only short words are cached; a long one is a run of Chinese
    letters or not a word."""
    if len(word) <= LONGEST_WORD:
        return _digests(word, key)
    return _cjk_digests(word, key) if not word.isascii() and any(map(is_cjk, word)) else ()


@lru_cache(maxsize=65_536)
def _digests(word: str, key: bytes) -> tuple[int, ...]:
    """The digests of one raw word, with the marks of a negation and of a sentence end."""
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
    """Pairs of letters for each run of CJK letters; other runs become words."""
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
    hashed = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4, key=key)
    return int.from_bytes(hashed.digest(), "little")


_digest = lru_cache(maxsize=16_384)(_hashed)
"""For pairs of Chinese, Japanese and Korean letters, which occur in words of any length."""


def says_no(text: str) -> bool:
    """Whether any word is a negation."""
    return _holds_no(set(_split(plain(text))))


def ends_in_no(text: str) -> bool:
    """Whether the last words contain a negation whose sentence may continue on the next line."""
    return _holds_no(_split(plain(text[-2 * LONGEST_WORD :]))[-4:])


def _holds_no(words: Iterable[str]) -> bool:
    return any(word.strip(".") in NEGATIONS for word in words)


def plain(text: str) -> str:
    """The normalised lower-case text, for phrase search. "N'utilise plus" is "ne utilise plus"."""
    return normalised(text.lower().replace(" n'", " ne ").replace(" n’", " ne "))


# --- words of a candidate ----------------------------------------------------------------------

NAME, PLAIN, ORDINARY = "name", "plain", "ordinary"


def kinds(text: str, key: bytes) -> dict[int, str]:
    """The words of a candidate with their kinds: a name (number, path, host, option, code), a plain
    word, or a word so ordinary that it alone does not identify an origin."""
    found: dict[int, str] = {}
    for chunk in _apart(plain(text)).split():
        name = _is_name(chunk)
        for word in _raw_words(chunk):
            for digest in _of_word(word, key):
                if digest >= 0:
                    kind = NAME if name else _kind(word)
                    found[digest] = NAME if found.get(digest) == NAME else kind
    return found


def _apart(text: str) -> str:
    """Insert a space between CJK letters and other characters."""
    if text.isascii():
        return text
    gaps = (a + (" " if is_cjk(a) != is_cjk(b) else "") for a, b in pairwise(text))
    return "".join(gaps) + text[-1:]


def names(text: str, key: bytes) -> Iterator[tuple[int, ...]]:
    """Yield the words of each name and each quoted command in a candidate, in order."""
    text = plain(text)
    for chunk in chain(_apart(text).split(), (m.group() for m in _COMMAND.finditer(text))):
        if _is_name(chunk) or "`" in chunk:
            found = (d for word in _raw_words(chunk) for d in _of_word(word, key))
            yield tuple(digest for digest in found if digest >= 0)


_COMMAND = Lazy(r"`[^`\n]{1,80}`")


def _kind(word: str) -> str:
    return ORDINARY if stem(word.strip(".")) in COMMON else PLAIN


_NAME = Lazy(r"[0-9]|[\w)][/\\@_=:#$][\w/(]|\w\.\w|^\W*--?[a-zA-Z]|^\W*[./~]+\w|\w\(\)")


def _is_name(chunk: str) -> bool:
    """Whether this piece between spaces looks like a name rather than a word of prose."""
    return _NAME.search(chunk.strip("\"'`“”«»()[]{}<>,;:!?。，")) is not None


# --- text that only a model reads
# ------------------------------------------------------------------

_BASE64 = Lazy(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = Lazy(r"\b(?:[0-9a-fA-F]{2}){16,}\b")
MAX_DECODED = 40
"""Maximum encoded runs per text; a text with more is an image, not a message."""

_HIDDEN = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202d\u202e\u2066\u2067\u2068")
_MANY_HIDDEN = 8
_HIDES = Lazy(f"{one_of(map(ord, _HIDDEN)).text}|[\\x{{e0020}}-\\x{{e007f}}]")
_TAG_LETTER = Lazy(r"[\x{e0020}-\x{e007f}]")


def decoded(text: str) -> str:
    """The text that a model could decode from base64, hex, entities and escapes, or ""."""
    found = [_readable(_from_base64(run)) for run in _runs(_BASE64, text)]
    found += [_readable(bytes.fromhex(run)) for run in _runs(_HEX, text)]
    if "&#" in text:
        import html  # lazy: few texts need its table of two thousand names

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
    """The bytes as prose (several words, all printable), or ""."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    enough = len(text.split()) >= 3 or (not text.isascii() and len(text) >= 6)
    return text if enough and text.replace("\n", " ").isprintable() else ""


def hides_text(text: str) -> bool:
    """Whether the text has characters that a person does not see but a model reads."""
    if text.isascii():
        return False
    if not _HIDES.is_match(text):
        return False
    hidden = sum(map(text.count, _HIDDEN))
    return hidden >= _MANY_HIDDEN or "\u202e" in text or _TAG_LETTER.is_match(text)
