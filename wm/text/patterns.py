"""Linear-time pattern matching with re2 (EX-6, TR-5). Untrusted text never reaches `re`.

All rules compile their patterns here; a pattern compiles on first use. Contains no pattern itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import re2

error = re2.error
"""The exception that `compile` raises."""

Pattern = Any
"""A compiled google-re2 pattern. It has a subset of the methods of `re.Pattern`."""


def compile(text: str) -> Pattern:
    """Compile a pattern. Raises re2.error if re2 cannot match it in linear time."""
    return re2.compile(text, options=_quiet())


def _quiet() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


def compile_bytes(text: str) -> Pattern:
    """Compile a pattern for UTF-8 bytes, ignoring case: a third of the cost for many matches."""
    return re2.compile(f"(?i){text}".encode(), options=_quiet())


def compile_raw(text: str) -> Pattern:
    """Compile a pattern for bytes of any encoding: each byte is one character, `.` matches any."""
    options = _quiet()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(f"(?s){text}".encode("latin-1"), options=options)


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced one for one, because re2 matches UTF-8."""
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
    """Convert byte offsets in an `encoded` text to character offsets."""
    last = letters = 0
    for start, end in spans:
        first = letters + len(raw[last:start].decode())
        last, letters = end, first + len(raw[start:end].decode())
        yield first, letters


def encoded(text: str) -> bytes:
    """The text as UTF-8 bytes, lone surrogates replaced."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _without_halves(text).encode()


class Lazy:
    """A pattern that is compiled on first use.

    Compiling the tables of hundreds of patterns at import would cost every start half a second.
    A test compiles every pattern, so that one which re2 rejects is found.
    """

    __slots__ = ("_compiled", "_ignore_case", "_multi_line", "text")

    def __init__(self, text: str, *, ignore_case: bool = False, multi_line: bool = False) -> None:
        self.text = text
        self._ignore_case = ignore_case
        self._multi_line = multi_line
        self._compiled: Pattern = None

    @property
    def expression(self) -> str:
        """The pattern with its flags in re2 syntax."""
        flags = ("i" if self._ignore_case else "") + ("m" if self._multi_line else "")
        return f"(?{flags}){self.text}" if flags else self.text

    @property
    def compiled(self) -> Pattern:
        if self._compiled is None:
            self._compiled = compile(self.expression)
        return self._compiled

    def read(self, text: str) -> str:
        """The form of a text that `match`, `fullmatch`, `search` and `finditer` compare."""
        return _encodable(text)

    def match(self, text: str) -> Pattern:
        return self.compiled.match(self.read(text))

    def fullmatch(self, text: str) -> Pattern:
        return self.compiled.fullmatch(self.read(text))

    def search(self, text: str) -> Pattern:
        return self.compiled.search(self.read(text))

    def is_match(self, text: str) -> bool:
        """Return whether the pattern matches anywhere. Faster than `search`: no offsets."""
        return self.found_in(encoded(text))

    def found_in(self, raw: bytes) -> bool:
        """`is_match` for an `encoded` text; saves encoding the same text for many patterns."""
        return self.compiled.search(raw) is not None

    def fits(self, text: str) -> bool:
        """Return whether the complete text matches. Half the cost of `fullmatch`: no offsets."""
        return self.compiled.fullmatch(encoded(text)) is not None

    def end(self, text: str) -> int:
        """The end of a match at the start of the text, -1 without a match. Faster than `match`."""
        if not text.isascii():
            found = self.match(text)
            return -1 if found is None else int(found.end())
        found = self.compiled.match(text.encode())
        return -1 if found is None else int(found.end())

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each match. Faster than `finditer` when there are many."""
        raw = encoded(text)
        found = (match.span() for match in self.compiled.finditer(raw))
        yield from found if text.isascii() else _in_letters(raw, found)

    def line_numbers(self, raw: bytes) -> Iterator[int]:
        """The numbers of the lines of an `encoded` text in which a match begins. A match that spans
        two lines does not hide a match that begins in the second."""
        at = number = 0
        while (found := self.compiled.search(raw, at)) is not None:
            start = found.start()
            number += raw.count(b"\n", at, start)
            yield number
            at = raw.find(b"\n", start) + 1
            if not at:
                return
            number += 1

    def finditer(self, text: str) -> Iterator[Pattern]:
        found: Iterator[Pattern] = self.compiled.finditer(self.read(text))
        return found

    def findall(self, text: str) -> list[Any]:
        found: list[Any] = self.compiled.findall(_encodable(text))
        return found

    def sub(self, replacement: Any, text: str, count: int = 0) -> str:
        return str(self.compiled.sub(replacement, _encodable(text), count))


class Phrases(Lazy):
    """Words and phrases, compiled as one pattern for the first text that has the letters of one.

    A command reads one text, which has the words of few tables; compiling all takes 30 ms. A daemon
    reads many, and the pattern is faster than a search for all letters.
    """

    __slots__ = ("_letters", "_made", "_texts")

    def __init__(self, phrases: Iterable[str], made: Callable[[], str]) -> None:
        """phrases: with `*` where other characters may be. made: the text of the pattern, each
        match of which has the letters between the `*` of a phrase."""
        super().__init__("")
        parts = [max(p.split("*"), key=len) if "*" in p else p for p in phrases]
        self._letters = frozenset(encoded("\n".join(parts)).split(b"\n"))
        self._made = made
        self._texts = 0

    @property
    def expression(self) -> str:
        return self._made()

    def search(self, text: str) -> Pattern:
        return super().search(text) if self._may_match(encoded(text)) else None

    def found_in(self, raw: bytes) -> bool:
        return self._may_match(raw) and super().found_in(raw)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        return super().spans(text) if self._may_match(encoded(text)) else iter(())

    def _may_match(self, raw: bytes) -> bool:
        self._texts += 1
        if self._compiled is not None or self._texts > FEW_TEXTS:
            return True
        return any(map(raw.__contains__, self._letters))


FEW_TEXTS = 20
"""Texts that are searched for letters; for the next one `Phrases` are compiled."""


class PatternSet:
    """Finds in one pass which of several patterns match somewhere in a text (`re2.Set`).

    Compiled on first use. Its automaton repeats without bounds: `.{0,40}`, of which each bound is
    a copy of the states, is `.*` there. It finds every pattern that matches and few others, which
    are then searched alone; this needs half the memory and half the time to compile. Keep a set
    small and its patterns related: an automaton of hundreds of unrelated patterns exceeds its
    memory, and every pattern is then searched separately.
    """

    __slots__ = ("_compiled", "_patterns", "_together")

    def __init__(self, patterns: Iterable[Lazy], *, together: int = 100) -> None:
        """together: most patterns of one automaton. 50 long ones take 1.3 MB while they compile,
        which a process keeps."""
        self._patterns = tuple(patterns)
        self._together = together
        self._compiled: list[tuple[Sequence[Lazy], Any]] = []

    def __iter__(self) -> Iterator[Lazy]:
        return iter(self._patterns)

    @property
    def compiled(self) -> list[tuple[Sequence[Lazy], Any]]:
        """The patterns in parts, each with its automaton."""
        if not self._compiled:
            starts = range(0, len(self._patterns), self._together)
            parts = [self._patterns[at : at + self._together] for at in starts]
            self._compiled = [(part, _automaton(part)) for part in parts]
        return self._compiled

    def is_match(self, text: str) -> bool:
        """Return whether any of the patterns matches somewhere."""
        raw = encoded(text)
        return any(True for _ in self._found(raw))

    def matching(self, raw: bytes) -> list[Lazy]:
        """The patterns that match somewhere in an `encoded` text, in the order of the set."""
        return list(self._found(raw))

    def _found(self, raw: bytes) -> Iterator[Lazy]:
        for patterns, automaton in self.compiled:
            found = automaton.Match(raw)
            if found is None:  # out of memory: even `_ALWAYS` did not match
                yield from (pattern for pattern in patterns if pattern.found_in(raw))
            elif len(found) > 1:  # usually not, 30 times for each text that the gate judges
                for pattern in (patterns[number - 1] for number in sorted(found) if number):
                    if not _BOUNDS.is_match(pattern.text) or pattern.found_in(raw):
                        yield pattern


def _automaton(patterns: Sequence[Lazy]) -> Any:
    made = re2.Set.SearchSet(_quiet())
    expressions = "\0".join((_ALWAYS, *(one.expression for one in patterns)))
    for expression in unbounded(expressions).split("\0"):
        made.Add(expression)
    made.Compile()
    return made


_BOUNDS = Lazy(r"\{\d*,\d+\}")
"""The bounds of a repetition."""


def unbounded(expression: str) -> str:
    """An expression that matches wherever this one does, and more: it repeats without bounds, of
    which each is a copy of the states."""
    # A function, because re2 reads a text in its place again for each match.
    return _BOUNDS.sub(lambda _: "*", expression)


_ALWAYS = r"\A"
"""Matches every text. An empty result therefore means that the pass failed; re2 has no other sign
of that."""


def without_case(text: str) -> str:
    """Lower case as re2 folds it: the long `ſ` becomes an s and the Kelvin sign a k."""
    return text.lower().replace("\u017f", "s")


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def escaped(text: str) -> str:
    """A pattern that matches exactly this text."""
    return str(re2.escape(text))
