"""Shorter forms of a text without a model: the lines that tell most, and what they leave out. Pure.

Chosen are headings, signatures, errors, decisions and first lines, in their order (OB-2, OB-6). The
losses are computed from the text: what the summary cannot answer is named, not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from wm.domain.paging.stubs import MAX_NAMES, names_in
from wm.text.patterns import Lazy

SHARES: Mapping[int, float] = {1: 0.30, 2: 0.05}
"""Share of the characters that a level keeps."""
_LEAST_CHARS = 200
_TELLING = (
    Lazy(r"(?i)\b(?:error|failed|failure|exception|panic|fatal|assert(?:ion)?)\b"),
    Lazy(
        r"^\s*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|pub(?:\([a-z]+\))?\s+)*"
        r"(?:def|class|func|fn|function|interface|struct|enum|trait|impl|type|module|package|const)\b"
    ),
    Lazy(r"^\s{0,3}#{1,6}\s|^\s*\[[^\]]+\]\s*$|^=+ .* =+$"),
    Lazy(r"(?i)\b(?:decided|decision|must|never|always|because|todo|note|warning)\b"),
)
"""Kinds of lines, the most telling first."""


class TextSummary(Struct, frozen=True):
    """text: the chosen lines, with marks where others were left out. dropped: number of those.
    names: the rarest identifiers that it lacks."""

    text: str
    dropped: int
    names: tuple[str, ...]


def summary(text: str, level: int) -> TextSummary:
    """A text at a fidelity level: 0 is the whole, 1 and 2 are shorter."""
    lines = text.split("\n")
    share = SHARES.get(level)
    if share is None:
        return TextSummary(text, 0, ())
    room = max(_LEAST_CHARS, int(len(text) * share))
    chosen = _chosen(lines, room)
    shown = _joined(lines, chosen)
    missing = names_in(text) - names_in(shown)
    rarest = sorted(missing, key=lambda name: (text.count(name), -len(name), name))[:MAX_NAMES]
    return TextSummary(shown, len(lines) - len(chosen), tuple(rarest))


def _chosen(lines: Sequence[str], room: int) -> set[int]:
    """Numbers of lines that fit: first the first and the last, then by kind, then from the top."""
    order = [0, len(lines) - 1]
    for kind in _TELLING:
        order += [number for number, line in enumerate(lines) if kind.search(line)]
    order += range(len(lines))
    chosen: set[int] = set()
    for number in order:
        size = len(lines[number]) + 1
        if number not in chosen and size <= room and lines[number].strip():
            chosen.add(number)
            room -= size
    return chosen


def _joined(lines: Sequence[str], chosen: set[int]) -> str:
    out: list[str] = []
    left = 0
    for number, line in enumerate(lines):
        if number not in chosen:
            left += 1
            continue
        out += [f"[… {left} lines]"] if left else []
        out.append(line)
        left = 0
    return "\n".join([*out, *([f"[… {left} lines]"] if left else [])])
