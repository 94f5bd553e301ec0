"""Numbers of half precision made single ones, which numpy does one by one (RC-3).

Exact for all that are finite. Others become some number: none of them is in a vector that is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MANTISSA = 13
"""Bits by which a single number has the longer mantissa."""
_NO_SIGN_TWICE = np.int32(-0x70000001)
"""All bits but those into which the sign was drawn out."""
_BIAS = np.float32(2.0**112)
"""By so much the same exponent is larger in half precision."""


def single(rows: NDArray[Any]) -> NDArray[np.float32]:
    """The same numbers in single precision: themselves where they are that already."""
    if rows.dtype != np.float16:
        return rows.astype(np.float32, copy=False)
    bits = np.ascontiguousarray(rows).view(np.int16).astype(np.int32)
    bits <<= _MANTISSA
    bits &= _NO_SIGN_TWICE
    found = bits.view(np.float32)
    found *= _BIAS
    return found
