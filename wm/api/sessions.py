"""Requests and responses about one session: its events, prompts, hooks, and exchanges of a proxy.

Apart from `protocol`, so that a command which asks for memory does not build these models.
"""

from typing import Any

from pydantic import Field

from wm.api.protocol import Remembered, Scoped, WorkspaceAnswer
from wm.formats.base import Record
from wm.formats.events import Event
from wm.formats.flow import FlowNote, FlowSum
from wm.formats.pressure import Pressure
from wm.formats.session_state import SessionState


class SessionScoped(Scoped):
    session_id: str
    agent: str = ""


class EventRequest(SessionScoped):
    """An event of a session (`wm.formats.events`)."""

    event: Event


class PrunedOutput(Record):
    """The shorter text that the model reads instead of a long output; `handle` names the
    original."""

    text: str
    handle: str
    kind: str
    mode: str
    lines: int
    kept_lines: int


class OutputRequest(Scoped):
    """A kept tool output. id: its handle, or the beginning of it. lines: `A:B`; grep: an
    expression that a line must match."""

    id: str
    lines: str = ""
    grep: str = ""


class OutputAnswer(Record):
    """numbers: the numbers of the lines in `text`, if that is not the complete output."""

    id: str
    tool: str = ""
    command: str = ""
    kind: str = ""
    created_at: str = ""
    total_lines: int = 0
    whole: bool = True
    numbers: tuple[int, ...] = ()
    text: str


class EventAnswer(Record):
    """The results of an event: memories by outcome, notices for the user, and the shorter output
    for the model, if any."""

    remembered: tuple[Remembered, ...] = ()
    learned: tuple[Remembered, ...] = ()
    """What the message stated without asking to remember it; only the person sees it (EX-7)."""
    open_errors: int = 0
    instructions: str = ""
    notices: tuple[str, ...] = ()
    shown: str = ""
    """What the person reads, and the model does not."""
    pruned: PrunedOutput | None = None


class PromptRequest(SessionScoped):
    """The text for a call of this session. call: main, title, summary or subagent (EP-2)."""

    call: str = "main"
    refresh: bool = False


class PromptText(Record):
    name: str
    text: str
    sha256: str


class PromptAnswer(Record):
    """The blocks of the current epoch, byte for byte the same until it ends (EP-1)."""

    epoch: str = ""
    number: int = 0
    opened: bool = False
    """This call opened the epoch, so a client that keeps the blocks does not have them yet."""
    blocks: tuple[PromptText, ...] = ()


class SessionAnswer(Record):
    """A session's state, and its hot state, core blocks and working memory as a prompt shows
    them."""

    state: SessionState
    hot: str = ""
    core: str = ""
    working: str = ""
    pressure: Pressure | None = None
    """How full its context is; None if it was never measured."""
    passed: FlowSum | None = None
    """Totals of what a proxy forwarded for it; None without a proxy."""


class HookRequest(Record):
    """An agent's own payload, unchanged. project: the project folder that the agent names."""

    agent: str
    name: str
    payload: dict[str, Any]
    project: str = ""


class HookAnswer(Record):
    """The bytes that the hook must print, and their content type."""

    content_type: str = "application/json"
    body: str = ""


class StatuslineRequest(Record):
    """The agent's own payload, and the project folder that it names."""

    payload: dict[str, Any] = Field(default_factory=dict)
    project: str = ""


class FinishRequest(SessionScoped):
    """A proxy reports an exchange that ended. session_id: the client's own."""

    note: FlowNote


class RecordRequest(SessionScoped):
    """A proxy sends the bodies of an exchange unchanged; secrets are removed before they are
    stored.

    exchange: the id of its flow. parts: of the request, without the first `keep` parts of `base`,
    an earlier exchange. more: another request follows with the remaining parts; this name is then
    temporary, and the base of the next request.
    """

    exchange: str
    at: str = ""
    base: str = ""
    keep: int = Field(default=0, ge=0)
    parts: tuple[str, ...] = ()
    more: bool = False
    answer: tuple[str, ...] = ()
    answer_kind: str = ""


class RecordAnswer(WorkspaceAnswer):
    """reason: why nothing was recorded: base_unknown (all of the request is needed), full, or
    not_json. "" if it was recorded."""

    reason: str = ""


class FinishAnswer(WorkspaceAnswer):
    """The workspace that it was written to."""

    flow_id: str
