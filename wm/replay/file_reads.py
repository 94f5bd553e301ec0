"""Which files the calls of a conversation read and write (`wm.domain.paging.files`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from wm.domain.paging.files import FileUse
from wm.ops.paging.contents import uses_in
from wm.wire.body import Body, Message
from wm.wire.history import ConversationHistory, placed_blocks


class ReadCopies(Struct):
    """The newest copy of each file in one conversation: the place of the result that shows it. A
    write leaves none, because the file has changed since."""

    _newest: dict[tuple[str, str], str] = field(default_factory=dict)
    _calls: dict[str, list[FileUse]] = field(default_factory=dict)

    def read_again(self, messages: Sequence[Message], is_removed: Callable[[str], bool]) -> int:
        """Number of reads in these messages of a file that has not changed since its newest copy,
        which is no longer in the context."""
        copies = {place for place in self._newest.values() if is_removed(place)}
        blocks = (block for message in messages for block in message.blocks)
        reads = (use for block in blocks for use in uses_in(block) if not use.writes)
        return sum(self._newest.get((read.path, read.part)) in copies for read in reads)

    def take(self, body: Body, past: ConversationHistory, old: int) -> None:
        """Follow the conversation by the messages after the first `old` ones."""
        for _, block, place in placed_blocks(body, past, old):
            if found := list(uses_in(block)):
                self._calls[block.call] = found
            elif block.type == "tool_result":
                self._shown(self._calls.pop(block.call, []), place)

    def _shown(self, found: Sequence[FileUse], place: str) -> None:
        for use in found:
            if use.writes:
                for known in [one for one in self._newest if one[0] == use.path]:
                    del self._newest[known]
            else:
                self._newest[use.path, use.part] = place
