"""Find requests that say for how long: "write yourself a permanent note that …" (EX-1).

Such a sentence has two parts: a verb of keeping, or a word such as "rule", and a phrase for all
later sessions or for the agent's memory. What to keep follows a link ("that", a colon, a comma); if
nothing follows, it stands before, in the same sentence or in the one before it. `requests` finds
the requests that `trigger_words` and `inner_requests` know by their form. Tables in
`lasting_requests.toml`, for fourteen languages together. Pure and linear (EX-6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

from msgspec import Struct

from wm.domain.learning.inner_requests import flattened, is_polite
from wm.text.patterns import Lazy, escaped
from wm.text.tables import Tables

_LEAST = 10
"""Bytes of a fact: so many letters, or a third of it in Chinese, Japanese and Korean."""
_NEAR = 60
"""Most characters between the two parts of a request."""
_SHORT = 50
"""A request of so few characters points back at what was said, without a word for it."""
_STEP = 24
"""Most characters before a further part of it."""
_MOST = 16
"""Words of each kind that are paired in one sentence."""


@cache
def _tables() -> Tables:
    """Read for the first message only."""
    return Tables("wm.domain.learning", "lasting_requests.toml")


def _any_of(*names: str) -> str:
    rows = (row for name in names for row in _tables().rows_of(name).values())
    words = sorted((word for row in rows for word in row.split("|")), key=len, reverse=True)
    return "|".join(map(_word, words))


def _word(word: str) -> str:
    """A word or phrase with borders, which re2 knows for ASCII letters only."""
    first = r"\b" if word[0].isascii() else ""
    return first + escaped(word) + (r"\b" if word[-1].isascii() and word[-1].isalnum() else "")


@cache
def _words(*names: str) -> Lazy:
    """Any word of these tables."""
    return Lazy(_any_of(*names))


_VERBS, _NOTES = ("keep",), ("keep", "keep_weak")
_TIMES, _OWN = ("lasting_own", "lasting"), ("lasting_own",)


@cache
def _link() -> Lazy:
    """A link directly behind the request, or one that is unmistakable a little later."""
    that = rf"(?:{_any_of('lasting_link')})\s+"
    return Lazy(
        rf"^[\s)\"'”]*(?:{that}|[:：,，、;–—-]+\s*(?:{that})?)|^[^.:：]{{0,24}}[\s,]{that}"
        r"|^[^.:：]{0,60}[:：]\s*|^[^.:：\x00-\x7f]{0,14}[,，、]\s*"
    )


@cache
def _ends() -> Lazy:
    return Lazy(rf"[:：]|[\s,](?:{_any_of('lasting_link')})\s+")


@cache
def _purpose() -> Lazy:
    return Lazy(rf"^(?:{_any_of('lasting_reason')})(?:\s|$)")


@cache
def _denial() -> Lazy:
    return Lazy(rf"(?:{_any_of('lasting_denied')})[^.,;:!?]{{0,24}}$")


_TALK = Lazy(r"[?？]\s*$|[\"“”«»「」]")
_SENTENCE = Lazy(r"[.!?…;]+(?:\s+|$)|[。！？；]\s*|\n+")
_CLAUSE = ",，、;:：(–—-"


class _Sentence(Struct, frozen=True):
    """text and its form for matching, of equal length."""

    text: str
    plain: str


def lasting_requests(typed: str) -> Iterator[str]:
    """What the typed text of a user asks to keep for all later sessions, in order."""
    plain = flattened(typed)
    if not (_words(*_TIMES).holds(plain) and _words(*_NOTES).holds(plain)):
        return
    sentences = list(_sentences(typed))
    for at, one in enumerate(sentences):
        span = _asked_at(one)
        if span is None:
            continue
        fact = _fact(sentences, at, *span)
        if len(fact.encode()) >= _LEAST and not is_polite(fact):
            yield fact


def _sentences(text: str) -> Iterator[_Sentence]:
    begin = 0
    for stop in (*_SENTENCE.finditer(text), None):
        end = stop.end() if stop is not None else len(text)
        part = text[begin:end]
        if part.strip():
            yield _Sentence(part, flattened(part))
        begin = end


def _asked_at(one: _Sentence) -> tuple[int, int] | None:
    """Where the request begins and ends in a sentence; None without one."""
    if _TALK.holds(one.plain.strip()):
        return None
    pairs = (
        (min(keep.start(), lasting.start()), max(keep.end(), lasting.end()))
        for verbs, times in ((_VERBS, _TIMES), (_NOTES, _OWN))
        for lasting in islice(_words(*times).finditer(one.plain), _MOST)
        for keep in islice(_words(*verbs).finditer(one.plain), _MOST)
        if max(keep.start(), lasting.start()) - min(keep.end(), lasting.end()) <= _NEAR
    )
    found = next((pair for pair in pairs if _may_ask(one.plain[: pair[0]])), None)
    if found is None:
        return None
    begin, end = found
    more = _words(*_NOTES, *_TIMES).search(one.plain[end:])
    between = one.plain[end : end + more.start()] + " " if more is not None else ""
    is_part = more is not None and len(between) <= _STEP and not _ends().holds(between)
    return (begin, end + more.end()) if more is not None and is_part else found


def _may_ask(before: str) -> bool:
    """Whether a request may follow this: no negation, and no colon, behind which a text to show
    stands: "make the tooltip say: remember …"."""
    return _denial().search(before) is None and before.rstrip()[-1:] not in (":", "：")


def _fact(sentences: Sequence[_Sentence], at: int, begin: int, end: int) -> str:
    """What the request in a sentence asks to keep; "" if it is not found."""
    one = sentences[at]
    link = _link().search(one.plain[end:])
    rest = _tidy(one.text[end + link.end() :]) if link is not None else ""
    after = _tidy(sentences[at + 1].text) if at + 1 < len(sentences) else ""
    if len(rest.encode()) >= _LEAST and not _purpose().holds(flattened(rest)):
        return rest
    if not rest and (
        _words("lasting_forward").holds(one.plain) or one.plain.rstrip()[-1:] in ":："
    ):
        return after
    if len(one.plain) > _SHORT and not _words("lasting_pointing").holds(one.plain):
        return ""
    cut = max(one.text.rfind(mark, 0, begin) for mark in _CLAUSE)
    before = _tidy(one.text[: cut + 1])
    if len(before.encode()) >= 2 * _LEAST:
        return before
    return _tidy(sentences[at - 1].text) if at else ""


def _tidy(text: str) -> str:
    return text.strip(" \t\n\"'“”*_()[]-–—,，、;:：.。!！")
