"""What the codes of gate, selection and evidence mean, in words for people.

Programs read the codes; nothing here decides anything. A code that is not listed is shown as
it is, with spaces.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.formats.evidence import EvidenceRecord

REASONS = {
    "active_file_snapshot": "it says which file is open now",
    "anchor_changed": "the code that it speaks of changed",
    "pinned_since": "it is pinned, and the prompt of the session did not show it",
    "asked_about": "the message asked about it, and the prompt of the session did not show it",
    "anchor_gone": "the code that it speaks of is gone",
    "anchor_same": "the code that it speaks of is again what it was",
    "agent_file": "an agent wrote it as a file of its own",
    "already_present": "it was there already",
    "already_waiting": "it was waiting already",
    "asked_in_session": "the user said so in a session",
    "bad_decision": "it decides nothing",
    "bad_feedback": "it says nothing about how to work",
    "branch": "it belongs to another branch",
    "branch_gone": "the branch that it was kept for is gone",
    "branch_merged": "the branch that it was kept for is merged",
    "char_budget": "no room was left in the prompt",
    "code_or_api_signature": "it is code, which the files say better",
    "commit_or_ci_snapshot": "it reports one commit or one CI run",
    "compaction_snapshot_mismatch": "it speaks of another list",
    "corrupt": "the memory could not be read",
    "deferral": "it was put off",
    "deployment_snapshot": "it reports one deployment",
    "duplicate": "another entry says the same",
    "echo": "it repeats what the prompt told the session",
    "duplicate_in_message": "the same message says it twice",
    "elapsed_window": "long enough after the last time",
    "empty": "it has no words",
    "empty_request": "it says nothing to keep",
    "entry_cap": "stronger entries filled the list",
    "epoch_file_gone": "the file of the epoch before is gone",
    "forgotten": "it was forgotten before",
    "imported": "it was imported",
    "inactive": "it is not active",
    "invalid_memory_ref": "it names no memory of the list",
    "line_too_long": "the line is too long",
    "max_count": "it was seen again so often that more does not count",
    "may_be_same": "it may say the same as another entry",
    "may_contradict": "it may contradict another entry",
    "memory_ref_target_changed": "the memory that it names was changed meanwhile",
    "memory_ref_target_unavailable": "the memory that it names is gone",
    "missing_compaction_snapshot_id": "it does not say which list it speaks of",
    "message_too_long": "the message has more lines than are read",
    "min_elapsed_window": "too soon to count as seen again",
    "missing_id": "it has no id",
    "negated_request": "the user said not to remember it",
    "not_promoted": "it waited for promotion where it was imported from",
    "not_admissible": "its status does not allow it",
    "outside_added": "it was added to the file by hand",
    "outside_changed": "it was changed in the file by hand",
    "outside_deleted": "it was deleted from the file by hand",
    "path_heavy": "it is mostly paths",
    "progress_snapshot": "it tells how far the work is",
    "promotion_failed": "it could not be promoted",
    "prompt_injection": "it gives orders to the model",
    "protected_by_user": "a person holds on to what it would replace",
    "protected_memory_source": "a person asked to keep what it would replace",
    "protected_reinforced_target": "what it would replace was confirmed since",
    "question": "it is a question",
    "count_fell": "the count of compactions fell",
    "reviews_altered": "a legal review was changed",
    "reviews_shortened": "a legal review is gone",
    "rationale_too_long": "its rationale is longer than an entry may hold",
    "raw_error": "it is an error message",
    "secret": "it holds what looks like a secret",
    "stale_temp": "a temporary file was left behind",
    "restored": "its second copy served",
    "unreadable": "no copy could be read",
    "torn_tail": "its end was torn",
    "spare_mismatch": "its second copy was another one",
    "no_spare": "it had no second copy",
    "stale_spare": "its second copy was old",
    "damaged_spare": "its second copy was damaged",
    "open_to_others": "others could get at it",
    "stack_trace": "it is a stack trace",
    "tainted": "it leans on text from outside the conversation",
    "tainted_recurrence": "it came again, but from outside the conversation",
    "temporary_status": "it holds only for now",
    "too_long": "it is longer than an entry may be",
    "too_new": "a newer wm wrote the memory",
    "too_short": "it is too short to be understood later",
    "too_many_requests": "the message asks for more than one message may",
    "transient_bug_state": "it tells of a bug that will be gone",
    "type_cap": "stronger entries of its type filled the list",
    "unknown_status": "it had a status that is not known here",
    "unclean_section": "other text stood in the section",
    "unresolved_question": "it is an open question",
    "first_in_tool_text": "its words came first from a tool, a file, a page or a paste",
    "repeats_tool_text": "it repeats what a tool, a file, a page or a paste said first",
    "not_attributable": "nothing that was said in the session carries it",
    "repeats_waiting": "it says again what waits in the inbox",
    "tainted_replacement": "what should replace another entry leans on outside text",
}

HAPPENED = {
    ("memory_promoted", "promoted"): "kept",
    ("memory_imported", "promoted"): "imported",
    ("memory_imported", "inbox"): "imported, to the inbox",
    ("memory_imported", "superseded"): "imported, in the place of a weaker one or as history",
    ("memory_imported", "absorbed"): "imported again; an entry said so already",
    ("memory_imported", "rejected"): "refused when it was imported",
    ("memory_absorbed", "absorbed"): "came again; counted with the entry that says so already",
    ("memory_superseded", "superseded"): "replaced an older entry, or was replaced",
    ("memory_retryable", "retryable"): "could not be kept yet; it is tried again",
    ("memory_rejected", "rejected"): "refused",
    ("memory_rejected", "trashed"): "rejected from the inbox, to the trash",
    ("memory_inbox", "inbox"): "sent to the inbox",
    ("memory_accepted", "accepted"): "accepted from the inbox",
    ("memory_accepted", "absorbed"): "accepted; an entry said so already",
    ("memory_edited", "changed"): "edited",
    ("memory_edited", "unchanged"): "edited, to what it was",
    ("draft_renamed", "changed"): "renamed by the agent that wrote it",
    ("memory_trashed", "trashed"): "forgotten, to the trash",
    ("memory_returned", "inbox"): "the acceptance was taken back; it waits in the inbox again",
    ("memory_restored", "restored"): "brought back from the trash",
    ("memory_restored", "unchanged"): "brought back; it was there already",
    ("memory_suspect", "changed"): "its mark of doubt was set or lifted",
    ("memory_reinforced", "reinforced"): "seen again, so it fades more slowly",
    ("memory_reinforced", "unchanged"): "seen again, too soon to count",
    ("candidate_refused", "rejected"): "proposed by a compaction, and refused",
    ("candidate_rejected", "rejected"): "proposed by a compaction, and refused",
    ("explicit_ignored", "rejected"): "said in a session, but not taken as a wish to remember",
    ("outside_change", "inbox"): "a change made by hand was found; it waits in the inbox",
    ("outside_noticed", "noticed"): "a change made by hand was seen",
    ("outside_accepted", "changed"): "a change made by hand was accepted",
    ("outside_accepted", "added"): "a change made by hand was accepted",
    ("outside_accepted", "deleted"): "a deletion made by hand was accepted",
    ("outside_accepted", "unchanged"): "a change made by hand was accepted; nothing was left to do",
    ("branch_offered", "inbox"): "offered to the whole workspace; it waits in the inbox",
    ("memory_rolled_back", "changed"): "what models taught since then was taken back",
    ("store_repaired", "repaired"): "a file was mended",
    ("workspace_moved", "changed"): "the workspace moved to another folder",
    ("candidates_deprecated", "noticed"): "a compaction answered in the old form",
    ("epoch_opened", "selected"): "put into a prompt",
    ("handoff_given", "selected"): "the handoff was given to a new session",
    ("contract_counted", "changed"): "a compaction was counted in the session contract",
    ("contract_left_alone", "rejected"): "a compaction left the session contract alone",
    ("contract_accepted", "changed"): "the session contract was accepted as it stands",
    ("pressure_level", "changed"): "the context of a session came to another level",
    ("pressure_warning", "noticed"): "the agent was told how full its context is",
    ("pressure_intervention", "noticed"): "the agent was given a review of its full context",
    ("core_changed", "changed"): "a core block of a session was written",
    ("core_carried", "changed"): "core blocks were carried over into another session",
    ("working_cleared", "changed"): "items of a session's working memory were taken out",
    ("budget_pruned", "changed"): "old entries of AGENTS.md went to its archive",
    ("session_deleted", "changed"): "the files of a session went",
    ("storage_swept", "changed"): "files that nothing needs any more went",
    ("trash_purged", "changed"): "left the trash for good",
    ("memory_recalled", "selected"): "told to a session behind a message of the user",
    ("output_pruned", "changed"): "the output of a tool was cut before the model read it",
}
"""(evidence type, outcome) -> what happened to the entry."""


def reason(code: str) -> str:
    """The reason as a clause."""
    return REASONS.get(code, code.replace("_", " ").replace(":", ": "))


def reasons(codes: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(reason(code) for code in codes))


BESIDE = {
    "by": "took the place of {entry}",
    "replaces": "replaced by {entry}",
    "included": "put into a prompt",
    "reactivated": "active again, as {entry} that had replaced it is gone",
    "retired": "replaced again by {entry}, which came back",
    "of": "a change of it waits in the inbox, as {entry}",
    "carriedBy": "{entry}, which says the same, was accepted with it",
    "proposal": "carried out on {entry}",
}
"""Detail that names an entry beside the one a record speaks of -> what happened to it."""


def told(record: EvidenceRecord, *, of: str = "") -> str:
    """What happened, and why, without the time. of: the entry whose history is told."""
    what = HAPPENED.get(
        (record.type, record.outcome), f"{record.type.replace('_', ' ')}: {record.outcome}"
    )
    if of and record.entry != of:
        beside = (name for name in BESIDE if of in _as_ids(record.details.get(name)))
        what = next((BESIDE[name].format(entry=record.entry) for name in beside), what)
    elif record.details.get("undoes"):
        what = f"{what}, by taking {record.details['undoes']} back"
    why = f" ({reasons(record.reason_codes)})" if record.reason_codes else ""
    return f"{what}{why}"


def _as_ids(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def happened(record: EvidenceRecord, *, of: str = "") -> str:
    """One line of an entry's history: when, what, and why."""
    return f"{record.created_at[:16].replace('T', ' ')}  {told(record, of=of)}"
