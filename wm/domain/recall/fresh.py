"""The newest statement of a fact first (RC-1). Only reorders what was found; drops nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wm.settings import RecallSettings


@dataclass(frozen=True)
class Statement:
    """One hit. when: what orders it in time, None if unknown. spoken: a person said it."""

    score: float
    when: tuple[str, int] | None
    spoken: bool


def newest_first(
    statements: Sequence[Statement], mutual: NDArray[np.float32], settings: RecallSettings
) -> list[int]:
    """Positions in a new order. A newer hit passes an older one that speaks of the same, if its
    own score is not far behind. mutual: likeness of each to each."""
    order: list[int] = []
    for at, newer in enumerate(statements):
        place = len(order)
        for spot in range(len(order)):
            older = statements[order[spot]]
            if (
                newer.when is not None
                and older.when is not None
                and newer.when > older.when
                and newer.spoken == older.spoken
                and mutual[at, order[spot]] >= settings.same_floor
                and newer.score >= settings.fresh_reach * older.score
            ):
                place = spot
                break
        order.insert(place, at)
    return order
