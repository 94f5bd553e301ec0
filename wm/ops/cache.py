"""A bounded, thread-safe LRU cache for derived values: the only one, for all use cases.

A value is computed again when its inputs changed or it was evicted, so it may be dropped at any
time. A failed computation is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from wm.formats.base import Record
from wm.store.core import Recent

V = TypeVar("V")


class Cache:
    """Keeps at most `size` values by key. Thread-safe.

    `get` computes a value and keeps it while its inputs are equal; to expire a value, make the time
    one of its inputs. `put`, `peek` and `pop` handle values without inputs.
    """

    def __init__(self, size: int = 64) -> None:
        self._kept: Recent[tuple[tuple[Any, ...], Any]] = Recent(size)

    def get(self, key: Hashable, inputs: tuple[Any, ...], compute: Callable[[], V]) -> V:
        """The value for these inputs. Two threads may compute it at once; one result is kept."""
        known = self._kept.get(key)
        if known is not None and _same(known[0], inputs):
            kept: V = known[1]
            return kept
        value = compute()
        self._kept.put(key, (inputs, value))
        return value

    def put(self, key: Hashable, value: Any) -> None:
        self._kept.put(key, ((), value))

    def peek(self, key: Hashable) -> Any:
        """The value of this key for any inputs; None if there is none. Counts as a use."""
        known = self._kept.get(key)
        return None if known is None else known[1]

    def pop(self, key: Hashable) -> Any:
        """Remove and return the value of this key; None if there is none."""
        known = self._kept.pop(key)
        return None if known is None else known[1]

    def values(self) -> tuple[Any, ...]:
        """All values, least recently used first."""
        return tuple(value for _inputs, value in self._kept.values())


def _same(known: tuple[Any, ...], inputs: tuple[Any, ...]) -> bool:
    """Compare inputs: documents by identity, because they are frozen and may have ten thousand
    entries; other values by equality."""
    return len(known) == len(inputs) and all(
        a is b or (not isinstance(a, Record) and a == b) for a, b in zip(known, inputs, strict=True)
    )
