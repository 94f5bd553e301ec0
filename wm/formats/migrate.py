"""Older files, step by step to the present (ID-5). Pure: values in, values out.

`upgrade` takes the parsed JSON of a file of any version we ever wrote. A newer version is not
ours to judge: it comes back untouched and the store refuses to write it. Every version ever
written has a golden file in `tests/formats/golden/<slug>/`.

Converters keep fields that they do not know, and never raise over a value that makes no sense:
they leave it for the model to refuse, so that the file ends in quarantine with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from wm.formats.registry import REGISTRY, current_version
from wm.formats.workspace_memory import MemoryEntry

Json = dict[str, Any]
Converter = Callable[[Json], Json]


def upgrade(slug: str, data: Json) -> Json:
    """The document in the current version of its format; `data` itself where nothing is due.

    Raises KeyError for a slug that is no format.
    """
    newest = current_version(REGISTRY[slug])
    version = data.get("version")
    while type(version) is int and version < newest:
        step = STEPS.get((slug, version))
        if step is None:
            return data
        data = step(data)
        version += 1
        data["version"] = version
    return data


# --- workspace_memory 1 -> 2: the three-layer plugin's file becomes ours ---------------------

_TIMES = ("createdAt", "updatedAt", "retentionClock", "lastReinforcedAt")


def _workspace_memory_1(old: Json) -> Json:
    entries = old.get("entries")
    new = dict(old)
    for name in ("lastActivityAt", "updatedAt"):
        if name in new:
            new[name] = _time(new[name])
    if isinstance(entries, list):
        new["entries"] = [_entry_1(e) if isinstance(e, dict) else e for e in entries]
    return new


def _entry_1(old: Json) -> Json:
    """Version 1 knew neither origin nor scope, and counted some times in milliseconds.

    Ids stay (`mem_…`): evidence and `supersedes` speak of them.
    """
    known = {field.alias for field in MemoryEntry.model_fields.values()}
    # null stood for "none" there; here an empty field is left out.
    new = {name: value for name, value in old.items() if value is not None or name not in known}
    for name in _TIMES:
        if name in new:
            new[name] = _time(new[name])
    if isinstance(new.get("supersedes"), str):
        new["supersedes"] = [new["supersedes"]]
    new.setdefault("origin", "user" if new.get("source") == "explicit" else "agent")
    new.setdefault("scope", "workspace")
    return new


def _time(value: Any) -> Any:
    """Milliseconds since 1970 as ISO 8601; text and everything impossible as it was."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return value
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)
    except OverflowError:
        # No calendar has this day. Age 0, as for every invalid date (WM-2).
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


STEPS: Mapping[tuple[str, int], Converter] = MappingProxyType(
    {("workspace_memory", 1): _workspace_memory_1}
)
"""(slug, version) -> the converter to the next version."""
