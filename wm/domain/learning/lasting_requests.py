"""Find requests that say for how long: "write yourself a permanent note that …" (EX-1).

Such a sentence has two parts: a verb of keeping, or a word such as "rule", and a phrase for all
later sessions or for the agent's memory. What to keep follows a link ("that", a colon, a comma); if
nothing follows, it stands before, in the same sentence or in the one before it. `requests` finds
the requests that `trigger_words` and `inner_requests` know by their form. Tables in
`lasting_requests.toml`, for fourteen languages together. Pure and linear (EX-6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from wm.domain.learning.inner_requests import flattened, is_polite
from wm.text.patterns import Lazy, escaped
from wm.text.tables import Tables

_LEAST = 10
"""Letters of a fact; a Chinese, Japanese or Korean one may have half of it."""
_NEAR = 60
"""Most characters between the two parts of a request."""
_SHORT = 50
"""A request of so few characters points back at what was said, without a word for it."""
_STEP = 24
"""Most characters before a further part of it."""


_TABLES = Tables("wm.domain.learning", "lasting_requests.toml")


def _any_of(name: str) -> str:
    words = [word for row in _TABLES.rows_of(name).values() for word in row.split("|")]
    return "|".join(map(_word, sorted(words, key=len, reverse=True)))


def _word(word: str) -> str:
    """A word or phrase with borders, which re2 knows for ASCII letters only."""
    first = r"\b" if word[0].isascii() else ""
    return first + escaped(word) + (r"\b" if word[-1].isascii() and word[-1].isalnum() else "")


_KEEP = Lazy(_any_of("keep"))
_KEEP_OR_NOTE = Lazy(f"{_any_of('keep')}|{_any_of('keep_weak')}")
_OWN = Lazy(_any_of("lasting_own"))
_LASTING = Lazy(f"{_any_of('lasting_own')}|{_any_of('lasting')}")
_PART = Lazy(f"{_KEEP_OR_NOTE.text}|{_LASTING.text}")
_THAT = rf"(?:{_any_of('lasting_link')})\s+"
_LINK = Lazy(
    rf"^[\s)\"'”]*(?:{_THAT}|[:：,，、;–—-]+\s*(?:{_THAT})?)|^[^.:：]{{0,24}}[\s,]{_THAT}"
    r"|^[^.:：]{0,60}[:：]\s*|^[^.:：\x00-\x7f]{0,14}[,，、]\s*"
)
"""A link directly behind the request, or one that is unmistakable a little later."""
_ENDS = Lazy(rf"[:：]|[\s,]{_THAT}")
_POINTS = Lazy(_any_of("lasting_pointing"))
_FORWARD = Lazy(_any_of("lasting_forward"))
_PURPOSE = Lazy(rf"^(?:{_any_of('lasting_reason')})(?:\s|$)")
_NOT = Lazy(rf"(?:{_any_of('lasting_denied')})[^.,;:!?]{{0,24}}$")
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
    if not (_LASTING.holds(plain) and _KEEP_OR_NOTE.holds(plain)):
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
        for verbs, times in ((_KEEP, _LASTING), (_KEEP_OR_NOTE, _OWN))
        for lasting in times.finditer(one.plain)
        for keep in verbs.finditer(one.plain)
        if max(keep.start(), lasting.start()) - min(keep.end(), lasting.end()) <= _NEAR
    )
    begin, end = next((pair for pair in pairs if _may_ask(one.plain[: pair[0]])), (0, 0))
    for more in _PART.finditer(one.plain[end:]) if end else ():
        between = one.plain[end : end + more.start()]
        if len(between) > _STEP or _ENDS.holds(between + " "):
            break
        return begin, end + more.end()
    return (begin, end) if end else None


def _may_ask(before: str) -> bool:
    """Whether a request may follow this: no negation, and no colon, behind which a text to show
    stands: "make the tooltip say: remember …"."""
    return _NOT.search(before) is None and before.rstrip()[-1:] not in (":", "：")


def _fact(sentences: Sequence[_Sentence], at: int, begin: int, end: int) -> str:
    """What the request in a sentence asks to keep; "" if it is not found."""
    one = sentences[at]
    link = _LINK.search(one.plain[end:])
    rest = _tidy(one.text[end + link.end() :]) if link is not None else ""
    after = _tidy(sentences[at + 1].text) if at + 1 < len(sentences) else ""
    if len(rest.encode()) >= _LEAST and not _PURPOSE.holds(flattened(rest)):
        return rest
    if not rest and (_FORWARD.holds(one.plain) or one.plain.rstrip()[-1:] in ":："):
        return after
    if len(one.plain) > _SHORT and not _POINTS.holds(one.plain):
        return ""
    cut = max(one.text.rfind(mark, 0, begin) for mark in _CLAUSE)
    before = _tidy(one.text[: cut + 1])
    if len(before.encode()) >= 2 * _LEAST:
        return before
    return _tidy(sentences[at - 1].text) if at else ""


def _tidy(text: str) -> str:
    return text.strip(" \t\n\"'“”*_()[]-–—,，、;:：.。!！")
