"""Read Chinese, Japanese and Korean runs of letters into items and marks (TR-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from wm.domain.learning import function_words as fw
from wm.domain.learning.support.items import EDGE, POST, SAME, class_flag, number, synonyms
from wm.text.patterns import Lazy
from wm.text.scripts import is_hangul, is_hiragana, is_kana

_MUST = Lazy(r"(?:なければ|なきゃ|ないと)(?:ならない|なりません|いけない|いけません)")
"""Two negations that make "must"."""
_HAN_SAME = [(word, row[0]) for row in SAME.rows("han") for word in row[1:]]


def _rows(table: Sequence[tuple[int, str]]) -> list[tuple[str, int]]:
    """The words of a table with their marks, the longest first."""
    words = [(word, mark) for mark, row in table for word in row.split()]
    return sorted(words, key=lambda pair: -len(pair[0]))


_HAN: dict[str, list[tuple[str, int]]] = {}
"""The words by their first letter; -1 marks those that only resemble a function word."""
_kept = [(word, -1) for word in fw.HAN_KEPT]
for _word in sorted((*_kept, *_rows(fw.HAN_AFTER), *_rows(fw.HAN)), key=lambda row: -len(row[0])):
    _HAN.setdefault(_word[0][0], []).append(_word)
_KANA = _rows(fw.KANA)
_ENDINGS, _HANGUL = _rows(fw.HANGUL_ENDINGS), _rows(fw.HANGUL_WORDS)
_VERBS = sorted(fw.HANGUL_VERBS, key=len, reverse=True)


def cjk_tokens(word: str, digest: Callable[[str], int]) -> Iterator[int]:
    """word: of Chinese, Japanese or Korean letters only."""
    if any(map(is_hangul, word)):
        return _korean(word, digest)
    return (_japanese if any(map(is_kana, word)) else _chinese)(word, digest)


def _chinese(run: str, digest: Callable[[str], int]) -> Iterator[int]:
    for word, same in _HAN_SAME:
        run = run.replace(word, same)
    chunk = ""
    at = 0
    while at < len(run):
        then = next((w for w in fw.HAN_THEN if run.startswith(w, at)), "")
        if then and "先" in run[:at]:
            # "First A, then B": A is before B.
            yield from (*_pairs(chunk, digest), fw.BEFORE)
            chunk, at = "", at + len(then)
            continue
        word, mark = next(
            (pair for pair in _HAN.get(run[at], ()) if run.startswith(pair[0], at)), (run[at], -1)
        )
        at += len(word)
        if mark < 0:
            chunk += word
            continue
        pairs, chunk = _pairs(chunk, digest), ""
        if mark in (fw.BEFORE, fw.AFTER):
            yield from (mark, *pairs, fw.NOTHING) if pairs else (POST | mark,)
        else:
            yield from pairs
            yield from (fw.SPLIT, fw.TURN) if mark == fw.CONTRAST else (mark,)
    yield from _pairs(chunk, digest)


def _pairs(chunk: str, digest: Callable[[str], int]) -> list[int]:
    """Pairs of letters of one chunk; inner pairs may span two words."""
    known = synonyms()
    if chunk in known:
        return [_item(chunk, digest)]
    pieces = [chunk[i : i + 2] for i in range(max(1, len(chunk) - 1))] if chunk else []
    last = len(pieces) - 1
    return [
        number(digest(known.get(p, p))) | (EDGE if 0 < i < last else class_flag(p))
        for i, p in enumerate(pieces)
    ]


def _item(word: str, digest: Callable[[str], int]) -> int:
    return number(digest(synonyms().get(word, word))) | class_flag(word)


def _japanese(run: str, digest: Callable[[str], int]) -> Iterator[int]:
    """Runs of kanji and of katakana are words; a particle governs the word before it."""
    time = 0
    run = _MUST.sub("", run)
    for (is_grammar, _), letters in groupby(run, lambda c: (is_hiragana(c), is_kana(c))):
        piece = "".join(letters)
        if is_grammar:
            yield from _particles(piece.removeprefix("に") if time else piece)
            continue
        time = fw.BEFORE if piece[-1] == "前" else fw.AFTER if piece[-1] in "後后" else 0
        piece = piece[:-1] if time else piece
        piece = piece[:-2] if class_flag(piece[-2:]) and piece[:-2] else piece  # "本番環境"
        mark = fw.KANJI.get(piece, -1)
        if piece and mark < 0:
            yield _item(piece, digest)
        elif piece and mark != fw.NOTHING:
            yield mark
        if time:
            yield POST | time


def _particles(kana: str) -> Iterator[int]:
    at = 0
    while at < len(kana):
        found = next((pair for pair in _KANA if kana.startswith(pair[0], at)), None)
        if found is None:
            at += 1
            continue
        at += len(found[0])
        if found[1] == fw.CONTRAST:
            yield from (fw.TURN, fw.SPLIT)
        else:
            yield POST | found[1]


def _korean(word: str, digest: Callable[[str], int]) -> Iterator[int]:
    if word in _VERBS:
        yield from (fw.COORD,) if word[-1] in "고며" else ()
        return
    alone = next((m for w, m in _ENDINGS if word == w), None)
    if alone is not None:
        # The tokenizer separates an ending from the name or number before it ("5433이고").
        yield alone if alone == fw.COORD else POST | alone
        return
    exact = next((m for w, m in _HANGUL if word == w), None)
    if exact is not None:
        if exact == fw.CONTRAST:
            yield from (fw.TURN, fw.SPLIT)
        elif exact != fw.NOTHING:
            yield POST | exact if exact in (fw.BEFORE, fw.AFTER, fw.BY) else exact
        return
    turns = any(word.startswith(w) for w in ("않", "말", "마세", "마십", "없", "금지", "안됩"))
    if turns:
        yield fw.TURN
        return
    if word.endswith("고") and word[:-1] in fw.HANGUL_SHORT:
        yield from (_item(word[:-1], digest), fw.COORD)
        return
    ends = word.endswith("면")
    bare, mark = _without_ending(word[:-1] if ends else word)
    for verb in _VERBS:
        if bare.endswith(verb) and len(bare) > len(verb):
            bare = bare[: -len(verb)]
            mark = fw.COORD if verb[-1] in "고며" else mark
            break
    yield fw.VERB if (bare, fw.VERB) in _HANGUL else _item(bare, digest)
    if ends:
        yield fw.CONDITION_END
    elif mark == fw.COORD:
        yield mark
    elif mark:
        yield POST | mark


def _without_ending(word: str) -> tuple[str, int]:
    for ending, mark in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)], mark
    return word, 0
