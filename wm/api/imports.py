"""What `wm import` sends and receives: statements of other programs, and the outcome of each.

A statement has the values of its own file; the use case (`wm.ops.imports.entries`) decides
which of them are trusted.
"""

from pydantic import Field

from wm.api.protocol import Scoped, WorkspaceAnswer
from wm.formats.base import Record


class ImportFact(Record):
    """One statement of a foreign file.

    id: the same in every run over the same file. type "": inferred. status: active, superseded
    or inbox, as in its own program. bare: the text without the words of its heading; a
    known entry with exactly this text is the same fact. Times are ISO 8601, "" if the file
    has none. session, last_reinforced_session: raw ids; only their digests are stored.
    """

    id: str
    text: str
    bare: str = ""
    type: str = ""
    rationale: str = ""
    source: str = "compaction"
    is_users: bool = False
    """The user says it with this import: it may replace what it contradicts (WM-8)."""
    confidence: float | None = None
    status: str = "inbox"
    branch: str = ""
    """The branch that it is bound to, if any."""
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
    """Why it waits in the inbox, in addition to the reasons of the gate."""
    came_from: str = ""
    """opencode-v1, opencode-v2, wm-export, instructions or transcripts."""
    file: str = ""
    line: int = 0


class ImportBlock(Record):
    """A core block of another program's session. at: ISO 8601 or ""."""

    name: str
    content: str
    at: str = ""


class ImportItem(Record):
    """An item of a session's working memory. slot "": an item of the pool, of this `kind`."""

    text: str
    slot: str = ""
    kind: str = "note"
    at: str = ""


class ImportSession(Record):
    """What another program stored of one session, from one file. at: the file's last change."""

    session_id: str
    agent: str = "opencode"
    at: str = ""
    file: str = ""
    blocks: tuple[ImportBlock, ...] = ()
    items: tuple[ImportItem, ...] = ()


class ImportRequest(Scoped):
    """Import statements and sessions. dry_run: only report the outcome of each."""

    facts: tuple[ImportFact, ...] = ()
    sessions: tuple[ImportSession, ...] = ()
    dry_run: bool = False


class Imported(Record):
    """The outcome of one statement; `text` is the stored text, without secrets.

    outcome: promoted (active now), inbox, superseded (took the place of a weaker entry, or of an
    outdated one), history (stored as replaced), absorbed (`entry` already states it), unchanged
    (imported before) or rejected.
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
    """The outcome of one session's own memory.

    outcome: imported, unchanged (its session already has blocks, or is already known) or rejected.
    blocks: the imported blocks; items: number of imported items. reason_codes: why others were not
    imported.
    """

    outcome: str
    session_id: str
    blocks: tuple[str, ...] = ()
    items: int = 0
    reason_codes: tuple[str, ...] = ()
    file: str = ""


class ImportAnswer(WorkspaceAnswer):
    """counts: outcome -> number. With `dry_run` nothing was written. event: the record of the
    import, by which `wm undo` reverses all of it; "" if it brought nothing."""

    dry_run: bool = False
    outcomes: tuple[Imported, ...] = ()
    sessions: tuple[ImportedSession, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    event: str = ""
