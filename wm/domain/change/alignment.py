"""Align the content words of two statements (WM-8).

Finds the words that both have in one order, and what differs between them. A slot is a place where
one has some words and the other has others: a value, or the subject. Decides nothing; `compare`
does. Pure; quadratic in the words of one statement, which `MAX_CHARS` bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from posixpath import commonprefix
from typing import NamedTuple

from msgspec.structs import replace

from wm.domain.change.statement import ContentWord
from wm.text.scripts import is_cjk


class Slot(NamedTuple):
    """The words that differ at one place; one of the two may be empty."""

    old: tuple[ContentWord, ...]
    new: tuple[ContentWord, ...]


def alike(a: ContentWord, b: ContentWord) -> bool:
    """Whether the two words name one thing: inflected forms, or a name and a part of it."""
    if a.term == b.term or (a.sense and a.sense == b.sense):
        return True
    if a.is_number and b.is_number:
        return False
    if a.parts or b.parts:
        return _is_part(a, b) or _is_part(b, a)
    # As below, without its cache: the words of many entries overflow it.
    if a.term[:3] != b.term[:3] and a.term.isascii() and b.term.isascii():
        return False
    return _alike_terms(a.term, b.term)


def _is_part(whole: ContentWord, part: ContentWord) -> bool:
    if whole.parts and part.parts:
        return whole.term.endswith("/" + part.term.rstrip("/"))
    return not part.is_number and part.term in whole.parts


@lru_cache(maxsize=16_384)
def _alike_terms(a: str, b: str) -> bool:
    """Cached: a statement meets the same words in several entries."""
    if is_cjk(a[0]) or is_cjk(b[0]):
        return _alike_cjk(a, b)
    if a[:3] != b[:3]:
        return False
    if any(map(str.isdigit, a)) and any(map(str.isdigit, b)):
        return False  # a number in a name tells things apart: db01 and db02
    least, longest = sorted((len(a), len(b)))
    same = next((i for i in range(least) if a[i] != b[i]), least)
    return (same >= 4 and same * 3 >= longest * 2) or (same >= 3 and same * 4 >= longest * 3)


def _alike_cjk(a: str, b: str) -> bool:
    """Whether they share more than half of the shorter one, and two letters. What each has before
    that tells them apart: the upload task, the cleanup task."""
    short, long = sorted((a, b), key=len)
    size = max(2, len(short) // 2 + 1)
    shared = ((i, long.find(short[i : i + size])) for i in range(len(short) - size + 1))
    return any(j >= 0 and min(i, j) < 2 for i, j in shared)


def split_compounds(
    words: Sequence[ContentWord], others: Sequence[ContentWord]
) -> tuple[ContentWord, ...]:
    """Split a compound without spaces that ends as a word of the other statement does, so that its
    first part can differ: the invoice service, the catalogue service."""
    terms = [o.term for o in others if is_cjk(o.term[0]) and len(o.term) > 1]
    return tuple(part for word in words for part in _parts(word, terms))


def _parts(word: ContentWord, others: Sequence[str]) -> Iterator[ContentWord]:
    term = word.term
    if is_cjk(term[0]):
        for other in others:
            cut = len(term) - len(commonprefix((term[::-1], other[::-1])))
            head = term[cut:]
            if len(head) > 1 and cut >= (2 if head == other else 1):
                first = term[:cut]
                yield replace(word, word=first, term=first, end=word.start + cut)
                yield replace(word, word=head, term=head, start=word.start + cut)
                return
    yield word


def slots(old: Sequence[ContentWord], new: Sequence[ContentWord]) -> list[Slot]:
    """The places where the two differ, in order; words that they share are left out."""
    found: list[Slot] = []
    anchors = [(-1, -1), *_common(old, new), (len(old), len(new))]
    for (a, b), (c, d) in pairwise(anchors):
        gone, came = old[a + 1 : c], new[b + 1 : d]
        if gone or came:
            found.append(Slot(tuple(gone), tuple(came)))
    return found


def split(slot: Slot) -> Iterator[Slot]:
    """Split a slot between words that do not follow each other directly, if both sides split into
    as many parts: `Lena about the parser`, `Viktor about the renderer`."""
    old, new = _chunks(slot.old), _chunks(slot.new)
    if len(old) != len(new):
        yield slot
        return
    yield from (Slot(a, b) for a, b in zip_longest(old, new))


def _chunks(words: Sequence[ContentWord]) -> list[tuple[ContentWord, ...]]:
    chunks: list[list[ContentWord]] = []
    for word in words:
        if chunks and _follows(chunks[-1][-1], word):
            chunks[-1].append(word)
        else:
            chunks.append([word])
    return [tuple(chunk) for chunk in chunks]


def _follows(last: ContentWord, word: ContentWord) -> bool:
    """Whether the two are one chunk; in Korean a value may directly follow its subject."""
    is_value_of = is_cjk(last.word[0]) and word.is_value and not last.is_value
    return last.clause == word.clause and last.gap(word) and not is_value_of


def _common(old: Sequence[ContentWord], new: Sequence[ContentWord]) -> list[tuple[int, int]]:
    """Positions of a longest common subsequence."""
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    same = [[alike(a, b) for b in new] for a in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            more = best[i + 1][j + 1] + 1 if same[i][j] else 0
            best[i][j] = max(more, best[i + 1][j], best[i][j + 1])
    found, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if same[i][j] and best[i][j] == best[i + 1][j + 1] + 1:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
