"""The newest statement of a fact first (RC-1). Only reorders what was found; drops nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wm.settings import RecallSettings


class Statement(Struct, frozen=True):
    """One hit. when: what orders it in time, None if unknown. spoken: a person said it."""

    score: float
    when: tuple[str, int] | None
    spoken: bool
    has_number: bool


def newest_first(
    statements: Sequence[Statement],
    mutual: NDArray[np.float32],
    settings: RecallSettings,
    *,
    value: bool,
) -> list[int]:
    """Positions in a new order. A newer hit passes an older one that speaks of the same, if its
    own score is not far behind. mutual: likeness of each to each. value: the query asks for a
    number or date that holds now; then a statement in passing is enough, if both have numbers."""
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
                # Those behind it are where they were, and so is it.
                order.insert(spot, order.pop(at))
                break
    return order


def _replaces(
    newer: Statement, older: Statement, likeness: float, settings: RecallSettings, value: bool
) -> bool:
    if newer.when is None or older.when is None or newer.when <= older.when:
        return False
    if newer.spoken != older.spoken:
        return False
    floor, reach = settings.same_floor, settings.fresh_reach
    if value and newer.has_number and older.has_number:
        floor, reach = settings.value_floor, settings.value_reach
    return likeness >= floor and newer.score >= reach * older.score
