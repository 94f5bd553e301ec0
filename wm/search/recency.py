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
    """One hit. when: its time and turn, the time "" if unknown. spoken: a person said it."""

    score: float
    when: tuple[str, int]
    spoken: bool


def newest_first(
    hits: Sequence[DatedHit], mutual: NDArray[np.float32], settings: RecallSettings
) -> list[int]:
    """Positions in a new order: a newer hit moves ahead of an older similar one if its score is not
    much lower. mutual: similarity of each pair."""
    order = list(range(len(hits)))
    for at in range(len(hits)):
        for spot, other in enumerate(order[:at]):
            similar = bool(mutual[at, other] >= settings.same_floor)
            if similar and _replaces(hits[at], hits[other], settings):
                # This moves only hits up to `at`: later positions stay valid.
                order.insert(spot, order.pop(at))
                break
    return order


def _replaces(newer: DatedHit, older: DatedHit, settings: RecallSettings) -> bool:
    dated = newer.when[0] and older.when[0] and newer.when > older.when
    # The answer of an agent does not replace what a person said.
    if not dated or newer.spoken != older.spoken:
        return False
    return newer.score >= settings.fresh_reach * older.score
