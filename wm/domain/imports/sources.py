"""Every source of `wm import`, strongest first: recognises a file by its path or shape.

If two sources state one fact, the first one is kept. A new source is one module and one row.
Opens no files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wm.api.imports import ImportFact
from wm.domain.imports import instructions, opencode_v1, opencode_v2, transcripts, wm_export
from wm.domain.imports.foreign import ImportSource

SOURCES: Mapping[str, ImportSource] = {
    one.SOURCE.name: one.SOURCE
    for one in (opencode_v2, opencode_v1, wm_export, instructions, transcripts)
}


def as_user_statement(fact: ImportFact) -> ImportFact:
    """A statement as if the person said it now; an entry of another program's store as it is."""
    if not SOURCES[fact.came_from].can_be_users:
        return fact
    return fact.model_copy(update={"status": "active", "reasons": (), "is_users": True})


def source_of(parts: tuple[str, ...], value: object = None) -> ImportSource | None:
    """The source of a file, by its path, else by the shape of its JSON; None if neither matches."""
    named = next((s for s in SOURCES.values() if s.wants(parts)), None)
    if named is not None or not isinstance(value, dict):
        return named
    if set(value) >= wm_export.MARKS:
        return wm_export.SOURCE
    if isinstance(value.get("entries"), list) or "pendingMemories" in value:
        return opencode_v2.SOURCE
    shapes = {"blocks", "slots", "pool", "items"}
    return opencode_v1.SOURCE if shapes & set(value) else None


def in_order(facts: Iterable[ImportFact]) -> list[ImportFact]:
    """Statements in the order in which they are admitted: what was said in sessions is last, the
    oldest first, so that a later sentence replaces an earlier one; each once, at its last time."""
    given = list(facts)
    said = {one.id: one for one in sorted(given, key=_at) if one.came_from == transcripts.NAME}
    others = (one for one in given if one.came_from != transcripts.NAME)
    return [*others, *sorted(said.values(), key=_at)]


def _at(fact: ImportFact) -> str:
    return fact.created_at
