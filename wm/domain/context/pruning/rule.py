"""One entry of the table of rules: a detector and a reducer (PR-4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from wm.domain.context.pruning import telling
from wm.domain.context.pruning.call import Call
from wm.domain.context.pruning.choose import Wanted
from wm.domain.context.pruning.lines import Lines

Reduce = Callable[[Lines], Wanted]


class Folds(Enum):
    """SAME: runs of equal lines. ALIKE: also runs of lines that differ in their digits only."""

    NONE = "none"
    SAME = "same"
    ALIKE = "alike"


def failures(lines: Lines) -> Wanted:
    """Errors with what belongs to them, and what tools sum up: right for most output."""
    found = telling.errors(lines)
    summed = telling.summaries(lines)
    return Wanted(
        must=sorted({*found, *summed}) if len(summed) <= 20 else found,
        more=[*telling.attached(lines, found), *telling.odd_ones(lines)],
    )


def nothing_more(lines: Lines) -> Wanted:
    """The ends alone."""
    del lines
    return Wanted()


@dataclass(frozen=True)
class Rule:
    """name: the word in evidence and in the kept output's `kind`. noun: what the lines that are
    gone are called. commands: programs whose output it is; tools: the agent's own words for
    tools with such output. looks: whether an output has this shape. reduce: what stays besides
    the ends. folds: which runs of lines are counted."""

    name: str
    noun: str
    commands: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    looks: Callable[[Lines], bool] | None = None
    reduce: Reduce = failures
    folds: Folds = Folds.SAME

    def is_of(self, call: Call) -> bool:
        """Whether the call says that this is such output."""
        return call.ran(*self.commands) or call.name.lower().rpartition("__")[2] in self.tools

    def looks_so(self, lines: Lines) -> bool:
        return self.looks is not None and self.looks(lines)
