"""Whether a user returns to an earlier subject, from the vectors of the messages (GA-1). Pure.

A message returns if it is more similar to some earlier messages in a row than to the newest ones.
How much more depends on the model, so the limits are computed for each model from messages of known
subjects (`goals.toml`). Knows no borders between subjects: a message that begins a new one cannot
be distinguished from one that continues. Does not decide what a return is good for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from wm.text.tables import Tables
from wm.text.terms import STOP_WORDS, raw_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Vectors = Sequence[Vector]

SOURCE = "goal"
"""Logged as the reason of decisions that a return caused."""
_KNOWN = Tables("wm.domain.paging", "goals.toml")
_ROWS = (1, 2)
"""Lengths of the rows that are compared. Two messages show a return better than one, but a subject
may have had only one; three were no better than two."""
_ABOVE = 1.1
"""How far the limit is above the highest score of a known message that continues its subject. At 1
there were 1.4 false returns in 20 messages of the subjects that were used for the choice."""
_RECENT_SHARE = 0.75
"""How much of the similarity to the newest messages counts against a return. At 0.5 there were two
to three false returns in 20 messages of other writers than that of the bench, at 0.75 about one."""
_REPEATED = 0.9
"""Similarity to an earlier message above which it is the same command again, not a return."""
_LEAST_WORDS = 3
"""Words with a meaning; "yes, go on" is about any subject."""


class GoalReturn(Struct, frozen=True):
    """The earlier messages to which one returns: numbers of the first and of the one after the
    last, in order of the messages with enough words. score: how much more similar they are."""

    first: int
    end: int
    score: float


GoalLimits = tuple[float, ...]
"""The score above which a message returns, for each length of a row."""


def known_messages() -> list[str]:
    """The messages by which a model is calibrated."""
    return [text for name in _KNOWN.names() for text in _KNOWN.table(name)]


def calibrated(vectors: Vectors) -> GoalLimits:
    """The limits of a model. vectors: of `known_messages`."""
    rest = iter(vectors)
    subjects = [[next(rest) for _ in _KNOWN.table(name)] for name in _KNOWN.names()]
    scores: dict[int, list[float]] = {row: [] for row in _ROWS}
    for own in subjects:
        others = [vector for other in subjects if other is not own for vector in other]
        for position, message in enumerate(own):
            for row in _ROWS:
                newest = [own[position - back] for back in range(1, row + 1)]
                found = most_similar([*others, *newest], message, row)
                scores[row].append(found.score if found else 0.0)
    return tuple(_ABOVE * max(scores[row]) for row in _ROWS)


def says_much(text: str) -> bool:
    """Whether a message has enough words to show what it is about."""
    return len({word.lower() for word in raw_words(text)} - STOP_WORDS) >= _LEAST_WORDS


def returned(
    before: Vectors, message: Vector, limits: GoalLimits, asked: Vectors = ()
) -> GoalReturn | None:
    """Where a message returns to, by the longest row above its limit; None if it continues or
    begins something. before: all earlier messages with enough words, each with its answer: users
    often do not name the subject, the model does. asked: the same messages without their answers.
    Vectors of single texts have the length 1."""
    found = None
    if any(float(one @ message) > _REPEATED for one in asked or before):
        return None
    for row, limit in zip(_ROWS, limits, strict=True):
        one = most_similar(before, message, row)
        found = one if one is not None and one.score > limit else found
    return found


def most_similar(before: Vectors, message: Vector, row: int) -> GoalReturn | None:
    """The row of this length, apart from the newest ones, to which a message is most similar; None
    if there are too few."""
    recent = _similar(before[-row:], message) if before else 0.0
    starts = range(len(before) - 2 * row + 1)
    scores = [_similar(before[first : first + row], message) for first in starts]
    if not scores:
        return None
    first = scores.index(max(scores))
    return GoalReturn(first, first + row, scores[first] - _RECENT_SHARE * recent)


def _similar(row: Vectors, message: Vector) -> float:
    """Cosine between a message and the mean of others."""
    mean = sum(row[1:], row[0])
    size = float(mean @ mean) ** 0.5
    return float(mean @ message) / size if size else 0.0
