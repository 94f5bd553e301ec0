"""Fold runs of equal lines, or of lines that differ only in digits, into a line and a count.

The first line of a run stays, and of a run of similar lines the last one too. A line that looks
like an error ends a run of similar lines: only equal lines are counted with it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence

from msgspec import Struct

from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import Folds

SHORTEST_SAME = 3
SHORTEST_ALIKE = 6


class FoldedLine(Struct, frozen=True):
    """A line by its index, or a stand-in for `count` lines from `index` on. alike: they are only
    similar to the line above, not equal."""

    index: int
    count: int = 0
    alike: bool = False


def folded(lines: OutputLines, folds: Folds, errors: Collection[int]) -> list[FoldedLine]:
    """All lines as items, runs folded; skipped lines included."""
    items = [FoldedLine(index) for index in range(len(lines))]
    if folds is not Folds.NONE:
        items = _same(lines)
    if folds is Folds.ALIKE:
        items = _alike(items, lines, errors)
    return _with_skipped(items, lines) if lines.skipped else items


def _same(lines: OutputLines) -> list[FoldedLine]:
    items: list[FoldedLine] = []
    for start, stop in _runs(lines.plain, lines.skipped):
        items.append(FoldedLine(start))
        more = stop - start - 1
        if more + 1 >= SHORTEST_SAME and lines.plain[start].strip():
            items.append(FoldedLine(start + 1, more))
        else:
            items += [FoldedLine(index) for index in range(start + 1, stop)]
    return items


def _with_skipped(items: list[FoldedLine], lines: OutputLines) -> list[FoldedLine]:
    """A skipped part ends every run, so that it precedes an item."""
    out: list[FoldedLine] = []
    for item in items:
        if not item.count and item.index in lines.skipped:
            out.append(FoldedLine(-1, lines.skipped[item.index]))
        out.append(item)
    if len(lines) in lines.skipped:
        out.append(FoldedLine(-1, lines.skipped[len(lines)]))
    return out


def _alike(
    items: list[FoldedLine], lines: OutputLines, errors: Collection[int]
) -> list[FoldedLine]:
    telling = set(errors)
    shapes = [b"" if item.index in telling else lines.shapes[item.index] for item in items]
    breaks = {n for n, item in enumerate(items) if item.index in lines.skipped}
    out: list[FoldedLine] = []
    for start, stop in _runs(shapes, breaks):
        run = items[start:stop]
        weight = sum(item.count or 1 for item in run)
        if weight < SHORTEST_ALIKE or not shapes[start].strip():
            out += run
            continue
        last = run[-1]
        if last.count:
            # The run ends in equal lines: its last line is the one they repeat.
            out += [run[0], FoldedLine(run[0].index + 1, weight - 1, alike=True)]
        else:
            out += [run[0], FoldedLine(run[0].index + 1, weight - 2, alike=True), last]
    return out


def _runs(values: Sequence[object], breaks: Container[int]) -> list[tuple[int, int]]:
    """(start, stop) of each stretch of equal values; none crosses a break."""
    found: list[tuple[int, int]] = []
    start = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[start] or index in breaks:
            found.append((start, index))
            start = index
    return found
