"""The lines of one output, and derived values computed once (PR-2, EX-6).

A line's shape is the line without its digits. A log of 100,000 lines has a few dozen shapes, so a
question about lines is asked once per shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import cached_property
from itertools import islice

from wm.text import patterns
from wm.text.tables import Tables

_DIGITS = b"0123456789"
EDGE = 12_000
"""Lines at each end of an output that are examined one by one."""
MOST_BETWEEN = 6_000
MOST_HITS = 3_000
"""Most lines between the ends that are examined because they contain one of `WORDS`."""
FOLLOWING = 6
"""Lines examined after each of those."""

WORDS = Tables("wm.domain.pruning").phrases("telling")
"""Words (lower case), one of which every line that must be seen contains."""
_TELLING = patterns.compile_bytes("|".join((*WORDS, r'" [45]\d\d ', r'status"?[=:] ?[45]\d\d')))
MOST_ASKED = 20_000
"""Most shapes of one output that are tested by a pattern."""
SHORTEST_SHAPE = 4
"""A line with fewer non-digit characters is its own shape: `200` is not `503`."""


_PARAMETERS = "".join(map(chr, range(0x20, 0x40)))


def without_escapes(text: str) -> str:
    """The text without terminal colours, cursor movements and titles."""
    first, *pieces = text.split("\x1b")
    return first + "".join(map(_behind_escape, pieces))


def _behind_escape(piece: str) -> str:
    """The rest of `piece` after the escape sequence it begins with."""
    kind = piece[:1]
    if kind == "[":
        return piece[1:].lstrip(_PARAMETERS)[1:]
    if kind == "]":
        _title, bell, rest = piece.partition("\x07")
        return rest if bell else piece[piece.find("\n") :] if "\n" in piece else ""
    return piece[2:] if kind and kind in "()*+" else piece[1:]


class OutputLines:
    """The examined lines of an output: all of them, or of a very long output those near its ends
    plus those in between that contain one of `WORDS`, with the lines after them.

    total: number of lines of the output. skipped: index of a line -> lines left out before it.
    plain: the lines without terminal escapes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.trailing = text.endswith("\n")
        self.total = text.count("\n") + (not self.trailing)
        self.skipped: dict[int, int] = {}
        self.errors: list[int] | None = None
        """The result of `telling.errors`; None before it ran."""
        body = text[:-1] if self.trailing else text
        if self.total <= 2 * EDGE + MOST_BETWEEN:
            self.lines = body.split("\n")
            return
        *head, rest = body.split("\n", EDGE)
        between, *tail = rest.rsplit("\n", EDGE)
        self.lines = head
        self._add_telling(between)
        self.lines += tail

    def _add_telling(self, between: str) -> None:
        """Take the lines with one of `WORDS` out of the middle; count the rest."""
        raw = between.encode("utf-8", "surrogatepass")
        done = 0  # bytes taken or counted so far
        for hit in islice(_TELLING.finditer(raw), MOST_HITS):
            start = raw.rfind(b"\n", done, hit.start()) + 1 or done
            if hit.start() < done:
                continue
            self._skip(raw.count(b"\n", done, start))
            end = start
            for _ in range(1 + FOLLOWING):
                line_end = raw.find(b"\n", end)
                line_end = len(raw) if line_end < 0 else line_end
                self.lines.append(raw[end:line_end].decode("utf-8", "surrogatepass"))
                end = line_end + 1
                if end > len(raw):
                    break
            done = min(end, len(raw) + 1)
        if done <= len(raw):
            self._skip(raw.count(b"\n", done) + 1)

    def _skip(self, count: int) -> None:
        if count:
            self.skipped[len(self.lines)] = count

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def plain(self) -> list[str]:
        if "\x1b" not in self.text and "\r" not in self.text:
            return self.lines
        text = without_escapes("\n".join(self.lines))
        plain = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
        # An escape may contain a line end; if the counts differ, use the lines as they came.
        return plain if len(plain) == len(self.lines) else self.lines

    @cached_property
    def shapes(self) -> list[bytes]:
        raw = "\n".join(self.plain).encode("utf-8", "replace")
        without = raw.translate(None, _DIGITS).split(b"\n")
        return [
            shape if len(shape) >= SHORTEST_SHAPE else line.encode("utf-8", "replace")
            for shape, line in zip(without, self.plain, strict=True)
        ]

    @cached_property
    def counts(self) -> Counter[bytes]:
        return Counter(self.shapes)

    @cached_property
    def first_of_shape(self) -> dict[bytes, int]:
        found: dict[bytes, int] = {}
        for index, shape in enumerate(self.shapes):
            if shape not in found:
                found[shape] = index
        return found

    def of_shapes(self, wanted: Collection[bytes]) -> list[int]:
        """Indexes of all lines of these shapes."""
        return [i for i, shape in enumerate(self.shapes) if shape in wanted] if wanted else []

    def like(self, pattern: patterns.Lazy, chars: int, most: int = MOST_ASKED) -> list[int]:
        """Indexes of all lines of the shapes whose first line matches in its first `chars`
        characters; only so many shapes are asked."""
        firsts = islice(self.first_of_shape.items(), most)
        return self.of_shapes({s for s, i in firsts if pattern.search(self.plain[i][:chars])})

    def share(self, holds: Callable[[str], bool], sample: int = 400) -> float:
        """Share of non-blank lines for which `holds` is true, from up to `sample` lines."""
        step = max(1, len(self.plain) // sample)
        looked = [line for line in self.plain[::step] if line.strip()]
        return sum(map(holds, looked)) / len(looked) if looked else 0.0
