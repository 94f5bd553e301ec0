"""The values that travel between an agent's adapter and the use cases behind it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from wm.formats.events import Event


class Want(StrEnum):
    """What a hook can hand back to its agent, so what its reply is made of."""

    BLOCKS = "blocks"
    """The memory blocks of the session's epoch."""
    INSTRUCTIONS = "instructions"
    """Text for the model that writes the summary (EX-2)."""
    NOTICES = "notices"
    """Sentences that are new since the epoch began, appended to the conversation."""
    PROMPT = "prompt"
    """The same, but the agent is prompted with a review of its context (PS-3)."""


class Parsed(Struct, frozen=True):
    """One hook call, understood.

    agent: the word in the hook's path. session_id "": the call belongs to no session, and
    nothing is to be done. events: in the order in which they happened. wants: what the reply
    needs; empty: nothing.
    """

    agent: str
    session_id: str
    cwd: str = ""
    """Where the agent stands now; a shell that changed folders takes it along."""
    project: str = ""
    """The folder that the agent was started for, "" if nobody said."""
    directory: str = ""
    """The folder that names the workspace, the same for the whole session where it can be."""
    events: tuple[Event, ...] = ()
    wants: frozenset[Want] = frozenset()
    keeps: bool = False
    """The agent keeps what it is given in its conversation: the blocks go out only with the
    call that opens their epoch. A resumed session has them already."""

    @property
    def call(self) -> str:
        """`PromptRequest.call` of the blocks that are wanted; "": none are (EP-2)."""
        return "main" if Want.BLOCKS in self.wants else ""


class Outcome(Struct, frozen=True):
    """What the use cases made of the events; an adapter takes what its hook can say.

    blocks: the texts of the epoch's blocks, in order. epoch: its id. review: what a context that
    is nearly full is to be told. output: what the model is to read instead of a tool's output, ""
    for the output itself. payload: what the hook sent.
    """

    blocks: tuple[str, ...] = ()
    instructions: str = ""
    notices: tuple[str, ...] = ()
    epoch: str = ""
    output: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    review: str = ""

    @property
    def appended(self) -> tuple[str, ...]:
        """All that is new, for a hook that only appends."""
        return (*self.notices, self.review)


Reply = dict[str, Any] | str | None
"""An object goes out as JSON, a string as plain text; None prints nothing."""
