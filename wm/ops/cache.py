"""A small cache of derived values, each valid for exactly the inputs it was computed from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from wm.formats.base import Record


class DerivedCache:
    """Keeps the newest value per key, and returns it while its inputs are the same objects.

    Inputs are compared by identity first, then by equality, element by element; documents are
    frozen, so an unchanged object is an unchanged value. At most `size` keys, least recently
    used out. Safe for several threads; two may compute the same value at once, which is harmless.
    """

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, tuple[tuple[Any, ...], Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, inputs: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        with self._lock:
            known = self._values.get(key)
            if known is not None and (known[0] is inputs or _same(known[0], inputs)):
                self._values.move_to_end(key)
                return known[1]
        value = compute()
        with self._lock:
            self._values[key] = (inputs, value)
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value

    def forget(self, key: Hashable) -> None:
        """Compute the value of this key anew next time."""
        with self._lock:
            self._values.pop(key, None)


def _same(known: tuple[Any, ...], inputs: tuple[Any, ...]) -> bool:
    for a, b in zip(known, inputs, strict=True):
        # Documents can hold ten thousand entries: identity, not a field-by-field comparison.
        if a is not b and (isinstance(a, Record) or a != b):
            return False
    return True
