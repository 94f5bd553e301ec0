"""`core/<sid>.json`: the three blocks that a session keeps across compactions (CB-1).

Written by `ops.session.core_blocks`. Each block keeps its author, time and taint.
"""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

BLOCKS = ("goal", "progress", "context")

NEXT = "next"
"""Session name of the document that waits for the next session of its workspace."""


class CoreBlock(Record):
    """One block. by: its last author: agent, user or import.

    tainted: words of it first appeared in tool text, or their origin is unknown.
    """

    content: str = ""
    updated_at: str = ""
    by: str = optional("")
    tainted: bool = optional(False)


_EMPTY = CoreBlock.model_construct()  # not `CoreBlock()`, which builds the model at import


class CoreBlocks(Record):
    goal: CoreBlock = _EMPTY
    progress: CoreBlock = _EMPTY
    context: CoreBlock = _EMPTY


class CoreMemory(Document):
    slug: ClassVar[str] = "core_memory"

    session_id: str
    """Empty in the document that waits for the next session."""
    agent: str = ""
    workspace_key: str = ""
    blocks: CoreBlocks = CoreBlocks.model_construct()
    carried_from: str = optional("")
    """The session that these blocks were first copied from."""
    carried_at: str = optional("")
    untold: tuple[str, ...] = optional(())
    """Blocks that the user or another session changed after the session's prompt was frozen; the
    agent has not been shown these changes yet."""
    updated_at: str = ""
