"""What was done to entries, read from the evidence, and what of it was taken back (WM-7).

An act is a record that changed an entry: somebody asked for it, edited, pinned, forgot. Taking
an act back is an act as well; its record names the one it takes back (`undoes`). Reads records
only; what taking back means is `reversal`'s work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from wm.formats.evidence import EvidenceRecord

ASKED = ("explicit", "manual")
"""Sources of what somebody asked for; the rest was learned from a compaction."""

_WORDS = MappingProxyType(
    {
        ("memory_promoted", "promoted"): "remember",
        ("memory_superseded", "superseded"): "remember",
        ("memory_absorbed", "absorbed"): "remember",
        ("memory_inbox", "inbox"): "remember",
        ("memory_imported", "promoted"): "import",
        ("memory_imported", "inbox"): "import",
        ("memory_imported", "superseded"): "import",
        ("memory_edited", "changed"): "edit",
        ("memory_trashed", "trashed"): "forget",
        ("memory_restored", "restored"): "restore",
        ("memory_accepted", "accepted"): "accept",
        ("memory_accepted", "absorbed"): "accept",
        ("memory_returned", "inbox"): "return",
        ("memory_rejected", "trashed"): "reject",
        ("memory_reinforced", "reinforced"): "reinforce",
        ("outside_accepted", "changed"): "accept",
        ("outside_accepted", "accepted"): "accept",
        ("outside_accepted", "trashed"): "accept",
        ("workspace_moved", "changed"): "move",
    }
)
"""(type, outcome) -> the verb. Records that changed nothing have none."""

_ONE_FIELD: Mapping[tuple[str, ...], str] = MappingProxyType(
    {("pinned",): "pin", ("user_importance",): "importance"}
)


class Act(Struct, frozen=True):
    """One act. word: remember, learn, import, edit, pin, importance, forget, restore, accept,
    reject, return, reinforce or move. by: user, agent (its tool asked), or model (a compaction).
    undone_by: the record that took it back, as far as that is still in effect."""

    record: EvidenceRecord
    word: str
    by: str
    undone_by: str = ""

    @property
    def undoes(self) -> str:
        """The record that this act takes back, "" if it takes none back."""
        return str(self.record.details.get("undoes") or "")


def acts(records: Iterable[EvidenceRecord]) -> tuple[Act, ...]:
    """The acts among the records (oldest first, as the log has them), newest first."""
    found: list[Act] = []
    undone: dict[str, str] = {}
    for record in reversed(tuple(records)):
        act = Act(record, _word(record), _by(record), undone.get(record.event_id, ""))
        # What took something back comes later than it, so whether it counts is known by now.
        if act.undoes and not act.undone_by:
            undone[act.undoes] = record.event_id
        if act.word:
            found.append(act)
    return tuple(found)


def newest(found: Iterable[Act]) -> Act | None:
    """The newest act of a person that is in effect. One that took another back is passed over:
    a second `undo` goes further back; to redo, the act is named."""
    return next(
        (a for a in found if a.by == "user" and not a.undone_by and not a.undoes),
        None,
    )


def change_of_session(records: Sequence[EvidenceRecord], act: Act | None) -> str:
    """What a person changed in a session's own memory after this act (None: ever), in words; ""
    for nothing. The evidence does not hold its texts, so it cannot be taken back."""
    for record in reversed(records):
        if act is not None and record.event_id == act.record.event_id:
            return ""
        if record.phase == "user" and record.type == "core_changed":
            return f"a change of the core block {record.details.get('block')}"
        if record.phase == "user" and record.type == "working_cleared":
            return "taking items out of the working memory"
    return ""


def named(found: Iterable[Act], wanted: str) -> tuple[Act, ...]:
    """The acts that `wanted` means: by the id of the record or its beginning; an entry's id
    means the newest act on that entry that is in effect."""
    found = tuple(found)
    exact = tuple(a for a in found if a.record.event_id == wanted)
    if exact:
        return exact
    if wanted.startswith("e_"):
        return tuple(a for a in found if a.record.event_id.startswith(wanted))
    on_entry = (a for a in found if a.record.entry == wanted and not a.undone_by)
    return tuple(a for a in on_entry if not a.undoes)[:1]


def _word(record: EvidenceRecord) -> str:
    word = _WORDS.get((record.type, record.outcome), "")
    if record.type == "memory_superseded" and record.phase == "user":
        return ""  # told beside the acceptance that did it
    if record.type == "memory_absorbed" and "elapsed_window" not in record.reason_codes:
        return ""
    if record.type == "memory_inbox" and record.details.get("of"):
        return "edit"
    if word == "import" and record.details.get("history"):
        return ""  # it came in as replaced; nothing else depends on it
    if word == "edit":
        return _ONE_FIELD.get(record.reason_codes, word)
    if word == "remember" and str(record.details.get("source") or "compaction") not in ASKED:
        return "learn"
    return word


def _by(record: EvidenceRecord) -> str:
    if record.phase in ("user", "agent"):
        return record.phase
    if record.type == "memory_inbox" and record.details.get("of"):
        return "user"
    if str(record.details.get("source") or "") not in ASKED:
        return "model"
    origin = str(record.details.get("origin") or "user")
    return "user" if origin in ("user", "import") else "agent"
