"""The meaning of gate, selection and evidence codes, in words for people.

Programs read the codes; nothing here decides anything. An unlisted code is shown as it is, with
spaces.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.formats.evidence import EvidenceRecord

REASONS = {
    "active_file_snapshot": "it says which file is open now",
    "anchor_changed": "the code that it describes changed",
    "pinned_since": "it is pinned, and the session's prompt did not show it",
    "asked_about": "the message asked about it, and the session's prompt did not show it",
    "anchor_gone": "the code that it describes is gone",
    "anchor_same": "the code that it describes is unchanged again",
    "agent_file": "an agent wrote it as a memory file",
    "already_present": "it was there already",
    "already_waiting": "it was waiting already",
    "asked_in_session": "the user said so in a session",
    "bad_decision": "it states no decision",
    "bad_feedback": "it says nothing about how to work",
    "branch": "it belongs to another branch",
    "branch_gone": "the branch that it was kept for was deleted",
    "branch_merged": "the branch that it was kept for was merged",
    "char_budget": "no room was left in the prompt",
    "code_or_api_signature": "it is code; the files are the better source",
    "commit_or_ci_snapshot": "it reports one commit or one CI run",
    "compaction_snapshot_mismatch": "it answers the list of another compaction",
    "corrupt": "the memory could not be read",
    "deferral": "the user put it off until later",
    "deployment_snapshot": "it reports one deployment",
    "duplicate": "another entry says the same",
    "echo": "it repeats text of the session's own prompt",
    "duplicate_in_message": "the same message says it twice",
    "elapsed_window": "enough time has passed since the last time",
    "empty": "it has no words",
    "empty_request": "it does not say what to remember",
    "entry_cap": "stronger entries filled the list",
    "epoch_file_gone": "the saved prompt of the session (epoch file) was missing",
    "forgotten": "it was forgotten before",
    "imported": "it was imported",
    "inactive": "it is not active",
    "invalid_memory_ref": "it refers to a memory that is not in the list",
    "line_too_long": "the line is too long",
    "max_count": "it has recurred as often as wm counts",
    "may_be_same": "it may state the same fact as another entry",
    "may_contradict": "it may contradict another entry",
    "memory_ref_target_changed": "the memory that it refers to has changed",
    "memory_ref_target_unavailable": "the memory that it refers to is gone",
    "missing_compaction_snapshot_id": "it does not say which compaction's list it answers",
    "message_too_long": "the message has more lines than wm reads",
    "min_elapsed_window": "too soon to count as seen again",
    "missing_id": "it has no id",
    "negated_request": "the user said not to remember it",
    "not_promoted": "it was still waiting in the program that it came from",
    "not_admissible": "its status does not allow it",
    "outside_added": "it was added to the file by hand",
    "outside_changed": "it was changed in the file by hand",
    "outside_deleted": "it was deleted from the file by hand",
    "path_heavy": "it consists mostly of file paths",
    "progress_snapshot": "it describes progress, not a lasting fact",
    "promotion_failed": "it could not be promoted",
    "prompt_injection": "it gives orders to the model",
    "protected_by_user": "a person pinned the entry that it would replace, or rated it high",
    "protected_memory_source": "a person, not a model, added the entry that it would replace",
    "protected_reinforced_target": "the entry that it would replace was confirmed since",
    "question": "it is a question",
    "count_fell": "the number of compactions went down",
    "reviews_altered": "a legal review was changed",
    "reviews_shortened": "a legal review was removed",
    "rationale_too_long": "its rationale is too long for an entry",
    "raw_error": "it is an error message",
    "secret": "it contains what looks like a secret",
    "stale_temp": "a temporary file was left behind",
    "restored": "restored from the previous copy",
    "unreadable": "no copy could be read",
    "torn_tail": "its last line was incomplete",
    "spare_mismatch": "its previous copy differed",
    "no_spare": "its previous copy was missing",
    "stale_spare": "its previous copy was out of date",
    "damaged_spare": "its previous copy was damaged",
    "open_to_others": "other users of this machine could access it",
    "stack_trace": "it is a stack trace",
    "tainted": "it rests on text from tools, files or the web",
    "tainted_recurrence": "it recurred, but in text from tools, files or the web",
    "temporary_status": "it describes a temporary state",
    "too_long": "it is longer than an entry may be",
    "too_new": "a newer wm wrote the memory",
    "too_short": "it is too short to be understood later",
    "too_many_requests": "the message asks for more than one message may",
    "transient_bug_state": "it describes a bug, which will be fixed",
    "type_cap": "stronger entries of its type filled the list",
    "unknown_status": "its status is unknown to this version of wm",
    "unclean_section": "the section contains other text",
    "unresolved_question": "it is an open question",
    "first_in_tool_text": "its words first appeared in tool output, a file, a page or pasted text",
    "repeats_tool_text": "it repeats tool output, a file, a page or pasted text",
    "not_attributable": "nothing said in the session supports it",
    "repeats_waiting": "it repeats an entry that waits in the inbox",
    "tainted_replacement": "its replacement rests on text from tools, files or the web",
}

HAPPENED = {
    ("memory_promoted", "promoted"): "kept",
    ("memory_imported", "promoted"): "imported",
    ("memory_imported", "inbox"): "imported, to the inbox",
    ("memory_imported", "superseded"): "imported: replaced a weaker entry, or kept as history",
    ("memory_imported", "absorbed"): "imported again; an entry already says so",
    ("memory_imported", "rejected"): "refused when it was imported",
    ("memory_absorbed", "absorbed"): "recurred; counted with the entry that already says so",
    ("memory_superseded", "superseded"): "replaced an older entry, or was replaced",
    ("memory_retryable", "retryable"): "could not be stored yet; wm tries again",
    ("memory_rejected", "rejected"): "refused",
    ("memory_rejected", "trashed"): "rejected from the inbox, moved to the trash",
    ("memory_inbox", "inbox"): "sent to the inbox",
    ("memory_accepted", "accepted"): "accepted from the inbox",
    ("memory_accepted", "absorbed"): "accepted; an entry already says so",
    ("memory_edited", "changed"): "edited",
    ("memory_edited", "unchanged"): "edited, without a change",
    ("draft_renamed", "changed"): "renamed by the agent that wrote it",
    ("memory_trashed", "trashed"): "forgotten, moved to the trash",
    ("memory_returned", "inbox"): "its acceptance was undone; it waits in the inbox again",
    ("memory_restored", "restored"): "restored from the trash",
    ("memory_restored", "unchanged"): "restored from the trash; it was there already",
    ("memory_suspect", "changed"): "marked as suspect (its code changed), or the mark was removed",
    ("memory_reinforced", "reinforced"): "seen again, so it fades more slowly",
    ("memory_reinforced", "unchanged"): "seen again, too soon to count",
    ("candidate_refused", "rejected"): "proposed by a compaction, and refused",
    ("candidate_rejected", "rejected"): "proposed by a compaction, and refused",
    ("explicit_ignored", "rejected"): "said in a session, but not as a request to remember",
    ("outside_change", "inbox"): "an edit by hand was found; it waits in the inbox",
    ("outside_noticed", "noticed"): "an edit by hand was found",
    ("outside_accepted", "changed"): "an edit by hand was accepted",
    ("outside_accepted", "added"): "an edit by hand was accepted",
    ("outside_accepted", "deleted"): "a deletion by hand was accepted",
    ("outside_accepted", "unchanged"): "an edit by hand was accepted; nothing was left to do",
    ("branch_offered", "inbox"): "offered to the whole workspace; it waits in the inbox",
    ("memory_rolled_back", "changed"): "changes that models made since then were undone",
    ("store_repaired", "repaired"): "a file was repaired",
    ("workspace_moved", "changed"): "the workspace moved to another folder",
    ("candidates_deprecated", "noticed"): "a compaction answered in the deprecated format",
    ("epoch_opened", "selected"): "put into a prompt",
    ("handoff_given", "selected"): "the handoff was given to a new session",
    ("contract_counted", "changed"): "a compaction was counted in the session contract",
    (
        "contract_left_alone",
        "rejected",
    ): "a compaction was not counted: the session contract has faults",
    ("contract_accepted", "changed"): "the session contract was accepted as it is",
    ("pressure_level", "changed"): "a session's context reached another fill level",
    ("pressure_warning", "noticed"): "the agent was told how full its context is",
    ("pressure_intervention", "noticed"): "the agent was given a review of its full context",
    ("core_changed", "changed"): "a core block of a session was written",
    ("core_carried", "changed"): "core blocks were copied to another session",
    ("working_cleared", "changed"): "items of a session's working memory were removed",
    ("budget_pruned", "changed"): "old entries of AGENTS.md were moved to its archive",
    ("session_deleted", "changed"): "the files of a session were deleted",
    ("storage_swept", "changed"): "files that are no longer needed were deleted",
    ("trash_purged", "changed"): "deleted from the trash for good",
    ("memory_recalled", "selected"): "shown to a session after a user message",
    ("output_pruned", "changed"): "a tool's output was shortened before the model read it",
}
"""(evidence type, outcome) -> what happened to the entry."""


def reason(code: str) -> str:
    """The reason as a clause."""
    return REASONS.get(code, code.replace("_", " ").replace(":", ": "))


def reasons(codes: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(reason(code) for code in codes))


BESIDE = {
    "by": "replaced {entry}",
    "replaces": "replaced by {entry}",
    "included": "put into a prompt",
    "reactivated": "active again: {entry}, which had replaced it, is gone",
    "retired": "replaced again by {entry}, which was restored",
    "of": "a change to it waits in the inbox, as {entry}",
    "carriedBy": "{entry}, which says the same, was accepted with it",
    "proposal": "applied to {entry}",
}
"""Detail that names a second entry -> what happened to that one."""


def told(record: EvidenceRecord, *, of: str = "") -> str:
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


def _as_ids(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def happened(record: EvidenceRecord, *, of: str = "") -> str:
    """One line of an entry's history: when, what, and why."""
    return f"{record.created_at[:16].replace('T', ' ')}  {told(record, of=of)}"
