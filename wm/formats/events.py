"""What happens in an agent's session, in one language for all agents.

`wm.domain.hooks` turns each agent's own payloads into these; rules know nothing else.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr

from wm.formats.base import Record

TOOLS = ("bash", "read", "write", "edit", "grep", "other")


class SessionStarted(Record):
    """A session began or came back. `compact` starts a new prompt epoch, `resume` does not.

    source: the agent's word: startup, resume, clear, compact or fork; others may come.
    transcript: the absolute path of the agent's own record of the session, where it has one.
    context_tokens: what the context holds at a resume, as the client counts; 0: it says nothing.
    """

    kind: Literal["session_started"] = "session_started"
    source: str = "startup"
    parent_session: str = ""
    subagent: bool = False
    transcript: str = ""
    context_tokens: int = 0


class UserPrompt(Record):
    """The user typed `text`. `message_id` is the client's, "" where it has none."""

    kind: Literal["user_prompt"] = "user_prompt"
    text: str
    message_id: str = ""
    _clean: Any = PrivateAttr(default=None)

    def clean(self, redact: Callable[[str], str]) -> str:
        """The text as `redact` leaves it. Locks and work both ask; it is found once."""
        if self._clean is None:
            self._clean = redact(self.text)
        return str(self._clean)


class AssistantText(Record):
    """The model wrote `text` (a whole part, not a delta)."""

    kind: Literal["assistant_text"] = "assistant_text"
    text: str


class ToolFinished(Record):
    """A tool call ended.

    tool: one of TOOLS; `name` is the agent's own word. exit_code None: the client did not
    say, so nothing may be inferred from the output (HS-2). failed: the tool itself threw.
    paths: files that it read, wrote or matched, as the agent spelled them. aside: a subagent
    made the call, so its output is in no context of this session. handle: the name under which
    the whole output is kept, "" where it is not. replaceable: the text that the client would give
    the model in a shorter form, "" where it takes none back (PR-3). synthetic: the client marked
    the output as made by itself.
    """

    kind: Literal["tool_finished"] = "tool_finished"
    tool: str
    name: str = ""
    command: str = ""
    paths: tuple[str, ...] = ()
    output: str = ""
    exit_code: int | None = None
    failed: bool = False
    cwd: str = ""
    aside: bool = False
    handle: str = ""
    replaceable: str = ""
    synthetic: bool = False


class CompactionStarted(Record):
    """The client is about to summarise; the numbered list of memories is made now (EX-2)."""

    kind: Literal["compaction_started"] = "compaction_started"
    trigger: str = ""


class CompactionFinished(Record):
    """The client compacted. `summary` may hold a `Memory candidates:` section; "" if unknown."""

    kind: Literal["compaction_finished"] = "compaction_finished"
    summary: str = ""


class UsageReported(Record):
    """The client says how many tokens the session's context holds (PS-1).

    limit: how many fit before the client cuts the conversation down; 0 where it does not say.
    model: whose window that is. source: who says so, for the record.
    """

    kind: Literal["usage_reported"] = "usage_reported"
    tokens: int
    limit: int = 0
    model: str = ""
    source: str = "client"


class SessionEnded(Record):
    kind: Literal["session_ended"] = "session_ended"
    reason: str = ""


class SessionDeleted(Record):
    """The user deleted the session in the agent: its files go (GV)."""

    kind: Literal["session_deleted"] = "session_deleted"


Event = Annotated[
    SessionStarted
    | UserPrompt
    | AssistantText
    | ToolFinished
    | CompactionStarted
    | CompactionFinished
    | UsageReported
    | SessionEnded
    | SessionDeleted,
    Field(discriminator="kind"),
]
