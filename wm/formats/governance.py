"""Requests and responses of storage governance: deletion of a session, the sweep (GV-1..3)."""

from wm.formats.base import Record
from wm.formats.protocol import Place, Scoped, SessionScoped
from wm.formats.sweep_log import SweepLog


class DeleteSessionRequest(SessionScoped):
    """Delete every file of a session; the beginning of its id is enough where it fits one."""

    dry_run: bool = False


class DeletedSession(Record):
    """files: what went, or with `dry_run` would go, below the data folder. The second copies and
    lock files of documents go with them."""

    place: Place
    session_id: str
    dry_run: bool = False
    files: tuple[str, ...] = ()


class SweepRequest(Scoped):
    """Take away what nothing needs any more. everywhere: in every workspace."""

    dry_run: bool = False
    everywhere: bool = False


class Swept(Record):
    """logs: one for each workspace in which there was something to tell, or for the one that was
    asked for; with `dry_run` what would be done. workspaces: looked at."""

    dry_run: bool = False
    workspaces: int = 0
    scanned: int = 0
    deleted: int = 0
    bytes: int = 0
    logs: tuple[SweepLog, ...] = ()
