"""`flows/<sid>.jsonl`: one line for each exchange that a proxy passed on (PX-10, PX-11).

Sizes, times, figures and identities; never contents, keys or headers.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Record, optional


class FlowLine(Record):
    """One message of a request: its role, and 16 hex digits for what each of its blocks says.

    sizes: estimated tokens of each block; 0 for one that does not count, such as an empty text.
    """

    role: str
    blocks: tuple[str, ...] = ()
    sizes: tuple[int, ...] = optional(())


class FlowUsage(Record):
    """Tokens as the service reported them."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = Field(default=0, alias="cacheWrite5m")
    cache_write_1h: int = Field(default=0, alias="cacheWrite1h")

    @property
    def prompt(self) -> int:
        """All that the model read, from the cache or not."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h


class FlowTimes(Record):
    """Milliseconds since the head of the request was read."""

    sent: float = 0.0
    """The whole request had gone on."""
    first_byte: float = 0.0
    """The head of the answer had gone on."""
    ended: float = 0.0


class FlowNote(Record):
    """What a proxy tells of an exchange.

    call: main, subagent, title, summary, count or other. subagent: the client's id of it.
    outcome: whole, client_left, upstream_cut or unreachable. error: the type of an error that
    the service named, also inside a stream. unread: why nothing of the answer was read, or not all
    of it: encoding (one that we cannot open), damaged, or too_long. change: how the history goes on
    from the request before it: first, again, appended, rewound, changed or restarted; common:
    messages shared with it; lines: those behind. head: what tools and system prompt say, together;
    before: their blocks, as two lines `tools` and `system`, where they are not those of the request
    before.
    marks: where cache marks stand, `<message>.<block>` with `t` for tools and `s` for the system
    prompt in place of the message; an hour's mark ends in `h`, and `*` is the one of the request
    itself. modes: 16 hex digits for the choice of tools and the thinking that were asked for.
    started_at: when the request began.
    """

    agent: str = optional("")
    call: str = "other"
    subagent: str = optional("")
    method: str = "POST"
    path: str = ""
    model: str = optional("")
    stream: bool = optional(False)
    status: int = 0
    outcome: str = "whole"
    error: str = optional("")
    unread: str = optional("")
    stop_reason: str = optional("")
    policy: str = "none"
    decisions: tuple[str, ...] = optional(())
    request_bytes: int = 0
    answer_bytes: int = 0
    messages: int = 0
    change: str = optional("")
    common: int = optional(0)
    head: str = optional("")
    lines: tuple[FlowLine, ...] = optional(())
    before: tuple[FlowLine, ...] = optional(())
    marks: tuple[str, ...] = optional(())
    modes: str = optional("")
    started_at: str = optional("")
    usage: FlowUsage | None = optional()
    times: FlowTimes = FlowTimes.model_construct()


class Flow(FlowNote):
    """A line of the log."""

    slug: ClassVar[str] = "flow"

    version: int = 1
    flow_id: str
    created_at: str
    workspace_key: str
    session: str
    """The `<sid>`."""


class FlowSum(Record):
    """What was passed on for a session, in all. read: tokens of all prompts; cached: those of
    them that came out of the cache; written: tokens of all answers."""

    exchanges: int = 0
    failed: int = 0
    read: int = 0
    cached: int = 0
    written: int = 0
    last_at: str = ""
