"""Convert older files step by step to the current version (ID-5). Pure: values in, values out.

`upgrade` takes the parsed JSON of a file of any version ever written. It returns a newer
version unchanged, and the store refuses to write it. Every version ever written has a golden
file in `tests/formats/golden/<slug>/`.

Converters keep unknown fields and never raise for an invalid value: they leave it to the model
to refuse, so that the file is moved to quarantine with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from wm.formats.registry import REGISTRY, current_version
from wm.formats.workspace_memory import MemoryEntry

Json = dict[str, Any]
Converter = Callable[[Json], Json]


def upgrade(slug: str, data: Json) -> Json:
    """Return the document in the current version of its format; `data` itself if it is current.

    Raises KeyError for an unknown slug.
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


# --- written by hand ---------------------------------------------------------------------------

_LEFT_OUT = {"id": "", "type": "", "text": "", "source": "manual", "createdAt": "", "updatedAt": ""}


def complete(slug: str, data: Json) -> Json:
    """Fill in the fields that people leave out of an entry that they write by hand.

    Only for bytes that wm did not write. `domain.memory.outside_changes` then gives the entry its
    id, type and dates; without this step, one such entry would make the complete file unreadable.
    """
    entries = data.get("entries")
    if slug != "workspace_memory" or not isinstance(entries, list):
        return data
    return {**data, "entries": [_completed(e) if isinstance(e, dict) else e for e in entries]}


def _completed(entry: Json) -> Json:
    given = {name: value for name, value in entry.items() if value is not None}
    return {**_LEFT_OUT, **given}


# --- workspace_memory 1 -> 2: the file of the three-layer plugin ------------------------------

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
    """Convert an entry. Version 1 had neither origin nor scope, and some times in milliseconds.

    Ids are kept (`mem_…`), because evidence and `supersedes` refer to them.
    """
    known = {field.alias for field in MemoryEntry.model_fields.values()}
    # Version 1 wrote null for "none"; this version leaves an empty field out.
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
    """Convert milliseconds since 1970 to ISO 8601; return text and invalid values unchanged."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return value
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)
    except OverflowError:
        # The date is out of range. Age 0, as for every invalid date (WM-2).
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


STEPS: Mapping[tuple[str, int], Converter] = {
    ("workspace_memory", 1): _workspace_memory_1,
    ("workspace_memory", 2): dict,
}
"""(slug, version) -> the converter to the next version. Version 3 of the workspace memory adds
words (source `stated`, scope `user`), so every version 2 file is valid; the number makes an older
`wm` refuse the file instead of showing entries whose scope it does not know."""
