"""`state/session-state.json` in the user's project: the session contract (CT-1).

A file of the project, not of the data folder: people and agents edit it by hand and commit it.
So it has no envelope, its names are snake_case, and `wm` changes single values in its text
instead of rewriting it. `wm.domain.contract.validate` finds its faults.
"""

from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from wm.formats.base import Record

MAX_BYTES = 256 * 1024
MAX_ITEMS = 200
MAX_CHARS = 2000
MAX_PHASE_CHARS = 80
MAX_COUNT = 1_000_000
MAX_DEPTH = 20

FOLDER, NAME = "state", "session-state.json"
FILE = f"{FOLDER}/{NAME}"

REQUIRED = (
    "goal",
    "current_phase",
    "decisions",
    "open_risks",
    "blocked_by",
    "next_actions",
    "artifacts",
    "last_updated",
)
RUNTIME = ("plugin_version", "legal_reviews", "compaction_count")
"""Written by `wm`; a contract without them is complete."""

LISTS = (
    "decisions", "open_risks", "blocked_by", "next_actions", "artifacts", "legal_reviews", "phases",
)  # fmt: skip
TEXTS = ("goal", "current_phase", "plugin_version")
KEPT = ("last_updated", "plugin_version", "compaction_count")
"""Fields that callers cannot set: every change by `wm` sets them."""

LONGEST = {"current_phase": MAX_PHASE_CHARS, "plugin_version": MAX_PHASE_CHARS}

MOMENT = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$"
"""A date, a time and a zone in ISO 8601."""

Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARS, pattern=r"\S")]
Short = Annotated[str, Field(min_length=1, max_length=MAX_PHASE_CHARS, pattern=r"\S")]
Texts = Annotated[tuple[Text, ...], Field(max_length=MAX_ITEMS)]


class SessionContract(Record):
    """The goal of a session, its state, and what the next session must know."""

    slug: ClassVar[str] = "session_contract"
    model_config = ConfigDict(alias_generator=str)

    goal: Text
    current_phase: Short
    decisions: Texts
    open_risks: Texts
    blocked_by: Texts
    next_actions: Texts
    artifacts: Texts
    last_updated: Annotated[str, Field(pattern=MOMENT)]
    plugin_version: Short | None = None
    legal_reviews: Texts = ()
    compaction_count: Annotated[int, Field(ge=0, le=MAX_COUNT)] = 0
    phases: Texts = ()
