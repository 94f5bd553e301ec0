"""Numbers of half precision as single ones."""

from __future__ import annotations

import numpy as np

from wm.domain.recall.halves import single


def test_every_number_of_half_precision_is_the_same_in_single_precision() -> None:
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)].reshape(2, -1)
    ours, numpys = single(halves), halves.astype(np.float32)
    assert ours.dtype == np.float32
    assert np.array_equal(ours.view(np.uint32), numpys.view(np.uint32))


def test_rows_that_do_not_lie_together_are_no_others() -> None:
    halves = np.arange(64, dtype=np.float16).reshape(8, 8)
    assert np.array_equal(single(halves[::2, ::3]), halves[::2, ::3].astype(np.float32))


def test_what_is_in_single_precision_already_is_not_copied() -> None:
    rows = np.ones((2, 3), np.float32)
    assert single(rows) is rows
