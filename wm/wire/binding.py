"""Which thinking a changed prefix makes invalid. Pure (PX-4, PX-11).

Newer models bind each block of thinking to everything that stood before it when it was made. If
anything of that changes, this block and all later thinking are refused or dropped. Nothing is
judged here that was not seen being made: thinking of before is taken as bound to where it first
stood.
"""

from __future__ import annotations

from wm.wire.prices import price_of
from wm.wire.rows import Row

FAMILIES = frozenset(
    ("fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2", "opus-5-5", "sonnet-5-5", "haiku-5-5")
)
"""Models that bind; `wm.wire.prices` names them."""


def binds(model: str) -> bool:
    """Whether this model refuses thinking whose prefix has changed."""
    price = price_of(model)
    return price.known and price.family in FAMILIES


class Bindings:
    """The thinking of one conversation, and what each block of it is bound to."""

    def __init__(self) -> None:
        self._bound: dict[str, bytes] = {}
        self._end: tuple[int, bytes] = (0, b"")

    def broken(self, row: Row) -> list[int]:
        """The units of a request that are thinking with another prefix than theirs; call it once
        for each request, with the row as it is sent."""
        wrong = [
            number
            for number, unit in enumerate(row.units)
            if unit.thinking and self._prefix_of(row, number) != _before(row, number)
        ]
        self._end = (len(row.units), _before(row, len(row.units)))
        return wrong

    def _prefix_of(self, row: Row, number: int) -> bytes:
        """What this block is bound to; learned where it stands for the first time: in the answer
        to the request before, so behind the whole of that."""
        signed = row.units[number].thinking
        if signed not in self._bound:
            length, end = self._end
            answered = length and length <= number and row.units[number].message >= 0
            moved = answered and _before(row, length) != end
            self._bound[signed] = b"elsewhere" if moved else _before(row, number)
        return self._bound[signed]


def _before(row: Row, number: int) -> bytes:
    return row.content[number - 1] if number else b""
