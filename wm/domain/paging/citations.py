"""Checks a model's answer about removed content against the lines that it cites (HM-2). Pure.

Each citation must name lines that were sent and quote words of them; paths, identifiers and numbers
of the answer must be in the cited lines, and most of its words. A wrong sentence that consists
of the right words is not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from wm.domain.paging.entities import entities, json_in, missing_in, plain
from wm.domain.paging.passages import TextPassage
from wm.text.jsontext import as_list, as_object
from wm.text.terms import STOP_WORDS, raw_words, terms_of

_AROUND = 30
"""Lines that are sent before and behind a passage."""
_MOST_CITED, _MOST_LINES = 6, 20
_LEAST_QUOTE = 4
_SUPPORTED = 0.5
"""Share of an answer's words that the cited lines or the question must contain."""


class SentLines(Struct, frozen=True):
    """Lines of a stored text. name: its handle. first: number of the first, from 1."""

    name: str
    first: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1

    @property
    def chars(self) -> int:
        """As `numbered` spells them, about."""
        return sum(len(line) + 8 for line in self.lines)

    def between(self, first: int, last: int) -> str | None:
        """The text of these lines; None if one of them was not sent."""
        begin, end = first - self.first, last - self.first + 1
        return "\n".join(self.lines[begin:end]) if 0 <= begin < end <= len(self.lines) else None


class Citation(Struct, frozen=True):
    """quote: words of these lines."""

    name: str
    first: int
    last: int
    quote: str


class CitedAnswer(Struct, frozen=True):
    text: str
    citations: tuple[Citation, ...]


def lines_to_send(
    passages: Iterable[TextPassage], texts: Mapping[str, str], max_chars: int
) -> list[SentLines]:
    """The lines around these passages, each once, the best passages first, within a limit."""
    chosen: list[SentLines] = []
    for one in passages:
        first, last = max(1, one.first - _AROUND), one.last + _AROUND
        near = [s for s in chosen if s.name == one.name and s.first <= last and first <= s.last]
        first = min([first, *(s.first for s in near)])
        last = max([last, *(s.last for s in near)])
        lines = texts[one.name].split("\n")[first - 1 : last]
        made = SentLines(one.name, first, tuple(lines))
        size = made.chars - sum(s.chars for s in near)
        if size <= max_chars:
            at = chosen.index(near[0]) if near else len(chosen)
            chosen.insert(at, made)
            chosen = [s for s in chosen if s not in near]
            max_chars -= size
    return chosen


def numbered(sent: Sequence[SentLines]) -> str:
    """The lines as a model reads them: a handle, then each line behind its number."""
    found: list[str] = []
    for one in sent:
        found.append(f"{one.name}:")
        found += (f"{number}| {line}" for number, line in enumerate(one.lines, one.first))
    return "\n".join(found)


def checked(
    question: str, sent: Sequence[SentLines], reply: str, max_chars: int
) -> CitedAnswer | str:
    """The answer in a model's reply, or the reason code why it is not used."""
    found = json_in(reply)
    if found is None or "answer" not in found:
        return "unreadable"
    text = found["answer"]
    if text is None:
        return "not_found"
    if not isinstance(text, str) or not text.strip() or len(text) > max_chars:
        return "unreadable"
    cited = [_cited(one, sent) for one in as_list(found.get("citations"))[:_MOST_CITED]]
    kept = [one for one in cited if one is not None]
    if not kept or len(kept) < len(cited):
        return "wrong_citation"
    support = "\n".join((question, *(lines for _, lines in kept)))
    if missing_in(support, entities(text)) or not _is_supported(text, support):
        return "unsupported"
    return CitedAnswer(text.strip(), tuple(citation for citation, _ in kept))


def _cited(value: Any, sent: Sequence[SentLines]) -> tuple[Citation, str] | None:
    """A citation with the text of its lines; None if it is wrong."""
    fields = as_object(value)
    name, first, last, quote = (fields.get(key) for key in ("id", "first", "last", "quote"))
    if not (isinstance(first, int) and isinstance(last, int) and 0 <= last - first < _MOST_LINES):
        return None
    if not isinstance(quote, str) or len(plain(quote)) < _LEAST_QUOTE:
        return None
    for one in sent:
        lines = one.between(first, last) if one.name == name else None
        if lines is not None and plain(quote) in plain(lines):
            return Citation(one.name, first, last, quote), lines
    return None


def _is_supported(text: str, support: str) -> bool:
    words, known = _terms(text), _terms(support)
    return not words or len(words & known) >= _SUPPORTED * len(words)


def _terms(text: str) -> frozenset[str]:
    raw = (word for word in raw_words(text) if word.lower() not in STOP_WORDS)
    return frozenset(term for word in raw for term in terms_of(word))
