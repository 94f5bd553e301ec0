"""Open a runtime on this user's files, for callers without the daemon (ST-7).

The same use cases under the same locks, so commands may run beside a daemon. Starts no thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import Runtime, make_runtime
from wm.settings import Settings
from wm.store.files import FileStore
from wm.store.fstype import require_supported


def open_runtime(settings: Settings) -> Runtime:
    """Open the data folder. Raises StoreError if it cannot keep the store's guarantees."""
    require_supported(str(settings.paths.home), settings.store.allow_network_folder)
    return make_runtime(settings, FileStore(settings.paths.home, settings.store))


@contextmanager
def opened(settings: Settings) -> Iterator[Runtime]:
    """The data folder, opened for a while. Raises StoreError."""
    runtime = open_runtime(settings)
    try:
        yield runtime
    finally:
        runtime.store.close()


def run(settings: Settings, name: str, fields: Mapping[str, Any]) -> Any:
    """The response model of a use case, for a request of plain JSON values. Raises WmError, and
    KeyError for an unknown name."""
    operation = OPERATIONS[name]
    request = operation.requested(fields)
    with opened(settings) as runtime:
        return execute(runtime, operation, request)


def watch_edits(runtime: Runtime, edited: Callable[[str], None]) -> tuple[str, Callable[[], None]]:
    """Watch for memory files that are edited by hand (ST-4): a thread calls `edited` with the key
    of each such workspace. Returns the state of the watch (`watching`, or why it polls or does not
    work) and how to stop it. Raises StoreError."""
    # Lazy: watchdog takes 30 ms to import, and only the daemon watches.
    from wm.store.watch import Watch, written_by

    store = runtime.store
    watch = Watch(store.disk, written_by(store), runtime.settings.store)
    watch.start(edited)
    return watch.state, watch.stop
