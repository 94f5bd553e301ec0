"""One request of a conversation: as it came, with what is known when it is prepared, and the form
in which it is sent. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from wm.wire.account import Rates
from wm.wire.body import Body, Replacement
from wm.wire.history import ConversationHistory, placed_blocks
from wm.wire.policy import Decision, DroppedSteps, Log
from wm.wire.rows import BlockRow, is_empty

NOWHERE = 1 << 30
"""As a number of a message: behind every message."""


class Changes(Struct, frozen=True):
    """What new decisions change.

    begin: number of the first message that they name. first: number of the first message whose
    form changes (the one behind it for a text of a step). last: of the first message that stays,
    behind all changes of what is cached. steps: all that are replaced.
    """

    begin: int = NOWHERE
    first: int = NOWHERE
    last: int = NOWHERE
    steps: DroppedSteps = field(default_factory=DroppedSteps)


class OwnMarks(Struct):
    """Cache marks of ours in a request. wanted: places, the best first. texts: on texts of steps,
    by place. messages: at ends of messages."""

    wanted: tuple[str, ...] = ()
    texts: dict[str, Any] = field(default_factory=dict)
    messages: list[int] = field(default_factory=list)
    splices: list[Replacement] = field(default_factory=list)


class SentRequest(Struct):
    """A request in the form in which it goes upstream. source: as it came. log, steps: its
    decisions, and the steps that they replace. applied: numbers of the messages of those that have
    an effect, in order."""

    body: Body
    row: BlockRow
    source: Body
    log: Log
    steps: DroppedSteps
    applied: Sequence[int]
    changes: Changes
    own: OwnMarks


class OpenRequest(Struct):
    """One request while it is prepared. previous: the one before it. inherited: decisions of
    earlier requests. cached_to: number of the last message of which the cache holds something."""

    body: Body
    previous: Body | None
    past: ConversationHistory
    plain: BlockRow
    inherited: Log
    rates: Rates
    at: float
    ttl: str
    cached_to: int
    known_to: int
    """Number of the last message of which an earlier request had something."""
    known_unit: int = -1
    """The last unit of `plain` that the cache holds."""
    returned: tuple[Decision, ...] = ()
    """Decisions that it does not inherit because they have no effect in it."""
    tolerance: Replacement | None = None
    made: SentRequest | None = None
    undo: dict[str, Decision | None] = field(default_factory=dict)
    """What the log had for the blocks of its new decisions."""
    base: Log = field(default_factory=dict)
    """What it inherited without them."""
    emergency: bool = False
    spent: float = 0.0
    """What its new decisions cost in it."""
    is_foreign: bool = False
    """It continues requests that did not pass here, such as those before a restart."""
    revived: bool = False
    """It is the first one after a restart, and what is cached of it is a guess: all."""

    @property
    def end(self) -> str:
        """The place of the last block."""
        return self.past.end

    def contains(self, block: str) -> bool:
        return any(block in places for places in self.past.places)

    def step_of(self, block: str) -> Iterator[str]:
        """The places of the step that a decision on this block replaces, or its own."""
        for number, places in enumerate(self.past.places):
            if block in places:
                is_step = self.body.messages[number].role == "user"
                yield from (*self.past.places[number - 1], *places) if is_step else (block,)

    def order(self, steps: DroppedSteps) -> Iterator[str]:
        """The places of its blocks as it is sent without these steps, in order."""
        for number, places in enumerate(self.past.places):
            if number not in steps.messages:
                yield from places
            yield from (decision.block for decision in steps.texts.get(number, ()))

    def changes(self, log: Log, steps: DroppedSteps, same: int) -> Changes:
        """What the decisions of `log` that it does not inherit change. steps: all that they
        replace. same: so many messages at the beginning have none of them."""
        if log is self.inherited:
            return Changes()
        found = [
            (steps.anchors.get(number, number - 1) + 1, number)
            for number, places in enumerate(self.past.places[same:], start=same)
            if any(log.get(p) is not self.inherited.get(p) for p in places)
        ]
        if not found:
            return Changes()
        last = max((number for _, number in found if number <= self.cached_to), default=NOWHERE)
        while last in steps.messages:
            last += 1
        return Changes(found[0][1], min(first for first, _ in found), last, steps)


def unit_places(body: Body, past: ConversationHistory) -> list[str]:
    """The places of the blocks that are units of its row."""
    return [place for _, block, place in placed_blocks(body, past) if not is_empty(block)]
