"""The meaning of gate, selection and evidence codes, in words for people.

Programs read the codes; nothing here decides anything. An unlisted code is shown as it is, with
spaces.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import TEAM, MemoryEntry
from wm.text.tables import Tables

_TABLES = Tables("wm.ops")

REASONS = dict(_TABLES.rows("reasons", columns=2))
HAPPENED = {(kind, outcome): said for kind, outcome, said in _TABLES.rows("happened", columns=3)}
"""(evidence type, outcome) -> what happened to the entry."""
BESIDE = dict(_TABLES.rows("beside", columns=2))
"""Detail that names a second entry -> what happened to that one."""
CAME_FROM = {
    (source, origin): said for source, origin, said in _TABLES.rows("came_from", columns=3)
}
"""(source, origin) -> where an entry came from."""


def came_from(entry: MemoryEntry) -> str:
    """Where an entry came from."""
    if "not_attributable" in entry.reasons and entry.source == "compaction":
        return "from a summary, source unknown"
    if entry.origin.startswith(TEAM):
        return f"shared by {entry.origin.removeprefix(TEAM)}"
    known = CAME_FROM.get((entry.source, entry.origin))
    return known or f"{entry.source}, from {entry.origin}"


def reason(code: str) -> str:
    """The reason as a clause."""
    return REASONS.get(code, code.replace("_", " ").replace(":", ": "))


def reasons(codes: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(reason(code) for code in codes))


def sentence_of(record: EvidenceRecord, *, of: str = "") -> str:
    """What happened, and why, without the time. of: the entry whose history is shown."""
    what = HAPPENED.get(
        (record.type, record.outcome), f"{record.type.replace('_', ' ')}: {record.outcome}"
    )
    if of and record.entry != of:
        beside = (name for name in BESIDE if of in _as_ids(record.details.get(name)))
        what = next((BESIDE[name].format(entry=record.entry) for name in beside), what)
    elif record.details.get("undoes"):
        what = f"{what}, by undoing {record.details['undoes']}"
    why = f" ({reasons(record.reason_codes)})" if record.reason_codes else ""
    return f"{what}{why}"


def text_of(record: EvidenceRecord) -> str:
    """The text that the record quotes; "" if none."""
    return str(record.details.get("text") or record.details.get("preview") or "")


def _as_ids(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def happened(record: EvidenceRecord, *, of: str = "") -> str:
    """One line of an entry's history: when, what, and why."""
    return f"{record.created_at[:16].replace('T', ' ')}  {sentence_of(record, of=of)}"
