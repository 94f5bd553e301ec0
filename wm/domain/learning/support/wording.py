"""Bring phrases of one meaning to one wording before a sentence is read (TR-3).

Works on raw lower-case words: several words that count as one, "A is replaced by B" as a move from
A to B, "A needs approval" as asking before A,
"never A without B" as B before A. Does not judge meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby

from wm.domain.learning import function_words as fw
from wm.domain.learning.concepts import JOINED, phrases
from wm.domain.learning.support.items import SAME
from wm.text.letters import normalised
from wm.text.patterns import Lazy, escaped

COMMA = "\x02"
_PHRASES = {
    (one, other): both
    for one, other, both in (map(normalised, row) for row in SAME.rows("phrases"))
}
_EXCEPT = fw.WITHOUT | fw.UNLESS
_ARTICLE = Lazy(r"\b[dlj]'|'")


@cache
def _limit() -> Lazy:
    """The phrases of all languages, between spaces where a language has them."""
    rows = {row: "" if lang in JOINED else " " for lang, row in phrases("limit").items()}
    found = ((_ARTICLE.sub("", one), end) for row, end in rows.items() for one in row.split("|"))
    return Lazy("|".join(f"{end}{escaped(normalised(one))}{end}" for one, end in found))


_WORDS = {
    name: frozenset(normalised(SAME.table(name)).split())
    for name in ("replacing", "by_what", "needing", "consent")
}
_TRIGGERS = _EXCEPT.union(*(_WORDS[name] for name in ("replacing", "needing")))


def is_temporary(raw: Sequence[str]) -> bool:
    """Whether the sentence says that it holds for a time or a task only."""
    return _limit().is_match(f" {' '.join(raw)} ")


def joined(raw: Sequence[str]) -> list[str]:
    """The words, with the one word for each phrase."""
    found: list[str] = []
    for word in raw:
        one = _PHRASES.get((found[-1], word), "") if found else ""
        found[-1:] = [one] if one else [*found[-1:], word]
    return found


def reworded(raw: list[str], table: Mapping[str, int]) -> list[str]:
    """table: the function words of the language."""
    if _TRIGGERS.isdisjoint(raw):
        return raw
    if raw[0] in _EXCEPT and COMMA in raw:
        # "Without A, never B"
        cut = raw.index(COMMA)
        raw = [*raw[cut + 1 :], *raw[:cut]]
    made: list[str] = []
    for is_end, run in groupby(raw, lambda word: word == COMMA or table.get(word) == fw.SPLIT):
        clause = list(run)
        for rewrite in () if is_end else (_as_move, _as_asking, _as_order):
            clause = rewrite(clause, table)
        made += clause
    return made


def _find(kind: str, words: Sequence[str], start: int = 0) -> int:
    """The place of the first word of a kind, or the end."""
    known = _WORDS[kind]
    return next((at for at in range(start, len(words)) if words[at] in known), len(words))


def _as_move(words: list[str], table: Mapping[str, int]) -> list[str]:
    """Reads "replace A with B", in either voice and order, as "move from A to B"."""
    at, by = _find("replacing", words), _find("by_what", words)
    marks = [table.get(word, fw.VERB) for word in words[:at]]
    is_passive = fw.VOICE in marks or by <= at + 1
    if at == len(words) or (by == len(words) and (is_passive or fw.VERB not in marks)):
        return words
    head = ["from"] if is_passive else ["to"] if by == len(words) else []
    made = [*head, *words[: at + 1], *([] if is_passive else ["from"]), *words[at + 1 :]]
    return made if by == len(words) else ["to" if w in _WORDS["by_what"] else w for w in made]


def _as_asking(words: list[str], table: Mapping[str, int]) -> list[str]:
    """Reads "A needs approval" as "ask before A"."""
    at = _find("needing", words)
    end = _find("consent", words, at)
    if not 0 < at < end < len(words) or fw.TURN in map(table.get, words):
        return words
    tail = [word for word in words[end + 1 :] if word != "first"]
    tail = tail if "before" not in tail else tail[: tail.index("before")]
    return ["ask", *words[at + 1 : end], *tail, *_before(words[:at], table)]


def _as_order(words: list[str], table: Mapping[str, int]) -> list[str]:
    """Reads "never A without B" as "B before A"."""
    at = next((i for i, word in enumerate(words) if word in _EXCEPT), len(words))
    head = _before(words[:at], table)
    if fw.TURN not in map(table.get, words[:at]) or at >= len(words) - 1 or not head:
        return words
    return [*words[at + 1 :], *head]


def _before(words: list[str], table: Mapping[str, int]) -> list[str]:
    """The words with "before", which governs all of them."""
    loose = (fw.TURN, fw.PREP, fw.NOTHING, fw.VOICE)
    found = [word for word in words if table.get(word) not in loose]
    return ["before", *found] if found else []
