"""A small cache of derived values, each valid for exactly the inputs it was computed from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from wm.errors import WmError
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

    def peek(self, key: Hashable) -> Any:
        """The value that is kept, for whatever inputs; None where there is none."""
        with self._lock:
            known = self._values.get(key)
        return None if known is None else known[1]

    def values(self) -> tuple[Any, ...]:
        """Everything that is kept, least recently used first."""
        with self._lock:
            return tuple(value for _inputs, value in self._values.values())

    def forget(self, key: Hashable) -> None:
        """Compute the value of this key anew next time."""
        with self._lock:
            self._values.pop(key, None)


class Brief:
    """Values that hold for a moment after they were computed. At most `size`, oldest out.

    Asked several times by every request, so a hit takes no lock: what is kept is one object, put
    there whole. Safe for several threads; two may compute the same value at once.
    """

    def __init__(self, for_s: float, size: int = 256) -> None:
        self._for = timedelta(seconds=for_s)
        self._size = size
        self._values: dict[Hashable, tuple[datetime, datetime, Any]] = {}
        self._lock = Lock()

    def get(self, key: Hashable, now: datetime, compute: Callable[[], Any]) -> Any:
        kept = self._values.get(key)
        if kept is not None and kept[0] <= now < kept[1]:  # a clock may be set back
            return kept[2]
        value = compute()
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = now, now + self._for, value
            while len(self._values) > self._size:
                del self._values[next(iter(self._values))]
        return value


class Lent:
    """Working values that one caller at a time goes on with; who comes meanwhile, or after one
    that failed, begins anew. At most `size`, least recently used out. Safe for several threads."""

    def __init__(self, size: int = 4) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def lend(self, key: Hashable, make: Callable[[], Any]) -> Iterator[Any]:
        """The value of this key, or one that is made; kept for the next when the block ends."""
        with self._lock:
            value = self._values.pop(key, None)
        value = make() if value is None else value
        try:
            yield value
        except WmError:  # a refusal broke nothing
            self._keep(key, value)
            raise
        self._keep(key, value)

    def _keep(self, key: Hashable, value: Any) -> None:
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)


class Marks:
    """A small set of keys, the oldest out first. Safe for several threads."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._keys: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = Lock()

    def mark(self, key: Hashable, *, present: bool) -> None:
        """Put the key in, or take it out."""
        with self._lock:
            self._keys.pop(key, None)
            if present:
                self._keys[key] = None
            if len(self._keys) > self._size:
                self._keys.popitem(last=False)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._keys


class Tally:
    """Counts of what happened, by our own words, for the metrics. Safe for several threads."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}
        self._lock = Lock()

    def add(self, event: str, word: str) -> None:
        with self._lock:
            self._counts[event, word] = self._counts.get((event, word), 0) + 1

    def counts(self) -> dict[tuple[str, str], int]:
        with self._lock:
            return dict(self._counts)


class Latest:
    """The newest word about each key and when it was said, for the metrics; the oldest key out
    first. Safe for several threads."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._words: OrderedDict[Hashable, tuple[str, datetime]] = OrderedDict()
        self._lock = Lock()

    def tell(self, key: Hashable, word: str, now: datetime) -> None:
        with self._lock:
            self._words.pop(key, None)
            self._words[key] = word, now
            if len(self._words) > self._size:
                self._words.popitem(last=False)

    def forget(self, key: Hashable) -> None:
        with self._lock:
            self._words.pop(key, None)

    def counts(self, since: datetime) -> dict[str, int]:
        """How many keys each word was said of last, and not before `since`."""
        found: dict[str, int] = {}
        with self._lock:
            for word, at in self._words.values():
                if at >= since:
                    found[word] = found.get(word, 0) + 1
        return found


class Troubles:
    """What this process goes on without, by a word of ours, with the sentence that says why.
    Safe for several threads."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._hear: Callable[[str, str], None] = lambda _what, _why: None
        self._lock = Lock()

    def listen(self, hear: Callable[[str, str], None]) -> None:
        """Call this with every trouble that is new, in the thread that met it."""
        self._hear = hear

    def tell(self, what: str, why: str) -> None:
        """Something is in trouble; "" ends it."""
        with self._lock:
            is_new = bool(why) and self._told.get(what) != why
            self._told.pop(what, None)
            if why:
                self._told[what] = why
        if is_new:
            self._hear(what, why)

    def now(self) -> dict[str, str]:
        with self._lock:
            return dict(self._told)


def _same(known: tuple[Any, ...], inputs: tuple[Any, ...]) -> bool:
    for a, b in zip(known, inputs, strict=True):
        # Documents can hold ten thousand entries: identity, not a field-by-field comparison.
        if a is not b and (isinstance(a, Record) or a != b):
            return False
    return True
