"""Every source of `wm import`, strongest first: recognises a file by its path or shape.

If two sources state one fact, the first one is kept. A new source is one module and one row.
Opens no files.
"""

from __future__ import annotations

from collections.abc import Mapping

from wm.domain.imports import instructions, opencode_v1, opencode_v2, wm_export
from wm.domain.imports.foreign import ImportSource

SOURCES: Mapping[str, ImportSource] = {
    source.name: source
    for source in (opencode_v2.SOURCE, opencode_v1.SOURCE, wm_export.SOURCE, instructions.SOURCE)
}


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
