"""The agents of this machine, as `wm setup` sees them."""

from __future__ import annotations

import sys
from pathlib import Path

import wm
from wm.agents import setup as wiring
from wm.agents.claude_hooks import installed
from wm.settings import Settings, find_agent_paths

states = wiring.states


def look(settings: Settings) -> wiring.Facts:
    """This machine, as far as setup is concerned. Raises UserError."""
    command = installed(sys.executable, Path(wm.__file__).parent)
    return wiring.look(find_agent_paths(), settings.paths, command, settings.hooks, sys.platform)
