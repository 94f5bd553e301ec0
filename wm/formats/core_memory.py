"""`core/<sid>.json`: the three blocks that a session keeps across compactions (CB-1)."""

from typing import ClassVar

from wm.formats.base import Document, Record, optional

BLOCKS = ("goal", "progress", "context")

NEXT = "next"
"""The name of the document that waits for the next session of its workspace."""


class CoreBlock(Record):
    """One block. by: who wrote it last: agent, user or import.

    tainted: words of it first stood in tool text, or nobody can say where they came from.
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

    version: int = 1
    session_id: str
    """"" in the document that waits for the next session."""
    agent: str = ""
    workspace_key: str = ""
    blocks: CoreBlocks = CoreBlocks.model_construct()
    carried_from: str = optional("")
    """The session whose blocks these were at first."""
    carried_at: str = optional("")
    untold: tuple[str, ...] = optional(())
    """Blocks that somebody else than the agent changed since its prompt was frozen."""
    updated_at: str = ""
