"""Which entries a message of the user recalls, that its session was not told of yet (RC-1, EP-1).

The prompt of an epoch is frozen and has caps: what they left out, and what came since, reaches
the model only behind what is there. So little is said, and only what stands clear: a wrong guess
costs the reader more than a missing one, which the tool still finds. Reads no files.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from wm.domain.recall.documents import Hit
from wm.domain.recall.standing import is_standing
from wm.domain.recall.told import FENCE, NOTICE, short_id
from wm.domain.text import neutralise, sentences
from wm.domain.workspace.scope import visible
from wm.domain.workspace.select import line
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import MemorySettings, RecallSettings

PINNED = "Pinned by the user, and not in your system prompt:"
RECALLED = "Recalled for this message:"


def untold(
    entries: Iterable[MemoryEntry], branch: str | None, known: Collection[str]
) -> tuple[MemoryEntry, ...]:
    """Entries in force on this branch that the session was not told of. known: ids."""
    return tuple(
        entry
        for entry in entries
        if entry.status == "active" and entry.id not in known and visible(entry.scope, branch)
    )


def questions(message: str, settings: RecallSettings) -> tuple[str, ...]:
    """What a message is looked up by: its first sentences, each for itself, because a long
    message speaks of several things. Commands of the client (`/clear`) ask nothing."""
    text = message.strip()[: settings.prompt_read_chars]
    if text.startswith("/") and " " not in text:
        return ()
    return sentences(text)[: settings.prompt_sentences]


def stands_clear(hit: Hit, searched: int, settings: RecallSettings) -> bool:
    """Does the hit hold so much of a question that it is worth to interrupt for?

    Words must say it: likeness alone is no reason. searched: entries that were looked at.
    """
    chance = settings.chance_likeness * math.sqrt(2 * math.log(max(1, searched)))
    support = hit.held + max(0.0, hit.near - chance)
    return hit.held >= settings.prompt_words and support >= settings.prompt_floor


def chosen(
    found: Sequence[tuple[MemoryEntry, Hit]], searched: int, settings: RecallSettings
) -> tuple[MemoryEntry, ...]:
    """The entries of all questions that stand clear, best first, each once."""
    clear = [(entry, hit) for entry, hit in found if stands_clear(hit, searched, settings)]
    clear.sort(key=lambda pair: (-pair[1].held - max(0.0, pair[1].near), pair[0].id))
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
    """The text for the model, and the ids that it tells of; ("", ()) for nothing.

    Whole entries, as a prompt shows them, as many as fit: standing ones first, each part with
    its own limit.
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
