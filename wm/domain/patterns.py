"""Linear-time matching of foreign text (EX-6, TR-5). `re` never sees what others wrote."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import re2

error = re2.error
"""What `compile` raises."""

Pattern = Any
"""A compiled google-re2 pattern: the methods of `re.Pattern` that re2 has."""


def compile(text: str, *, ignore_case: bool = False, multi_line: bool = False) -> Pattern:
    """A compiled pattern. Raises re2.error for what re2 cannot match in linear time."""
    flags = ("i" if ignore_case else "") + ("m" if multi_line else "")
    options = re2.Options()
    options.log_errors = False
    return re2.compile(f"(?{flags}){text}" if flags else text, options=options)


def compile_bytes(text: str) -> Pattern:
    """The same for bytes in UTF-8, case ignored: many matches in a long text cost a third."""
    options = re2.Options()
    options.log_errors = False
    return re2.compile(f"(?i){text}".encode(), options=options)


def compile_raw(text: str) -> Pattern:
    """A pattern for any bytes, whatever their encoding: each byte is a letter, `.` is any."""
    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(f"(?s){text}".encode("latin-1"), options=options)


def _encodable(text: str) -> str:
    """The text with halves of surrogate pairs replaced, one for one: re2 matches UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _without_halves(text)
    return text


def _without_halves(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


def _in_letters(raw: bytes, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Places in an `encoded` text as places in the text itself."""
    last = letters = 0
    for start, end in spans:
        first = letters + len(raw[last:start].decode())
        last, letters = end, first + len(raw[start:end].decode())
        yield first, letters


def encoded(text: str) -> bytes:
    """The text as re2 sees it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _without_halves(text).encode()


class Lazy:
    """A pattern of ours that is compiled when it is first used.

    Tables of hundreds of patterns would otherwise cost every start half a second. A pattern
    that re2 refuses is found by the test that compiles every one of them.
    """

    __slots__ = ("_compiled", "_ignore_case", "_multi_line", "text")

    def __init__(self, text: str, *, ignore_case: bool = False, multi_line: bool = False) -> None:
        self.text = text
        self._ignore_case = ignore_case
        self._multi_line = multi_line
        self._compiled: Pattern = None

    @property
    def compiled(self) -> Pattern:
        if self._compiled is None:
            self._compiled = compile(
                self.text, ignore_case=self._ignore_case, multi_line=self._multi_line
            )
        return self._compiled

    def match(self, text: str) -> Pattern:
        return self.compiled.match(_encodable(text))

    def fullmatch(self, text: str) -> Pattern:
        return self.compiled.fullmatch(_encodable(text))

    def search(self, text: str) -> Pattern:
        return self.compiled.search(_encodable(text))

    def holds(self, text: str) -> bool:
        """Does it match anywhere? Cheaper than `search`: nothing is said of places."""
        return self.found_in(encoded(text))

    def found_in(self, raw: bytes) -> bool:
        """`holds` for a text that is `encoded`, for a caller who asks much of it."""
        return self.compiled.search(raw) is not None

    def fits(self, text: str) -> bool:
        """Does the whole text match? Half the cost of `fullmatch`: nothing is said of places."""
        return self.compiled.fullmatch(encoded(text)) is not None

    def end(self, text: str) -> int:
        """Where a match at the start of the text ends, -1 for none. Cheaper than `match`."""
        if not text.isascii():
            found = self.match(text)
            return -1 if found is None else int(found.end())
        found = self.compiled.match(text.encode())
        return -1 if found is None else int(found.end())

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where each match begins and ends. Cheaper than `finditer` where there are many."""
        raw = encoded(text)
        found = (match.span() for match in self.compiled.finditer(raw))
        yield from found if text.isascii() else _in_letters(raw, found)

    def line_starts(self, raw: bytes) -> Iterator[int]:
        """Where the first match of each line begins in a text that is `encoded`. A match that
        reaches into the next line hides none that begins there."""
        at = 0
        while (found := self.compiled.search(raw, at)) is not None:
            yield found.start()
            at = raw.find(b"\n", found.start()) + 1
            if not at:
                return

    def finditer(self, text: str) -> Iterator[Pattern]:
        found: Iterator[Pattern] = self.compiled.finditer(_encodable(text))
        return found

    def findall(self, text: str) -> list[Any]:
        found: list[Any] = self.compiled.findall(_encodable(text))
        return found

    def sub(self, replacement: Any, text: str, count: int = 0) -> str:
        return str(self.compiled.sub(replacement, _encodable(text), count))


class Sieve:
    """Which of many hints a text holds, told by one pass over it, however many they are.

    A hint is a pattern of few letters that tells whether a dearer rule is worth a try.
    """

    __slots__ = ("_compiled", "_hints")

    def __init__(self, hints: Iterable[str]) -> None:
        self._hints = tuple(dict.fromkeys(hints))
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        if self._compiled is None:
            options = re2.Options()
            options.log_errors = False
            made = re2.Set.SearchSet(options)
            for hint in (_ALWAYS, *self._hints):
                made.Add(hint)
            made.Compile()
            self._compiled = made
        return self._compiled

    def held(self, raw: bytes) -> frozenset[str]:
        """The hints that match somewhere in a text (`encoded`)."""
        found = self.compiled.Match(raw)
        if _AT not in found:
            return frozenset(self._hints)  # the pass itself failed, and nothing is ruled out
        return _NONE if len(found) == 1 else frozenset(self._hints[at - 1] for at in found if at)


_ALWAYS, _AT = r"\A", 0
"""A pattern that every text holds, and its number: re2 gives no other sign that a pass failed."""
_NONE: frozenset[str] = frozenset()


class Sift:
    """Which of many patterns a text can match at all, told by the few letters of which one stands
    in whatever a pattern matches (`wm.domain.pieces`).

    Tables of words in eight languages match few texts: what is ruled out here is not matched, and
    mostly not even compiled. Says nothing about where, and nothing for certain.
    """

    __slots__ = ("_always", "_given", "_long", "_patterns", "_short")

    def __init__(self, patterns: Iterable[Lazy], given: tuple[int, tuple[str, ...]]) -> None:
        self._patterns = tuple(patterns)
        self._given = given
        self._always: frozenset[Lazy] | None = None
        self._short: dict[str, list[Lazy]] = {}
        self._long: dict[int, dict[str, list[Lazy]]] = {}

    @property
    def patterns(self) -> tuple[Lazy, ...]:
        return self._patterns

    def likely(self, text: str) -> frozenset[Lazy]:
        """All that match somewhere in the text, or in a part of it, and a few others."""
        found = set(self._begun() if self._always is None else self._always)
        folded = without_case(text)
        for length in (PIECE,) if folded.isascii() else self._long:
            holders = self._long.get(length, {})
            held = {folded[at : at + length] for at in range(len(folded) - length + 1)}
            for piece in holders.keys() & held:
                found.update(holders[piece])
        for piece, patterns in self._short.items():
            if piece in folded:
                found.update(patterns)
        return frozenset(found)

    def _begun(self) -> frozenset[Lazy]:
        mark, rows = self._given
        if mark != mark_of(self._patterns):  # of other patterns than these: none is ruled out
            rows = ("",) * len(self._patterns)
        for pattern, row in zip(self._patterns, rows, strict=True):
            for piece in filter(None, row.split("|")):
                is_short = piece.isascii() and len(piece) < PIECE
                held = self._short if is_short else self._long.setdefault(len(piece), {})
                held.setdefault(piece, []).append(pattern)
        given = zip(self._patterns, rows, strict=True)
        self._always = frozenset(pattern for pattern, row in given if not row)
        return self._always


PIECE = 4
"""Letters of a piece; in scripts of more letters, FOREIGN_PIECE."""
FOREIGN_PIECE = 2


def without_case(text: str) -> str:
    """The text as re2 sees it where case is ignored, and as pieces are written: `ſ` is an s there,
    and the sign of Kelvin a k."""
    return text.lower().replace("\u017f", "s")


def mark_of(patterns: Iterable[Lazy]) -> int:
    """A number that other patterns do not have."""
    return zlib.crc32("\0".join(pattern.text for pattern in patterns).encode())


def words(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


def escaped(text: str) -> str:
    """A pattern that matches exactly this text."""
    return "".join(c if c.isalnum() or c in " _\n" else "\\" + c for c in text)
