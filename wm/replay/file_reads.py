"""Which files the calls of a conversation read and write (`wm.domain.paging.files`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field

from wm.domain.paging.files import uses
from wm.wire.block import Block
from wm.wire.body import Message


class Touch(Struct, frozen=True):
    """One read or write of a file. part: the range, as the call names it."""

    call: str
    path: str
    part: str
    writes: bool


def touches(block: Block) -> Iterator[Touch]:
    """The reads and writes of a call; nothing for other blocks."""
    if block.type != "tool_use":
        return
    value = block.value
    call = str(value.get("id", ""))
    for use in uses(str(value.get("name", "")), value.get("input")):
        yield Touch(call, use.path, use.part, use.writes)


def reads_in(message: Message) -> Iterator[Touch]:
    """The file reads of a message."""
    for block in message.blocks:
        yield from (touch for touch in touches(block) if not touch.writes)


class ReadCopies(Struct):
    """The newest copy of each file in one conversation: the place of the result that shows it. A
    write leaves none, because the file has changed since."""

    _newest: dict[tuple[str, str], str] = field(default_factory=dict)
    _calls: dict[str, list[Touch]] = field(default_factory=dict)

    def read_again(self, messages: Sequence[Message], is_removed: Callable[[str], bool]) -> int:
        """Number of reads in these messages of a file that has not changed since its newest copy,
        which is no longer in the context."""
        copies = {place for place in self._newest.values() if is_removed(place)}
        reads = (read for message in messages for read in reads_in(message))
        return sum(self._newest.get((read.path, read.part)) in copies for read in reads)

    def take(self, messages: Sequence[Message], places: Sequence[tuple[str, ...]]) -> None:
        """Follow the conversation by these messages."""
        for message, line in zip(messages, places, strict=True):
            for block, place in zip(message.blocks, line, strict=True):
                if found := list(touches(block)):
                    self._calls[found[0].call] = found
                elif block.type == "tool_result":
                    self._shown(self._calls.pop(str(block.value.get("tool_use_id")), []), place)

    def _shown(self, touched: Sequence[Touch], place: str) -> None:
        for touch in touched:
            if touch.writes:
                for known in [one for one in self._newest if one[0] == touch.path]:
                    del self._newest[known]
            else:
                self._newest[touch.path, touch.part] = place
