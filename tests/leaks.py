"""Nothing may be left for a collection to close: neither sockets nor files nor processes."""

from __future__ import annotations

import contextlib
import gc
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """What only a collection would close says so in a warning."""
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield
            gc.collect()
        assert [str(one.message) for one in said] == []
    finally:
        gc.enable()
