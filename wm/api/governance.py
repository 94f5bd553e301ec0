"""Requests and responses of storage governance: deletion of a session, the sweep (GV-1..3).

A dry run has the same response as the run, so a person can compare the two.
"""

from wm.api.protocol import Scoped, WorkspaceAnswer
from wm.api.sessions import SessionScoped
from wm.formats.base import Record
from wm.formats.sweep_log import SweepLog


class DeleteSessionRequest(SessionScoped):
    """Delete every file of a session. An unambiguous beginning of its id is enough."""

    dry_run: bool = False


class DeletedSession(WorkspaceAnswer):
    """files: the deleted files below the data folder; with `dry_run` those that would be deleted.
    The previous copies and lock files of documents are deleted with them."""

    session_id: str
    dry_run: bool = False
    files: tuple[str, ...] = ()


class SweepRequest(Scoped):
    """Delete files that are no longer needed. everywhere: in every workspace."""

    dry_run: bool = False
    everywhere: bool = False


class Swept(Record):
    """logs: one for each workspace with something to report, or for the workspace of the request;
    with `dry_run` what would be deleted. workspaces: number of workspaces examined."""

    dry_run: bool = False
    workspaces: int = 0
    scanned: int = 0
    deleted: int = 0
    bytes: int = 0
    logs: tuple[SweepLog, ...] = ()
