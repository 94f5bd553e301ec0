"""Read acts from the evidence log, and which of them were undone (WM-7).

An act is a record that changed an entry: a person requested it, edited, pinned or forgot it. An
undo is an act as well; its record names the act that it reverses (`undoes`). Reads records only;
`undo` computes the reversal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from wm.formats.evidence import EvidenceRecord

ASKED = ("explicit", "manual")
"""Sources of requested entries; wm learned the other entries by itself."""

SAID = (*ASKED, "stated")
"""Sources of entries in the words of a person or of an agent's tool call."""

SOURCE_RANK = {"explicit": 4, "manual": 3, "stated": 2, "compaction": 1}
"""The stronger source has the higher rank."""

IMPORTED = "import_finished"
"""The type of the record of an import. The record of each entry names it as its `command`."""

DECIDED = "inbox_decided"
"""The type of the record of a decision about several entries of the inbox, in the same way."""

REVERTED = "command_undone"
"""The type of the record that reverses one of those, or such a reversal."""

RESCOPED = "memory_rescoped"
"""The type of the record of an entry that moved between a workspace and the user's memory."""

_WORDS = {
    ("memory_promoted", "promoted"): "remember",
    ("memory_superseded", "superseded"): "remember",
    ("memory_absorbed", "absorbed"): "remember",
    ("memory_inbox", "inbox"): "remember",
    ("memory_imported", "promoted"): "import",
    ("memory_imported", "inbox"): "import",
    ("memory_imported", "superseded"): "import",
    (IMPORTED, "changed"): "import",
    (DECIDED, "accepted"): "accept",
    (DECIDED, "trashed"): "reject",
    (REVERTED, "changed"): "undo",
    ("memory_received", "promoted"): "receive",
    ("memory_received", "inbox"): "receive",
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
    (RESCOPED, "changed"): "rescope",
}
"""(type, outcome) -> the verb. Records that changed nothing have none."""

_ONE_FIELD: Mapping[tuple[str, ...], str] = {("pinned",): "pin", ("user_importance",): "importance"}


class Act(Struct, frozen=True):
    """One act. word: remember, learn, import, receive (from another author or another machine),
    edit, pin, importance, forget, restore, accept, reject, return, reinforce, rescope or move. by:
    user, agent (through its tool), sync, or model (a compaction). undone_by: the record that
    reversed this act, if the reversal is still in effect."""

    record: EvidenceRecord
    word: str
    by: str
    undone_by: str = ""

    @property
    def undoes(self) -> str:
        """The id of the record that this act reverses, or ""."""
        return str(self.record.details.get("undoes") or "")

    @property
    def command(self) -> str:
        """The id of the record of the whole command that this act is a part of, or ""."""
        return str(self.record.details.get("command") or "")

    @property
    def is_command(self) -> bool:
        """Whether this act represents all acts of one command."""
        return self.record.type in (IMPORTED, DECIDED, REVERTED)


def acts(records: Iterable[EvidenceRecord]) -> tuple[Act, ...]:
    """The acts among the records, newest first. records: oldest first, the order of the log."""
    found: list[Act] = []
    undone: dict[str, str] = {}
    for record in reversed(tuple(records)):
        act = Act(record, _word(record), _by(record), undone.get(record.event_id, ""))
        # A reversal is newer than the act that it reverses, so its own state is already known.
        if act.undoes and not act.undone_by:
            undone[act.undoes] = record.event_id
        if act.word:
            found.append(act)
    return tuple(found)


def newest(found: Iterable[Act]) -> Act | None:
    """The user's newest act in effect. Reversals are skipped, so that a second `undo` goes further
    back; to redo, the user names the act. Parts of a command are undone with it."""
    mine = (a for a in found if a.by == "user" and not a.command)
    return next((a for a in mine if not a.undone_by and not a.undoes), None)


def change_of_session(records: Sequence[EvidenceRecord], act: Act | None) -> str:
    """Describe what a person changed in a session's own memory after this act (None: at any time),
    or "". The evidence does not contain the session's texts, so undo cannot reverse it."""
    for record in reversed(records):
        if act is not None and record.event_id == act.record.event_id:
            return ""
        if record.phase == "user" and record.type == "core_changed":
            return f"a change of the core block {record.details.get('block')}"
        if record.phase == "user" and record.type == "working_cleared":
            return "taking items out of the working memory"
    return ""


def named(found: Iterable[Act], wanted: str) -> tuple[Act, ...]:
    """The acts that `wanted` names: by record id or its beginning; an entry's id names the newest
    act in effect on that entry."""
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
        return ""  # shown with the acceptance that caused it
    if record.type == "memory_absorbed" and "elapsed_window" not in record.reason_codes:
        return ""
    if record.type == "memory_inbox" and record.details.get("of"):
        return "edit"
    if record.details.get("history") and not record.details.get("command"):
        return ""  # imported as history by an older wm, which undoes one entry at a time
    if word == "edit":
        return _ONE_FIELD.get(record.reason_codes, word)
    if word == "remember" and str(record.details.get("source") or "compaction") not in ASKED:
        return "learn"
    return word


def _by(record: EvidenceRecord) -> str:
    if record.phase in ("user", "agent", "sync"):
        return record.phase
    if record.type == "memory_inbox" and record.details.get("of"):
        return "user"
    if str(record.details.get("source") or "") not in SAID:
        return "model"
    origin = str(record.details.get("origin") or "user")
    return "user" if origin in ("user", "import") else "agent"
