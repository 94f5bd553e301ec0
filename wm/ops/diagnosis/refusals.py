"""Two reports on refusals: texts that a rule refused, and commands of compactions (EV-3).

They count what the evidence records; nothing is judged again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from wm.api import diag
from wm.domain.memory.gate import SOFT
from wm.formats.evidence import EvidenceRecord
from wm.ops.diagnosis.basis import DiagnosisBasis, from_basis, is_after
from wm.ops.explanations import reasons, sentence_of, text_of
from wm.ops.operation import Operation
from wm.ops.storage.evidence import moment_of, names

COMMANDS = ("reinforce", "replace")


def _rejected(found: DiagnosisBasis, request: diag.RejectedRequest) -> diag.Rejected:
    moment = moment_of(request.since, found.work.now) if request.since else None
    rows = [
        row
        for record in reversed(found.records)
        if refuses(record) and is_after(record, moment)
        for row in [_row(record)]
        if request.reason in ("", *row.reason_codes) and (row.soft or not request.soft)
    ]
    return diag.Rejected(
        place=found.place,
        total=len(rows),
        by_reason=counted(row.reason_codes for row in rows),
        rows=tuple(rows[: max(0, request.limit)]),
    )


def refuses(record: EvidenceRecord) -> bool:
    """Did a rule refuse something, or send an explicit request to the inbox? A rejection by a
    person does not count: that is their own act."""
    if record.phase == "user":
        return False
    return record.outcome == "rejected" or (record.type, record.phase) == ("memory_inbox", "gate")


def _row(record: EvidenceRecord) -> diag.RejectedRow:
    codes = record.reason_codes
    return diag.RejectedRow(
        event=record.event_id,
        at=record.created_at,
        type=record.type,
        text=text_of(record),
        reason_codes=codes,
        sentence=sentence_of(record),
        soft=bool(codes) and all(code in SOFT for code in codes),
        entry=record.entry,
    )


def _commands(found: DiagnosisBasis, request: diag.CommandsRequest) -> diag.Commands:
    rows = [
        row
        for record in reversed(found.records)
        for row in [_command(record)]
        if row is not None and (not request.entry or names(record, request.entry))
    ]
    refused = (row.reason_codes for row in rows if not row.obeyed)
    return diag.Commands(
        place=found.place,
        total=len(rows),
        obeyed=sum(row.obeyed for row in rows),
        by_reason=counted(refused),
        rows=tuple(rows[: max(0, request.limit)]),
    )


def _command(record: EvidenceRecord) -> diag.CommandRow | None:
    action = _action(record)
    if not action:
        return None
    obeyed = record.outcome in ("reinforced", "superseded", "absorbed", "inbox")
    return diag.CommandRow(
        event=record.event_id,
        at=record.created_at,
        session=record.session,
        action=action,
        obeyed=obeyed,
        entry=record.entry,
        replaces=str(record.details.get("replaces") or ""),
        text=text_of(record),
        reason_codes=record.reason_codes,
        sentence=sentence_of(record) if obeyed else f"refused: {reasons(record.reason_codes)}",
    )


def _action(record: EvidenceRecord) -> str:
    """The command of a record: reinforce, replace or unreadable; "" if it is not a command."""
    if record.type == "candidate_refused":
        return "unreadable"
    if record.type == "memory_reinforced":
        return "reinforce"
    asked = str(record.details.get("action") or "")
    if record.type == "candidate_rejected" and asked in COMMANDS:
        return asked
    if record.phase == "promotion" and isinstance(record.details.get("replaces"), str):
        # A statement of the user names a list of entries.
        return "replace"
    return ""


def counted(codes: Iterable[tuple[str, ...]]) -> dict[str, int]:
    """Number of occurrences of each code, most frequent first."""
    counts = Counter(code for each in codes for code in each)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


diag_rejected = Operation(
    "diag_rejected", diag.RejectedRequest, diag.Rejected, from_basis(_rejected)
)
diag_commands = Operation(
    "diag_commands", diag.CommandsRequest, diag.Commands, from_basis(_commands)
)
