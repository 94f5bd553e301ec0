"""One entry of the table of rules: a detector and a reducer (PR-4)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from msgspec import Struct

from wm.domain.context.pruning import telling
from wm.domain.context.pruning.call import Call
from wm.domain.context.pruning.choose import Wanted
from wm.domain.context.pruning.lines import Lines
from wm.domain.patterns import Lazy

Reduce = Callable[[Lines], Wanted]
Looks = Callable[[Lines], bool]


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


def keeping(must: Lazy, more: Lazy | None = None) -> Reduce:
    """A reducer: errors and sums, lines that `must` finds, and, as far as there is room, what
    stands around them and what `more` finds."""

    def reduce(lines: Lines) -> Wanted:
        errors = telling.errors(lines)
        own = _found(lines, must)
        keep = sorted({*errors, *own, *telling.summaries(lines)})
        extra = _found(lines, more) if more is not None else []
        return Wanted(must=keep, more=[*telling.attached(lines, keep), *extra])

    return reduce


def _found(lines: Lines, pattern: Lazy) -> list[int]:
    asked = list(lines.first_of_shape.values())
    if len(asked) > telling.MOST_ASKED:
        half = telling.MOST_ASKED // 2
        asked = [*asked[:half], *asked[-half:]]
    plain, shapes = lines.plain, lines.shapes
    return lines.of_shapes({shapes[i] for i in asked if pattern.search(plain[i][:400]) is not None})


def looks(pattern: Lazy) -> Looks:
    """A shape: `pattern` is found in one of the first or last 200 lines."""

    def found(lines: Lines) -> bool:
        plain = lines.plain
        near = plain if len(plain) <= 400 else [*plain[:200], *plain[-200:]]
        return any(pattern.search(line[:300]) is not None for line in near)

    return found


class Rule(Struct, frozen=True):
    """name: the word in evidence and in the kept output's `kind`. noun: what the lines that are
    gone are called. commands: programs whose output it is; tools: the agent's own words for
    tools with such output. looks: whether an output has this shape. reduce: what stays besides
    the ends. folds: which runs of lines are counted."""

    name: str
    noun: str
    commands: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    looks: Looks | None = None
    reduce: Reduce = failures
    folds: Folds = Folds.SAME

    def is_of(self, call: Call) -> bool:
        """Whether the call says that this is such output."""
        return call.ran(*self.commands) or call.name.lower().rpartition("__")[2] in self.tools

    def looks_so(self, lines: Lines) -> bool:
        return self.looks is not None and self.looks(lines)
