"""Values that pass between an agent's adapter and the use cases: the parsed call, and the reply.

The same for all agents, so that no use case knows an agent's format.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from wm.formats.events import Event


class Want(StrEnum):
    """What a hook can return to its agent, so what its reply needs."""

    BLOCKS = "blocks"
    """The memory blocks of the session's epoch, for a main call (EP-2)."""
    INSTRUCTIONS = "instructions"
    """Text for the model that writes the summary (EX-2)."""
    NOTICES = "notices"
    """New sentences since the epoch began, appended to the conversation."""
    PROMPT = "prompt"
    """Like NOTICES; in addition the agent receives a review of its context (PS-3)."""


class ParsedHook(Struct, frozen=True):
    """One parsed hook call.

    agent: the name in the hook's path. session_id "": the call belongs to no session, and
    nothing needs to be done. events: in chronological order. wants: what the reply
    needs; empty: nothing.
    """

    agent: str
    session_id: str
    directory: str = ""
    """The folder that names the workspace, the same for the whole session if possible."""
    events: tuple[Event, ...] = ()
    wants: frozenset[Want] = frozenset()
    record: str = ""
    """The agent's transcript, if its last lines complete the events; see `transcript_tail`."""
    call_id: str = ""
    """The tool call of this hook, under its id in the transcript."""
    keeps: bool = False
    """The agent keeps the blocks in its conversation, so they are sent only with the
    call that opens their epoch. A resumed session has them already."""


class HookOutcome(Struct, frozen=True):
    """The results of the events; an adapter uses the parts that its hook can print.

    blocks: the texts of the epoch's blocks, in order. review: the text for a context that
    is nearly full. output: what the model reads instead of a tool's output, "" for the output
    itself. payload: what the hook sent. shown: what the person reads, and the model does not.
    """

    blocks: tuple[str, ...] = ()
    instructions: str = ""
    notices: tuple[str, ...] = ()
    output: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    review: str = ""
    shown: str = ""


Reply = dict[str, Any] | str | None
"""An object is sent as JSON, a string as plain text; None prints nothing."""
