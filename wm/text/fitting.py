"""Choose what fits into a limited space, in the order given. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


def count_that_fits(sizes: Iterable[int], room: int) -> int:
    """How many of these pieces fit together, from the first on."""
    return sum(used <= room for used in accumulate(sizes))


def those_that_fit(pieces: Iterable[T], size: Callable[[T], int], room: int) -> list[T]:
    """The pieces that fit together; one that is too large is left out, and the next is tried."""
    chosen = []
    for piece in pieces:
        if size(piece) <= room:
            chosen.append(piece)
            room -= size(piece)
    return chosen
