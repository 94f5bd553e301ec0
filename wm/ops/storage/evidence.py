"""Find evidence records that name an entry or quote a text (EV-2). Reads only.

Records hold labels in place of secrets, so a caller must redact the text that it looks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from wm.api.protocol import SINCE
from wm.domain.evidence_retention import NAMING
from wm.domain.since import moment
from wm.errors import UserError
from wm.formats.evidence import EvidenceRecord
from wm.ops.explanations import text_of
from wm.ops.operation import LocatedWork
from wm.store.base import LogReading
from wm.text.letters import canonical

SHORTEST_PREVIEW = 20
"""Quotes of at least this length identify a text."""


def read_log(work: LocatedWork) -> LogReading:
    """The complete log of a workspace, oldest first."""
    return work.store.evidence(work.key)


def moment_of(asked: str, now: datetime) -> datetime:
    """Parse `7d`, `12h`, `2w` or a time. Raises UserError."""
    found = moment(asked, now)
    if found is None:
        raise UserError(f"{asked[:60]!r} is not a time.", fix=f"Give one of: {SINCE}.")
    return found


def names(record: EvidenceRecord, entry_id: str) -> bool:
    """Does the record name this entry, as its subject or in a detail?"""
    if record.entry == entry_id:
        return True
    return any(entry_id in _ids(record.details.get(name)) for name in NAMING)


def _ids(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


def quotes(record: EvidenceRecord, wanted: str) -> bool:
    """Does the record quote `wanted` (canonical): all of it, a part of it, or its beginning?"""
    quoted = canonical(str(record.details.get("text") or ""))
    preview = canonical(str(record.details.get("preview") or ""))
    return bool(wanted) and (
        wanted in quoted
        or wanted in preview
        or (len(preview) >= SHORTEST_PREVIEW and preview in wanted)
    )


def last_texts(records: Iterable[EvidenceRecord]) -> dict[str, str]:
    """The latest text of each entry. A recurrence quotes what was said, in other words."""
    own = (r for r in records if r.entry and r.type != "memory_absorbed")
    return {r.entry: text for r in own if (text := text_of(r))}
