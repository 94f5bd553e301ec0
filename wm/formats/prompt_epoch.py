"""`epochs/<epoch id>.json`: the exact text that a session was given, never changed (EP-1, EP-3).

Written once by `ops.session.prompt`; every later prompt of the epoch is read from it.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

BLOCKS = (
    "workspace_memory",
    "hot_state",
    "core_memory",
    "working_memory",
    "last_session",
    "handoff",
)


class Omission(Record):
    """An entry that was not shown, and the reason code: type_cap, entry_cap, char_budget, …"""

    id: str
    reason: str


class PromptBlock(Record):
    """One block of injected text. sha256 is of `text` in UTF-8; `included` in shown order."""

    name: str
    text: str
    sha256: str
    chars: int
    included: tuple[str, ...] = ()
    omitted: tuple[Omission, ...] = ()


class PromptEpoch(Document):
    """reason: session_start, compaction, refresh, or lost: the file of the previous epoch is
    missing, so its bytes cannot be repeated."""

    slug: ClassVar[str] = "prompt_epoch"

    id: str
    session_id: str
    agent: str = ""
    number: int = 1
    reason: str = "session_start"
    created_at: str = ""
    memory_generation: int = 0
    blocks: tuple[PromptBlock, ...] = ()
    previous: str = optional("")
