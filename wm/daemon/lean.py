"""What the daemon's process does not load of the libraries that it stands on.

It listens on a Unix socket only, and nobody extends its models. Left out are OpenSSL's half of
asyncio, and the search for pydantic plugins in all installed packages, which brings the `email`
and `zipfile` packages along: together four megabytes of an idle daemon and a fifteenth of its
start. A plugin would moreover see every text that a model holds. Only for a process of our own,
before asyncio and pydantic are imported: a program that uses `wm.library` keeps what it has. All
of it stays available to whoever imports it later.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_PLUGINS = "pydantic.plugin._loader"


def stay_lean() -> None:
    """Import asyncio without `ssl`, and have pydantic find no plugins."""
    if "asyncio" not in sys.modules and "ssl" not in sys.modules:
        sys.modules["ssl"] = None  # type: ignore[assignment]
        try:
            import_module("asyncio")
        finally:
            del sys.modules["ssl"]
    find_no_plugins()


def find_no_plugins() -> None:
    """Have pydantic find no plugins. A command of the terminal does without them, too."""
    sys.modules.setdefault(_PLUGINS, _NoPlugins(_PLUGINS))


class _NoPlugins(ModuleType):
    """Stands where pydantic's loader would. Asked for anything else, it lets the real one in."""

    @staticmethod
    def get_plugins(*_: object) -> tuple[()]:
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(_PLUGINS) is self:
            del sys.modules[_PLUGINS]
        return getattr(import_module(_PLUGINS), name)
