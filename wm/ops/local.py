"""Open a runtime on this user's files, for callers without the daemon (ST-7).

The same use cases under the same locks, so commands may run beside a daemon. Starts no thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from wm.errors import HostError
from wm.formats.base import dump
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import Runtime, make_runtime
from wm.settings import Settings
from wm.store.base import FileChangeHint
from wm.store.files import FileStore
from wm.store.fstype import require_supported


def open_runtime(settings: Settings) -> Runtime:
    """Open the data folder. Raises StoreError if it cannot keep the store's guarantees."""
    require_supported(str(settings.paths.home), settings.store.allow_network_folder)
    return make_runtime(settings, FileStore(settings.paths.home, settings.store))


def run(settings: Settings, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a use case to a request of plain JSON values. Raises WmError, and KeyError for
    an unknown name."""
    operation = OPERATIONS[name]
    try:
        request = operation.request.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise HostError(f"{place}: {first['msg']}.", status=422) from None
    runtime = open_runtime(settings)
    try:
        return dump(execute(runtime, operation, request))
    finally:
        runtime.store.close()


class OutsideWatch:
    """Reports the keys of workspaces whose memory file was edited by hand (ST-4)."""

    def __init__(self, store: FileStore, settings: Settings) -> None:
        # Lazy: watchdog takes 30 ms to import, and only the daemon watches.
        from wm.store.watch import Watch, written_by

        self._watch = Watch(store.disk, written_by(store), settings.store)

    def start(self, tell: Callable[[str], None]) -> None:
        """Start; the watch thread calls `tell` once per workspace and burst."""

        def changed(changes: tuple[FileChangeHint, ...]) -> None:
            edited = {c.workspace for c in changes if c.slug == WorkspaceMemory.slug}
            for key in sorted(edited):
                tell(key)

        self._watch.start(changed)

    def stop(self) -> None:
        self._watch.stop()

    @property
    def state(self) -> str:
        """off, watching, or why it polls or does not work."""
        return self._watch.state


def outside_watch(runtime: Runtime) -> OutsideWatch | None:
    """A watch that is not started; None for a store without files."""
    store = runtime.store
    return OutsideWatch(store, runtime.settings) if isinstance(store, FileStore) else None
