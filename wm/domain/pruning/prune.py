"""Prune one output: find its rule, select what stays, mark what was cut (PR-1..4).

Pure. The caller keeps the original under the handle that the marks name. Protects: every line of
the result is a line of the output or a mark; the result is shorter; an output that the model
asked to read, or a short one, stays byte for byte; pruning twice equals pruning once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from wm.domain.pruning import documents, telling_lines
from wm.domain.pruning.client_cuts import ClientCut, client_cut
from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.modes import CutLimits, Mode, measure_of
from wm.domain.pruning.repeats import FoldedLine, folded
from wm.domain.pruning.rule import Folds, OutputRule
from wm.domain.pruning.rule_table import rule_for
from wm.domain.pruning.selection import chosen
from wm.domain.pruning.tool_call import PrunableCall
from wm.domain.pruning.user_rules import UserRules
from wm.formats.tool_output import ID_DIGITS
from wm.settings import PruningSettings

MARK = "[wm: "
"""Prefix of every line that replaces cut lines."""
RESTORE_TOOL = "memory_restore"
MOST_OUTLIERS = 4
"""Lines of one kind of outlier that stay whatever the room; more of them stay as room allows."""


class PrunedText(Struct, frozen=True):
    """A cut worth making. kind: the rule. lines, kept_lines: counts of the original. `text` needs
    the handle of the kept original."""

    kind: str
    lines: int
    kept_lines: int
    _parts: tuple[str | _Gap, ...]
    _noun: str
    _note: str
    _tail: str
    _client: ClientCut = ClientCut()

    def text(self, handle: str) -> str:
        """The text for the model."""
        marks = (mark for _, _, mark in self.gaps(handle))
        out = (part if isinstance(part, str) else next(marks) for part in self._parts)
        return "\n".join(out) + self._tail

    def gaps(self, handle: str) -> Iterator[tuple[int, int, str]]:
        """The first line (from 0) and the number of lines that were cut, and the mark in their
        place."""
        note = f" ({self._note})" if self._note else ""
        at, back = 0, f"{note}; {self._restore_hint(handle)}"
        for part in self._parts:
            if isinstance(part, str):
                at += 1
                continue
            yield at, part.count, f"{MARK}{part.said(self._noun)}{back}]"
            at, back = at + part.count, ""

    def _restore_hint(self, handle: str) -> str:
        back = f"all {self.lines - len(self._client.marks):,} lines{self._client.said}: "
        verb = "output" if handle.startswith("t_") else "objects show"
        back += f"{RESTORE_TOOL} {handle}, or `wm {verb} {handle}`"
        return back + (f"; the rest is in {self._client.file}" if self._client.file else "")


class _Gap(Struct, frozen=True):
    """Lines that were cut: omitted, equal to the line above, or similar to it."""

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
    call: PrunableCall, mode: Mode, settings: PruningSettings, user: UserRules | None = None
) -> PrunedText | None:
    """The shortened output; None if it stays as it is."""
    measure = measure_of(mode, settings)
    text = call.output
    if not settings.enabled or len(text) > settings.max_chars:
        return None
    if text.count("\n") + (not text.endswith("\n")) <= measure.threshold or _is_pruned(text):
        return None
    if documents.is_never_pruned(call):
        return None
    lines = OutputLines(text)
    own = user.first(call, lines) if user else None
    if own is not None:
        return None if own.given.leave else _cut(lines, own.rule, measure)
    if documents.shows_sources(call):
        return None
    rule = rule_for(call, lines)
    return None if rule is None else _cut(lines, rule, measure)


def _is_pruned(text: str) -> bool:
    return MARK in text and (f": {RESTORE_TOOL} t_" in text or f": {RESTORE_TOOL} o_" in text)


def _cut(lines: OutputLines, rule: OutputRule, measure: CutLimits) -> PrunedText | None:
    wanted = rule.reduce(lines)
    before = client_cut(lines)
    outliers = telling_lines.outliers(lines) if rule.states else []
    # A rare number of words alone does not make a line stay whatever the room.
    few = [at for kind in outliers[:2] if len(kind) <= MOST_OUTLIERS for at in kind]
    unlike = [at for kind in outliers for at in kind]
    must = sorted({*wanted.must, *before.marks, *few})
    # Listings, diffs and data have no errors of their own, so their rules did not look for any.
    failed = dict.fromkeys((*few, *(lines.errors or ())))
    more = [*telling_lines.above(lines, failed), *wanted.more, *unlike]
    single = [*telling_lines.errors(lines), *unlike] if rule.folds is Folds.ALIKE else ()
    items = folded(lines, rule.folds, single)
    if len(items) > 2 * measure.ends + measure.slack:
        items = _shortened(lines, items, must, more, measure, uniform=rule.states)
    parts = tuple(_parts(lines, items))
    notes = (wanted.note, _errors_cut(must, items))
    if lines.total - len(parts) < measure.slack:
        return None
    made = PrunedText(
        kind=rule.name,
        lines=lines.total,
        kept_lines=sum(isinstance(part, str) for part in parts),
        _parts=parts,
        _noun=rule.noun,
        _note="; ".join(filter(None, notes)),
        _tail="\n" if lines.trailing else "",
        _client=before,
    )
    shorter = len(made.text("t_" + "0" * ID_DIGITS)) < len(lines.text)
    return made if shorter else None


def _errors_cut(must: Sequence[int], items: Sequence[FoldedLine]) -> str:
    """What the mark says if there are more lines that must be seen than the mode keeps."""
    kept = {item.index for item in items if not item.count}
    cut = sum(index not in kept for index in must)
    return (
        f"{cut:,} of them look like errors, and the first and last of each kind stay" if cut else ""
    )


def _shortened(
    lines: OutputLines,
    items: list[FoldedLine],
    must: Sequence[int],
    more: Sequence[int],
    measure: CutLimits,
    *,
    uniform: bool,
) -> list[FoldedLine]:
    """The items that stay; the rest as items that replace what was cut."""
    shapes = [b"" if item.count else lines.shapes[item.index] for item in items]
    at = {item.index: position for position, item in enumerate(items) if not item.count}
    kept = chosen(
        shapes,
        [at[index] for index in must if index in at],
        [at[index] for index in dict.fromkeys(more) if index in at],
        measure,
        uniform=uniform,
    )
    out: list[FoldedLine] = []
    before = -1
    for position in (*kept, len(items)):
        gone = items[before + 1 : position]
        if gone:
            out.append(FoldedLine(-1, sum(item.count or 1 for item in gone)))
        if position < len(items):
            out.append(items[position])
        before = position
    return out


def _joined(items: Sequence[FoldedLine]) -> list[FoldedLine]:
    """Merge neighbouring gaps."""
    out: list[FoldedLine] = []
    for item in items:
        if out and item.index < 0 and out[-1].index < 0:
            item = FoldedLine(-1, out.pop().count + item.count)
        out.append(item)
    return out


def _parts(lines: OutputLines, items: Sequence[FoldedLine]) -> list[str | _Gap]:
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
