"""Find the nearest neighbours among the texts of a collection by their vectors (RC-1).

Does not decide what the texts state: similarity alone never shows that (see
`wm.domain.memory.similarity`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_SETTLING = 16.0
"""Below this number of texts the mean of the collection counts only in part."""
_AT_ONCE = 256


def near_pairs(
    vectors: Sequence[Floats], floor: float, most: int
) -> Iterator[tuple[int, int, float]]:
    """Pairs of positions (a before b) with a cosine of at least `floor`, up to `most` per text.

    vectors: the rows of each text, unit vectors of one model. The common mean is subtracted
    first.
    """
    if len(vectors) < 2:
        return
    centred = np.stack([rows.mean(axis=0) for rows in vectors])
    centred = centred - centred.mean(axis=0) * np.float32(len(centred) / (len(centred) + _SETTLING))
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    for begin in range(0, len(centred), _AT_ONCE):
        like = centred[begin : begin + _AT_ONCE] @ centred.T
        for row, own in enumerate(like):
            own[: begin + row + 1] = -1.0
            near = np.flatnonzero(own >= floor)
            for other in near[np.argsort(-own[near], kind="stable")][:most]:
                yield begin + row, int(other), float(own[other])
