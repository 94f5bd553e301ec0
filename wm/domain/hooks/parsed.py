"""The values that travel between an agent's adapter and the use cases behind it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from wm.domain.events import Event


class Want(StrEnum):
    """What a hook can hand back to its agent, so what its reply is made of."""

    BLOCKS = "blocks"
    """The memory blocks of the session's epoch."""
    INSTRUCTIONS = "instructions"
    """Text for the model that writes the summary (EX-2)."""
    NOTICES = "notices"
    """Sentences that are new since the epoch began, appended to the conversation."""


@dataclass(frozen=True)
class Parsed:
    """One hook call, understood.

    session_id "": the call belongs to no session, and nothing is to be done.
    cwd: where the agent is now; project: the folder it was started for, "" if it did not say.
    events: in the order in which they happened. wants: what the reply needs; empty: nothing.
    call: for whom the blocks are (`PromptRequest.call`): side calls get none (EP-2).
    """

    session_id: str
    cwd: str = ""
    project: str = ""
    events: tuple[Event, ...] = ()
    wants: frozenset[Want] = frozenset()
    call: str = "main"


class Block(Protocol):
    """A rendered block: `PromptBlock` of an epoch file, `PromptText` of an answer."""

    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Outcome:
    """What the use cases made of the events; an adapter takes what its hook can say."""

    blocks: tuple[Block, ...] = ()
    instructions: str = ""
    notices: tuple[str, ...] = ()


Reply = dict[str, Any] | str | None
"""An object goes out as JSON, a string as plain text; None prints nothing."""
