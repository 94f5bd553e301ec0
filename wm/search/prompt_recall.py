"""Select entries that a user message recalls and that its session has not seen yet (RC-1, EP-1).

The prompt of an epoch is frozen and has limits: entries that did not fit or came later reach the
model only as text appended behind it. So only clear matches are added: a wrong one costs the
reader more than a missing one, which the search tool still finds. Reads no files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from wm.domain.memory.scope import visible
from wm.domain.memory.select import line
from wm.formats.workspace_memory import MemoryEntry
from wm.search.documents import Hit
from wm.search.pinned import is_standing
from wm.search.tool_rendering import NOTICE, fenced, short_id
from wm.settings import MemorySettings, RecallSettings
from wm.text.escape import neutralise
from wm.text.sentences import sentences
from wm.text.tables import Tables
from wm.text.terms import STOP_WORDS, only_asks, query_words, raw_words

WORDS = Tables("wm.search")

PINNED = "Pinned by the user, and not in your system prompt:"
RECALLED = "Recalled for this message:"
QUESTION_MARKS = ("?", "？", "؟")
BEFORE_TASK = frozenset(WORDS.words("before_task"))
"""Words that may come before the verb of a task."""
_FIRST_PERSON = frozenset(WORDS.words("first_person"))

TASK_WORDS = 3
"""Telling words of a sentence that is read as a task."""

Match = tuple[MemoryEntry, Hit]


def untold(
    entries: Iterable[MemoryEntry], branch: str | None, known: Collection[str]
) -> tuple[MemoryEntry, ...]:
    """Active entries of this branch that the session has not seen. known: ids it has seen."""
    return tuple(
        entry
        for entry in entries
        if entry.status == "active" and entry.id not in known and visible(entry.scope, branch)
    )


def questions(message: str, settings: RecallSettings) -> tuple[str, ...]:
    """The queries for a message: its first sentences, one query each, because a long message has
    several topics. Client commands (`/clear`) give none."""
    text = message.strip()[: settings.prompt_read_chars]
    if text.startswith("/") and " " not in text:
        return ()
    return sentences(text)[: settings.prompt_sentences]


def chosen(
    found: Sequence[tuple[str, Sequence[Match]]], settings: RecallSettings
) -> tuple[MemoryEntry, ...]:
    """The entries that the queries recall, best first, without repeats: clear matches, and the one
    rule that fits a task best. found: each query with its hits, best first."""
    clear = [
        pair
        for query, pairs in found
        for pair in pairs
        if pair[1].confidence >= settings.prompt_confidence and not is_chatter(query)
    ]
    clear += sorted(
        (pair for query, pairs in found for pair in _behind_task(query, pairs, settings)),
        key=lambda pair: -pair[1].confidence,
    )[:1]
    clear.sort(key=lambda pair: (-pair[1].confidence, pair[0].id))
    once = {entry.id: entry for entry, _ in clear}
    return tuple(once.values())


def is_chatter(query: str) -> bool:
    """Whether a sentence has no topic of its own: one telling word at most, and no question ("run
    it again" is not a query for entries about runs)."""
    return len(_telling(query)) < 2 and not query.rstrip().endswith(QUESTION_MARKS)


def _behind_task(query: str, pairs: Sequence[Match], settings: RecallSettings) -> Sequence[Match]:
    """The rule, decision or fact that a task concerns: "add a list endpoint" names lists, so how
    lists are paged matters, though no word asks for it. Less sure than a clear match, so it must
    lead, and a question is not a task."""
    if not pairs or not is_task(query):
        return ()
    (entry, hit), *others = pairs
    rival = others[0][1].confidence if others else 0.0
    sure = hit.confidence >= settings.task_confidence
    leads = hit.confidence - rival >= settings.task_lead
    return pairs[:1] if sure and leads and entry.type != "reference" else ()


def is_task(query: str) -> bool:
    """Whether a sentence asks for work: it begins with a verb or a thing, not with what is spoken
    of ("it looks …", "I pushed …"), and is not a question. An
    order has no first person."""
    words = [word.lower().strip(".,;:!") for word in raw_words(query)]
    first = next((word for word in words if word not in BEFORE_TASK), "")
    reports = not _FIRST_PERSON.isdisjoint(words) or first in STOP_WORDS
    asked = query.rstrip().endswith(QUESTION_MARKS)
    return bool(first) and not reports and not asked and len(_telling(query)) >= TASK_WORDS


def _telling(query: str) -> list[str]:
    return [word for word in query_words(query) if not only_asks(word)]


def pinned(entries: Iterable[MemoryEntry], branch: str | None) -> tuple[MemoryEntry, ...]:
    return tuple(entry for entry in entries if is_standing(entry, branch))


def notice(
    standing: Sequence[MemoryEntry],
    recalled: Sequence[MemoryEntry],
    settings: RecallSettings,
    shown: MemorySettings,
) -> tuple[str, tuple[str, ...]]:
    """The text for the model and the ids of the entries in it; ("", ()) for nothing.

    Whole entries in prompt format, as many as fit: standing ones first, each section with its
    own limit.
    """
    parts: list[str] = []
    ids: list[str] = []
    for label, entries, count, room in (
        (PINNED, standing, settings.standing_entries, settings.standing_chars),
        (RECALLED, recalled, settings.prompt_entries, settings.prompt_chars),
    ):
        own = [label]
        for entry in entries:
            said = f"- {short_id(entry)} [{entry.type}, {entry.created_at[:10]}] "
            said += line(entry, shown)[2:]
            if entry.id not in ids and len(own) <= count and len(said) <= room:
                own.append(neutralise(said))
                ids.append(entry.id)
                room -= len(said)
        parts += own if len(own) > 1 else []
    if not ids:
        return "", ()
    return "\n".join([NOTICE, *fenced(parts)]), tuple(ids)
