"""Damaged text through the use cases; `python -m tests.ops.mutations` does it for long."""

from __future__ import annotations

import pytest

from tests.ops import mutations


@pytest.mark.parametrize("seed", range(1_000_000, 1_000_020))
def test_no_text_makes_a_rule_fail(seed: int) -> None:
    mutations.run(seed)
