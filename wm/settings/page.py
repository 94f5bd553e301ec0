"""Section [page]: the local page of `wm open`."""

from msgspec import Struct


class PageSettings(Struct, frozen=True, eq=False):
    """The local page (SPEC section 22)."""

    # Fixed: not options of config.toml.
    idle_s: float = 300.0
    """The page ends after this long without an open tab [s, UI-1]."""
