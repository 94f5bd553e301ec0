"""The meaning of gate, selection and evidence codes, and the labels of entries, in plain words.

Programs read the codes; nothing here decides anything. An unlisted code is shown as it is, with
spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import TEAM, MemoryEntry
from wm.text.tables import Tables

_TABLES = Tables("wm.ops")

REASONS = dict(_TABLES.rows("reasons", columns=2))
HAPPENED = {(kind, outcome): said for kind, outcome, said in _TABLES.rows("happened", columns=3)}
"""(evidence type, outcome) -> what happened to the entry."""
ITSELF = tuple(_TABLES.rows("itself", columns=3))
"""Evidence type, detail that names other entries, what happened to the entry itself."""
BESIDE = dict(_TABLES.rows("beside", columns=2))
"""Detail that names a second entry -> what happened to that one."""
CAME_FROM = {
    (source, origin): said for source, origin, said in _TABLES.rows("came_from", columns=3)
}
"""(source, origin) -> where an entry came from."""
SHORT_ID = 10
"""Length of an id as shown to a person: `m_` and eight hex digits. Commands accept this form."""


SHORT_CHARS = 60
"""Characters of an entry that a sentence about it quotes."""


def quoted(entries: Iterable[MemoryEntry]) -> str:
    """The beginnings of the texts of entries, for a sentence that a person reads."""
    return ", ".join(f"“{shortened(e.text.removesuffix('.'))}”" for e in entries)


def shortened(text: str) -> str:
    return text if len(text) <= SHORT_CHARS else f"{text[:SHORT_CHARS]}…"


def came_from(entry: MemoryEntry) -> str:
    """Where an entry came from."""
    if "not_attributable" in entry.reasons and entry.source == "compaction":
        return "from a summary, source unknown"
    if entry.origin.startswith(TEAM):
        return f"shared by {entry.origin.removeprefix(TEAM)}"
    known = CAME_FROM.get((entry.source, entry.origin))
    return known or f"{entry.source}, from {entry.origin}"


def marks(entry: MemoryEntry) -> list[str]:
    """Labels of an entry: its source, then what is special about it."""
    found = (
        came_from(entry),
        "pinned" if entry.pinned else "",
        f"{entry.user_importance} importance" if entry.user_importance != "normal" else "",
        f"seen again {entry.reinforcement_count}×" if entry.reinforcement_count else "",
        f"the file {entry.file}" if entry.file else "",
    )
    return [*filter(None, found), *doubts(entry)]


def doubts(entry: MemoryEntry) -> list[str]:
    """What a reader must know before relying on an entry."""
    where = "" if entry.scope == "workspace" else f"only on {entry.scope.replace(':', ' ', 1)}"
    perhaps = "perhaps " if "not_attributable" in entry.reasons else ""
    by = f" by {entry.superseded_by[:SHORT_ID]}" if entry.superseded_by else ""
    replaced = f"replaced{by} on {entry.updated_at[:16].replace('T', ' ')} UTC"
    differs = f"may contradict {', '.join(entry.conflicts)}: `wm inbox` asks which is right"
    found = (
        "in all your projects" if entry.scope == "user" else where,
        f"{perhaps}from text of tools, files or the web (tainted)" if entry.tainted else "",
        f"suspect: {reason(f'anchor_{entry.suspect}')}" if entry.suspect else "",
        replaced if entry.status == "superseded" else "",
        differs if entry.conflicts and entry.status == "active" else "",
    )
    return list(filter(None, found))


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
    for kind, detail, said in ITSELF:
        if record.type == kind and (others := record.details.get(detail)):
            names = _as_ids(others)
            what = said.format(others=", ".join(map(str, names)), count=len(names))
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
