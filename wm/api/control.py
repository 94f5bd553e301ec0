"""Answers of the daemon about itself, and the body of every error (IF-1, IF-6).

Every client of the socket reads them, older ones too: fields are added, never removed or renamed.
"""

from pydantic import Field

from wm.formats.base import Record, optional

PROTOCOL = 1
"""Raised only if an old client could misread an answer; `capabilities` shows additions."""


class DaemonStatus(Record):
    """Identity of the daemon. `capabilities` are the names of the operations it serves."""

    name: str = "wm"
    version: str
    package: str = ""
    """The folder of the code that the daemon runs."""
    code: str = ""
    """Identity of the files in it when the daemon started; `wm up` compares it."""
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
    """Events that were acknowledged when they were queued and could not be written later."""
    last_loss: str = ""
    log: str = ""
    troubles: dict[str, str] = Field(default_factory=dict)
    """Features that are unavailable, and why: a word for each -> a sentence."""


class Stopping(Record):
    """The daemon finishes the requests in progress and exits."""

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
