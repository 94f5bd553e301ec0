"""Which thinking blocks a changed prefix makes invalid. Pure (PX-4, PX-11).

Newer models bind each thinking block to the complete prefix from which it was generated. If that
prefix changes, the block and all later thinking are refused or dropped. A thinking block whose
generation was not observed counts as bound to the prefix at its first occurrence.
"""

from __future__ import annotations

from msgspec import Struct

from wm.wire.body import Body, Replacement
from wm.wire.policy import json_of
from wm.wire.prices import price_of
from wm.wire.rows import BlockRow

BETA = "thinking-binding-controls-2026-08-01"
"""The value of `anthropic-beta` without which the service refuses `block_binding`."""
_DROP = {"prefix_mismatch_behavior": "drop_block"}

FAMILIES = frozenset(
    ("fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5")
)
"""Model families that bind thinking to its prefix; names as in `wm.wire.prices`."""


def binds(model: str) -> bool:
    """Whether this model refuses thinking whose prefix has changed."""
    price = price_of(model)
    return price.known and price.family in FAMILIES


def tolerance(body: Body) -> Replacement | None:
    """The splice that lets the service drop thinking whose prefix changed instead of refusing the
    request; None if the model does not bind it, does not think, or the client chose already."""
    thinking = body.value("thinking")
    if not isinstance(thinking, dict) or not binds(str(body.value("model"))):
        return None
    if thinking.get("type") == "disabled" or "block_binding" in thinking:
        return None
    return body.fields["thinking"], json_of({**thinking, "block_binding": _DROP})


class Bindings(Struct, eq=False):
    """The thinking blocks of one conversation, and the prefix of each."""

    _bound: dict[str, bytes] = {}
    _end: tuple[int, bytes] = (0, b"")

    def broken(self, row: BlockRow) -> list[int]:
        """Indexes of thinking units whose prefix has changed. Call it once per request, with the
        row as it is sent."""
        wrong = [
            number
            for number, unit in enumerate(row.units)
            if unit.thinking and self._prefix_of(row, number) != _before(row, number)
        ]
        self._end = (len(row.units), _before(row, len(row.units)))
        return wrong

    def _prefix_of(self, row: BlockRow, number: int) -> bytes:
        """The prefix that this block is bound to: the one at its first occurrence. If the block is
        part of the previous request's answer and that request has changed, it counts as broken."""
        signed = row.units[number].thinking
        if signed not in self._bound:
            length, end = self._end
            answered = length and length <= number and row.units[number].message >= 0
            moved = answered and _before(row, length) != end
            self._bound[signed] = b"elsewhere" if moved else _before(row, number)
        return self._bound[signed]


def _before(row: BlockRow, number: int) -> bytes:
    return row.content[number - 1] if number else b""
