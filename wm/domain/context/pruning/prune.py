"""Prune one output: find its rule, choose what stays, say in place what does not (PR-1..4).

Pure. What the tool printed comes in, what the model is to read goes out; the original is kept
by whoever asks, under the handle that the marks name.

Protects: every line of the result is a line of the output or a mark; the result is shorter; an
output that somebody asked to read, or that is short, stays byte for byte; doing it twice is
doing it once.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.domain.context.pruning import sources, telling
from wm.domain.context.pruning.call import Call
from wm.domain.context.pruning.choose import chosen
from wm.domain.context.pruning.fold import Item, folded
from wm.domain.context.pruning.lines import Lines
from wm.domain.context.pruning.modes import Measure, Mode, measure_of
from wm.domain.context.pruning.rule import Folds, Rule
from wm.domain.context.pruning.table import rule_for
from wm.domain.context.pruning.user import UserRules
from wm.formats.tool_output import ID_DIGITS
from wm.settings import PruningSettings

MARK = "[wm: "
"""How every line begins that stands for others."""
WAY_BACK = "memory_restore"


class Pruned(Struct, frozen=True):
    """A cut that pays. kind: the rule. lines, kept_lines: of the original. `text` needs the
    handle under which the original was kept."""

    kind: str
    lines: int
    kept_lines: int
    _parts: tuple[str | _Gap, ...]
    _noun: str
    _note: str
    _tail: str

    def text(self, handle: str) -> str:
        """What the model reads."""
        out: list[str] = []
        first = True
        for part in self._parts:
            if isinstance(part, str):
                out.append(part)
                continue
            said = part.said(self._noun)
            if first:
                note = f" ({self._note})" if self._note else ""
                back = f"all {self.lines:,} lines: {WAY_BACK} {handle}, or `wm output {handle}`"
                said = f"{said}{note}; {back}"
            out.append(f"{MARK}{said}]")
            first = False
        return "\n".join(out) + self._tail


class _Gap(Struct, frozen=True):
    """Lines that are gone: left out, or equal to the line above, or like it."""

    count: int
    how: str = "left out"

    def said(self, noun: str) -> str:
        if self.how == "left out":
            return f"{self.count:,} {noun} left out"
        times = "time" if self.count == 1 else "times"
        if self.how == "same":
            return f"the line above {self.count:,} more {times}"
        return f"{self.count:,} more like the line above"


def prune(
    call: Call,
    mode: Mode,
    settings: PruningSettings,
    user: UserRules | None = None,
) -> Pruned | None:
    """The shorter output; None where it stays as it is."""
    measure = measure_of(mode, settings)
    text = call.output
    if not settings.enabled or len(text) > settings.max_chars:
        return None
    if text.count("\n") + (not text.endswith("\n")) <= measure.threshold or _is_pruned(text):
        return None
    if sources.is_never_pruned(call):
        return None
    lines = Lines(text)
    own = user.first(call, lines) if user else None
    if own is not None:
        return None if own.leave else _cut(lines, own.rule, measure)
    if sources.shows_sources(call):
        return None
    rule = rule_for(call, lines)
    return None if rule is None else _cut(lines, rule, measure)


def _is_pruned(text: str) -> bool:
    return MARK in text and f": {WAY_BACK} t_" in text


def _cut(lines: Lines, rule: Rule, measure: Measure) -> Pruned | None:
    wanted = rule.reduce(lines)
    items = folded(lines, rule.folds, telling.errors(lines) if rule.folds is Folds.ALIKE else ())
    if len(items) > 2 * measure.ends + measure.slack:
        items = _shortened(lines, items, wanted.must, wanted.more, measure)
    parts = tuple(_parts(lines, items))
    if lines.total - len(parts) < measure.slack:
        return None
    made = Pruned(
        kind=rule.name,
        lines=lines.total,
        kept_lines=sum(isinstance(part, str) for part in parts),
        _parts=parts,
        _noun=rule.noun,
        _note=wanted.note,
        _tail="\n" if lines.trailing else "",
    )
    shorter = len(made.text("t_" + "0" * ID_DIGITS)) < len(lines.text)
    return made if shorter else None


def _shortened(
    lines: Lines, items: list[Item], must: Sequence[int], more: Sequence[int], measure: Measure
) -> list[Item]:
    """The items that stay, with the rest as items that stand for what is left out."""
    shapes = [b"" if item.count else lines.shapes[item.index] for item in items]
    at = {item.index: position for position, item in enumerate(items) if not item.count}
    kept = chosen(
        shapes,
        [at[index] for index in must if index in at],
        [at[index] for index in dict.fromkeys(more) if index in at],
        measure,
    )
    out: list[Item] = []
    before = -1
    for position in (*kept, len(items)):
        gone = items[before + 1 : position]
        if gone:
            out.append(Item(-1, sum(item.count or 1 for item in gone)))
        if position < len(items):
            out.append(items[position])
        before = position
    return out


def _joined(items: Sequence[Item]) -> list[Item]:
    """With neighbouring gaps as one."""
    out: list[Item] = []
    for item in items:
        if out and item.index < 0 and out[-1].index < 0:
            item = Item(-1, out.pop().count + item.count)
        out.append(item)
    return out


def _parts(lines: Lines, items: Sequence[Item]) -> list[str | _Gap]:
    out: list[str | _Gap] = []
    for item in _joined(items):
        if not item.count:
            out.append(lines.lines[item.index])
        elif item.index < 0:
            out.append(_Gap(item.count))
        else:
            above = bool(out) and isinstance(out[-1], str)
            how = ("like" if item.alike else "same") if above else "left out"
            out.append(_Gap(item.count, how))
    return out
