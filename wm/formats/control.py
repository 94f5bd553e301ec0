"""What the daemon says about itself on the socket (IF-1, IF-6)."""

from pydantic import Field

from wm.formats.base import Record, optional

PROTOCOL = 1
"""Raised only when an old client could misread an answer; what is new shows in `capabilities`."""


class DaemonStatus(Record):
    """Who answers. `capabilities` are the names of the operations it serves."""

    name: str = "wm"
    version: str
    protocol: int = PROTOCOL
    pid: int
    started_at: str
    uptime_s: float
    home: str
    socket: str
    capabilities: tuple[str, ...]
    activated: bool = False
    connections: int = 0
    waiting: int = 0
    subscribers: int = 0
    incidents: int = 0
    lost_events: int = 0
    """Events that were answered when they were queued, and then could not be written."""
    last_loss: str = ""
    log: str = ""
    troubles: dict[str, str] = Field(default_factory=dict)
    """What goes on without something, and why: a word for it -> a sentence."""


class Stopping(Record):
    """The daemon finishes what is under way and exits."""

    pid: int
    message: str = ""


class Problem(Record):
    """An error (RFC 9457): `type` is a stable code, `detail` one sentence, `fix` what to do."""

    type: str
    title: str
    status: int
    detail: str
    fix: str = optional("")
    incident: str = optional("")
