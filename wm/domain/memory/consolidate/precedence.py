"""Which of two entries counts: who said them, and what may represent or replace what (WM-5, TR-3).

Compares entries one by one; which of them state one fact is decided elsewhere. Pure.
"""

from __future__ import annotations

from wm.formats.workspace_memory import MemoryEntry
from wm.text.letters import canonical

SOURCE_RANK = {"explicit": 4, "manual": 3, "stated": 2, "compaction": 1}
USER_SOURCES = ("explicit", "manual", "stated")
SPECIFICITY_CHARS = 10
"""Texts whose lengths differ by no more than this are equally specific."""
ADMISSIBLE = ("active", "inbox")


def is_users(entry: MemoryEntry) -> bool:
    """Whether it is a statement of the user: only those retire others."""
    return entry.origin == "user" and not entry.tainted and entry.source in USER_SOURCES


def is_models(entry: MemoryEntry) -> bool:
    """Whether a model wrote it, perhaps after what the user said."""
    return entry.origin in ("agent", "tool") or (
        entry.origin == "user" and entry.source == "compaction"
    )


def may_share(known: MemoryEntry, entry: MemoryEntry) -> bool:
    """Whether equal words of the two are one fact: of one type, or of a type that `wm` guessed."""
    guessed = known.source in GUESSED_TYPE or entry.source in GUESSED_TYPE
    return known.type == entry.type or guessed


GUESSED_TYPE = ("stated", "explicit")
"""Sources of entries whose type is guessed from a user's words."""


def comparable(known: MemoryEntry, entry: MemoryEntry) -> bool:
    """Whether `known` may represent `entry`: it must be in force in the scope of the new entry."""
    if known.status not in ADMISSIBLE or known.outside or entry.outside:
        return False
    return known.scope in (entry.scope, "workspace")


def outranks(entry: MemoryEntry, known: MemoryEntry) -> bool:
    """What no model wrote comes first. Then compare by source, then confidence, then the more
    specific, then the newer.

    Of two spellings of one canonical text with the same rank the present one stays: refs, pins and
    epochs name its id, and a recurrence must not add an entry each time.
    """
    a = (not is_models(entry), SOURCE_RANK.get(entry.source, 0), entry.confidence)
    b = (not is_models(known), SOURCE_RANK.get(known.source, 0), known.confidence)
    if a != b:
        return a > b
    text, other = canonical(entry.text), canonical(known.text)
    if text == other:
        return False
    if abs(len(text) - len(other)) > SPECIFICITY_CHARS:
        return len(text) > len(other)
    return (entry.created_at, entry.id) > (known.created_at, known.id)


def protection(old: MemoryEntry | None) -> str:
    """The code of the reason why a model may not replace this entry, or ""."""
    if old is None or old.status != "active":
        return "memory_ref_target_unavailable"
    if old.source != "compaction":
        return "protected_memory_source"
    if old.reinforcement_count > 0:
        return "protected_reinforced_target"
    if old.pinned or old.user_importance == "high":
        return "protected_by_user"
    return ""
