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
from wm.search.tool_rendering import FENCE, NOTICE, short_id
from wm.settings import MemorySettings, RecallSettings
from wm.text.escape import neutralise
from wm.text.sentences import sentences

PINNED = "Pinned by the user, and not in your system prompt:"
RECALLED = "Recalled for this message:"


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
    found: Sequence[tuple[MemoryEntry, Hit]], settings: RecallSettings
) -> tuple[MemoryEntry, ...]:
    """The entries of all queries that are clear matches, best first, without repeats."""
    clear = [pair for pair in found if pair[1].confidence >= settings.prompt_confidence]
    clear.sort(key=lambda pair: (-pair[1].confidence, pair[0].id))
    once = {entry.id: entry for entry, _ in clear}
    return tuple(once.values())


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
    return "\n".join([NOTICE, f"<{FENCE}>", *parts, f"</{FENCE}>"]), tuple(ids)
