"""Tokens of the embedded model, without the package that its tokenizer was written for (RC-2).

That package opens the file in one call, in which for a tenth of a second nothing else of the
process runs, and takes 21 MB for it. Here one file is read, step by step, which its digest tells:
of neighbours that make a token together those of the smallest number go first, no token reaches
from one word into the next, and a letter that is no token is its bytes. Of any other file `known`
gives None, and the package reads it. Tokens and spans are those of the package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain
from pathlib import Path

import msgspec

KNOWN = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
"""SHA-256 of wordllama 0.4's tokenizer."""
_SPACE = "\u2581"
"""Stands for a space in tokens. Each text begins with one."""
_VOCABULARY = b'"vocab": {'
_MERGES = b'"merges": ['
_FIRST_RUN = f'"{_SPACE} {_SPACE}"'.encode()
"""Where what is said of several spaces begins, at the end of the file."""
_STEP = 8 * 1024
"""Bytes of the file between two rests: about a tenth of a millisecond."""
_END = 16 * 1024
"""Bytes in which all of that stands."""
_MARKS = ("<unk>", "<s>", "</s>")
"""Tokens wherever they stand in a text."""
_BYTES = range(len(_MARKS), len(_MARKS) + 256)
_PLACES = 1 << 20
"""More than there are tokens."""
_LATE = _PLACES * _PLACES
"""Spaces go together when nothing else does any more."""
_KEPT_WORDS = 50_000
_MOST_TOKENS = 16
"""Of a word that is kept. What has more hardly comes again, and takes the most room: a sentence
in a script without spaces, a digest."""

Ids = tuple[int, ...]
Span = tuple[int, int]
_Turn = tuple[int, int, int]
"""The lower the first number, the earlier; then from where to where."""


def _go_on() -> None:
    """No rest between two steps."""


def known(path: Path, rest: Callable[[], None] = _go_on) -> Tokens | None:
    """The tokenizer in this file; None where it is another one. rest: called between two short
    steps. Raises OSError."""
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != KNOWN:
        return None
    begin = raw.index(_VOCABULARY) + len(_VOCABULARY)
    merges = raw.index(_MERGES, begin)
    decode = msgspec.json.Decoder(dict[str, int]).decode
    ids: dict[str, int] = {}
    for lines in _steps(raw, begin, raw.rindex(b"}", begin, merges)):
        ids.update(decode(b"{" + lines + b"}"))
        rest()
    runs = msgspec.json.decode(
        b"[" + raw[raw.index(_FIRST_RUN, len(raw) - _END) : raw.rindex(b"]")] + b"]"
    )
    return Tokens(ids, [(left, right) for left, _, right in (run.partition(" ") for run in runs)])


def _steps(raw: bytes, begin: int, end: int) -> Iterator[bytes]:
    """The lines from `begin` to `end`, some at once, without the comma behind the last."""
    while begin < end:
        last = raw.find(b"\n", min(begin + _STEP, end), end)
        last = end if last < 0 else last
        yield raw[begin:last].strip().removesuffix(b",")
        begin = last


class Tokens:
    """Safe for several threads: what is kept of words is the same whoever keeps it."""

    def __init__(self, ids: Mapping[str, int], runs: Sequence[tuple[str, str]]) -> None:
        """ids: the number of each token, in order. runs: spaces that go together, in the order in
        which they do, behind all others."""
        self._names = list(ids)
        self._words = _Words(ids, runs)

    def ids(self, text: str) -> list[int]:
        """The numbers of a text's tokens, in order."""
        if "<" not in text:
            return list(self._of(text))
        found: list[int] = []
        for part, mark, _ in _parted(text):
            found += self._of(part)
            if mark:
                found.append(_MARKS.index(mark))
        return found

    def spans(self, text: str) -> list[Span]:
        """Where each token stands in the text: of one that is a byte, the letter that it is of."""
        found: list[Span] = []
        for part, mark, begin in _parted(text):
            found += self._spans(part, begin)
            if mark:
                found.append((begin + len(part), begin + len(part) + len(mark)))
        return found

    def _of(self, part: str) -> Iterator[int]:
        words = part.replace(_SPACE, " ").replace("\n", " \n").split(" ") if part else []
        return chain.from_iterable(
            map(self._words.__getitem__, _with_spaces(words) if "" in words else words)
        )

    def _spans(self, part: str, begin: int) -> Iterator[Span]:
        at = -1  # the space that each text begins with does not stand there
        left = self._of(part)
        for token in left:
            first = begin + max(0, at)
            if token in _BYTES:
                size = len(part[at].encode("utf-8", "surrogatepass"))
                at += 1
                yield from [(first, begin + at)] * size
                for _ in range(size - 1):
                    next(left)
            else:
                at += len(self._names[token])
                yield first, begin + max(1, at)


class _Words(dict[str, Ids]):
    """Words and their tokens. A word has before it as many spaces as stand there beside the one
    that parts it from the word before; one that begins a line is parted by nothing."""

    def __init__(self, ids: Mapping[str, int], runs: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._tokens = ids
        self._runs = {pair: at for at, pair in enumerate(runs)}

    def __missing__(self, word: str) -> Ids:
        begins_line = word.lstrip(" ").startswith("\n")
        letters = word.replace(" ", _SPACE)
        tokens = tuple(self._joined(letters if begins_line else _SPACE + letters))
        if len(tokens) <= _MOST_TOKENS:
            if len(self) >= _KEPT_WORDS:
                self.clear()
            self[word] = tokens
        return tokens

    def _joined(self, letters: str) -> Iterator[int]:
        """What is left when all neighbours are put together that go together."""
        size, turn = len(letters), self._turn
        ends = list(range(1, size + 1))  # of the part that begins there; 0 if none does any more
        before = list(range(-1, size))  # where the part begins that ends there
        due = [own for at in range(size - 1) if (own := turn(letters, at, at + 1, at + 2))]
        heapify(due)
        while due:
            _, begin, end = heappop(due)
            middle = ends[begin]
            # One of both may have gone together with another part meanwhile.
            if not middle or middle == size or ends[middle] != end:
                continue
            ends[begin], ends[middle] = end, 0
            if end < size:
                before[end] = begin
                if own := turn(letters, begin, end, ends[end]):
                    heappush(due, own)
            if begin and (own := turn(letters, before[begin], begin, end)):
                heappush(due, own)
        begin = 0
        while begin < size:
            part = letters[begin : ends[begin]]
            begin = ends[begin]
            token = self._tokens.get(part, -1)
            if token >= 0:
                yield token
            else:
                yield from (_BYTES[byte] for byte in part.encode("utf-8", "surrogatepass"))

    def _turn(self, letters: str, begin: int, middle: int, end: int) -> _Turn | None:
        """When these two parts go together, if they do."""
        token = self._tokens.get(letters[begin:end], 0)
        if token <= _BYTES[-1]:
            return None
        left = letters[begin:middle]
        if letters[middle] == _SPACE:
            return _LATE + self._runs[left, letters[middle:end]], begin, end
        return token * _PLACES + self._tokens[left], begin, end


def _parted(text: str) -> Iterator[tuple[str, str, int]]:
    """Its parts between marks, each with the mark behind it, "" for none, and where it begins."""
    begin, at = 0, text.find("<")
    while at >= 0:
        mark = next((mark for mark in _MARKS if text.startswith(mark, at)), "")
        if mark:
            yield text[begin:at], mark, begin
            begin = at + len(mark)
        at = text.find("<", at + 1)
    yield text[begin:], "", begin


def _with_spaces(words: Sequence[str]) -> Iterator[str]:
    """Words of which some are empty, because several spaces stand there: each with its own."""
    spaces = ""
    for word in words:
        if word:
            yield spaces + word
            spaces = ""
        else:
            spaces += " "
    if spaces:
        yield spaces[1:]
