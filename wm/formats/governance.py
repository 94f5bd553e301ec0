"""Requests and responses of storage governance: deletion of a session, the sweep (GV-1..3)."""

from __future__ import annotations

from wm.formats.base import Record
from wm.formats.protocol import Place, SessionScoped


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
