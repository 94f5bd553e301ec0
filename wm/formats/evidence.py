"""`evidence/<n>.jsonl`: one line for each fact that was kept, dropped or shown (EV-1).

Appended by `store.transaction` after the documents; a line is never changed. Texts in it are
redacted and shortened.
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from wm.formats.base import Record, optional

INSTRUMENTATION_VERSION = 3

# Records hold plain strings, so that records of a newer wm load; this wm writes these words.
# fmt: off
Phase = Literal[
    "extraction", "gate", "journal", "promotion", "retention", "render", "session", "user", "agent",
    "store", "compaction", "sync",
]
Outcome = Literal[
    "accepted", "rejected", "promoted", "absorbed", "superseded", "retryable", "inbox",
    "reinforced", "unchanged", "selected", "omitted", "trashed", "restored", "changed", "noticed",
    "repaired",
]
# fmt: on


class EvidenceRecord(Record):
    """Who did what to which entry, and why. Text in `details` is already redacted.

    `type` is one of the words in docs/formats/evidence.md, for example `memory_promoted`.
    """

    slug: ClassVar[str] = "evidence"

    version: int = 1
    event_id: str
    created_at: str
    workspace_key: str
    workspace_root_hash: str = optional("")
    producer_name: str = "wm"
    producer_version: str = ""
    instrumentation_version: int = INSTRUMENTATION_VERSION
    type: str
    phase: str
    outcome: str
    entry: str = optional("")
    """Id of the entry concerned, if any."""
    session: str = optional("")
    """`<sid>`, if it happened in a session."""
    reason_codes: tuple[str, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)
