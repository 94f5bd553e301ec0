"""What the daemon's schedule runs. It is imported as one, at the first run (GV-2, SY-1)."""

from wm.ops.storage import sweep
from wm.ops.sync.background import sync_quietly

__all__ = ["sweep", "sync_quietly"]
