"""Find what the user asks to forget, line by line: "forget that the port is 80" (EX-1).

A row of `trigger_words.FORGETS` asks; one of `MENTIONS` asks only if it says what holds instead or
no task follows: "forget about the cache, fix the login" is a task. Which memory is meant is decided
elsewhere (`tombstones.named`). Pure and linear (EX-6).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, islice

from wm.domain.change.statement import reading
from wm.domain.learning import inner_requests, trigger_words
from wm.domain.learning.concepts import concepts_of, folded, language
from wm.domain.learning.opening_requests import any_row, row_patterns, tidy
from wm.domain.learning.stated import statements
from wm.domain.learning.typed_lines import (
    ANY_LEADS,
    MOST_SENTENCES,
    PART_END,
    MessageText,
    asks_back,
    plain_of,
    without_lead,
)
from wm.settings import GateSettings
from wm.text.letters import WordPattern, canonical
from wm.text.patterns import Lazy, encoded
from wm.text.sentence_forms import PATH
from wm.text.word_grams import JOINED

HINT = WordPattern(inner_requests.words_of("forget_hint"))
"""A word without which a message asks to forget nothing."""

ANY_LINE = WordPattern(
    ANY_LEADS + any_row(trigger_words.FORGETS + trigger_words.MENTIONS), multi_line=True
)
"""A line that may ask to forget something."""

_FORGETS = row_patterns(trigger_words.FORGETS)
_MENTIONS = row_patterns(trigger_words.MENTIONS)


def forgets_in(message: MessageText, settings: GateSettings) -> dict[int, str]:
    """The numbers of the lines that ask to forget something, each with what that is."""
    texts: dict[int, str] = {}
    for number in islice(ANY_LINE.line_numbers(message.plain), 4 * settings.max_requests):
        after = "\n".join(message.lines[number + 1 : number + MOST_SENTENCES])
        text = forgotten(message.lines[number], settings.max_line_chars, after)
        if text is not None and not message.origins[number]:
            texts[number] = text
        if len(texts) >= settings.max_requests:
            break
    return texts


def forgotten(line: str, most: int, after: str | None = "") -> str | None:
    """What the line asks to forget, or None. after: the lines below it, None if they are not known.
    A phrase of `MENTIONS` asks to forget only if no task follows; with None, only if it also says
    what holds instead."""
    body, plain = without_lead(line)
    matches = ((row, row[1].match(plain)) for row in (*_FORGETS, *_MENTIONS))
    row, found = next(((row, m) for row, m in matches if m is not None), (None, None))
    if found is None or asks_back(body):
        return None
    begin, end = found.span(1)
    named = tidy(body[begin:end], most)
    text = _topic(named)
    said = folded(text)
    lang = language(said)
    concepts = concepts_of(said, lang)
    if "retract" in concepts.first or "limit" in concepts.anywhere:
        return None  # "아니다, 잊어 줘" takes back what was said before; "for now" forgets nothing
    in_file = "workfile" in concepts.anywhere or PATH.is_match(text)
    if in_file and _NOTE.is_match(plain[:begin] + plain[end:]):
        return None  # "delete the note about ports from the README"
    least = 1 if text != named else 2
    is_clear = (after is not None or text != named) and len(reading(text).words) >= least
    if row in _MENTIONS and (not is_clear or _has_task(f"{body[begin:]}\n{after or ''}", lang)):
        return None  # "forget about the cache", "forget about the cache, fix the login"
    return text or None


def _topic(text: str) -> str:
    """What is to be forgotten, without what holds in its place: "black, we use ruff instead"."""
    end = _CLAUSE_END.search(text.replace(": ", ", "))
    rest = text[end.end() :] if end is not None else ""
    if end is None or not reading(rest).words:
        return text
    return text[: end.start()] if any(one.is_certain for one in statements(rest)) else text


_NOTE = WordPattern(
    r"notiz|\bnot[aeu]\b|notitie|notatk|anteckning|kayd|заметк|запис|нотатк|"
    r"ghi ch|नोट|ملاحظة|记录|笔记|メモ|메모"
)
"""A note; beside a file, it is one in the file and not a memory."""


def _has_task(text: str, lang: str) -> bool:
    """Whether a clause after the first one is an order, or so short that it may be one:
    "arréglalo"."""
    parts = islice(filter(None, _CLAUSE_END.sub("\n", text).split("\n")), 1, MOST_SENTENCES)
    for clause in map(folded, parts):
        if lang in JOINED:
            found = concepts_of(clause, lang).anywhere
        elif len(clause.split()) < 3:
            return True
        else:
            found = concepts_of(clause, lang).first
        if not found.isdisjoint(("task", "request")):
            return True
    return False


_CLAUSE_END = Lazy(r"[,.;!]\s+|[，、；。！।]")


def beside_forgets(message: str, forgets: Iterable[str]) -> str:
    """What else a message says than what it asks to forget; "" where that is not clear."""
    for text in forgets:
        begin, end = _request_to_forget(message, text)
        message = message[:begin] + message[end:].lstrip(" ,.:;")
    return message


def _request_to_forget(message: str, text: str) -> tuple[int, int]:
    """Where the message asks to forget this text, not only mentions it; the complete message if
    that is not clear."""
    ends = accumulate(len(piece) + len(text) for piece in message.split(text, MOST_SENTENCES)[:-1])
    for end in ends:
        head = message[: end - len(text)]
        begin = max(0, head.rfind("\n") + 1, *(part.end() for part in PART_END.finditer(head)))
        asking = message[begin:].partition("\n")[0]
        if ANY_LINE.found_in(encoded(plain_of(asking) + "\n")):
            return begin, end
    return 0, len(message)


def states(text: str, gone: str) -> bool:
    """Whether a request is to keep what is to be forgotten."""
    said = canonical(text)
    return gone in said or (said in gone and len(said) * 5 > len(gone) * 4)
