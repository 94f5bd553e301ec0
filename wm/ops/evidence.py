"""Find in the evidence what speaks of an entry or quotes a text (EV-2)."""

from __future__ import annotations

from collections.abc import Iterable

from wm.domain.text import canonical
from wm.domain.workspace.keeping import NAMING
from wm.formats.evidence import EvidenceRecord
from wm.formats.protocol import Place
from wm.ops.base import Work
from wm.store.base import LogReading

SHORTEST_PREVIEW = 20
"""Quoted characters that tell one text from others."""


def read_log(work: Work, place: Place) -> LogReading:
    """The whole log of a workspace, oldest first."""
    return work.runtime.store.evidence(place.key)


def names(record: EvidenceRecord, entry_id: str) -> bool:
    """Does the record speak of this entry, itself or beside another?"""
    if record.entry == entry_id:
        return True
    return any(entry_id in _ids(record.details.get(name)) for name in NAMING)


def _ids(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


def quotes(record: EvidenceRecord, wanted: str) -> bool:
    """The text (canonical), or a part of it, was quoted whole; or a beginning of it was."""
    quoted = canonical(str(record.details.get("text") or ""))
    preview = canonical(str(record.details.get("preview") or ""))
    return bool(wanted) and (
        wanted in quoted
        or wanted in preview
        or (len(preview) >= SHORTEST_PREVIEW and preview in wanted)
    )


def text_of(record: EvidenceRecord) -> str:
    """What the record quotes, "" if nothing."""
    return str(record.details.get("text") or record.details.get("preview") or "")


def last_texts(records: Iterable[EvidenceRecord]) -> dict[str, str]:
    """What each entry said when the log last quoted it."""
    return {r.entry: text for r in records if r.entry and (text := text_of(r))}
