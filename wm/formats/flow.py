"""`flows/<sid>.jsonl`: one line for each exchange that a proxy forwarded (PX-10, PX-11).

Holds sizes, times, counts and ids; never contents, keys or headers.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Record, optional


class FlowLine(Record):
    """One message of a request: its role, and a digest of 16 hex digits for each of its blocks.

    sizes: estimated tokens of each block; 0 for a block that does not count, such as an empty text.
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
        """All tokens that the model read, from the cache or not."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h


class FlowTimes(Record):
    """Milliseconds since the head of the request was read."""

    sent: float = 0.0
    """When the complete request had been forwarded."""
    first_byte: float = 0.0
    """When the head of the answer had been forwarded."""
    ended: float = 0.0


class FlowNote(Record):
    """What a proxy reports about an exchange.

    call: main, subagent, title, summary, count or other. subagent: the client's id of it.
    outcome: whole, client_left, upstream_cut or unreachable. error: the type of an error that
    the service reported, also inside a stream. unread: why the answer was not read, or only in
    part: encoding (not supported), damaged, or too_long. unprepared: why the request was forwarded
    unchanged although a policy was active: late (it took too long) or failed. change: how
    the history continues that of the previous request: first, again, appended, rewound, changed or
    restarted; common: number of messages shared with it; lines: the messages after those. head:
    digest of tools and system prompt together; before: their blocks, as two lines `tools` and
    `system`, if they differ from those of the previous request.
    marks: positions of cache marks, `<message>.<block>` with `t` for tools and `s` for the system
    prompt instead of the message number; a one-hour mark ends in `h`, and `*` is the mark of the
    request itself. modes: 16 hex digits for the requested tool choice and thinking settings.
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
    unprepared: str = optional("")
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
    """Totals of what was forwarded for a session. read: tokens of all prompts; cached: the part
    of them that came from the cache; written: tokens of all answers."""

    exchanges: int = 0
    failed: int = 0
    read: int = 0
    cached: int = 0
    written: int = 0
    last_at: str = ""
