"""Collapses lines of a new output that the context already holds to a reference (PX-4, PR-1). Pure.

Only when an output first appears, so it costs no cache. A run of lines is collapsed if the same
run is shown in an earlier block and is long enough to be worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from wm.domain.paging.stubs import MARK

MIN_CHARS = 120
_CANDIDATES = 6
"""Latest earlier places of a line that are compared; a line such as `}` has hundreds."""
_QUOTED_CHARS = 40

IsShown = Callable[[int], bool]
"""Whether the lines of a source are still in the context."""


class LineReference(Struct, frozen=True, array_like=True):
    """A text in place of `count` lines from the `first` on (counted from 0)."""

    first: int
    count: int
    text: str


class KnownLines(Struct):
    """The lines of one context so far. Sources are numbered in the order in which they came."""

    _sources: list[Sequence[str]] = field(default_factory=list)
    _places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """Remember a text as it is shown. Returns its number."""
        number = len(self._sources)
        lines = text.split("\n")
        self._sources.append(lines)
        for place, line in enumerate(lines):
            if len(line.strip()) > 3:
                self._places.setdefault(line, []).append((number, place))
        return number

    def references(self, text: str, handle: str, is_shown: IsShown) -> list[LineReference]:
        """References in place of known runs of lines, in order; [] if they are not worth it.
        handle: restores the whole text."""
        lines = text.split("\n")
        found: list[LineReference] = []
        at = saved = 0
        while at < len(lines):
            count = self._run(lines, at, is_shown)
            chars = sum(len(line) + 1 for line in lines[at : at + count])
            if chars < MIN_CHARS:
                at += max(1, count)
                continue
            reference = _reference(lines[at : at + count], f"; {handle}")
            found.append(LineReference(at, count, reference))
            saved += chars - len(reference) - 1
            at += count
        return found if saved > MIN_CHARS // 2 else []

    def _run(self, lines: Sequence[str], at: int, is_shown: IsShown) -> int:
        """Length of the longest known run that begins here."""
        best = 0
        for number, place in reversed(self._places.get(lines[at], ())[-_CANDIDATES:]):
            source = self._sources[number]
            count = 1
            while (
                at + count < len(lines)
                and place + count < len(source)
                and source[place + count] == lines[at + count]
            ):
                count += 1
            if count > best and is_shown(number):
                best = count
        return best


def same_as_above(text: str) -> LineReference:
    """A reference in place of a text that the context holds, and that stays there."""
    lines = text.split("\n")
    return LineReference(0, len(lines), _reference(lines))


def _reference(lines: Sequence[str], handle: str = "") -> str:
    """The words in place of these lines; they quote the first that is more than a tag."""
    count, shown = len(lines), [line.strip() for line in lines if line.strip()]
    first = next((line for line in shown if not line.startswith("<")), shown[0])
    what = f"{count:,} lines as" if count > 1 else "a line as"
    return f'{MARK}{what} above, from "{first[:_QUOTED_CHARS]}"{handle}]'
