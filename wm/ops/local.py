"""A runtime on the files of this user, for whoever works without the daemon (ST-7)."""

from __future__ import annotations

from wm.ops.runtime import Runtime, make_runtime
from wm.settings import Settings
from wm.store.files import FileStore
from wm.store.fstype import require_supported


def open_runtime(settings: Settings) -> Runtime:
    """Open the data folder. Raises StoreError where it cannot keep the store's promises."""
    require_supported(str(settings.paths.home), settings.store.allow_network_folder)
    return make_runtime(settings, FileStore(settings.paths.home, settings.store))
