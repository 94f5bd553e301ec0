"""What `wm import` sends and gets back: statements of other programs, and what became of them.

A statement is told as its own file tells it; what of it is believed is decided by the use case
(`wm.ops.import_entries`).
"""

from pydantic import Field

from wm.formats.base import Record
from wm.formats.protocol import Place, Scoped


class ImportFact(Record):
    """One statement of a foreign file.

    id: the same in every run over the same file. type "": inferred. status: active, superseded
    or inbox, as its own program had it. bare: the same without the words of its heading; a
    known entry that says just that is the same fact. Times are ISO 8601, "" where the file
    names none. session, last_reinforced_session: raw ids; only their digests are kept.
    """

    id: str
    text: str
    bare: str = ""
    type: str = ""
    rationale: str = ""
    source: str = "compaction"
    confidence: float | None = None
    status: str = "inbox"
    tags: tuple[str, ...] = ()
    created_at: str = ""
    updated_at: str = ""
    retention_clock: str = ""
    reinforcement_count: int = 0
    last_reinforced_at: str = ""
    last_reinforced_session: str = ""
    user_importance: str = "normal"
    safety_critical: bool = False
    supersedes: tuple[str, ...] = ()
    session: str = ""
    reasons: tuple[str, ...] = ()
    """Why it waits, beside what the gate says."""
    came_from: str = ""
    """opencode-v1, opencode-v2, wm-export or instructions."""
    file: str = ""
    line: int = 0


class ImportBlock(Record):
    """A core block of a session of another program. at: ISO 8601 or ""."""

    name: str
    content: str
    at: str = ""


class ImportItem(Record):
    """An item of a session's working memory. slot "": of the pool, and `kind` says what it is."""

    text: str
    slot: str = ""
    kind: str = "note"
    at: str = ""


class ImportSession(Record):
    """What another program kept of one session, as one file tells it. at: the file's last
    change."""

    session_id: str
    agent: str = "opencode"
    at: str = ""
    file: str = ""
    blocks: tuple[ImportBlock, ...] = ()
    items: tuple[ImportItem, ...] = ()


class ImportRequest(Scoped):
    """Take statements and sessions in. dry_run: only say what would become of them."""

    facts: tuple[ImportFact, ...] = ()
    sessions: tuple[ImportSession, ...] = ()
    dry_run: bool = False


class Imported(Record):
    """What became of one statement; `text` is as it is kept, without secrets.

    outcome: promoted (active now), inbox, superseded (took the place of a weaker entry), history
    (kept as replaced), absorbed (`entry` says so already), unchanged (imported before) or
    rejected.
    """

    outcome: str
    entry: str = ""
    type: str = ""
    text: str = ""
    reason_codes: tuple[str, ...] = ()
    came_from: str = ""
    file: str = ""
    line: int = 0


class ImportedSession(Record):
    """What became of one session's own memory.

    outcome: imported, unchanged (its session has blocks, or is known, already) or rejected.
    blocks: those that came in; items: how many did. reason_codes: why others did not.
    """

    outcome: str
    session_id: str
    blocks: tuple[str, ...] = ()
    items: int = 0
    reason_codes: tuple[str, ...] = ()
    file: str = ""


class ImportAnswer(Record):
    """counts: outcome -> how many. nothing was written where `dry_run` is set."""

    place: Place
    dry_run: bool = False
    outcomes: tuple[Imported, ...] = ()
    sessions: tuple[ImportedSession, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
