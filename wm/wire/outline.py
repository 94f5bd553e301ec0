"""A request as sizes, identities and cache marks, without its contents. Pure (PX-10, PX-11).

This is recorded for every exchange. It is enough for the cache model to compute what was read and
written: `Unfolding` rebuilds rows from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from wm.formats.flow import FlowLine, FlowNote
from wm.wire.block import CHARS_PER_TOKEN, SPELLED_MARK, Block, digest
from wm.wire.body import Body, Message
from wm.wire.rows import BlockRow, Measure, Section, Unit, estimate, modes, row_of, size

TOOLS, SYSTEM, ITSELF, HOUR = "t", "s", "*", "h"


def quick(block: Block) -> int:
    """Like `wm.wire.rows.estimate`, but serializes a block only if its size depends on that."""
    raw = block.raw
    if block.text or SPELLED_MARK in raw or b'"image"' in raw or not raw.isascii():
        return estimate(block)
    return max(1, len(raw) // CHARS_PER_TOKEN)


def sizes(message: Message, measure: Measure = quick) -> list[int]:
    """Tokens of each block of a message."""
    return [size(block, measure) for block in message.blocks]


def before(body: Body, measure: Measure = quick) -> list[tuple[str, list[int]]]:
    """Tokens of the tools and the system prompt, by name."""
    tools = [0 if b.value.get("defer_loading") else size(b, measure) for b in body.tools]
    return [("tools", tools), ("system", [size(block, measure) for block in body.system])]


def marks(body: Body) -> list[str]:
    """Positions of the cache marks, in order; blocks without one are not parsed."""
    found = [f"{TOOLS}.{place}" for place in _marked(body.tools)]
    found += [f"{SYSTEM}.{place}" for place in _marked(body.system)]
    for number, message in enumerate(body.messages):
        found += [f"{number}.{place}" for place in _marked(message.blocks)]
    if body.ttl:
        found.append(ITSELF + (HOUR if body.ttl == "1h" else ""))
    return found


def _marked(blocks: Sequence[Block]) -> list[str]:
    found = [(n, block.ttl) for n, block in enumerate(blocks)]
    return [f"{n}{HOUR if ttl == '1h' else ''}" for n, ttl in found if ttl]


def modes_of(body: Body) -> str:
    """16 hex digits for the fields that change how messages are read."""
    return digest(modes(body))


class Unfolding(Struct, eq=False):
    """Rebuilds the rows of one conversation, request by request."""

    _head: tuple[FlowLine, ...] = ()
    _lines: list[FlowLine] = []
    _row: BlockRow | None = None

    def take(self, sent: FlowNote) -> BlockRow | None:
        """The row of one request; None if some message of it is unknown."""
        self._head = sent.before or self._head
        is_known = sent.common <= len(self._lines)
        self._lines[sent.common :] = sent.lines
        if not is_known or len(self._lines) != sent.messages or not self._head:
            self._lines = []
            return None
        units = [u for line in self._head for u in _units(line, -1, line.role[0], sent.marks)]
        for number, line in enumerate(self._lines):
            units += _units(line, number, str(number), sent.marks)
        itself = next((mark for mark in sent.marks if mark.startswith(ITSELF)), "")
        if itself and units and not units[-1].ttl:
            units[-1] = replace(units[-1], ttl="1h" if itself.endswith(HOUR) else "5m")
        modes_ = sent.modes.encode("ascii", "replace")
        self._row = row_of(tuple(units), self._row, sent.model, modes_)
        return self._row


def _units(line: FlowLine, message: int, place: str, found: Sequence[str]) -> list[Unit]:
    section: Section = "messages"
    if message < 0:
        section = "tools" if line.role == "tools" else "system"
    role = line.role if section == "messages" else ""
    units = []
    for number, (identity, tokens) in enumerate(zip(line.blocks, line.sizes, strict=False)):
        mark = f"{place}.{number}"
        ttl = "1h" if mark + HOUR in found else "5m" if mark in found else ""
        if tokens:
            units.append(Unit(section, role, message, identity, tokens, ttl=ttl))
    return units
