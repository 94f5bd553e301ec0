"""Requests and answers about core blocks, slots and pool of a session (CB-1, CB-2, IF-1).

For people and programs. A model's own tools have their arguments in `wm.api.tools`.
"""

from wm.api.sessions import SessionScoped
from wm.formats.base import Record
from wm.formats.session_state import NEWEST


class MemoryScoped(SessionScoped):
    """A session by its id, by an unambiguous beginning of it, or `newest` for the one with the
    newest event in the workspace."""

    session_id: str = NEWEST


class BlockView(Record):
    name: str
    content: str = ""
    chars: int = 0
    max: int = 0
    updated_at: str = ""
    by: str = ""
    tainted: bool = False


class Blocks(Record):
    """The three core blocks of a session. message: what was done, a sentence or ""."""

    session_id: str
    blocks: tuple[BlockView, ...] = ()
    carried_from: str = ""
    message: str = ""


class BlockRequest(MemoryScoped):
    """Change a block. operation: replace or append (a new line)."""

    block: str
    content: str
    operation: str = "replace"


class ItemView(Record):
    """An item of slots and pool. slot "": an item of the pool, with its `kind` and current
    score."""

    text: str
    slot: str = ""
    kind: str = ""
    by: str = ""
    at: str = ""
    score: float = 0.0


class WorkingItems(Record):
    """The items of a session's working memory: the slots first, then the pool by score."""

    session_id: str
    items: tuple[ItemView, ...] = ()
    message: str = ""


class ItemRequest(MemoryScoped):
    """Add an item; slot "": a note of the pool."""

    text: str
    slot: str = ""


class RemoveRequest(MemoryScoped):
    """Remove the item with this `text`, or all items of `slot`, or, with neither, everything."""

    text: str = ""
    slot: str = ""


class ContinueRequest(MemoryScoped):
    """Copy the core blocks of a session to another one.

    to: a session that has begun; "" for the next one of the workspace. cancel: withdraw the
    request for the next session.
    """

    to: str = ""
    cancel: bool = False


class Continued(Record):
    """session_id: the source of the blocks. to: the session that has them now, "" while they
    wait."""

    session_id: str = ""
    to: str = ""
    blocks: tuple[str, ...] = ()
    message: str = ""
