"""Section [page]: the local page of `wm open`."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class PageSettings:
    """The local page (SPEC section 22)."""

    # Fixed: not options of config.toml.
    idle_s: float = 300.0
    """The page ends after this long without an open tab [s, UI-1]."""
