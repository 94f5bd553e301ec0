"""Put the newest statement of a fact first (RC-1). Only reorders hits; drops nothing.

Only among hits on the same topic: an unrelated newer entry does not move up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.settings import RecallSettings


class DatedHit(Struct, frozen=True):
    """One hit. when: its sort key in time, None if unknown. spoken: a person said it."""

    score: float
    when: tuple[str, int] | None
    spoken: bool
    has_number: bool


def newest_first(
    statements: Sequence[DatedHit],
    mutual: NDArray[np.float32],
    settings: RecallSettings,
    *,
    value: bool,
) -> list[int]:
    """Positions in a new order. A newer hit moves ahead of an older one on the same topic if its
    score is not much lower. mutual: similarity of each pair. value: the query asks for a current
    number or date; then a lower similarity is enough if both contain numbers."""
    floor = np.float32(min(settings.same_floor, settings.value_floor))
    alike: dict[int, set[int]] = {}
    for at, other in zip(*(part.tolist() for part in (mutual >= floor).nonzero()), strict=True):
        if other < at:
            alike.setdefault(at, set()).add(other)
    order = list(range(len(statements)))
    for at, others in alike.items():
        newer = statements[at]
        for spot, other in enumerate(order[:at]):
            if other in others and _replaces(
                newer, statements[other], float(mutual[at, other]), settings, value
            ):
                # This moves only hits up to `at`: later positions stay valid.
                order.insert(spot, order.pop(at))
                break
    return order


def _replaces(
    newer: DatedHit, older: DatedHit, likeness: float, settings: RecallSettings, value: bool
) -> bool:
    if newer.when is None or older.when is None or newer.when <= older.when:
        return False
    if newer.spoken != older.spoken:
        return False
    floor, reach = settings.same_floor, settings.fresh_reach
    if value and newer.has_number and older.has_number:
        floor, reach = settings.value_floor, settings.value_reach
    return likeness >= floor and newer.score >= reach * older.score
