"""One entry of the rule table: a detector and a reducer (PR-4).

A detector says whether the rule is right for an output, a reducer which lines must or may stay.
Limits are applied by `selection`, so a reducer cannot exceed them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache

from msgspec import Struct

from wm.domain.pruning import telling_lines
from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.selection import KeptLines
from wm.domain.pruning.tool_call import PrunableCall
from wm.text.patterns import Lazy
from wm.text.tables import Tables

TABLES = Tables("wm.domain.pruning")

Reduce = Callable[[OutputLines], KeptLines]
Looks = Callable[[OutputLines], bool]


class Folds(Enum):
    """SAME: fold runs of equal lines. ALIKE: also fold lines that differ only in digits."""

    NONE = "none"
    SAME = "same"
    ALIKE = "alike"


def failures(lines: OutputLines) -> KeptLines:
    """Keep errors with their context, and summaries: right for most outputs."""
    found = telling_lines.errors(lines)
    summed = telling_lines.summaries(lines)
    return KeptLines(
        must=sorted({*found, *summed}) if len(summed) <= 20 else found,
        more=[*telling_lines.attached(lines, found), *telling_lines.warnings(lines)],
    )


def nothing_more(lines: OutputLines) -> KeptLines:
    """Keep only the ends."""
    del lines
    return KeptLines()


def keeping(must: str, more: str = "") -> Reduce:
    """A reducer that keeps errors, summaries and lines that match the pattern `must`, and, as room
    allows, their context and lines that match `more`."""
    wanted, wished = Lazy(must), Lazy(more)

    def reduce(lines: OutputLines) -> KeptLines:
        errors = telling_lines.errors(lines)
        own = _found(lines, wanted)
        keep = sorted({*errors, *own, *telling_lines.summaries(lines)})
        extra = _found(lines, wished) if more else []
        return KeptLines(must=keep, more=[*telling_lines.attached(lines, keep), *extra])

    return reduce


def _found(lines: OutputLines, pattern: Lazy) -> list[int]:
    plain, shapes = lines.plain, lines.shapes
    asked = telling_lines.sampled(lines)
    return lines.of_shapes({shapes[i] for i in asked if pattern.search(plain[i][:400]) is not None})


def looks(text: str) -> Looks:
    """A shape test: this pattern matches one of the first or last 200 lines."""
    pattern = Lazy(text)

    def found(lines: OutputLines) -> bool:
        plain = lines.plain
        near = plain if len(plain) <= 400 else [*plain[:200], *plain[-200:]]
        return any(pattern.search(line[:300]) is not None for line in near)

    return found


@cache
def _of_rules(table: str) -> Mapping[str, tuple[str, ...]]:
    """The programs or tools of each rule."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in TABLES.rows(table, columns=2):
        found[name] = (*found.get(name, ()), *words.split(", "))
    return found


class OutputRule(Struct, frozen=True):
    """name: the code in evidence and in the kept output's `kind`. noun: what cut lines are called.
    looks: does an output have this shape? reduce: what stays besides the ends. folds: which runs
    are folded. states: a line that differs from the others says another state, and stays."""

    name: str
    noun: str
    looks: Looks | None = None
    reduce: Reduce = failures
    folds: Folds = Folds.SAME
    states: bool = True

    @property
    def commands(self) -> tuple[str, ...]:
        """Programs with such output."""
        return _of_rules("commands").get(self.name, ())

    def is_of(self, call: PrunableCall) -> bool:
        """Does the call itself say that it prints such output?"""
        tool = call.name.lower().rpartition("__")[2]
        return call.ran(*self.commands) or tool in _of_rules("tools").get(self.name, ())

    def looks_so(self, lines: OutputLines) -> bool:
        return self.looks is not None and self.looks(lines)
