"""The proxy's only broad catch: a fault in our own processing changes no bytes (PX-1).

The caller forwards the original bytes instead; the fault is counted and logged without contents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


Failed = Callable[[Exception], None]
"""Receives a fault of ours that did not affect the bytes."""


def attempt(work: Callable[[], _T], failed: Failed) -> _T | None:
    """Return the work's result, or None after passing its exception to `failed`."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the proxy's fallback
        failed(error)
        return None
