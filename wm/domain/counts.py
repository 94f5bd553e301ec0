"""A number with its noun, for sentences: `1 line`, `1,200 lines`.

Pure, and without imports, since every door prints. Says nothing of other words of the sentence: a
verb that goes with the number is the caller's.
"""

from __future__ import annotations


def counted(number: int | float, one: str, many: str = "") -> str:
    """`1 entry`, `2 entries`. many: where an s does not make it."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{text} {one if number == 1 else many or one + 's'}"
