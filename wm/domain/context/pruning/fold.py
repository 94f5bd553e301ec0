"""Runs of the same line, or of lines that differ in their digits only, as one line and a count.

The first line of a run stays, of an alike run the last one too. A line that looks like an error
ends a run of alike lines: only its equals are counted with it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence

from msgspec import Struct

from wm.domain.context.pruning.lines import Lines
from wm.domain.context.pruning.rule import Folds

SHORTEST_SAME = 3
SHORTEST_ALIKE = 6


class Item(Struct, frozen=True):
    """A line by its index, or what stands for `count` lines from `index` on: `alike` says
    whether they are equal to the line above or only like it."""

    index: int
    count: int = 0
    alike: bool = False


def folded(lines: Lines, folds: Folds, errors: Collection[int]) -> list[Item]:
    """All lines as items, runs folded, with what was not looked at."""
    items = [Item(index) for index in range(len(lines))]
    if folds is not Folds.NONE:
        items = _same(lines)
    if folds is Folds.ALIKE:
        items = _alike(items, lines, errors)
    return _with_skipped(items, lines) if lines.skipped else items


def _same(lines: Lines) -> list[Item]:
    items: list[Item] = []
    for start, stop in _runs(lines.plain, lines.skipped):
        items.append(Item(start))
        more = stop - start - 1
        if more + 1 >= SHORTEST_SAME and lines.plain[start].strip():
            items.append(Item(start + 1, more))
        else:
            items += [Item(index) for index in range(start + 1, stop)]
    return items


def _with_skipped(items: list[Item], lines: Lines) -> list[Item]:
    """Runs end where something was skipped, so each skip stands in front of an item."""
    out: list[Item] = []
    for item in items:
        if not item.count and item.index in lines.skipped:
            out.append(Item(-1, lines.skipped[item.index]))
        out.append(item)
    if len(lines) in lines.skipped:
        out.append(Item(-1, lines.skipped[len(lines)]))
    return out


def _alike(items: list[Item], lines: Lines, errors: Collection[int]) -> list[Item]:
    telling = set(errors)
    shapes = [b"" if item.index in telling else lines.shapes[item.index] for item in items]
    breaks = {n for n, item in enumerate(items) if item.index in lines.skipped}
    out: list[Item] = []
    for start, stop in _runs(shapes, breaks):
        run = items[start:stop]
        weight = sum(item.count or 1 for item in run)
        if weight < SHORTEST_ALIKE or not shapes[start].strip():
            out += run
            continue
        last = run[-1]
        if last.count:
            # The run ends in equal lines: its last line is the one that they repeat.
            out += [run[0], Item(run[0].index + 1, weight - 1, alike=True)]
        else:
            out += [run[0], Item(run[0].index + 1, weight - 2, alike=True), last]
    return out


def _runs(values: Sequence[object], breaks: Container[int]) -> list[tuple[int, int]]:
    """(start, stop) of each stretch of equal values; none goes across a break."""
    found: list[tuple[int, int]] = []
    start = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[start] or index in breaks:
            found.append((start, index))
            start = index
    return found
