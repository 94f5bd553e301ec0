"""Extract a direct answer from the best hit (RC-1).

Quotes, never composes: complete sentences of one entry, cited by its id, within a token limit. All
four conditions must hold:

1. The best hit is valid: active, on this branch, not superseded, not tainted, not suspect.
2. Its confidence is high.
3. No other valid hit is nearly as sure.
4. If the query asks for a number or a time, the passage contains one.

Otherwise the reply contains only hits. Reads no files, does no ranking.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from wm.formats.workspace_memory import MemoryEntry
from wm.search.applicability import may_answer
from wm.search.documents import Hit
from wm.search.query import asks_value
from wm.search.synonyms import SYNONYMS
from wm.search.values import names_value
from wm.settings import RecallSettings
from wm.text.sentences import sentences
from wm.text.terms import query_words, raw_words, terms_in, terms_of

_PAST_TEXT = "before earlier formerly previously previous originally früher vorher antes avant"
_PAST = frozenset(_PAST_TEXT.split())
_PAST_CJK = ("以前", "之前", "原来", "かつて", "예전", "이전")
_WHY = frozenset(["why", "warum", "wieso", "porquê", "pourquoi"])
_WHY_PARTS = ("por qué", "por que", "为什么", "為什麼", "なぜ", "どうして", "왜")


class AnswerPassage(Struct, frozen=True):
    """entry: the id of the entry that the text quotes verbatim."""

    entry: str
    text: str


def passage(
    query: str,
    hits: Sequence[tuple[MemoryEntry, Hit]],
    branch: str | None,
    settings: RecallSettings,
) -> AnswerPassage | None:
    """The passage that answers the query, or None. hits: all hits, best first."""
    if not hits or not _asks_something(query) or _asks_the_past(query):
        return None
    (entry, best), *others = hits
    if not may_answer(entry, branch) or best.confidence < settings.answer_confidence:
        return None
    rivals = (hit.confidence for other, hit in others if may_answer(other, branch))
    if best.confidence - max(rivals, default=0.0) < settings.clear_lead:
        return None
    text = _extract(query, entry, settings.answer_tokens)
    if not text or (asks_value(query) and not names_value(text)):
        return None
    return AnswerPassage(entry.id, text)


def tokens(text: str) -> int:
    """Estimate tokens: four ASCII characters are one token, every other character is one."""
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / 4) + len(text) - plain


# --- the question ---------------------------------------------------------------------------


def _asks_something(query: str) -> bool:
    """False for one plain word: it names a subject but asks nothing."""
    words = raw_words(query)
    return len(words) > 1 or any(len(terms_of(word)) > 1 for word in words)


def _asks_the_past(query: str) -> bool:
    return _has_word(query, _PAST) or any(part in query for part in _PAST_CJK)


def _asks_why(query: str) -> bool:
    return _has_word(query, _WHY) or any(part in query.lower() for part in _WHY_PARTS)


def _has_word(query: str, words: frozenset[str]) -> bool:
    return any(word.lower() in words for word in raw_words(query))


# --- the passage ----------------------------------------------------------------------------


def _extract(query: str, entry: MemoryEntry, most: int) -> str:
    """The sentence with most of the query's terms, and others that add terms."""
    said = sentences(entry.text)
    if _asks_why(query) and entry.rationale:
        said = (*said, entry.rationale)
    wanted = frozenset(term for word in query_words(query) for term in _related_terms(word))
    covered = [wanted.intersection(terms_in(sentence)) for sentence in said]
    order = sorted(range(len(said)), key=lambda at: (-len(covered[at]), at))
    chosen: list[int] = []
    known: set[str] = set()
    room = most
    for at in order:
        adds = covered[at] - known or (_asks_why(query) and said[at] == entry.rationale)
        if tokens(said[at]) <= room and (adds or not chosen):
            chosen.append(at)
            known |= covered[at]
            room -= tokens(said[at])
        elif not chosen:
            # The sentence that answers is too long, and no other one answers.
            return ""
    return " ".join(said[at] for at in sorted(chosen))


def _related_terms(word: str) -> frozenset[str]:
    own = terms_of(word)
    return frozenset((*own, *(other for term in own for other in SYNONYMS.get(term, ()))))
