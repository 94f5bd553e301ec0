"""Select the lines of an output that stay, within the mode's limits (PR-1). Pure and linear.

At most twice `ends` lines and three marks stay, plus the lines that must stay. Their context
(frames, quoted code) and the marks of the gaps take their room from the ends, the beginning
first, because the last lines of an output are the most informative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence

from msgspec import Struct

from wm.domain.pruning.modes import CutLimits

MARKS = 3
FIRST_OF_KIND = (5, 2, 1)
"""How many lines of one shape stay besides the last: the first of these figures that keeps few
enough lines."""
NEAR = 6
"""Lines on each side of the only line of its shape that may name what failed."""
SHRINKS = (0.0, 0.2, 0.4, 0.6)
"""Shares by which the beginning may be shortened; the end by half of that."""


class KeptLines(Struct, frozen=True):
    """What a rule keeps besides the ends, by line index. must: always. more: as room allows, most
    wanted first. note: text that the first mark adds about the rest."""

    must: Sequence[int] = ()
    more: Sequence[int] = ()
    note: str = ""


def chosen(
    shapes: Sequence[bytes],
    must: Iterable[int],
    more: Sequence[int],
    measure: CutLimits,
    *,
    uniform: bool = False,
) -> list[int]:
    """The positions, of `len(shapes)`, that stay, in order. uniform: of lines built alike, an end
    needs only the outermost few."""
    count = len(shapes)
    must = _within(shapes, sorted(set(must)), measure.errors)
    room = 2 * measure.ends + MARKS
    kept: set[int] = set()
    allowed, last = room, SHRINKS[-1]
    for shrink in SHRINKS:
        head = measure.ends - int(measure.ends * shrink)
        tail = measure.ends - int(measure.ends * shrink / 2)
        ends = range(min(head, count)), range(count - 1, max(-1, count - 1 - tail), -1)
        kept = {p for end in ends for p in (_unlike(shapes, end) if uniform else end)}
        allowed = room + sum(1 for position in must if position not in kept)
        kept.update(must)
        # A line away from others costs two: itself and the mark of one more gap.
        waiting = 2 * sum(1 for position in more if position not in kept)
        if shrink == last or allowed - _cost(kept, count) >= min(waiting, measure.ends // 2):
            break
    return _filled(kept, more, allowed, count)


MOST_ALIKE = 3
_LETTERS = b"_-./ " + bytes(c for c in range(128) if chr(c).isalnum()) + bytes(range(128, 256))


def _unlike(shapes: Sequence[bytes], end: Iterable[int]) -> Iterator[int]:
    """The positions without those of lines whose punctuation `MOST_ALIKE` lines before them have:
    of forty passed tests, the first three show what the others look like."""
    seen: Counter[bytes] = Counter()
    for position in end:
        marks = shapes[position].translate(None, _LETTERS)
        seen[marks] += 1
        if not marks or seen[marks] <= MOST_ALIKE:
            yield position


def _filled(kept: set[int], more: Sequence[int], allowed: int, count: int) -> list[int]:
    """Add as many of the optional lines as there is room for."""
    spare = allowed - _cost(kept, count)
    for position in more:
        if spare <= 0:
            break
        # A line next to a kept one widens no gap; any other line opens one more.
        price = 2 - (position - 1 in kept) - (position + 1 in kept)
        if position not in kept and price <= spare:
            kept.add(position)
            spare -= price
    return _without_small_gaps(kept, count)


def _without_small_gaps(kept: set[int], count: int) -> list[int]:
    """The mark of a one-line gap costs a line, so that line may stay."""
    single = [p + 1 for p in kept if p + 2 in kept and p + 1 not in kept]
    return sorted(p for p in (*kept, *single) if p < count)


def _cost(kept: Collection[int], count: int) -> int:
    """Lines and marks of a selection."""
    gaps = sum(1 for position in kept if position + 1 < count and position + 1 not in kept)
    return len(kept) + gaps + (0 not in kept)


def _within(shapes: Sequence[Hashable], must: list[int], most: int) -> list[int]:
    """At most `most` of the lines that must stay. If they are more than a quarter of it: the first
    few and the last of each shape, and those near the only line of a shape. If these are more than
    `most`: those at both ends."""
    by_shape: dict[Hashable, list[int]] = {}
    for position in must:
        by_shape.setdefault(shapes[position], []).append(position)
    single = (alike[0] for alike in by_shape.values() if len(alike) == 1)
    near = {at for position in single for at in range(position - NEAR, position + NEAR)}
    kept = must
    for few in FIRST_OF_KIND:
        if 4 * len(kept) <= most:
            return kept
        outer = {at for alike in by_shape.values() for at in (*alike[:few], alike[-1])}
        kept = [position for position in must if position in outer or position in near]
    if len(kept) <= most:
        return kept
    first = most * 2 // 3
    return [*kept[:first], *kept[first - most :]]
