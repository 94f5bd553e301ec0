"""A sample of the requests that a policy changed, as text for a judge (EV-4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from msgspec import Struct, field

from wm.ops.paging.contents import block_text
from wm.wire.body import Body
from wm.wire.policy import THINKING

MOST_CHARS = 400_000
"""Of a conversation; few small models read more."""


class ChangedSample(Struct):
    """Keeps `size` of the pairs that it is offered, each with the same chance. A second run over
    the same recording keeps the same ones. seen: pairs that were short enough."""

    size: int
    seen: int = 0
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """Unchanged, and as it was sent."""
    _random: Random = field(default_factory=lambda: Random(0))  # noqa: S311

    def offer(self, came: Body, sent: Body) -> None:
        if self.size < 1 or len(came.raw) > MOST_CHARS:
            return
        self.seen += 1
        place = len(self.pairs) if self.seen <= self.size else self._random.randrange(self.seen)
        if place < self.size:
            self.pairs[place : place + 1] = [(as_text(came), as_text(sent))]


def as_text(body: Body) -> str:
    """The messages of a request, without thinking, tools and system prompt."""
    return "\n".join(_parts(body))


def _parts(body: Body) -> Iterator[str]:
    for message in body.messages:
        for block in message.blocks:
            if block.type == "tool_use":
                given = json.dumps(block.value.get("input"), ensure_ascii=False)
                yield f"[{message.role} calls {block.value.get('name')}] {given}"
            elif block.type not in THINKING:
                is_result = block.type == "tool_result"
                name = "result" if is_result else message.role
                yield f"[{name}] {block_text(block, is_result=is_result)}"
